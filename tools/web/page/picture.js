// The decoded picture: its samples through a window of brightness, tiles over it, the sample under
// the pointer.
"use strict";

const MOST_CANVAS_PIXELS =
    1 << 24;  // that browsers draw; larger pictures lose rows and columns here

class PictureView {
  // `picture` is the worker's; `info` is the file's, null if its header alone is known to be
  // undamaged; `damage` lists tiles that are; `save` is called to save the picture.
  constructor(picture, info, damage, save) {
    Object.assign(this, {picture, info, damage, save});
    this.white = 2 ** picture.depth - 1;
    this.zoom = "fit";
    this.occurring = this.extremes();
    // Deep pictures often fill a small part of their range.
    this.window = picture.depth > 8 ? [...this.occurring] : [0, this.white];
    this.stage = byId("picture-stage");
    this.canvas = html("canvas", {role: "img", "aria-label": "The decoded picture"});
    this.overlay = this.tiles();
    this.stage.replaceChildren(this.canvas, this.overlay);
    byId("picture-controls").replaceChildren(...this.controls());
    this.stage.onpointermove = (event) => this.read(event);
    this.stage.onpointerleave = () => this.say(null);
    this.resized = new ResizeObserver(() => requestAnimationFrame(() => this.place()));
    this.resized.observe(byId("picture-scroll").parentElement);
    this.paint();
    this.place();
    this.say(null);
  }

  close() {
    this.isClosed = true;
    this.resized.disconnect();
    this.stage.replaceChildren();
  }

  extremes() {
    let low = this.white, high = 0;
    for (const sample of this.picture.samples) {
      if (sample < low) low = sample;
      if (sample > high) high = sample;
    }
    return [low, high];
  }

  controls() {
    const zooms = [["fit", "fit"], ["1", "100 %"], ["2", "200 %"], ["4", "400 %"], ["8", "800 %"]];
    const zoom = selectControl("Size", zooms, this.zoom, (value) => {
      this.zoom = value;
      this.place();
    });
    const {offset} = this.picture;
    const saved = offset === 0 ? "Save as PNG" : `Save as PNG, ${offset} added`;
    const save = html("button", {type: "button", id: "save", onclick: this.save}, saved);
    return [
      zoom, ...(this.white > 1 ? this.windowControls() : []), this.tilesControl(), save
    ].filter(Boolean);
  }

  // What a sample stands for.
  value(sample) {
    return sample - this.picture.offset;
  }

  // What is black and what is white, and buttons for common choices.
  windowControls() {
    const {offset} = this.picture;
    const input = (k, label) => html("input", {
      type: "number",
      min: String(this.value(0)),
      max: String(this.value(this.white)),
      "aria-label": label,
      value: String(this.value(this.window[k])),
      onchange: () => this.setWindow(this.inputs.map((node) => Number(node.value) + offset)),
    });
    this.inputs = [input(0, "Sample shown black"), input(1, "Sample shown white")];
    const button = (text, window) =>
        html("button", {type: "button", onclick: () => this.setWindow(window)}, text);
    return [
      html("span", {class: "control"}, html("span", null, "Black to white"), ...this.inputs),
      button("Full range", [0, this.white]),
      button("Samples that occur", this.occurring),
    ];
  }

  setWindow([low, high]) {
    const sample = (value) => Math.min(Math.max(Math.round(value) || 0, 0), this.white);
    this.window = [sample(low), sample(high)];
    this.inputs.forEach((node, k) => (node.value = String(this.value(this.window[k]))));
    this.paint();
  }

  tilesControl() {
    if (!this.info || this.info.tiles.length < 2) return null;
    const box = html("input", {
      type: "checkbox",
      onchange: () => this.edges.toggleAttribute("hidden", !box.checked),
    });
    return html("label", {class: "control"}, box, html("span", null, "Tiles"));
  }

  // The borders of tiles, hidden at first, and the damaged ones.
  tiles() {
    const {width, height} = this.picture;
    let path = "";
    if (this.info) {
      for (let x = this.info.tile_width; x < width; x += this.info.tile_width)
        path += `M${x},0V${height}`;
      for (let y = this.info.tile_height; y < height; y += this.info.tile_height)
        path += `M0,${y}H${width}`;
    }
    this.edges = svg("path", {class: "tile-edges", d: path, hidden: true});
    const damaged = this.damage.map(
        ({x, y, width, height}) => svg("rect", {class: "damaged-tile", x, y, width, height}));
    return svg(
        "svg",
        {viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true"},
        damaged, this.edges);
  }

  // Draws the samples through the window.
  paint() {
    const {width, height, samples} = this.picture;
    let step = 1;
    while (Math.ceil(width / step) * Math.ceil(height / step) > MOST_CANVAS_PIXELS) ++step;
    this.canvas.width = Math.ceil(width / step);
    this.canvas.height = Math.ceil(height / step);
    const [low, high] = this.window;
    // A window of no width shows what is above it white; one upside down, the negative.
    const gray = Uint8ClampedArray.from(
        {length: this.white + 1},
        (_, sample) =>
            low === high ? (sample > low ? 255 : 0) : ((sample - low) * 255) / (high - low));
    const context = this.canvas.getContext("2d");
    const row = context.createImageData(this.canvas.width, 1);
    const pixels = new Uint32Array(row.data.buffer), opaque = new Uint8Array(4);
    for (let y = 0; y < this.canvas.height; ++y) {
      const start = y * step * width;
      for (let x = 0; x < this.canvas.width; ++x) {
        opaque.fill(gray[samples[start + x * step]]);
        opaque[3] = 255;
        pixels[x] = new Uint32Array(opaque.buffer)[0];
      }
      context.putImageData(row, 0, y);
    }
  }

  // Pixels of the page a pixel of the picture.
  scale() {
    return this.zoom === "fit" ?
        Math.min(byId("picture-scroll").clientWidth / this.picture.width, 16) :
        Number(this.zoom);
  }

  place() {
    if (this.isClosed) return;
    const scale = this.scale();
    this.stage.style.width = `${this.picture.width * scale}px`;
    this.stage.style.height = `${this.picture.height * scale}px`;
    this.canvas.style.imageRendering = scale < 1 ? "auto" : "pixelated";
  }

  read(event) {
    const {width, height} = this.picture;
    const box = this.stage.getBoundingClientRect();
    const x = Math.floor(((event.clientX - box.left) * width) / box.width);
    const y = Math.floor(((event.clientY - box.top) * height) / box.height);
    this.say(x >= 0 && x < width && y >= 0 && y < height ? {x, y} : null);
  }

  say(pixel) {
    const {width, samples} = this.picture;
    const [low, high, least, most] =
        [...this.occurring, 0, this.white].map((sample) => this.value(sample));
    byId("sample").textContent = pixel === null ?
        `Samples from ${low} to ${high}, of ${least} to ${most}.` :
        `x ${pixel.x}, y ${pixel.y}: ${this.value(samples[pixel.y * width + pixel.x])} of ${most}`;
  }
}
