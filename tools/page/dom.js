// What every page's script needs: elements, numbers as text, controls, the tooltip, the data.
"use strict";

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on"))
      node.addEventListener(name.slice(2), value);
    else
      node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

// An element with attributes (a function named onEVENT listens) and children: nodes or strings,
// which become text, never markup.
function html(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG_NAMESPACE, tag), attributes, children);
}

function byId(id) {
  return document.getElementById(id);
}

// The JSON that the program put into the page.
function pageData() {
  return JSON.parse(byId("data").textContent);
}

// `digits` after the point, a real minus sign, thousands set apart by narrow spaces; a dash for
// what there is no number for.
function number(value, digits = 0) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const [whole, fraction] = Math.abs(value).toFixed(digits).split(".");
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole;
  const text = fraction === undefined ? grouped : `${grouped}.${fraction}`;
  return value < 0 && Number(value.toFixed(digits)) !== 0 ? `−${text}` : text;
}

// About three significant digits.
function short(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const magnitude = Math.abs(value) > 0 ? Math.floor(Math.log10(Math.abs(value))) : 0;
  return number(value, Math.min(6, Math.max(0, 2 - magnitude)));
}

function plural(count, noun) {
  return `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
}

// A table with a caption. `headings` are of its columns: texts, or [content, class of the cell].
function tableOf(attributes, caption, headings, rows) {
  const heading = (column) => {
    const [content, name] = Array.isArray(column) ? column : [column, null];
    return html("th", {scope: "col", class: name}, content);
  };
  const head = html("thead", null, html("tr", null, headings.map(heading)));
  const title = html("caption", null, html("span", null, caption));
  return html("table", attributes, title, head, html("tbody", null, rows));
}

function rowHeading(...content) {
  return html("th", {scope: "row"}, ...content);
}

// A <select> with a label. `options` are [value, text] pairs; `change` gets the value chosen.
function selectControl(label, options, value, change) {
  const select = html(
      "select",
      {onchange: () => change(select.value)},
      options.map(([key, text]) => html("option", {value: key, selected: key === value}, text)),
  );
  return html("label", {class: "control"}, html("span", null, label), select);
}

// Radio buttons side by side; parameters as selectControl's. `name` is unique in the page.
function segmentControl(name, label, options, value, change) {
  const radio = ([key, text]) => html(
      "label",
      null,
      html("input", {
        type: "radio",
        name,
        value: key,
        checked: key === value,
        onchange: () => change(key),
      }),
      html("span", null, text),
  );
  return html(
      "fieldset",
      {class: "segments"},
      html("legend", null, label),
      html("span", {class: "options"}, options.map(radio)),
  );
}

// The one tooltip of the page. What it says is also the label of the element that it explains, so
// it is hidden from screen readers.
const tooltip = {
  node: null,

  // Shows `title` and [name, value] pairs beside the point (x, y) of the window.
  show(x, y, title, rows) {
    this.node ??= document.body.appendChild(
        html("div", {class: "tooltip", "aria-hidden": "true", hidden: true}),
    );
    this.node.replaceChildren(
        html("strong", null, title),
        html(
            "dl",
            null,
            rows.map(([name, value]) => [html("dt", null, name), html("dd", null, value)]),
            ),
    );
    this.node.hidden = false;
    const gap = 14;
    const {width, height} = this.node.getBoundingClientRect();
    const left = x + gap + width < innerWidth ? x + gap : x - gap - width;
    const top = y + gap + height < innerHeight ? y + gap : y - gap - height;
    this.node.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
    this.node.style.top = `${Math.max(8, top)}px`;
  },

  hide() {
    if (this.node) this.node.hidden = true;
  },
};
