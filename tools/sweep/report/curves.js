// The sections with charts: the average, each image, the encoding time; and the legend.
"use strict";

function drawLegend(state) {
  const button = (codec) => html(
      "button",
      {type: "button", "data-codec": codec, onclick: () => state.toggle(codec)},
      seriesSwatch(codec),
      state.codecName(codec),
  );
  const buttons = state.data.codecs.map((_, codec) => button(codec));
  const all = html(
      "button",
      {type: "button", class: "screen-only", onclick: () => state.set({hidden: new Set()})},
      "Show all");
  byId("toolbar").append(html("div", {class: "legend"}, buttons, all));
  state.watch(() => {
    buttons.forEach(
        (node, codec) => node.setAttribute("aria-pressed", String(!state.hidden.has(codec))));
    all.hidden = state.hidden.size === 0;
  });
}

function axisControls(state) {
  const qualities = state.qualities().map((key) => [key, QUALITIES[key].name]);
  return [
    qualities.length > 1 ?
        segmentControl(
            "quality", "Quality", qualities, state.quality, (quality) => state.set({quality})) :
        null,
    segmentControl(
        "rate-axis", "Rate axis", [["log", "log"], ["linear", "linear"]], "log",
        (value) => state.set({rateLogarithmic: value === "log"})),
    selectControl("Rates", RATE_LIMITS, state.rateLimit, (rateLimit) => state.set({rateLimit})),
  ].filter((control) => control !== null);
}

function averageNote(state) {
  const {data} = state;
  const images = plural(data.averageImages.length, "image");
  const notes = [
    `Each point is the mean rate and the mean quality over ${images} coded with one setting; ` +
        "settings that some image lacks, and lossless ones, are left out.",
  ];
  const other = data.images.filter((_, image) => !data.averageImages.includes(image));
  if (other.length > 0) {
    const names = other.map(({name}) => name).join(", ");
    notes.push(`Without ${names}: lossless or missing at most settings of some codec.`);
  }
  const absent =
      data.codecs.filter((_, codec) => !data.averages.some((point) => point.codec === codec));
  if (absent.length > 0)
    notes.push(`Not in the average: ${absent.map(({name}) => name).join(", ")}.`);
  return notes.join(" ");
}

// The large chart: the average, or an image. Returns a function that shows an image in it.
function drawCurves(state) {
  let image = state.data.averages.length > 0 ? AVERAGE : 0;
  const chart =
      new Chart(byId("curves-chart"), state.nameOf(image), (point) => state.describe(point));
  const draw = () => {
    chart.label = state.nameOf(image);
    byId("curves-note").textContent = image === AVERAGE ? averageNote(state) : "";
    chart.update(
        state.series(state.pointsOf(image), state.quality), state.rateAxis(), state.qualityAxis());
  };
  const choices =
      [AVERAGE, ...state.data.images.keys()].filter((key) => state.pointsOf(key).length > 0);
  const choice = selectControl(
      "Curves of", choices.map((key) => [String(key), state.nameOf(key)]), String(image),
      (value) => {
        image = Number(value);
        draw();
      });
  byId("axes").append(choice, ...axisControls(state));
  state.watch(draw);
  return (chosen) => {
    const select = choice.querySelector("select");
    select.value = String(chosen);
    image = chosen;
    draw();
    byId("curves").scrollIntoView();
    select.focus({preventScroll: true});
  };
}

// A picture that is a button where there are decoded pictures to compare.
function thumbnail(state, index, compare) {
  const image = state.data.images[index];
  if (!image.thumbnail) return null;
  const picture = html("img", {src: image.thumbnail, alt: ""});
  if (!state.data.comparisons.some((comparison) => comparison.image === index))
    return html("span", {class: "thumbnail"}, picture);
  const label = `Compare decoded pictures of ${image.name}`;
  return html(
      "button", {
        type: "button",
        class: "thumbnail",
        "aria-label": label,
        title: label,
        onclick: () => compare(index)
      },
      picture);
}

function imageCard(state, index, {enlarge, compare}) {
  const image = state.data.images[index];
  const larger = html(
      "button", {
        type: "button",
        class: "screen-only",
        "aria-label": `Larger curves of ${image.name}`,
        onclick: () => enlarge(index)
      },
      "Larger");
  const size = html("p", {class: "muted"}, `${image.width} × ${image.height} pixels`);
  const host = html("div", {class: "chart"});
  const card = html(
      "article",
      {class: "card image-card", "aria-label": image.name},
      html(
          "header", null, thumbnail(state, index, compare),
          html("div", null, html("h3", null, image.name), size), larger),
      host,
  );
  return {card, host};
}

// `actions.enlarge(image)` and `actions.compare(image)` show more of an image.
function drawImages(state, actions) {
  for (const image of state.data.images.keys()) {
    const {card, host} = imageCard(state, image, actions);
    byId("image-charts").append(card);
    const chart =
        new Chart(host, state.nameOf(image), (point) => state.describe(point), PRINT_WIDTH.column);
    state.watch(
        () => chart.update(
            state.series(state.pointsOf(image), state.quality), state.rateAxis(),
            state.qualityAxis()));
  }
}

function drawTime(state) {
  const points = state.data.averages.filter((point) => Number.isFinite(point.secondsPerMegapixel));
  if (points.length === 0) {
    byId("time").remove();
    return;
  }
  byId("time-note").textContent =
      "Seconds to encode a megapixel, mean over the images, as measured on the machine that ran " +
      "each codec: a hint, not a benchmark.";
  byId("time-controls")
      .append(
          segmentControl(
              "time-axis", "Time axis", [["log", "log"], ["linear", "linear"]], "log",
              (value) => state.set({timeLogarithmic: value === "log"})),
      );
  const chart = new Chart(byId("time-chart"), "Encoding time", (point) => state.describe(point));
  const axis = () =>
      ({label: "seconds per megapixel", amount: true, logarithmic: state.timeLogarithmic});
  state.watch(
      () => chart.update(state.series(points, "secondsPerMegapixel"), state.rateAxis(), axis()));
}
