// Checks of the page itself: what it shows of a deep picture, of tiles and damage, and how it is
// used. The files are those of tests/tools/web/web_page_test.cc.

// By a copy, as the page's canvas is not made to be read.
function pixelOf(canvas, x, y) {
  const context = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  context.drawImage(canvas, -x, -y);
  return context.getImageData(0, 0, 1, 1).data[0];
}

// Samples of 12 bits, 32 x 32 of them: 1000 + 32 y + x.
async function checkWindow({name, file}) {
  await open(fileOf(name, file));
  const canvas = one("#picture-stage canvas");
  const shown = () => [pixelOf(canvas, 0, 0), pixelOf(canvas, 0, 16), pixelOf(canvas, 31, 31)];
  checkEqual("samples that occur at first", shown(), [0, 128, 255]);
  const [occurring, full] = ["Samples that occur", "Full range"].map(
      (text) => all("#picture-controls button").find((node) => node.textContent === text));
  full.click();
  checkEqual("all that could be", shown(), [62, 94, 126]);
  const [low, high] = all("#picture-controls input[type='number']");
  checkEqual("as numbers", [low.value, high.value], ["0", "4095"]);
  low.value = "1512";
  high.value = "99999";
  high.dispatchEvent(new Event("change"));
  checkEqual("what is chosen", shown(), [0, 0, 50]);
  checkEqual("is kept in the range", high.value, "4095");
  high.value = "1512";
  high.dispatchEvent(new Event("change"));
  checkEqual("no width", shown(), [0, 0, 255]);
  occurring.click();
  checkEqual("back again", shown(), [0, 128, 255]);
}

async function checkPicture() {
  const stage = one("#picture-stage");
  checkEqual("the range", one("#sample").textContent, "Samples from 1000 to 2023, of 0 to 4095.");
  await choose(one("#picture-controls select"), "4");
  const box = stage.getBoundingClientRect();
  checkEqual("enlarged", box.width, 32 * 4);
  pointer("pointermove", stage, box.x + 4 * 5 + 2, box.y + 4 * 7 + 2);
  checkEqual("sample under the pointer", one("#sample").textContent, "x 5, y 7: 1229 of 4095");
  pointer("pointerleave", stage, 0, 0);
  check("header", one("#header-tables").textContent.includes("pixels"));
  check("no blocks of the pixel coder", !shows("look-button") && shows("look"));
  checkPage();
}

// Samples of 12 bits, the same less 2048: -1048 + 32 y + x.
async function checkSigned({name, file}) {
  await open(fileOf(name, file));
  checkEqual("signed", one("#sample").textContent, "Samples from -1048 to -25, of -2048 to 2047.");
  const inputs = all("#picture-controls input[type='number']");
  const numbers = () => inputs.map((node) => Number(node.value));
  checkEqual("a window of what they stand for", numbers(), [-1048, -25]);
  checkEqual(
      "between", inputs.map(({min, max}) => [min, max]).flat(), ["-2048", "2047", "-2048", "2047"]);
  inputs[0].value = "-536";
  inputs[1].value = "99999";
  inputs[1].dispatchEvent(new Event("change"));
  checkEqual("what is chosen", numbers(), [-536, 2047]);
  const canvas = one("#picture-stage canvas");
  const shown = [pixelOf(canvas, 0, 0), pixelOf(canvas, 0, 16), pixelOf(canvas, 31, 31)];
  checkEqual("is shown", shown, [0, 0, 50]);
  await choose(one("#picture-controls select"), "4");
  const stage = one("#picture-stage"), box = stage.getBoundingClientRect();
  pointer("pointermove", stage, box.x + 4 * 5 + 2, box.y + 4 * 7 + 2);
  checkEqual("sample under the pointer", one("#sample").textContent, "x 5, y 7: -819 of 2047");
  checkEqual("what is saved", one("#save").textContent, "Save as PNG, 2048 added");
  checkPage();
}

async function checkTiles({name, file}) {
  await open(fileOf(name, file));
  checkEqual("a row a tile", all("#header-tables table:last-of-type").at(-1).rows.length, 1 + 9);
  const edges = one(".tile-edges");
  const box = one("#picture-controls input[type='checkbox']");
  check("borders are hidden at first", edges.hasAttribute("hidden"));
  box.click();
  check("and shown", !edges.hasAttribute("hidden"));
  checkEqual("borders", edges.getAttribute("d"), "M96,0V256M192,0V256M0,112H256M0,224H256");
  checkPage();
}

// The second of two tiles.
async function checkDamage({name, file}) {
  await open(fileOf(name, file));
  check("what is damaged is said", failureText().includes("at 16, 0 is damaged"), failureText());
  checkEqual("and marked", all(".damaged-tile").map((node) => node.getAttribute("x")), ["16"]);
  check("the rest is shown", shows("decoded"));
  checkPage();
}

async function checkHostile({name, file}) {
  await open(fileOf(name, file));
  check("refused", failureText().length > 10 && !shows("decoded"), failureText());
  checkEqual("no name becomes an element", document.querySelector("hostile"), null);
  checkEqual("name", one("h1").textContent, name);
  checkPage();
}

async function checkCancel({name, file}) {
  put(one("#file"), fileOf(name, file));
  await until(() => shows("working"));
  const before = performance.now();
  one("#cancel").click();
  check("cancelled at once", !shows("working") && performance.now() - before < 1000);
  await drawn();
  check("and nothing comes of it", !shows("decoded") && !shows("failure"));
}

// Of two files one after the other the second is shown.
async function checkHaste(first, second) {
  put(one("#file"), fileOf(first.name, first.file));
  await until(() => shows("working"));
  await open(fileOf(second.name, second.file));
  checkEqual("the latter", one("#picture-stage canvas").width, 32);
}

async function checkDrop({name, file}) {
  const transfer = new DataTransfer();
  transfer.items.add(fileOf(name, file));
  one("h1").textContent = "";
  document.body.dispatchEvent(
      new DragEvent("drop", {bubbles: true, cancelable: true, dataTransfer: transfer}));
  await until(() => one("h1").textContent === name);
  await settled();
  check("what is dropped is opened", shows("decoded"));
}

async function checkInside({name, file}) {
  await open(fileOf(name, file));
  await lookInside();
  checkEqual("the viewer is there", all("#stage img").length, 2);
  one("#stage").focus();
  await press("ArrowRight");
  check("macroblocks are chosen", one("#chosen").textContent.includes("Macroblock at x 0, y 0"));
  check("elements are listed", all("#elements tbody tr").length > 0);
  checkPage();
  await open(fileOf(name, file));
  checkEqual("gone with the file", document.querySelector("#stage"), null);
  await lookInside();
  checkEqual("and there again", all("#stage img").length, 2);
}

finish(async () => {
  checkPage();
  const {deep, signed, tiles, damaged, hostile, long, patterns} = testData();
  await checkHostile(hostile);
  await checkWindow(deep);
  await checkPicture();
  await checkSigned(signed);
  await checkTiles(tiles);
  await checkDamage(damaged);
  await checkCancel(long);
  await checkHaste(long, deep);
  await checkInside(patterns);
  await checkDrop(tiles);
  checkEqual(
      "nothing was loaded",
      performance.getEntriesByType("resource")
          .map(({name}) => name)
          .filter((name) => !name.startsWith("blob:")),
      []);
});
