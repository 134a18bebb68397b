// The page of `mmp inspect`: layers of the picture, macroblocks by pointer and keys, totals.
"use strict";

const FIELDS = 6; // numbers an element has in the data
const LISTED = 6; // indices in the tooltip

// A macroblock of the data, unpacked.
class Macroblock {
  constructor(data, numbers) {
    [this.x, this.y] = numbers;
    this.elements = [];
    for (let i = 2; i < numbers.length; i += FIELDS) {
      const [kind, level, x, y, value, hundredths] = numbers.slice(i, i + FIELDS);
      const [height, width] = data.levels[level];
      this.elements.push({ kind: data.elements[kind], x, y, width, height, value, bits: hundredths / 100 });
    }
  }

  bits(name) {
    return this.elements
      .filter(({ kind }) => name === undefined || kind.name === name)
      .reduce((sum, { bits }) => sum + bits, 0);
  }

  of(name) {
    return this.elements.filter(({ kind }) => kind.name === name);
  }

  title() {
    return `Macroblock at x ${this.x}, y ${this.y}`;
  }
}

function words(name) {
  return name.replaceAll("_", " ");
}

function valueText({ kind, value }) {
  return kind.values.length > 0 ? words(kind.values[value]) : `#${value}`;
}

function sizeText({ height, width }) {
  return `${height}×${width}`;
}

// The first few of a list, and how many more.
function listed(texts) {
  const more = texts.length - LISTED;
  return texts.slice(0, LISTED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

// How often each text occurs: "3× leaf, split vertical".
function counted(texts) {
  const counts = new Map();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].map(([text, count]) => (count > 1 ? `${count}× ${text}` : text)).join(", ");
}

// The tooltip's rows. Flags that are not in the file, as they could have no other value, are left
// out.
function describeMacroblock(macroblock) {
  const bits = (name) => `${number(macroblock.bits(name), 1)} bits`;
  const rows = [["in all", bits()]];
  for (const [name, label] of [["prediction_flag", "prediction flags"], ["residual_flag", "residual flags"]]) {
    const flags = macroblock.of(name).filter((flag) => flag.bits > 0);
    if (flags.length > 0) rows.push([`${label}, ${bits(name)}`, counted(flags.map(valueText))]);
  }
  const indices = macroblock.of("index").map((index) => `${valueText(index)} ${sizeText(index)}`);
  rows.push([`modes, ${bits("mode")}`, counted(macroblock.of("mode").map(valueText))]);
  rows.push([`indices, ${bits("index")}`, listed(indices)]);
  return rows;
}

class Viewer {
  constructor(data) {
    this.data = data;
    this.macroblocks = new Map(data.macroblocks.map((numbers) => [`${numbers[0]},${numbers[1]}`, numbers]));
    this.layer = data.layers.find(({ name }) => name === "Segmentation");
    this.zoom = "fit";
    this.opacity = 1;
    this.chosen = null;
    this.stage = byId("stage");
    this.under = html("img", { alt: "The decoded picture", src: data.layers[0].file });
    this.over = html("img", { alt: "" });
    this.pointed = html("div", { class: "frame", hidden: true });
    this.frame = html("div", { class: "frame chosen", hidden: true });
    this.stage.append(this.under, this.over, this.pointed, this.frame);
    byId("controls").append(...this.controls());
    this.listen();
    new ResizeObserver(() => requestAnimationFrame(() => this.draw())).observe(byId("scroll").parentElement);
    this.draw();
  }

  controls() {
    const { layers } = this.data;
    const names = layers.map(({ name }) => [name, name]);
    const zooms = [["fit", "fit"], ["1", "100 %"], ["2", "200 %"], ["4", "400 %"], ["8", "800 %"]];
    const opacity = html("input", { type: "range", min: "0", max: "100", value: "100", oninput: () => {
      this.opacity = opacity.value / 100;
      this.draw();
    } });
    return [
      segmentControl("layer", "Show", names, this.layer.name, (name) => {
        this.layer = layers.find((layer) => layer.name === name);
        this.draw();
      }),
      selectControl("Size", zooms, this.zoom, (zoom) => {
        this.zoom = zoom;
        this.draw();
      }),
      html("label", { class: "control" }, html("span", null, "Over the decoded picture"), opacity),
    ];
  }

  // Pixels of the page a pixel of the picture.
  scale() {
    const { width } = this.data.info;
    return this.zoom === "fit" ? Math.min(byId("scroll").clientWidth / width, 16) : Number(this.zoom);
  }

  draw() {
    const { info } = this.data;
    const scale = this.scale();
    this.stage.style.width = `${info.width * scale}px`;
    this.stage.style.height = `${info.height * scale}px`;
    this.under.style.width = `${info.width * scale}px`;
    this.over.src = this.layer.file;
    this.over.alt = this.layer.name;
    this.over.style.opacity = this.opacity;
    // Smooth where it is made smaller, lest lines vanish.
    this.over.style.imageRendering = scale < this.layer.scale ? "auto" : "pixelated";
    // Pictures with a legend are larger than the image; the stage cuts it off.
    const fit = () => {
      this.over.style.width = `${(this.over.naturalWidth / this.layer.scale) * this.scale()}px`;
    };
    this.over.onload = fit;
    if (this.over.complete) fit();
    this.place(this.frame, this.chosen);
    byId("legend").replaceChildren(...this.legend());
  }

  legend() {
    const { data } = this;
    const key = (color, text) => html("span", { class: "key" }, html("i", { style: `background:${color}` }), text);
    const pixels = data.info.width * data.info.height;
    switch (this.layer.name) {
      case "Segmentation":
        return [key(data.predictionColor, "predicted at once"), key(data.patternColor, "one pattern")];
      case "Modes":
        return data.modes.map((mode) => key(mode.color, `${mode.name} ${number((100 * mode.pixels) / pixels, 1)} %`));
      case "Bits":
        return [html("span", { class: "heat" }, "0", html("i", { style: `background:linear-gradient(90deg,${data.heat.join()})` }),
          `${number(data.mostBits)} bits a macroblock`)];
      case "Residual":
        return [html("span", { class: "muted" }, "Middle gray is no residual.")];
      default:
        return [];
    }
  }

  // Puts a frame around a macroblock, or takes it away.
  place(frame, macroblock) {
    frame.hidden = macroblock === null;
    if (macroblock === null) return;
    const { info, macroblockSize } = this.data;
    const scale = this.scale();
    frame.style.left = `${macroblock.x * scale}px`;
    frame.style.top = `${macroblock.y * scale}px`;
    frame.style.width = `${Math.min(macroblockSize, info.width - macroblock.x) * scale}px`;
    frame.style.height = `${Math.min(macroblockSize, info.height - macroblock.y) * scale}px`;
  }

  // The macroblock that has a pixel of the picture, or null.
  at(x, y) {
    const size = this.data.macroblockSize;
    const numbers = this.macroblocks.get(`${Math.floor(x / size) * size},${Math.floor(y / size) * size}`);
    return numbers === undefined ? null : new Macroblock(this.data, numbers);
  }

  underPointer(event) {
    const box = this.stage.getBoundingClientRect();
    return this.at((event.clientX - box.left) / this.scale(), (event.clientY - box.top) / this.scale());
  }

  listen() {
    this.stage.addEventListener("pointermove", (event) => {
      const macroblock = this.underPointer(event);
      this.place(this.pointed, macroblock);
      if (macroblock) tooltip.show(event.clientX, event.clientY, macroblock.title(), describeMacroblock(macroblock));
      else tooltip.hide();
    });
    this.stage.addEventListener("pointerleave", () => {
      this.place(this.pointed, null);
      tooltip.hide();
    });
    this.stage.addEventListener("click", (event) => this.choose(this.underPointer(event)));
    this.stage.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const step = steps[event.key];
    if (event.key === "Escape") tooltip.hide();
    if (step === undefined) return;
    event.preventDefault();
    const size = this.data.macroblockSize;
    const from = this.chosen ?? { x: -step[0] * size, y: -step[1] * size };
    this.choose(this.at(from.x + step[0] * size, from.y + step[1] * size) ?? this.chosen);
    this.frame.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  }

  choose(macroblock) {
    this.chosen = macroblock;
    this.place(this.frame, macroblock);
    if (macroblock === null) return;
    byId("chosen").textContent = `${macroblock.title()}: ${number(macroblock.bits(), 1)} bits`;
    byId("details-hint").hidden = true;
    byId("elements").replaceChildren(elementTable(macroblock));
  }
}

// All elements in the order of the file; what could have no other value is not in it.
function elementTable(macroblock) {
  const row = (element) =>
    html(
      "tr",
      { class: [element.bits > 0 ? "" : "implied", element.kind.name === "prediction_flag" ? "starts-block" : ""].join(" ").trim() || null },
      html("th", { scope: "row" }, words(element.kind.name)),
      html("td", { class: "text" }, valueText(element)),
      html("td", { class: "text" }, sizeText(element)),
      html("td", { class: "place" }, `${element.x}, ${element.y}`),
      html("td", null, element.bits > 0 ? number(element.bits, 2) : "–"),
    );
  const heading = (text, left) => html("th", { scope: "col", class: left ? "text" : null }, text);
  return html(
    "table",
    null,
    html("caption", null, "In the order of the file; sizes are rows × columns, places inside the macroblock"),
    html("thead", null, html("tr", null, heading("Element", true), heading("Value", true), heading("Block", true), heading("At"), heading("Bits"))),
    html("tbody", null, macroblock.elements.map(row)),
  );
}

function share(part, whole) {
  const percent = whole > 0 ? (100 * part) / whole : 0;
  return html("td", null, `${number(percent, 1)} %`, html("span", { class: "bar", style: `width:${percent.toFixed(1)}%` }));
}

function table(caption, headings, rows) {
  const heading = (text, index) => html("th", { scope: "col", class: index === 0 ? "text" : null }, text);
  return html(
    "div",
    { class: "card table-scroll" },
    html("table", null, html("caption", null, caption), html("thead", null, html("tr", null, headings.map(heading))), html("tbody", null, rows)),
  );
}

function drawTotals(data) {
  const headerBits = data.info.header_bytes * 8;
  const total = data.elements.reduce((sum, { bits }) => sum + bits, headerBits);
  const elementRow = ({ name, count, bits }) =>
    html("tr", null, html("th", { scope: "row" }, words(name)), html("td", null, number(count)), html("td", null, number(bits)), share(bits, total));
  const header = { name: "header and checksums", count: 1, bits: headerBits };
  const pixels = data.info.width * data.info.height;
  const modeRow = ({ name, color, blocks, pixels: covered }) =>
    html("tr", null, html("th", { scope: "row" }, html("span", { class: "key" }, html("i", { style: `background:${color}` }), name)),
      html("td", null, number(blocks)), share(covered, pixels));
  byId("tables").append(
    table("Bits by element; also those that are implied and take no bits are counted", ["Element", "Number", "Bits", "Share"], [...data.elements, header].map(elementRow)),
    table("Prediction modes", ["Mode", "Blocks", "Pixels"], [...data.modes].sort((a, b) => b.pixels - a.pixels).map(modeRow)),
  );
}

function drawDictionary(data) {
  const show = (index) => {
    const tile = data.tiles[index];
    byId("dictionary-note").textContent =
      `${plural(tile.patterns, "pattern")} at the end, ${number(tile.initialPatterns)} of them initial.`;
    byId("sheet").replaceChildren(html("img", { src: tile.dictionary, alt: "Contact sheet of the patterns by block size" }));
  };
  if (data.tiles.length > 1) {
    const options = data.tiles.map((tile, index) => [String(index), `${index}: ${tile.width} × ${tile.height} at ${tile.x}, ${tile.y}`]);
    byId("dictionary-controls").append(selectControl("Tile", options, "0", show));
  }
  show(0);
}

function drawPage() {
  const data = pageData();
  const { info } = data;
  document.title = `${data.name}: mmp inspect`;
  byId("name").textContent = data.name;
  byId("summary").textContent =
    `${info.width} × ${info.height} pixels, ${number(info.bytes)} bytes, ${number(info.bits_per_pixel, 3)} bits per pixel, ` +
    `preset ${info.preset}${info.lossless ? ", lossless" : ""}, ${plural(data.tiles.length, "tile")}, ` +
    `${plural(data.macroblocks.length, "macroblock")}.`;
  new Viewer(data);
  drawTotals(data);
  drawDictionary(data);
}

drawPage();
