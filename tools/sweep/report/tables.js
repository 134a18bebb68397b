// The sections with tables: Bjontegaard deltas, all points, commands and versions.
"use strict";

const MEASURES = {
  bdRate: {name: "BD-rate", unit: "%", digits: 1, sign: -1, full: 40},
  bdPsnr: {name: "BD-PSNR", unit: "dB", digits: 2, sign: 1, full: 2},
};

function signed(value, digits) {
  const text = number(value, digits);
  return value > 0 ? `+${text}` : text;
}

function codecHeading(state, codec) {
  return html("span", {class: "codec-name"}, seriesSwatch(codec), state.codecName(codec));
}

// A cell tinted by how good the delta is, `sign` times its value. `note` may be empty.
function deltaCell({value, note}, {digits, sign, full}) {
  if (value === null) return html("td", {class: "muted"}, "–");
  const strength = Math.min(1, Math.abs(value) / full) * 45;
  const tint = Math.abs(value) < 0.5 * 10 ** -digits ? "" : value * sign > 0 ? "better" : "worse";
  return html(
      "td", {class: tint, style: `--strength:${strength.toFixed(0)}`}, signed(value, digits),
      note ? html("small", {class: "muted"}, ` ${note}`) : null);
}

// The mean over the images that have a delta; the note says how many, if not all.
function meanDelta(deltas) {
  const known = deltas.filter((value) => value !== null);
  if (known.length === 0) return {value: null, note: ""};
  const note = known.length < deltas.length ? `(${known.length})` : "";
  return {value: known.reduce((a, b) => a + b) / known.length, note};
}

function bdTable(state, key) {
  const measure = MEASURES[key];
  const anchor = state.codecName(state.anchor);
  const codecs = state.codecs().filter((codec) => codec !== state.anchor);
  if (codecs.length === 0)
    return html("p", {class: "muted"}, "There is no other codec to compare with.");
  const deltas = state.data[key][state.anchor];
  const row = (attributes, name, deltaOf) => html(
      "tr", attributes, rowHeading(name),
      codecs.map((codec) => deltaCell(deltaOf(deltas[codec]), measure)));
  const images = state.data.images;
  const rows = images.map(
      ({name}, image) => row(null, name, (values) => ({value: values[image], note: ""})));
  if (images.length > 1) rows.push(row({class: "mean"}, "Mean", meanDelta));
  const better = measure.sign < 0 ? "negative" : "positive";
  return tableOf(
      {class: "bd"},
      `${measure.name} against ${anchor}, ${measure.unit}; ${better} is better than ${anchor}`,
      [["Image", "text"], ...codecs.map((codec) => [codecHeading(state, codec), null])], rows);
}

function drawBd(state) {
  byId("bd-note").textContent =
      "Mean change of rate at equal PSNR (BD-rate) or of PSNR at equal rate (BD-PSNR) over the " +
      "range that two curves share; piecewise cubic Hermite interpolation in log rate. A number " +
      "in parentheses is how many images a mean has, if not all.";
  let measure = "bdRate";
  const draw = () => byId("bd-table").replaceChildren(bdTable(state, measure));
  const measures = Object.entries(MEASURES).map(([key, {name}]) => [key, name]);
  const anchors = state.data.codecs.map(({name}, codec) => [String(codec), name]);
  const chooseMeasure = (key) => {
    measure = key;
    draw();
  };
  const chooseAnchor = (codec) => state.set({anchor: Number(codec)});
  byId("bd-controls")
      .append(
          segmentControl("bd-measure", "Measure", measures, measure, chooseMeasure),
          selectControl("Anchor", anchors, String(state.anchor), chooseAnchor));
  state.watch(draw);
}

function qualityText(point, key) {
  return key === "psnr" && point.lossless ? "lossless" : number(point[key], QUALITIES[key].digits);
}

// The numbers of a point; a column that no point has is left out.
function pointColumns(state) {
  const column = (name, key, text) => ({name, key, text});
  return [
    column("Bytes", "bytes", ({bytes}) => number(bytes)),
    column("Bits per pixel", "bpp", ({bpp}) => number(bpp, 4)),
    ...state.qualities().map(
        (key) => column(QUALITIES[key].label, key, (point) => qualityText(point, key))),
    column("Encoding (s)", "encodeSeconds", ({encodeSeconds}) => short(encodeSeconds)),
    column("Decoding (s)", "decodeSeconds", ({decodeSeconds}) => short(decodeSeconds)),
  ].filter(({key}) => state.data.points.some((point) => Number.isFinite(point[key])));
}

function pointRow(state, point, columns) {
  const command = point.command ? html("code", null, point.command) : "–";
  return html(
      "tr", null, rowHeading(codecHeading(state, point.codec)),
      html("td", {class: "text"}, state.setting(point)),
      columns.map(({text}) => html("td", null, text(point))),
      html("td", {class: "text command"}, command));
}

function pointTable(state, image) {
  const columns = pointColumns(state);
  const rows = state.pointsOf(image)
                   .filter(({codec}) => !state.hidden.has(codec))
                   .map((point) => pointRow(state, point, columns));
  const headings = [
    ["Codec", "text"],
    ["Setting", "text"],
    ...columns.map(({name}) => name),
    ["Command", "text"],
  ];
  return tableOf({class: "wide"}, `Points of ${state.nameOf(image)}`, headings, rows);
}

function drawPoints(state) {
  const draw = (image) => byId("points-table").replaceChildren(pointTable(state, image));
  const images = state.data.images.map(({name}, image) => [String(image), name]);
  if (images.length === 0) {
    byId("points").remove();
    return;
  }
  const control = selectControl("Image", images, "0", (image) => draw(Number(image)));
  byId("points-controls").append(control);
  const {decoder} = state.data;
  if (decoder) {
    byId("decoder-link").href = decoder;
    byId("decoder-note").hidden = false;
  }
  state.watch(() => draw(Number(control.querySelector("select").value)));
}

// What failed, as lines of text.
function failureTexts({failures, missingPictures}) {
  const text = ({image, codec, parameter, message}) =>
      codec ? `${image}, ${codec} at ${parameter}: ${message}` : `${image}: ${message}`;
  return [...failures.map(text), ...missingPictures.map((problem) => `No picture: ${problem}`)];
}

function drawFailures(state) {
  const texts = failureTexts(state.data);
  if (texts.length === 0)
    byId("failures").remove();
  else
    byId("failure-list").append(...texts.map((text) => html("li", null, text)));
}

function drawVersions(state) {
  const {codecs, command, date} = state.data;
  const row = ({version, parameterName}, codec) => html(
      "tr", null, rowHeading(codecHeading(state, codec)), html("td", {class: "text"}, version),
      html("td", {class: "text"}, parameterName));
  const headings = ["Codec", "Version", "Setting varied"].map((name) => [name, "text"]);
  const caption = "The command of each point is in the table above.";
  byId("versions-table")
      .append(
          html("p", null, "This sweep: ", html("code", {id: "sweep-command"}, command || "–")),
          tableOf({class: "wide"}, caption, headings, codecs.map(row)));
  byId("footer").textContent = date ? `Put together ${date}.` : "";
}
