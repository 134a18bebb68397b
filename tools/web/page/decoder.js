// The page that decodes: choosing a file, what comes of it, looking into it.
"use strict";

const MOST_FILE_BYTES = 1 << 28;
const LISTED_TILES = 200;

// A text with a capital letter and a full stop.
function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1) + (text.endsWith(".") ? "" : ".");
}

function show(id, isShown) {
  byId(id).hidden = !isShown;
}

// What the header says, by the names of `mmp info --json`.
function headerTable(info) {
  const fields = Object.entries(info).filter(([, value]) => isField(value));
  const hidden = ["needs_dictionary", "has_blocks", "most_inspected_pixels"];
  const row = ([name, value]) => html(
      "tr", null, rowHeading(name.replaceAll("_", " ")),
      html("td", {class: "text"}, fieldText(value)));
  return tableOf(
      null, "Header", [["Field", "text"], ["Value", "text"]],
      fields.filter(([name]) => !hidden.includes(name)).map(row));
}

// A value, null for none, or a list of names; not a list of tiles or chunks.
function isField(value) {
  return !Array.isArray(value) || value.every((item) => typeof item === "string");
}

function fieldText(value) {
  if (value === null) return "none";
  if (Array.isArray(value)) return value.join(", ") || "none";
  return typeof value === "number" ? short6(value) : String(value);
}

// Whole numbers as they are, others to six digits.
function short6(value) {
  return Number.isInteger(value) ? number(value) : String(Number(value.toPrecision(6)));
}

function tilesTable({tiles}) {
  const row = ([x, y, width, height, bytes], index) => html(
      "tr", null, rowHeading(String(index)), html("td", null, `${x}, ${y}`),
      html("td", null, `${width} × ${height}`), html("td", null, number(bytes)));
  const more =
      tiles.length > LISTED_TILES ? `, the first ${LISTED_TILES} of ${number(tiles.length)}` : "";
  return tableOf(
      null, `Tiles${more}`, [["Tile", "text"], "At", "Pixels", "Bytes"],
      tiles.slice(0, LISTED_TILES).map(row));
}

class Page {
  constructor() {
    this.file = null;                     // {name, bytes}
    this.dictionary = new Uint8Array(0);  // of the file
    this.urls = [];                       // of pictures that are shown
    byId("file").onchange = ({target}) => this.choose(target.files[0]);
    byId("dictionary-file").onchange = ({target}) => this.chooseDictionary(target.files[0]);
    byId("cancel").onclick = () => this.cancel();
    byId("look-button").onclick = () => this.inspect();
    this.acceptDrops();
  }

  acceptDrops() {
    const mark = (isOver) => document.body.classList.toggle("dropping", isOver);
    addEventListener("dragover", (event) => {
      event.preventDefault();
      mark(true);
    });
    addEventListener("dragleave", () => mark(false));
    addEventListener("drop", (event) => {
      event.preventDefault();
      mark(false);
      this.choose(event.dataTransfer.files[0]);
    });
  }

  async choose(file) {
    const bytes = await this.read(file);
    if (bytes === null) return;
    this.file = {name: file.name, bytes};
    this.dictionary = new Uint8Array(0);
    byId("dictionary-file").value = "";
    show("dictionary-control", false);
    this.decode();
  }

  async chooseDictionary(file) {
    const bytes = await this.read(file);
    if (bytes === null) return;
    this.dictionary = bytes;
    this.decode();
  }

  // The file's bytes; null, having said why, if it cannot be read.
  async read(file) {
    if (!file) return null;
    this.task?.cancel();
    try {
      if (file.size > MOST_FILE_BYTES)
        throw new Error(`it has ${number(file.size)} bytes, more than the ${
            number(MOST_FILE_BYTES)} that this page reads`);
      return new Uint8Array(await file.arrayBuffer());
    } catch (error) {
      this.clear(file.name);
      this.fail(error.message);
      return null;
    }
  }

  // Shows nothing but a name.
  clear(name) {
    this.picture?.close();
    this.viewer?.close();
    this.picture = this.viewer = this.info = null;
    for (const url of this.urls.splice(0)) URL.revokeObjectURL(url);
    for (const id of ["failure", "decoded", "header", "look", "working"]) show(id, false);
    byId("inside").replaceChildren();
    byId("name").textContent = name;
    byId("summary").textContent = "";
    document.title = `${name}: mmp decoder`;
  }

  // Begins a task in place of what runs; `hear` as Task's.
  begin(what, message, hear) {
    this.task?.cancel();
    show("failure", false);
    show("working", true);
    byId("task").textContent = what;
    byId("status").textContent = what;
    byId("progress").removeAttribute("value");
    this.task = new Task(message, {
      progress: (part) => (byId("progress").value = part),
      failure: (text) => this.fail(text),
      ...hear,
      end: () => {
        this.end();
        hear.end?.();
      },
    });
  }

  end() {
    show("working", false);
    byId("status").textContent = "Done";
  }

  cancel() {
    this.task?.cancel();
    show("working", false);
    byId("status").textContent = "Cancelled";
  }

  fail(text) {
    show("working", false);
    byId("failure").replaceChildren(html("p", null, sentence(text)));
    show("failure", true);
  }

  decode() {
    this.clear(this.file.name);
    let damage = null, picture = null;
    this.begin("Decoding", {task: "decode", file: this.file.bytes, dictionary: this.dictionary}, {
      info: (info) => {
        this.info = info;
        show("dictionary-control", info.needs_dictionary);
      },
      damage: (said) => (damage = said),
      picture: (decoded) => (picture = decoded),
      end: () => this.showPicture(picture, damage),
    });
  }

  showPicture(picture, damage) {
    const {info} = this;
    show("decoded", true);
    this.picture = new PictureView(picture, info, damage.tiles, () => this.save(picture));
    byId("summary").textContent = [
      `${picture.width} × ${picture.height} pixels of ${plural(picture.depth, "bit")}`,
      `${number(this.file.bytes.length)} bytes`,
      `${
          number(
              (this.file.bytes.length * 8) / (picture.width * picture.height), 3)} bits per pixel`,
      ...(info?.lossless ? ["lossless"] : []),
    ].join(", ");
    const isDamaged = damage.tiles.length > 0 || damage.trailing_bytes > 0;
    if (isDamaged) this.showDamage(damage);
    if (!info) return;
    show("header", true);
    const tables = [headerTable(info), ...(info.tiles.length > 1 ? [tilesTable(info)] : [])];
    byId("header-tables")
        .replaceChildren(
            ...tables.map((table) => html("div", {class: "card table-scroll"}, table)));
    this.offerInspection(info, isDamaged);
  }

  showDamage({tiles, trailing_bytes}) {
    const reasons = tiles.slice(0, LISTED_TILES)
                        .map(
                            ({x, y, width, height, reason}) => html(
                                "p", null,
                                `The tile of ${width} × ${height} pixels at ${x}, ${
                                    y} is damaged and shown gray: ${reason}.`));
    if (trailing_bytes > 0) {
      const are =
          trailing_bytes === 1 ? "There is 1 byte" : `There are ${number(trailing_bytes)} bytes`;
      reasons.push(html("p", null, `${are} behind the last tile, no part of the picture.`));
    }
    byId("failure").replaceChildren(...reasons);
    show("failure", true);
  }

  // Blocks are of interest where there are some, and can be held in memory.
  offerInspection({width, height, has_blocks, most_inspected_pixels}, isDamaged) {
    show("look", true);
    const obstacle = isDamaged ?
        "It is damaged." :
        !has_blocks ?
        "Blocks can be seen of files of 8 bits a sample that are made of patterns." :
        width * height > most_inspected_pixels ?
        `It has more than the ${number(most_inspected_pixels)} pixels that this page looks into.` :
        "";
    byId("look-note").textContent = obstacle === "" ?
        "Its blocks, prediction modes, residual, bits and dictionary, as `mmp inspect` draws them." :
        obstacle;
    show("look-button", obstacle === "");
  }

  inspect() {
    const urls = new Map();
    let syntax = null;
    const {name, bytes} = this.file;
    const message = {task: "inspect", file: bytes, dictionary: this.dictionary, name};
    this.begin("Looking into the file", message, {
      syntax: (data) => (syntax = data),
      layer: ({name, png}) => urls.set(name, this.urlOf(png)),
      end: () => this.showInside(syntax, urls),
    });
  }

  urlOf(blob) {
    const url = URL.createObjectURL(blob);
    this.urls.push(url);
    return url;
  }

  showInside(data, urls) {
    show("look", false);
    for (const layer of data.layers) layer.file = urls.get(layer.file);
    for (const tile of data.tiles) tile.dictionary = urls.get(tile.dictionary);
    byId("inside").replaceChildren(byId("viewer").content.cloneNode(true));
    this.viewer = new Viewer(data);
    drawTotals(data);
    drawDictionary(data);
    byId("picture").scrollIntoView({block: "start"});
  }

  save(picture) {
    this.begin("Making a PNG file", {task: "save", picture}, {
      png: (blob) => {
        const url = URL.createObjectURL(blob);
        html("a", {href: url, download: this.file.name.replace(/(\.mmp)?$/i, ".png")}).click();
        setTimeout(() => URL.revokeObjectURL(url), 60000);
      },
    });
  }
}

new Page();
