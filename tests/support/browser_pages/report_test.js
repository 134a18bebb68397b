// Checks of the page that tests/tools/sweep/report/report_browser_test.cc makes.

function curves(host) {
  return all(".series", one(host));
}

async function checkCurves(data) {
  checkEqual(
      "average curves", curves("#curves-chart").map((node) => node.getAttribute("aria-label")),
      data.codecs.map((codec) => codec.name));
  checkEqual("average points", all("#curves-chart .marker").length, data.averages.length);
  const leftOut = data.images.filter((_, image) => !data.averageImages.includes(image));
  const note = one("#curves-note").textContent;
  check(
      "the note names images that are left out", leftOut.every(({name}) => note.includes(name)),
      note);
  checkEqual("and only such", note.includes("Without "), leftOut.length > 0);
  const charts = all("#image-charts article");
  checkEqual("a chart an image", charts.length, data.images.length);
  charts.forEach((chart, image) => {
    const shown = data.points.filter((point) => point.image === image && !point.lossless);
    checkEqual("points of an image", all(".marker", chart).length, shown.length);
  });
  for (const path of all(".curve"))
    check(
        "curve has a shape", /^M[\d.,L]+|^M1,7H27$/.test(path.getAttribute("d")),
        path.getAttribute("d"));
}

// No number of an axis may touch another text of the chart.
async function checkAxisTexts() {
  const touch = (a, b) =>
      a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  for (const axes of all(".axes")) {
    const texts = all("text", axes);
    const boxes = texts.map((text) => text.getBoundingClientRect());
    const touching = texts.flatMap(
        (text, i) => texts.slice(i + 1)
                         .filter((_, k) => touch(boxes[i], boxes[i + 1 + k]))
                         .map((other) => `${text.textContent} and ${other.textContent}`));
    checkEqual("texts of the axes are apart", touching, []);
  }
}

async function checkHover(data) {
  const marker = all(".marker", curves("#curves-chart")[1])[1];
  const point = data.averages.filter((average) => average.codec === 1)
                    .sort((a, b) => a.parameter - b.parameter)[1];
  checkEqual("no tooltip at first", tooltipText(), "");
  pointAt(marker);
  check("tooltip names the codec", tooltipText().includes(data.codecs[1].name), tooltipText());
  check(
      "tooltip has the quality", tooltipText().includes(`${point.psnr.toFixed(2)} dB`),
      tooltipText());
  check("point is marked", marker.classList.contains("active"));
  pointer("pointermove", one("#curves-chart svg"), -1000, -1000);
  checkEqual("tooltip goes", tooltipText(), "");
}

async function checkKeyboard(data) {
  checkEqual("one tab stop a chart", all("#curves-chart .marker[tabindex='0']").length, 1);
  const first = one("#curves-chart .marker[tabindex='0']");
  first.focus();
  check("focus shows the point", tooltipText().includes(data.codecs[0].name));
  await press("ArrowRight");
  check(
      "right goes along the curve",
      document.activeElement === all(".marker", curves("#curves-chart")[0])[1]);
  await press("ArrowDown");
  check("down goes to the next curve", curves("#curves-chart")[1].contains(document.activeElement));
  check(
      "point has a label",
      document.activeElement.getAttribute("aria-label").includes(data.codecs[1].name));
  await press("End");
  check(
      "end goes to the last point",
      document.activeElement === all(".marker", curves("#curves-chart")[1]).at(-1));
  checkEqual("still one tab stop", all("#curves-chart .marker[tabindex='0']").length, 1);
  document.activeElement.blur();
  checkEqual("tooltip goes with the focus", tooltipText(), "");
}

async function checkLegend(data) {
  const button = one(".legend button[data-codec='1']");
  checkEqual("switch is on", button.getAttribute("aria-pressed"), "true");
  const columns = all("#bd-table thead th").length;
  button.click();
  await drawn();
  checkEqual("switch is off", button.getAttribute("aria-pressed"), "false");
  checkEqual("a curve less", curves("#curves-chart").length, data.codecs.length - 1);
  checkEqual(
      "a column less", all("#bd-table thead th").length, columns - (data.anchor === 1 ? 0 : 1));
  all(".legend button").at(-1).click();
  await drawn();
  checkEqual("all are back", curves("#curves-chart").length, data.codecs.length);
}

async function checkAxes() {
  const ticks = () => all("#curves-chart .axes text").map((node) => node.textContent).join();
  const logarithmic = ticks();
  one("input[name='rate-axis'][value='linear']").click();
  await drawn();
  await checkAxisTexts();
  check("axis is linear", ticks() !== logarithmic);
  one("input[name='rate-axis'][value='log']").click();
  one("input[name='quality'][value='ssim']").click();
  await drawn();
  await checkAxisTexts();
  check("axis is SSIM", ticks().includes("SSIM"));
  one("input[name='quality'][value='psnr']").click();
  await drawn();
  checkEqual("axes are as before", ticks(), logarithmic);
}

async function checkDeltas(data) {
  const shown = () => all("#bd-table tbody tr:first-child td").map((node) => node.textContent);
  const expected = (key, anchor, digits) =>
      data[key][anchor]
          .filter((_, codec) => codec !== anchor)
          .map(
              ([value]) =>
                  (value === null ? "–" :
                                    `${
                                        value > 0     ? "+" :
                                            value < 0 ? "−" :
                                                        ""}${Math.abs(value).toFixed(digits)}`));
  checkEqual("BD-rate", shown(), expected("bdRate", data.anchor, 1));
  one("input[name='bd-measure'][value='bdPsnr']").click();
  checkEqual("BD-PSNR", shown(), expected("bdPsnr", data.anchor, 2));
  one("input[name='bd-measure'][value='bdRate']").click();
  await choose(one("#bd-controls select"), "0");
  checkEqual("other anchor", shown(), expected("bdRate", 0, 1));
}

async function checkComparison(data) {
  const slider = () => one("#compare-stage input");
  const clip = () => getComputedStyle(one("#compare-stage .upper")).clipPath;
  check("divider in the middle", clip().includes("50%"), clip());
  slider().value = 20;
  slider().dispatchEvent(new Event("input", {bubbles: true}));
  check("divider moves", clip().includes("80%"), clip());
  checkEqual(
      "divider says where it is", slider().getAttribute("aria-valuetext"), "20 % of the width");
  const before = one("#compare-stage .upper").src;
  const [, left] = all("#compare-controls select");
  left.focus();
  await choose(left, "original");
  check("other picture", one("#compare-stage .upper").src !== before);
  checkEqual("the original", one("#compare-stage .upper").src, data.comparisons[0].original);
  check("focus stays", document.activeElement === all("#compare-controls select")[1]);
  check("divider stays", clip().includes("80%"), clip());
  one("input[name='compare-rate']").click();
  await drawn();
  check("caption has the rate", one(".captions").textContent.includes("bpp"));
  all(".thumbnail").at(-1).click();
  await drawn();
  checkEqual(
      "thumbnail leads to its pictures",
      one("#compare-controls select").selectedOptions[0].textContent, data.images.at(-1).name);
}

async function checkTables(data) {
  const ofFirst = data.points.filter((point) => point.image === 0);
  checkEqual("a row a point", all("#points-table tbody tr").length, ofFirst.length);
  check(
      "commands",
      ofFirst.every((point) => one("#points-table").textContent.includes(point.command)));
  check("commands keep their line breaks", [
    one(".command code"), one("#sweep-command")
  ].every((node) => getComputedStyle(node).whiteSpace.startsWith("pre-wrap")));
  check("lossless point", one("#points-table").textContent.includes("lossless"));
  checkEqual(
      "versions", all("#versions-table tbody td:nth-child(2)").map((node) => node.textContent),
      data.codecs.map((codec) => codec.version));
  checkEqual("command", one("#sweep-command").textContent, data.command);
  const note = one("#decoder-note");
  checkEqual("the page that decodes is named if it is there", !note.hidden, "decoder" in data);
  if (data.decoder) checkEqual("by a link", one("a", note).getAttribute("href"), "decoder.html");
}

// Charts are drawn at the paper's width, so that their texts are as large as the others.
async function checkPrint() {
  const widths = () => all(".chart svg").map((node) => node.viewBox.baseVal.width);
  const screen = widths();
  dispatchEvent(new Event("beforeprint"));
  checkEqual(
      "on paper", widths(), screen.map((_, chart, {length}) => chart % (length - 1) ? 320 : 680));
  dispatchEvent(new Event("afterprint"));
  checkEqual("on the screen again", widths(), screen);
}

// Names are text wherever they are shown, whatever is in them.
async function checkNames(data) {
  checkEqual(
      "names", all("#image-charts h3").map((node) => node.textContent),
      data.images.map((image) => image.name));
  check("no name became an element", all("body *").every((node) => node.localName !== "hostile"));
  check("no name ran", window.hostile === undefined);
  check("failures", one("#failure-list").textContent.includes(data.failures[0].message));
}

finish(async () => {
  const data = pageData();
  checkPage();
  await checkCurves(data);
  await checkAxisTexts();
  await checkHover(data);
  await checkKeyboard(data);
  await checkLegend(data);
  await checkAxes();
  await checkDeltas(data);
  await checkComparison(data);
  await checkTables(data);
  await checkPrint();
  await checkNames(data);
  checkPage();
  await choose(all("#axes select")[0], "1");
  checkEqual(
      "an image in the large chart",
      one("#curves-chart svg").getAttribute("aria-label").startsWith(data.images[1].name), true);
  checkEqual(
      "nothing was loaded",
      performance.getEntriesByType("resource").filter((entry) => !entry.name.startsWith("data:")),
      []);
});
