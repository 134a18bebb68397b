// Draws the report.
"use strict";

function drawReport() {
  const data = pageData();
  const state = new State(data);
  byId("summary").textContent = [
    plural(data.images.length, "image"),
    plural(data.codecs.length, "codec"),
    plural(data.points.length, "point"),
  ].join(", ");
  drawLegend(state);
  const enlarge = drawCurves(state);
  drawBd(state);
  drawImages(state, {enlarge, compare: drawComparison(state)});
  drawTime(state);
  drawPoints(state);
  drawVersions(state);
  drawFailures(state);
  for (const link of document.querySelectorAll(".contents a"))
    if (!byId(link.hash.slice(1))) link.remove();
}

drawReport();
