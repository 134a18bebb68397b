#include "codec/rdo/copy_costs.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "codec/base/gray_levels.h"
#include "codec/base/levels.h"
#include "codec/intra/canvas.h"
#include "codec/intra/neighbours.h"
#include "codec/intra/predict.h"
#include "codec/rdo/satd.h"

namespace mmp {
namespace {

constexpr int kCell = 4;
constexpr int kQuarter = 8;
constexpr int kQuarterLevel = LevelOf(3, 3);
static_assert(kLevelShapes[kQuarterLevel].height() == kQuarter &&
              kLevelShapes[kQuarterLevel].width() == kQuarter);

// Of a cell. The dictionary soon has what comes again in drawings, and there it costs no more.
constexpr int kMostBits = 256;
constexpr int kMostBitsOfDrawn = 32;

constexpr int CellAt(int i, int j) { return i / kCell * (kMacroblockSize / kCell) + j / kCell; }

// Of the quarter whose first pixel is (i, j).
constexpr std::array<int, 4> CellsOfQuarter(int i, int j) {
  return {CellAt(i, j), CellAt(i, j + kCell), CellAt(i + kCell, j), CellAt(i + kCell, j + kCell)};
}

}  // namespace

int64_t SumOf(const CellCosts& costs) {
  return std::reduce(costs.begin(), costs.end(), int64_t{0});
}

int64_t Improve(const CellCosts& copy, CellCosts& costs) {
  int64_t saved = 0;
  for (int i = 0; i < kMacroblockSize; i += kQuarter) {
    for (int j = 0; j < kMacroblockSize; j += kQuarter) {
      int64_t by_equal = 0, by_whole = 0;
      for (const int cell : CellsOfQuarter(i, j)) {
        if (copy[cell] == 0) by_equal += costs[cell];
        by_whole += costs[cell] - copy[cell];
      }
      for (const int cell : CellsOfQuarter(i, j))
        if (by_whole > by_equal || copy[cell] == 0) costs[cell] = copy[cell];
      saved += std::max(by_whole, by_equal);
    }
  }
  return saved;
}

CopyCosts::CopyCosts(const ImageView& image, const CodecParameters& parameters, Lambda lambda)
    : image_(image),
      parameters_(parameters),
      residual_cost_(lambda, LooksDrawn(image) ? kMostBitsOfDrawn : kMostBits) {}

bool CopyCosts::IsEarlier(int bottom, int right, MacroblockPlace place) const {
  return IsRaster() ? bottom < place.y || right < place.x
                    : FrontOf(bottom, right) < FrontOf(place.y, place.x);
}

bool CopyCosts::Copied(BlockVector vector, MacroblockPlace place, CellCosts& costs) const {
  const auto [y, x] = place;
  const int bottom = std::min(y + kMacroblockSize, image_.height);
  const int right = std::min(x + kMacroblockSize, image_.width);
  bool any = false;
  costs.fill(kImpossible);
  for (int top = y; top < bottom; top += kCell) {
    for (int left = x; left < right; left += kCell) {
      const int height = std::min(kCell, bottom - top), width = std::min(kCell, right - left);
      const int from_y = top + vector.y, from_x = left + vector.x;
      if (from_y < 0 || from_x < 0 || from_x + width > image_.width) continue;
      if (!IsEarlier(from_y + height - 1, from_x + width - 1, place)) continue;
      int16_t residual[kCell * kCell] = {};
      int differences = 0;
      for (int i = 0; i < height; ++i) {
        const uint8_t* to = image_.Row(top + i) + left;
        const uint8_t* from = image_.Row(from_y + i) + from_x;
        for (int j = 0; j < width; ++j) {
          residual[i * kCell + j] = static_cast<int16_t>(to[j] - from[j]);
          differences |= residual[i * kCell + j];
        }
        if (differences != 0 && !IsRaster()) break;
      }
      const bool equal = differences == 0;
      if (!equal && !IsRaster()) continue;
      costs[CellAt(top - y, left - x)] = equal ? 0 : residual_cost_.Of4x4(residual, kCell);
      any = true;
    }
  }
  return any;
}

uint8_t CopyCosts::Sample(int y, int x) const {
  return image_.Row(std::min(y, image_.height - 1))[std::min(x, image_.width - 1)];
}

// Originals in place of what they will be reconstructed to.
void CopyCosts::LoadCanvas(MacroblockPlace place, Canvas& canvas) const {
  const auto [y, x] = place;
  for (int i = -Canvas::kTop; i < kMacroblockSize; ++i) {
    for (int j = -Canvas::kLeft; j < kMacroblockSize + Canvas::kRight; ++j) {
      const bool available =
          y + i >= 0 && x + j >= 0 && x + j < image_.width && IsEarlier(y + i, x + j, place);
      canvas.available[Canvas::Index(i, j)] = available;
      canvas.pixels[Canvas::Index(i, j)] = available ? Sample(y + i, x + j) : uint8_t{0};
    }
  }
}

void CopyCosts::CostQuarter(const uint8_t* original, BlockRect rect, const Canvas& canvas,
                            CellCosts& costs) const {
  static constexpr BlockCopies kNone{};
  constexpr LevelShape kShape = kLevelShapes[kQuarterLevel];
  BlockBorder border;
  LoadBorder(canvas, rect, border);
  const uint32_t modes = AvailableModes(border, rect.level) & parameters_.modes;
  uint8_t predictions[kFirstBlockCopy][kQuarter * kQuarter];
  int count = 0;
  for (int mode = 0; mode < kFirstBlockCopy; ++mode)
    if ((modes >> mode & 1) != 0) Predict(canvas, border, kNone, rect, mode, predictions[count++]);
  int32_t satd[kFirstBlockCopy];
  SatdOfPredictions(original, predictions[0], count, kShape, satd);
  const auto best = std::min_element(satd, satd + count) - satd;
  int16_t residual[kQuarter * kQuarter];
  ResidualOf(original, predictions[best], kShape, residual);
  for (int i = 0; i < kQuarter; i += kCell)
    for (int j = 0; j < kQuarter; j += kCell)
      costs[CellAt(rect.y + i, rect.x + j)] =
          residual_cost_.Of4x4(&residual[i * kQuarter + j], kQuarter);
}

CellCosts CopyCosts::Predicted(MacroblockPlace place) const {
  uint8_t original[kMacroblockPixels];
  for (int i = 0; i < kMacroblockSize; ++i)
    for (int j = 0; j < kMacroblockSize; ++j)
      original[i * kMacroblockSize + j] = Sample(place.y + i, place.x + j);
  CellCosts costs{};
  if (std::ranges::count(original, original[0]) == kMacroblockPixels) return costs;
  Canvas canvas;
  LoadCanvas(place, canvas);
  for (const uint8_t top : {0, kQuarter}) {
    for (const uint8_t left : {0, kQuarter}) {
      const BlockRect rect = {top, left, kQuarterLevel};
      CostQuarter(&original[top * kMacroblockSize + left], rect, canvas, costs);
      for (int i = top; i < top + kQuarter; ++i)
        std::copy_n(&original[i * kMacroblockSize + left], kQuarter,
                    &canvas.pixels[Canvas::Index(i, left)]);
      MarkAvailable(canvas, rect);
    }
  }
  return costs;
}

}  // namespace mmp
