// What the checks of a page, which is in frame.html, share. A check script calls `finish` with a
// function that makes them.
function report(line) {
  parent.postMessage(line, "*");
}

// A value for the test program to judge; neither has line breaks, the name no blanks.
function reportValue(name, value) {
  report(`value ${name} ${value}`);
}

function check(what, holds, detail = "") {
  report(holds ? `ok ${what}` : `FAILED ${what} ${detail}`);
}

function checkEqual(what, value, expected) {
  check(
      what, JSON.stringify(value) === JSON.stringify(expected),
      `: ${JSON.stringify(value)}, not ${JSON.stringify(expected)}`);
}

// Of a picture that is being loaded: when that has ended, well or not.
function loaded(image) {
  return new Promise((resolve) => {
    for (const end of ["load", "error"]) image.addEventListener(end, resolve, {once: true});
  });
}

// After what was asked for has been drawn, with its pictures: what observers ask for comes with the
// next frames, and how long files take no clock says.
async function drawn() {
  await new Promise((resolve) => setTimeout(resolve, 50));
  for (let image; (image = all("img").find(({complete}) => !complete)) !== undefined;)
    await loaded(image);
}

function one(selector, from = document) {
  const found = from.querySelector(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}

function all(selector, from = document) {
  return [...from.querySelectorAll(selector)];
}

function pointer(type, node, x, y) {
  node.dispatchEvent(new PointerEvent(type, {bubbles: true, clientX: x, clientY: y}));
}

function pointAt(node) {
  const box = node.getBoundingClientRect();
  pointer("pointermove", node, box.x + box.width / 2, box.y + box.height / 2);
}

async function press(key) {
  document.activeElement.dispatchEvent(
      new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
  await drawn();
}

async function choose(select, value) {
  select.value = value;
  select.dispatchEvent(new Event("change", {bubbles: true}));
  await drawn();
}

function tooltipText() {
  const node = document.querySelector(".tooltip");
  return node && !node.hidden ? node.textContent : "";
}

// What a screen reader would say of a control.
function accessibleName(node) {
  return (node.getAttribute("aria-label") ?? node.closest("label")?.textContent ?? node.textContent)
      .trim();
}

// The elements that reach furthest to the right.
function widest() {
  const right = (node) => node.getBoundingClientRect().right;
  return all("body *")
      .sort((a, b) => right(b) - right(a))
      .slice(0, 3)
      .map((node) => node.outerHTML.slice(0, 120))
      .join(" ");
}

// What holds of every page.
function checkPage() {
  checkEqual("language", document.documentElement.lang, "en");
  check("title", document.title.length > 0);
  checkEqual("one h1", all("h1").length, 1);
  const ids = all("[id]").map((node) => node.id);
  checkEqual("ids are unique", ids.length, new Set(ids).size);
  for (const node of all("button, select, input"))
    check("control has a name", accessibleName(node).length > 0, node.outerHTML.slice(0, 200));
  for (const node of all("img"))
    check("picture has a text", node.hasAttribute("alt"), node.outerHTML.slice(0, 80));
  for (const node of all("img"))
    check("picture is loaded", node.complete && node.naturalWidth > 0, node.src.slice(0, 80));
  for (const node of all("table"))
    check("table has a caption", one("caption", node).textContent.length > 0);
  for (const node of all("table th"))
    check("heading has a scope", ["row", "col"].includes(node.scope), node.outerHTML);
  for (const node of all("[aria-labelledby]"))
    check("label exists", document.getElementById(node.getAttribute("aria-labelledby")) !== null);
  for (const node of all("a[href^='#']"))
    check(
        "link leads somewhere", document.getElementById(node.hash.slice(1)) !== null,
        node.outerHTML);
  check(
      "no part is wider than the window", document.documentElement.scrollWidth <= innerWidth,
      `${document.documentElement.scrollWidth} > ${innerWidth}: ${widest()}`);
}

async function finish(run) {
  try {
    await drawn();
    await run();
    report("finished");
  } catch (error) {
    report(`FAILED ${error.stack}`);
    report("broken off");
  }
}
