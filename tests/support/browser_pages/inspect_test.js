// Checks of the page that tests/tools/inspect/inspect_browser_test.cc makes.

function stage() {
  return one("#stage");
}

// Where a pixel of the picture is in the window, in whole pixels as of a click.
function place(x, y) {
  const data = pageData();
  const box = stage().getBoundingClientRect();
  const scale = box.width / data.info.width;
  return [Math.ceil(box.x + x * scale), Math.ceil(box.y + y * scale)];
}

async function checkLayers(data) {
  for (const layer of data.layers) {
    one(`input[name='layer'][value='${layer.name}']`).click();
    await drawn();
    const [under, over] = all("#stage img");
    check("layer is shown", over.src.endsWith(layer.file), over.src);
    check(
        "layer is loaded", over.naturalWidth >= data.info.width * layer.scale,
        `${layer.name} ${over.naturalWidth}`);
    const scale = stage().getBoundingClientRect().width / data.info.width;
    check(
        "layer fits the picture",
        Math.abs(over.getBoundingClientRect().width / over.naturalWidth * layer.scale - scale) <
            0.01 * scale,
        layer.name);
    check("decoded picture is under it", under.naturalWidth === data.info.width);
  }
  one("input[name='layer'][value='Modes']").click();
  await drawn();
  checkEqual("legend of the modes", all("#legend .key").length, data.modes.length);
  const slider = one("#controls input[type='range']");
  slider.value = 40;
  slider.dispatchEvent(new Event("input", {bubbles: true}));
  checkEqual("layer is mixed", all("#stage img")[1].style.opacity, "0.4");
}

async function checkPointer(data) {
  checkEqual("no tooltip at first", tooltipText(), "");
  const [x, y] = data.macroblocks.at(-1);
  pointer("pointermove", stage(), ...place(x, y));
  check("tooltip names the macroblock", tooltipText().includes(`x ${x}, y ${y}`), tooltipText());
  const hasWaveFronts = data.info.order === "wavefront";
  checkEqual("tooltip names the front", tooltipText().includes(", front "), hasWaveFronts);
  const last = new Macroblock(data, data.macroblocks.at(-1));
  check(
      "tooltip has the bits", tooltipText().includes(`${last.bits().toFixed(1)} bits`),
      tooltipText());
  check(
      "tooltip has the modes",
      last.of("mode").every((mode) => tooltipText().includes(valueText(mode))), tooltipText());
  check(
      "tooltip has indices", tooltipText().includes(valueText(last.of("index")[0])), tooltipText());
  check("macroblock is framed", !one(".frame").hidden);
  pointer("pointerleave", stage(), 0, 0);
  checkEqual("tooltip goes", tooltipText(), "");
  stage().dispatchEvent(
      new MouseEvent("click", {bubbles: true, clientX: place(x, y)[0], clientY: place(x, y)[1]}));
  checkEqual("a row an element", all("#elements tbody tr").length, last.elements.length);
  check("chosen one is named", one("#chosen").textContent.includes(`x ${x}, y ${y}`));
}

async function checkKeyboard(data) {
  stage().dispatchEvent(
      new MouseEvent("click", {bubbles: true, clientX: place(0, 0)[0], clientY: place(0, 0)[1]}));
  stage().focus();
  await press("ArrowRight");
  await press("ArrowDown");
  const x = Math.min(
      data.macroblockSize, data.info.width > data.macroblockSize ? data.macroblockSize : 0);
  const y = data.info.height > data.macroblockSize ? data.macroblockSize : 0;
  check(
      "keys choose", one("#chosen").textContent.includes(`x ${x}, y ${y}`),
      one("#chosen").textContent);
  await press("ArrowUp");
  await press("ArrowUp");
  check(
      "keys stop at the edge", one("#chosen").textContent.includes(`x ${x}, y 0`),
      one("#chosen").textContent);
}

// Fronts come one after another, and in raster order each has one macroblock.
function checkOrder(data) {
  const hasWaveFronts = data.info.order === "wavefront";
  checkEqual(
      "summary names the order", one("#summary").textContent.includes("wave fronts"),
      hasWaveFronts);
  const fronts = data.macroblocks.map((numbers) => new Macroblock(data, numbers).front);
  const starts = fronts.filter((front, i) => i === 0 || front !== fronts[i - 1]).length;
  check(
      "fronts are those of the order",
      hasWaveFronts ? starts < fronts.length : starts === fronts.length,
      `${starts} of ${fronts.length}`);
}

async function checkTables(data) {
  const shown = all("#tables table:first-of-type tbody tr th").map((node) => node.textContent);
  check(
      "elements and header",
      data.elements.every(({name}) => shown.includes(name.replaceAll("_", " "))), shown.join());
  checkEqual(
      "filter", shown.includes("filter"),
      data.info.tools.includes("wiener") || data.info.tools.includes("network"));
  const bits = (data.elements.reduce((sum, element) => sum + element.bits, 0) +
                (data.filter.bits ?? 0) + (data.exact.bits ?? 0) + (data.copies.bits ?? 0)) /
          8 +
      data.info.header_bytes;
  check(
      "bits are the file's", Math.abs(bits - data.info.bytes) < 5 * data.tiles.length,
      `${bits} ${data.info.bytes}`);
  const select = document.querySelector("#dictionary-controls select");
  checkEqual("choice of tiles", select !== null, data.tiles.length > 1);
  if (select) {
    await choose(select, String(data.tiles.length - 1));
    check("dictionary of the tile", one("#sheet img").src.endsWith(data.tiles.at(-1).dictionary));
  }
  check("dictionary is loaded", one("#sheet img").naturalWidth > 0);
}

finish(async () => {
  const data = pageData();
  checkPage();
  checkEqual("name", one("h1").textContent, "<hostile onclick='x'>&amp;.mmp");
  check("name is no element", document.querySelector("hostile") === null);
  checkOrder(data);
  await checkLayers(data);
  await checkPointer(data);
  await checkKeyboard(data);
  await checkTables(data);
  await choose(one("#controls select"), "4");
  checkEqual("enlarged", stage().getBoundingClientRect().width, data.info.width * 4);
  checkPage();
});
