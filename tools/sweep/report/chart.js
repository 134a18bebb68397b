// A chart of curves in SVG: hover and keyboard give the point, axes are linear or logarithmic.
"use strict";

// Marker outlines for a radius of 1, by the codec's number.
const MARKERS = [
  "M-1,0a1,1 0 1,0 2,0a1,1 0 1,0 -2,0",
  "M-.9,-.9h1.8v1.8h-1.8z",
  "M0,-1.15L1.1,.85L-1.1,.85z",
  "M0,-1.25L1.25,0L0,1.25L-1.25,0z",
  "M0,1.15L1.1,-.85L-1.1,-.85z",
  "M-.35,-1.1h.7v.75h.75v.7h-.75v.75h-.7v-.75h-.75v-.7h.75z",
];
const HUES = 10;  // --series-0 and so on in report.css
const DASHES = ["", "6 3", "2 3"];

// How a codec is drawn everywhere: color, marker, dash. All three differ before any is used again.
function seriesStyle(codec) {
  return {
    color: `var(--series-${codec % HUES})`,
    marker: MARKERS[codec % MARKERS.length],
    dash: DASHES[Math.floor(codec / HUES) % DASHES.length],
  };
}

function seriesSwatch(codec) {
  const {color, marker, dash} = seriesStyle(codec);
  return svg(
      "svg",
      {class: "swatch", viewBox: "0 0 28 14", "aria-hidden": "true", style: `color:${color}`},
      svg("path", {class: "curve", d: "M1,7H27", "stroke-dasharray": dash}),
      svg("path", {class: "marker", d: marker, transform: "translate(14 7) scale(4)"}),
  );
}

// Where values lie along `length` pixels. A logarithmic scale takes positive values only.
class Scale {
  constructor(low, high, length, logarithmic) {
    this.logarithmic = logarithmic;
    this.low = this.transform(low);
    this.high = this.transform(high);
    if (this.high - this.low < 1e-12) {
      this.low -= 0.5;
      this.high += 0.5;
    }
    this.length = length;
  }

  transform(value) {
    return this.logarithmic ? Math.log10(value) : value;
  }

  at(value) {
    return ((this.transform(value) - this.low) / (this.high - this.low)) * this.length;
  }

  // Round values inside the scale, at least `gap` pixels apart.
  ticks(gap) {
    const decades = this.high - this.low;
    if (!this.logarithmic || decades < 0.7) return this.linearTicks(this.length / gap);
    const decade = this.length / decades;
    const choices = [[1, 2, 5], [1, 3], [1]];
    const distances = [0.3, 0.47, 1];  // the least of each, in decades
    const choice = distances.findIndex((distance) => distance * decade >= gap * 0.7);
    return choice >= 0 ? this.decadeTicks(choices[choice], 1) :
                         this.decadeTicks([1], Math.ceil(gap / decade));
  }

  linearTicks(count) {
    const [low, high] =
        this.logarithmic ? [10 ** this.low, 10 ** this.high] : [this.low, this.high];
    const raw = (high - low) / Math.max(2, count);
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
    const ticks = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; ++k)
      ticks.push(Number((k * step).toPrecision(12)));
    return ticks;
  }

  // The mantissas times every power of ten whose exponent is a multiple of `stride`.
  decadeTicks(mantissas, stride) {
    const ticks = [];
    for (let power = Math.floor(this.low / stride) * stride; power <= this.high; power += stride) {
      for (const mantissa of mantissas) {
        const value = Number((mantissa * 10 ** power).toPrecision(6));
        const at = Math.log10(value);
        if (at >= this.low - 1e-9 && at <= this.high + 1e-9) ticks.push(value);
      }
    }
    return ticks;
  }
}

function tickText(value) {
  return String(value).replace("-", "−");
}

const REACH = 48;  // pixels from a point within which the pointer finds it
const STEPS = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -1,
  ArrowDown: 1
};

// The width in pixels of a text as charts show it (.chart text in report.css).
const TEXT_SIZE = 12;

function textWidth(text) {
  textWidth.context ??= document.createElement("canvas").getContext("2d");
  textWidth.context.font = `${TEXT_SIZE}px ${getComputedStyle(document.body).fontFamily}`;
  return textWidth.context.measureText(text).width;
}

// How wide charts are drawn for print, where nothing tells how wide they will be.
const PRINT_WIDTH = {
  page: 680,
  column: 320
};

// Left of the plot, in pixels: the margin where numbers are short, the base line of the axis' name,
// and the gap between a number and what is beside it.
const LEAST_LEFT_MARGIN = 46;
const NAME_BASELINE = 10;
const TICK_GAP = 6;

class Chart {
  // `host` becomes the chart's element. `label` says what it shows.
  // `describe(point)` gives {title, rows} for the tooltip: rows are [name, value] pairs.
  constructor(host, label, describe, printWidth = PRINT_WIDTH.page) {
    this.host = host;
    this.label = label;
    this.describe = describe;
    this.marks = [];
    // Not at once: what it draws changes the height that is observed.
    new ResizeObserver(() => requestAnimationFrame(() => this.draw())).observe(host);
    addEventListener("beforeprint", () => this.draw(printWidth));
    addEventListener("afterprint", () => this.draw());
  }

  // series: [{codec, name, points: [{x, y, ...}]}], points in the order of the curve.
  // xAxis and yAxis: {label, logarithmic, amount, high}. Of an amount (bits, seconds), zero is
  // worth showing; what lies beyond `high`, if given, is left out.
  update(series, xAxis, yAxis) {
    const shown = (point) => this.fits(point.x, xAxis) && this.fits(point.y, yAxis);
    this.series = series.map((curve) => ({...curve, points: curve.points.filter(shown)}))
                      .filter((curve) => curve.points.length > 0);
    this.xAxis = xAxis;
    this.yAxis = yAxis;
    this.width = 0;
    this.draw();
  }

  fits(value, axis) {
    return Number.isFinite(value) && !(axis.logarithmic && value <= 0) &&
        !(axis.high !== undefined && value > axis.high);
  }

  draw(width = Math.round(this.host.clientWidth - this.padding())) {
    if (!this.series || width <= 0 || width === this.width) return;
    this.width = width;
    this.height = Math.round(Math.min(Math.max(width * 0.62, 230), 520));
    this.margin = {left: LEAST_LEFT_MARGIN, right: 12, top: 10, bottom: 42};
    this.marks = [];
    tooltip.hide();
    const root = svg("svg", {
      viewBox: `0 0 ${this.width} ${this.height}`,
      role: "group",
      "aria-roledescription": "chart",
      "aria-label": this.summary(),
    });
    if (this.series.length === 0)
      root.append(this.text(this.width / 2, this.height / 2, "No points to show", "middle"));
    else
      this.drawCurves(root);
    this.listen(root);
    this.host.replaceChildren(root);
  }

  padding() {
    const style = getComputedStyle(this.host);
    return parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
  }

  summary() {
    const names = this.series.map((curve) => curve.name).join(", ");
    return `${this.label}: ${this.yAxis.label} against ${this.xAxis.label}. ` +
        `${plural(this.series.length, "curve")}: ${names}.`;
  }

  drawCurves(root) {
    const all = this.series.flatMap((curve) => curve.points);
    const plotHeight = this.height - this.margin.top - this.margin.bottom;
    this.y = this.scale(all.map((p) => p.y), plotHeight, this.yAxis);
    this.yTicks = this.y.ticks(36);
    this.margin.left = this.leftMargin();
    const plotWidth = this.width - this.margin.left - this.margin.right;
    this.x = this.scale(all.map((p) => p.x), plotWidth, this.xAxis);
    root.append(this.grid(plotWidth, plotHeight));
    this.seriesRoot = svg("g");
    for (const curve of this.series) this.seriesRoot.append(this.curve(curve));
    root.append(this.seriesRoot);
    this.marks[0].node.setAttribute("tabindex", "0");
  }

  // Some room either side of the values; a linear axis of amounts from near zero starts there.
  scale(values, length, axis) {
    const low = Math.min(...values);
    const high = Math.max(...values);
    if (axis.logarithmic) {
      const room = (high / low) ** 0.03;
      return new Scale(low / room, high * room, length, true);
    }
    const room = (high - low) * 0.04;
    const start = axis.amount && low >= 0 && low < 0.35 * high ? 0 : low - room;
    return new Scale(start, high + room, length, false);
  }

  // Room for the axis' name and the widest of its numbers beside each other.
  leftMargin() {
    const widest = Math.max(...this.yTicks.map((tick) => textWidth(tickText(tick))));
    return Math.max(LEAST_LEFT_MARGIN, Math.ceil(NAME_BASELINE + 2 * TICK_GAP + widest));
  }

  left(value) {
    return this.margin.left + this.x.at(value);
  }

  top(value) {
    return this.height - this.margin.bottom - this.y.at(value);
  }

  text(x, y, content, anchor, attributes) {
    return svg("text", {x, y, "text-anchor": anchor, ...attributes}, content);
  }

  grid(plotWidth, plotHeight) {
    const {left, top} = this.margin;
    const bottom = top + plotHeight;
    const group = svg("g", {class: "axes", "aria-hidden": "true"});
    for (const tick of this.x.ticks(52)) {
      const x = this.left(tick);
      group.append(svg("path", {class: "gridline", d: `M${x},${top}V${bottom}`}));
      group.append(this.text(x, bottom + 16, tickText(tick), "middle"));
    }
    for (const tick of this.yTicks) {
      const y = this.top(tick);
      group.append(svg("path", {class: "gridline", d: `M${left},${y}h${plotWidth}`}));
      group.append(this.text(left - TICK_GAP, y + 4, tickText(tick), "end"));
    }
    group.append(svg("path", {class: "frame", d: `M${left},${top}v${plotHeight}h${plotWidth}`}));
    group.append(this.text(
        left + plotWidth / 2, this.height - 6, this.xAxis.label, "middle", {class: "axis-label"}));
    const middle = top + plotHeight / 2;
    group.append(this.text(
        NAME_BASELINE, middle, this.yAxis.label, "middle",
        {class: "axis-label", transform: `rotate(-90 ${NAME_BASELINE} ${middle})`}));
    return group;
  }

  curve(curve) {
    const {color, marker, dash} = seriesStyle(curve.codec);
    const at = curve.points.map((p) => [this.left(p.x), this.top(p.y)]);
    const group = svg(
        "g",
        {
          class: "series",
          "data-codec": curve.codec,
          style: `color:${color}`,
          role: "list",
          "aria-label": curve.name
        },
        svg("path", {
          class: "curve",
          d: `M${at.map((p) => p.map((v) => v.toFixed(1)).join()).join("L")}`,
          "stroke-dasharray": dash
        }),
    );
    const radius = this.width > 560 ? 4 : 3;
    curve.points.forEach((point, index) => {
      const {title, rows} = this.describe(point, curve);
      const node = svg("path", {
        class: "marker",
        d: marker,
        transform: `translate(${at[index].map((v) => v.toFixed(1)).join(" ")}) scale(${radius})`,
        role: "listitem",
        tabindex: "-1",
        "aria-label": `${title}: ${rows.map((row) => row.join(" ")).join(", ")}`,
      });
      node.addEventListener("focus", () => this.activate(mark));
      node.addEventListener("blur", () => this.deactivate());
      const mark = {node, group, curve, index, x: at[index][0], y: at[index][1], title, rows};
      this.marks.push(mark);
      group.append(node);
    });
    return group;
  }

  listen(root) {
    root.addEventListener("pointermove", (event) => this.point(root, event));
    root.addEventListener("pointerdown", (event) => this.point(root, event));
    root.addEventListener("pointerleave", () => this.deactivate());
    root.addEventListener("keydown", (event) => this.key(event));
  }

  point(root, event) {
    const box = root.getBoundingClientRect();
    const scale = this.width / box.width;
    const x = (event.clientX - box.left) * scale;
    const y = (event.clientY - box.top) * scale;
    const distance = (mark) => Math.hypot(mark.x - x, mark.y - y);
    const nearest = this.marks.reduce(
        (best, mark) => (!best || distance(mark) < distance(best) ? mark : best), null);
    if (nearest && distance(nearest) < REACH)
      this.activate(nearest);
    else
      this.deactivate();
  }

  // Marks a point, fades the other curves and shows the tooltip.
  activate(mark) {
    if (this.active === mark) return;
    this.deactivate();
    this.active = mark;
    mark.node.classList.add("active");
    mark.group.classList.add("active");
    this.seriesRoot.classList.add("has-active");
    const box = this.host.querySelector("svg").getBoundingClientRect();
    const scale = box.width / this.width;
    tooltip.show(box.left + mark.x * scale, box.top + mark.y * scale, mark.title, mark.rows);
  }

  deactivate() {
    if (!this.active) return;
    this.active.node.classList.remove("active");
    this.active.group.classList.remove("active");
    this.seriesRoot.classList.remove("has-active");
    this.active = null;
    tooltip.hide();
  }

  // Arrow keys: along the curve, and to the nearest point of the curve before or after.
  key(event) {
    const current = this.marks.find((mark) => mark.node === event.target);
    if (event.key === "Escape") this.deactivate();
    const next = current && this.neighbor(current, event.key);
    if (!next) return;
    event.preventDefault();
    current.node.setAttribute("tabindex", "-1");
    next.node.setAttribute("tabindex", "0");
    next.node.focus();
  }

  neighbor(current, key) {
    const own = this.marks.filter((mark) => mark.curve === current.curve);
    if (key === "Home") return own[0];
    if (key === "End") return own[own.length - 1];
    const step = STEPS[key];
    if (step === undefined) return null;
    if (key === "ArrowLeft" || key === "ArrowRight") return own[current.index + step];
    const count = this.series.length;
    const curve = this.series[(this.series.indexOf(current.curve) + step + count) % count];
    return this.marks.filter((mark) => mark.curve === curve)
        .reduce(
            (best, mark) =>
                (Math.abs(mark.x - current.x) < Math.abs(best.x - current.x) ? mark : best));
  }
}
