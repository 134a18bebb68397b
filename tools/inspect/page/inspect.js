// The page of `mmp inspect`.
"use strict";

function summary({info, tiles, macroblocks}) {
  return [
    `${info.width} × ${info.height} pixels`,
    `${number(info.bytes)} bytes`,
    `${number(info.bits_per_pixel, 3)} bits per pixel`,
    `preset ${info.preset}`,
    info.order === "wavefront" ? "wave fronts" : "raster order",
    ...(info.lossless ? ["lossless"] : []),
    plural(tiles.length, "tile"),
    plural(macroblocks.length, "macroblock"),
  ].join(", ");
}

function drawPage() {
  const data = pageData();
  document.title = `${data.name}: mmp inspect`;
  byId("name").textContent = data.name;
  byId("summary").textContent = summary(data);
  new Viewer(data);
  drawTotals(data);
  drawDictionary(data);
}

drawPage();
