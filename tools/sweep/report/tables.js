// The sections with tables: Bjontegaard deltas, all points, commands and versions.
"use strict";

const MEASURES = {
  bdRate: { name: "BD-rate", unit: "%", digits: 1, sign: -1, full: 40 },
  bdPsnr: { name: "BD-PSNR", unit: "dB", digits: 2, sign: 1, full: 2 },
};

function signed(value, digits) {
  const text = number(value, digits);
  return value > 0 ? `+${text}` : text;
}

function codecHeading(state, codec) {
  return html("span", { class: "codec-name" }, seriesSwatch(codec), state.codecName(codec));
}

// A cell tinted by how good the delta is, `sign` times `value`.
function deltaCell(value, { digits, sign, full }, note) {
  if (value === null) return html("td", { class: "muted" }, "–");
  const strength = Math.min(1, Math.abs(value) / full) * 45;
  const tint = Math.abs(value) < 0.5 * 10 ** -digits ? "" : value * sign > 0 ? "better" : "worse";
  return html("td", { class: tint, style: `--strength:${strength.toFixed(0)}` }, signed(value, digits), note);
}

function bdRow(state, name, cells, measure, mean) {
  const body = state.codecs().filter((codec) => codec !== state.anchor).map((codec) => {
    const value = cells(codec);
    return Array.isArray(value)
      ? deltaCell(value[0], measure, value[1] < state.data.images.length && value[0] !== null ? html("small", { class: "muted" }, ` (${value[1]})`) : null)
      : deltaCell(value, measure);
  });
  return html("tr", { class: mean ? "mean" : null }, html("th", { scope: "row" }, name), body);
}

function bdTable(state, key) {
  const measure = MEASURES[key];
  const deltas = state.data[key][state.anchor];
  const anchor = state.codecName(state.anchor);
  const codecs = state.codecs().filter((codec) => codec !== state.anchor);
  if (codecs.length === 0) return html("p", { class: "muted" }, "There is no other codec to compare with.");
  const means = (codec) => {
    const known = deltas[codec].filter((value) => value !== null);
    return [known.length > 0 ? known.reduce((a, b) => a + b) / known.length : null, known.length];
  };
  return html(
    "table",
    { class: "bd" },
    html("caption", null, html("span", null, `${measure.name} against ${anchor}, ${measure.unit}; ${measure.sign < 0 ? "negative" : "positive"} is better than ${anchor}`)),
    html("thead", null, html("tr", null, html("th", { scope: "col", class: "text" }, "Image"),
      codecs.map((codec) => html("th", { scope: "col" }, codecHeading(state, codec))))),
    html(
      "tbody",
      null,
      state.data.images.map((image, index) => bdRow(state, image.name, (codec) => deltas[codec][index], measure)),
      state.data.images.length > 1 ? bdRow(state, "Mean", means, measure, true) : null,
    ),
  );
}

function drawBd(state) {
  byId("bd-note").textContent =
    "Mean change of rate at equal PSNR (BD-rate) or of PSNR at equal rate (BD-PSNR) over the range that two curves share; " +
    "piecewise cubic Hermite interpolation in log rate. A number in parentheses is how many images a mean has, if not all.";
  let measure = "bdRate";
  const draw = () => byId("bd-table").replaceChildren(bdTable(state, measure));
  byId("bd-controls").append(
    segmentControl("bd-measure", "Measure", Object.entries(MEASURES).map(([key, { name }]) => [key, name]), measure, (key) => {
      measure = key;
      draw();
    }),
    selectControl("Anchor", state.data.codecs.map((codec, index) => [String(index), codec.name]), String(state.anchor),
      (value) => state.set({ anchor: Number(value) })),
  );
  state.watch(draw);
}

function pointRow(state, point, columns) {
  return html(
    "tr",
    null,
    html("th", { scope: "row" }, codecHeading(state, point.codec)),
    html("td", { class: "text" }, state.setting(point)),
    columns.map(({ text }) => html("td", null, text(point))),
    html("td", { class: "text command" }, point.command ? html("code", null, point.command) : "–"),
  );
}

// The numbers of a point; a column that no point has is left out.
function pointColumns(state) {
  const qualities = state.qualities().map((key) => ({
    name: QUALITIES[key].label,
    has: (point) => Number.isFinite(point[key]),
    text: (point) => (key === "psnr" && point.lossless ? "lossless" : number(point[key], QUALITIES[key].digits)),
  }));
  const seconds = [["encodeSeconds", "Encoding (s)"], ["decodeSeconds", "Decoding (s)"]].map(([key, name]) => ({
    name,
    has: (point) => Number.isFinite(point[key]),
    text: (point) => short(point[key]),
  }));
  return [
    { name: "Bytes", has: () => true, text: (point) => number(point.bytes) },
    { name: "Bits per pixel", has: () => true, text: (point) => number(point.bpp, 4) },
    ...qualities,
    ...seconds,
  ].filter(({ has }) => state.data.points.some(has));
}

function pointTable(state, image) {
  const columns = pointColumns(state);
  const points = state.data.points.filter((point) => point.image === image && !state.hidden.has(point.codec));
  const heading = (name, text) => html("th", { scope: "col", class: text ? "text" : null }, name);
  return html(
    "table",
    { class: "wide" },
    html("caption", null, `Points of ${state.data.images[image].name}`),
    html("thead", null, html("tr", null, heading("Codec", true), heading("Setting", true), columns.map(({ name }) => heading(name)), heading("Command", true))),
    html("tbody", null, points.map((point) => pointRow(state, point, columns))),
  );
}

function drawPoints(state) {
  let image = 0;
  const draw = () => byId("points-table").replaceChildren(pointTable(state, image));
  byId("points-controls").append(
    selectControl("Image", state.data.images.map(({ name }, index) => [String(index), name]), "0", (value) => {
      image = Number(value);
      draw();
    }),
  );
  state.watch(draw);
}

// What failed, as lines of text.
function failureTexts({ failures, missingPictures }) {
  const text = ({ image, codec, parameter, message }) =>
    codec ? `${image}, ${codec} at ${parameter}: ${message}` : `${image}: ${message}`;
  return [...failures.map(text), ...missingPictures.map((problem) => `No picture: ${problem}`)];
}

function drawFailures(state) {
  const texts = failureTexts(state.data);
  if (texts.length === 0) byId("failures").remove();
  else byId("failure-list").append(...texts.map((text) => html("li", null, text)));
}

function drawVersions(state) {
  const { codecs, command, date } = state.data;
  const row = (codec, index) =>
    html("tr", null, html("th", { scope: "row" }, codecHeading(state, index)), html("td", { class: "text" }, codec.version),
      html("td", { class: "text" }, codec.parameterName));
  byId("versions-table").append(
    html("p", null, "This sweep: ", html("code", { id: "sweep-command" }, command || "–")),
    html(
      "table",
      { class: "wide" },
      html("caption", null, "The command of each point is in the table above."),
      html("thead", null, html("tr", null, ["Codec", "Version", "Setting varied"].map((name) => html("th", { scope: "col", class: "text" }, name)))),
      html("tbody", null, codecs.map(row)),
    ),
  );
  byId("footer").textContent = date ? `Put together ${date}.` : "";
}
