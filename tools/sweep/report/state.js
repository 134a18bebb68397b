// What the reader has chosen, and the data as the sections want it.
"use strict";

// Bits per pixel up to which curves are drawn; the largest first means all.
const RATE_LIMITS = [
  ["all", "all"],
  ["4", "up to 4"],
  ["2", "up to 2"],
  ["1", "up to 1"],
  ["0.5", "up to 0.5"],
];

// What can be drawn against the rate, by the points' field.
const QUALITIES = {
  psnr: {name: "PSNR", label: "PSNR (dB)", digits: 2},
  ssim: {name: "SSIM", label: "SSIM", digits: 4},
  msSsim: {name: "MS-SSIM", label: "MS-SSIM", digits: 4},
};

const AVERAGE = -1;  // in place of an image's number

class State {
  constructor(data) {
    this.data = data;
    this.hidden = new Set();
    this.quality = "psnr";
    this.rateLogarithmic = true;
    this.rateLimit = "all";
    this.timeLogarithmic = true;
    this.anchor = data.anchor;
    this.listeners = [];
  }

  // Calls `listener` now and after each change.
  watch(listener) {
    this.listeners.push(listener);
    listener();
  }

  set(changes) {
    Object.assign(this, changes);
    for (const listener of this.listeners) listener();
  }

  toggle(codec) {
    if (!this.hidden.delete(codec)) this.hidden.add(codec);
    this.set({});
  }

  // Numbers of the codecs that are switched on.
  codecs() {
    return this.data.codecs.map((_, codec) => codec).filter((codec) => !this.hidden.has(codec));
  }

  codecName(codec) {
    return this.data.codecs[codec].name;
  }

  // The measures that at least one point has.
  qualities() {
    return Object.keys(QUALITIES).filter(
        (key) => this.data.points.some((point) => Number.isFinite(point[key])));
  }

  rateAxis() {
    return {
      label: "bits per pixel",
      amount: true,
      logarithmic: this.rateLogarithmic,
      high: this.rateLimit === "all" ? undefined : Number(this.rateLimit),
    };
  }

  // "QP 32"
  setting(point) {
    return `${this.data.codecs[point.codec].parameterName} ${point.parameter}`;
  }

  // Curves of `points` for a chart, with `field` against the rate. A curve goes from setting to
  // setting, even where that is not from rate to rate.
  series(points, field) {
    return this.codecs().map(
        (codec) => ({
          codec,
          name: this.codecName(codec),
          points: points.filter((point) => point.codec === codec)
                      .sort((a, b) => a.parameter - b.parameter)
                      .map((point) => ({...point, x: point.bpp, y: point[field]})),
        }));
  }

  qualityAxis() {
    return {label: QUALITIES[this.quality].label};
  }

  // The points of an image, or of the average if `image` is AVERAGE.
  pointsOf(image) {
    return image === AVERAGE ? this.data.averages :
                               this.data.points.filter((point) => point.image === image);
  }

  nameOf(image) {
    if (image !== AVERAGE) return this.data.images[image].name;
    const {averageImages, images} = this.data;
    const which = averageImages.length === images.length ?
        "all" :
        `${averageImages.length} of ${images.length}`;
    return `Average of ${which} images`;
  }

  // The tooltip of a point.
  describe(point) {
    const rows = [["rate", `${number(point.bpp, 3)} bpp`]];
    if (Number.isFinite(point.bytes)) rows.push(["size", `${number(point.bytes)} bytes`]);
    for (const [key, {name, digits}] of Object.entries(QUALITIES))
      if (Number.isFinite(point[key]))
        rows.push([name, number(point[key], digits) + (key === "psnr" ? " dB" : "")]);
    if (Number.isFinite(point.encodeSeconds))
      rows.push(["encoding", `${short(point.encodeSeconds)} s`]);
    if (Number.isFinite(point.secondsPerMegapixel))
      rows.push(["encoding", `${short(point.secondsPerMegapixel)} s per megapixel`]);
    return {title: `${this.codecName(point.codec)}, ${this.setting(point)}`, rows};
  }
}
