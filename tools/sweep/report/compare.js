// Decoded pictures at matched rate, two at a time, with a divider.
"use strict";

const ORIGINAL = "original";

class Comparison {
  constructor(state) {
    this.state = state;
    this.entry = 0;                                   // in data.comparisons
    this.rate = Math.floor(this.rates().length / 2);  // in the entry's rates
    this.sides = [ORIGINAL, ORIGINAL];                // codecs as strings, or ORIGINAL
    this.split = 50;                                  // percent of the width
    this.chooseSides();
    this.draw();
  }

  rates() {
    return this.state.data.comparisons[this.entry].rates;
  }

  pictures() {
    return this.rates()[this.rate].pictures;
  }

  pointOf(picture) {
    return this.state.data.points[picture.point];
  }

  sideOf(picture) {
    return String(this.pointOf(picture).codec);
  }

  // The picture of a side that is not ORIGINAL.
  pictureOf(side) {
    return this.pictures().find((picture) => this.sideOf(picture) === side);
  }

  sourceOf(side) {
    return side === ORIGINAL ? this.state.data.comparisons[this.entry].original :
                               this.pictureOf(side).source;
  }

  // Keeps the sides that this image has at this rate; else the first codec and the anchor of the
  // tables, or another, or the original.
  chooseSides() {
    const codecs = this.pictures().map((picture) => this.sideOf(picture));
    const [first, ...others] = codecs;
    const other = others.find((codec) => codec === String(this.state.anchor)) ?? others[0];
    const usual = other === undefined ? [ORIGINAL, first] : [first, other];
    const known = (side, other) => side !== other && (side === ORIGINAL || codecs.includes(side));
    const [left, right] = this.sides;
    if (!known(left, right) || !known(right, left)) this.sides = usual;
  }

  // Drawn anew, the controls keep the focus where it was.
  choose(changes) {
    const inputs = () => [...byId("compare-controls").querySelectorAll("select, input")];
    const focused = inputs().indexOf(document.activeElement);
    Object.assign(this, changes);
    this.rate = Math.min(this.rate, this.rates().length - 1);
    this.chooseSides();
    this.draw();
    inputs()[focused]?.focus();
  }

  draw() {
    byId("compare-controls").replaceChildren(...this.controls());
    byId("compare-stage").replaceChildren(this.captions(), this.stage());
  }

  controls() {
    const {data} = this.state;
    const images =
        data.comparisons.map(({image}, index) => [String(index), data.images[image].name]);
    const rates = this.rates().map(({bpp}, index) => [String(index), `${number(bpp, 2)} bpp`]);
    const sides = [
      [ORIGINAL, "Original"],
      ...this.pictures().map(
          (picture) => [this.sideOf(picture), this.sideName(this.sideOf(picture))]),
    ];
    return [
      selectControl(
          "Image", images, String(this.entry), (value) => this.choose({entry: Number(value)})),
      segmentControl(
          "compare-rate", "Rate", rates, String(this.rate),
          (value) => this.choose({rate: Number(value)})),
      selectControl(
          "Left", sides, this.sides[0],
          (side) => this.choose({sides: [side, this.other(side, 0)]})),
      selectControl(
          "Right", sides, this.sides[1],
          (side) => this.choose({sides: [this.other(side, 1), side]})),
    ];
  }

  // What the other side shows once side number `changed` shows `side`: they swap if they are equal.
  other(side, changed) {
    const other = this.sides[1 - changed];
    return side === other ? this.sides[changed] : other;
  }

  caption(side) {
    if (side === ORIGINAL) return html("div", null, html("strong", null, "Original"), "8 bpp");
    const point = this.pointOf(this.pictureOf(side));
    const quality = point.lossless ? "lossless" : `${number(point.psnr, 2)} dB`;
    return html(
        "div", null, html("strong", null, this.state.codecName(point.codec)),
        `${number(point.bpp, 3)} bpp, ${quality}, ${this.state.setting(point)}`);
  }

  captions() {
    return html("div", {class: "captions"}, this.sides.map((side) => this.caption(side)));
  }

  sideName(side) {
    return side === ORIGINAL ? "the original" : this.state.codecName(Number(side));
  }

  alternative(side) {
    return side === ORIGINAL ? "Part of the original" :
                               `The same part, decoded from ${this.sideName(side)}`;
  }

  stage() {
    const {width, height} = this.state.data.comparisons[this.entry];
    const [left, right] = this.sides;
    const picture = (side, name) => html(
        "img", {class: name, src: this.sourceOf(side), width, height, alt: this.alternative(side)});
    const slider = html("input", {
      type: "range",
      min: "0",
      max: "100",
      step: "1",
      value: this.split,
      "aria-label":
          `Divider: left of it ${this.sideName(left)}, right of it ${this.sideName(right)}`,
      oninput: () => this.moveTo(stage, slider),
    });
    const stage = html(
        "div", {class: "stage"}, picture(right, "lower"), picture(left, "upper"), slider,
        html("span", {class: "knob", "aria-hidden": "true"}, "⇔"));
    this.moveTo(stage, slider);
    return stage;
  }

  moveTo(stage, slider) {
    this.split = Number(slider.value);
    stage.style.setProperty("--split", `${this.split}%`);
    slider.setAttribute("aria-valuetext", `${this.split} % of the width`);
  }

  // Goes to an image, by its number in data.images.
  show(image) {
    this.choose(
        {entry: this.state.data.comparisons.findIndex((comparison) => comparison.image === image)});
    byId("compare").scrollIntoView();
    byId("compare-stage").querySelector("input").focus({preventScroll: true});
  }
}

// A function that shows an image's decoded pictures.
function drawComparison(state) {
  if (state.data.points.length === 0) {
    byId("compare").remove();
    return () => {};
  }
  if (state.data.comparisons.length === 0) {
    byId("compare-note").textContent =
        "No pictures of lossy points were kept. The same command with --decoded measures the points again, keeps " +
        "their pictures and shows them here.";
    byId("compare").classList.add("screen-only");
    byId("compare-stage").remove();
    return () => {};
  }
  const comparison = new Comparison(state);
  return (image) => comparison.show(image);
}
