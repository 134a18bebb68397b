// What a file is made of: layers of the picture, macroblocks by pointer and keys, totals.
"use strict";

const FIELDS = 6;  // numbers an element has in the data
const LISTED = 6;  // indices in the tooltip

// A macroblock of the data, unpacked.
class Macroblock {
  constructor(data, numbers) {
    const [x, y, front, copyHundredths, copies] = numbers;
    Object.assign(
        this, {x, y, front, blockVectorBits: copyHundredths / 100, copies: [], elements: []});
    this.isOfWaveFront = data.info.order === "wavefront";
    const first = 5 + 2 * copies;
    for (let i = 5; i < first; i += 2) this.copies.push({down: numbers[i], across: numbers[i + 1]});
    for (let i = first; i < numbers.length; i += FIELDS) {
      const [kind, level, x, y, value, hundredths] = numbers.slice(i, i + FIELDS);
      const [height, width] = data.levels[level];
      this.elements.push(
          {kind: data.elements[kind], x, y, width, height, value, bits: hundredths / 100});
    }
  }

  bits(name) {
    return this.elements.filter(({kind}) => name === undefined || kind.name === name)
        .reduce((sum, {bits}) => sum + bits, name === undefined ? this.blockVectorBits : 0);
  }

  of(name) {
    return this.elements.filter(({kind}) => kind.name === name);
  }

  title() {
    const front = this.isOfWaveFront ? `, front ${this.front}` : "";
    return `Macroblock at x ${this.x}, y ${this.y}${front}`;
  }
}

function words(name) {
  return name.replaceAll("_", " ");
}

function valueText({kind, value}) {
  return kind.values.length > 0 ? words(kind.values[value]) : `#${value}`;
}

function sizeText({height, width}) {
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
  for (const [name, label] of [["partition", "partitions"], ["residual_flag", "residual flags"]]) {
    const flags = macroblock.of(name).filter((flag) => flag.bits > 0);
    if (flags.length > 0) rows.push([`${label}, ${bits(name)}`, counted(flags.map(valueText))]);
  }
  const indices = macroblock.of("index").map((index) => `${valueText(index)} ${sizeText(index)}`);
  rows.push([`modes, ${bits("mode")}`, counted(macroblock.of("mode").map(valueText))]);
  rows.push([`indices, ${bits("index")}`, listed(indices)]);
  if (macroblock.copies.length > 0) {
    // Those of a front are coded with its first macroblock.
    const own = macroblock.blockVectorBits;
    rows.push([
      own > 0 ? `copies from, ${number(own, 1)} bits` : "copies from",
      macroblock.copies.map(({down, across}) => `(${across}, ${down})`).join(", "),
    ]);
  }
  return rows;
}

class Viewer {
  constructor(data) {
    this.data = data;
    this.macroblocks =
        new Map(data.macroblocks.map((numbers) => [`${numbers[0]},${numbers[1]}`, numbers]));
    this.layer = data.layers.find(({name}) => name === "Segmentation");
    this.zoom = "fit";
    this.opacity = 1;
    this.chosen = null;
    this.stage = byId("stage");
    this.under = html("img", {alt: "The decoded picture", src: data.layers[0].file});
    this.over = html("img", {alt: ""});
    this.pointed = html("div", {class: "frame", hidden: true});
    this.frame = html("div", {class: "frame chosen", hidden: true});
    this.stage.append(this.under, this.over, this.pointed, this.frame);
    byId("controls").append(...this.controls());
    this.listen();
    this.resized = new ResizeObserver(() => requestAnimationFrame(() => this.draw()));
    this.resized.observe(byId("scroll").parentElement);
    this.draw();
  }

  // Before the page's part that it is in is taken away.
  close() {
    this.isClosed = true;
    this.over.onload = null;
    this.resized.disconnect();
  }

  controls() {
    const {layers} = this.data;
    const names = layers.map(({name}) => [name, name]);
    const zooms = [["fit", "fit"], ["1", "100 %"], ["2", "200 %"], ["4", "400 %"], ["8", "800 %"]];
    const chooseLayer = (chosen) => this.change({layer: layers.find(({name}) => name === chosen)});
    const opacity = html("input", {
      type: "range",
      min: "0",
      max: "100",
      value: "100",
      oninput: () => this.change({opacity: opacity.value / 100}),
    });
    return [
      segmentControl("layer", "Show", names, this.layer.name, chooseLayer),
      selectControl("Size", zooms, this.zoom, (zoom) => this.change({zoom})),
      html("label", {class: "control"}, html("span", null, "Over the decoded picture"), opacity),
    ];
  }

  change(values) {
    Object.assign(this, values);
    this.draw();
  }

  // Pixels of the page a pixel of the picture.
  scale() {
    const {width} = this.data.info;
    return this.zoom === "fit" ? Math.min(byId("scroll").clientWidth / width, 16) :
                                 Number(this.zoom);
  }

  draw() {
    if (this.isClosed) return;
    const {info} = this.data;
    const scale = this.scale();
    this.stage.style.width = `${info.width * scale}px`;
    this.stage.style.height = `${info.height * scale}px`;
    this.under.style.width = `${info.width * scale}px`;
    this.over.src = this.layer.file;
    this.over.alt = this.layer.name;
    this.over.style.opacity = this.opacity;
    // Smoothed where it is made smaller, so that lines do not vanish.
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
    const {data} = this;
    const pixels = data.info.width * data.info.height;
    switch (this.layer.name) {
      case "Segmentation":
        return [
          colorKey(data.predictionColor, "predicted at once"),
          colorKey(data.patternColor, "one pattern"),
        ];
      case "Modes":
        return data.modes.map(
            (mode) =>
                colorKey(mode.color, `${mode.name} ${number((100 * mode.pixels) / pixels, 1)} %`));
      case "Bits": {
        const scale = html("i", {style: `background:linear-gradient(90deg,${data.heat.join()})`});
        const most = `${number(data.mostBits)} bits a macroblock`;
        return [html("span", {class: "heat"}, "0", scale, most)];
      }
      case "Residual":
        return [html("span", {class: "muted"}, "Middle gray is no residual.")];
      case "Unfiltered":
        return [html("span", {class: "muted"}, "Prediction and residual, before the filter.")];
      case "Filter":
        return [html(
            "span", {class: "muted"},
            `What the filter and exact blocks changed, ${
                data.filter.scale} times as much; middle gray is nothing.`)];
      default:
        return [];
    }
  }

  // Puts a frame around a macroblock, or takes it away.
  place(frame, macroblock) {
    frame.hidden = macroblock === null;
    if (macroblock === null) return;
    const {info, macroblockSize} = this.data;
    const scale = this.scale();
    frame.style.left = `${macroblock.x * scale}px`;
    frame.style.top = `${macroblock.y * scale}px`;
    frame.style.width = `${Math.min(macroblockSize, info.width - macroblock.x) * scale}px`;
    frame.style.height = `${Math.min(macroblockSize, info.height - macroblock.y) * scale}px`;
  }

  // The macroblock that has a pixel of the picture, or null.
  at(x, y) {
    const size = this.data.macroblockSize;
    const numbers =
        this.macroblocks.get(`${Math.floor(x / size) * size},${Math.floor(y / size) * size}`);
    return numbers === undefined ? null : new Macroblock(this.data, numbers);
  }

  underPointer(event) {
    const box = this.stage.getBoundingClientRect();
    return this.at(
        (event.clientX - box.left) / this.scale(), (event.clientY - box.top) / this.scale());
  }

  listen() {
    this.stage.addEventListener("pointermove", (event) => {
      const macroblock = this.underPointer(event);
      this.place(this.pointed, macroblock);
      if (macroblock)
        tooltip.show(
            event.clientX, event.clientY, macroblock.title(), describeMacroblock(macroblock));
      else
        tooltip.hide();
    });
    this.stage.addEventListener("pointerleave", () => {
      this.place(this.pointed, null);
      tooltip.hide();
    });
    this.stage.addEventListener("click", (event) => this.choose(this.underPointer(event)));
    this.stage.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
    const step = steps[event.key];
    if (event.key === "Escape") tooltip.hide();
    if (step === undefined) return;
    event.preventDefault();
    const size = this.data.macroblockSize;
    const from = this.chosen ?? {x: -step[0] * size, y: -step[1] * size};
    this.choose(this.at(from.x + step[0] * size, from.y + step[1] * size) ?? this.chosen);
    this.frame.scrollIntoView({block: "nearest", inline: "nearest", behavior: "instant"});
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

function elementRow(element) {
  const names = [
    element.bits > 0 ? "" : "implied",
    element.kind.name === "partition" ? "starts-block" : "",
  ];
  return html(
      "tr", {class: names.join(" ").trim() || null}, rowHeading(words(element.kind.name)),
      html("td", {class: "text"}, valueText(element)),
      html("td", {class: "text"}, sizeText(element)),
      html("td", {class: "place"}, `${element.x}, ${element.y}`),
      html("td", null, element.bits > 0 ? number(element.bits, 2) : "–"));
}

// All elements; what could have no other value is not in the file.
function elementTable(macroblock) {
  return tableOf(
      null, "In the order of the file; sizes are rows × columns, places inside the macroblock",
      [["Element", "text"], ["Value", "text"], ["Block", "text"], "At", "Bits"],
      macroblock.elements.map(elementRow));
}

function share(part, whole) {
  const percent = whole > 0 ? (100 * part) / whole : 0;
  const bar = html("span", {class: "bar", style: `width:${percent.toFixed(1)}%`});
  return html("td", null, `${number(percent, 1)} %`, bar);
}

function bitsTable(data) {
  const header = {name: "header and checksums", count: 1, bits: data.info.header_bytes * 8};
  const filter = data.filter.count > 0 ? [{name: "filter", ...data.filter}] : [];
  const copies = data.copies.count > 0 ? [{name: "block vectors", ...data.copies}] : [];
  const exact = data.exact.count > 0 ? [{name: "exact blocks", ...data.exact}] : [];
  const parts = [...data.elements, ...copies, ...filter, ...exact, header];
  const total = parts.reduce((sum, {bits}) => sum + bits, 0);
  const row = ({name, count, bits}) => html(
      "tr", null, rowHeading(words(name)), html("td", null, number(count)),
      html("td", null, number(bits)), share(bits, total));
  return tableOf(
      null, "Bits by element; also those that are implied and take no bits are counted",
      [["Element", "text"], "Number", "Bits", "Share"], parts.map(row));
}

function colorKey(color, text) {
  return html("span", {class: "key"}, html("i", {style: `background:${color}`}), text);
}

function modesTable(data) {
  const total = data.info.width * data.info.height;
  const row = ({name, color, blocks, pixels}) => html(
      "tr", null, rowHeading(colorKey(color, name)), html("td", null, number(blocks)),
      share(pixels, total));
  const rows = [...data.modes].sort((a, b) => b.pixels - a.pixels).map(row);
  return tableOf(null, "Prediction modes", [["Mode", "text"], "Blocks", "Pixels"], rows);
}

function drawTotals(data) {
  for (const table of [bitsTable(data), modesTable(data)])
    byId("tables").append(html("div", {class: "card table-scroll"}, table));
}

function drawDictionary(data) {
  const show = (index) => {
    const tile = data.tiles[index];
    const initial = number(tile.initialPatterns);
    byId("dictionary-note").textContent =
        `${plural(tile.patterns, "pattern")} at the end, ${initial} of them initial.`;
    byId("sheet").replaceChildren(
        html("img", {src: tile.dictionary, alt: "Contact sheet of the patterns by block size"}));
  };
  if (data.tiles.length > 1) {
    const options = data.tiles.map(
        (tile, index) =>
            [String(index), `${index}: ${tile.width} × ${tile.height} at ${tile.x}, ${tile.y}`]);
    byId("dictionary-controls").append(selectControl("Tile", options, "0", show));
  }
  show(0);
}
