#include "codec/rdo/search_census.h"

#include <algorithm>
#include <vector>

#include "codec/base/levels.h"
#include "codec/intra/canvas.h"
#include "codec/intra/predictors.h"

namespace mmp {
namespace {

void CountNode(const CodecParameters& parameters, BlockRect rect, Canvas& canvas,
               SearchCensus& census) {
  ++census.nodes;
  BlockBorder border;
  LoadBorder(canvas, rect, border);
  const uint32_t modes = AvailableModes(border, rect.level) & parameters.modes;
  for (int mode = 0; mode < kPredictionModes; ++mode) census.mode_uses[mode] += modes >> mode & 1;
  for (const Split split : {Split::kVertical, Split::kHorizontal}) {
    if (!PredictionMaySplit(rect.level, split, parameters.prediction_level)) continue;
    const BlockRect first = rect.Half(split, 0);
    CountNode(parameters, first, canvas, census);
    MarkAvailable(canvas, first);
    CountNode(parameters, rect.Half(split, 1), canvas, census);
    Withdraw(canvas, first);
  }
}

}  // namespace

SearchCensus TakeCensus(const CodecParameters& parameters, int width, int height) {
  // What is available depends only on the edges that a macroblock touches, so three rows and three
  // columns of macroblocks show all there is; the middle ones stand for many.
  const int columns = MacroblocksAcross(width), rows = MacroblocksAcross(height);
  const int model_columns = std::min(columns, 3), model_rows = std::min(rows, 3);
  const std::vector<uint8_t> plane(static_cast<size_t>(model_columns) * model_rows *
                                   kMacroblockPixels);
  SearchCensus total;
  total.macroblocks = int64_t{columns} * rows;
  for (int row = 0; row < model_rows; ++row) {
    for (int column = 0; column < model_columns; ++column) {
      Canvas canvas;
      LoadCanvas(plane.data(), model_columns * kMacroblockSize, model_columns * kMacroblockSize,
                 model_rows * kMacroblockSize, row * kMacroblockSize, column * kMacroblockSize,
                 canvas);
      SearchCensus census;
      CountNode(parameters, {0, 0, kMacroblockLevel}, canvas, census);
      const int64_t times = int64_t{row == 1 && rows > 3 ? rows - 2 : 1} *
                            (column == 1 && columns > 3 ? columns - 2 : 1);
      total.nodes += times * census.nodes;
      for (int mode = 0; mode < kPredictionModes; ++mode)
        total.mode_uses[mode] += times * census.mode_uses[mode];
    }
  }
  return total;
}

int64_t CountSubBlocks(int level) {
  const LevelShape shape = kLevelShapes[level];
  return int64_t{2 * shape.height() - 1} * (2 * shape.width() - 1);
}

}  // namespace mmp
