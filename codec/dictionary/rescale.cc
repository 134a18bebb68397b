#include "codec/dictionary/rescale.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "codec/base/levels.h"

namespace mmp {
namespace {

// Lines of 2^log2_from values become lines of 2^log2_to.
struct Line {
  int log2_from, log2_to;
};

constexpr int16_t RoundedShift(int value, int shift) {
  return static_cast<int16_t>((value + (1 << shift >> 1)) >> shift);
}

// Value i of the line that becomes of the one whose values are at(0), at(1), ...
template <typename At>
constexpr int16_t Rescaled(Line line, int i, At at) {
  if (line.log2_to <= line.log2_from) {
    const int shift = line.log2_from - line.log2_to;
    int sum = 0;
    for (int k = 0; k < 1 << shift; ++k) sum += at((i << shift) + k);
    return RoundedShift(sum, shift);
  }
  // Centre of output i in input pixels: (2 i + 1) / 2^shift - 1 / 2.
  const int shift = line.log2_to - line.log2_from + 1;
  const int position = 2 * i + 1 - (1 << shift >> 1);  // in 1 / 2^shift input pixels
  const int whole = position >> shift, part = position - (whole << shift);
  const int a = at(std::max(whole, 0)), b = at(std::min(whole + 1, (1 << line.log2_from) - 1));
  return RoundedShift(a * ((1 << shift) - part) + b * part, shift);
}

// Padding behind the values of the blocks below.
constexpr int kRoom = kMacroblockSize;
using Block = int16_t[kMacroblockPixels + kRoom];

// The columns of a block of `width`. Always kRoom values at a time, so that the compiler uses SIMD;
// values beyond the end of a row are overwritten by the next row.
template <int kFrom, int kTo>
void RescaleColumns(const int16_t* __restrict from, int width, int16_t* __restrict to) {
  for (int i = 0; i < 1 << kTo; ++i)
    for (int j = 0; j < kRoom; ++j)
      to[i * width + j] = Rescaled({kFrom, kTo}, i, [&](int k) { return from[k * width + j]; });
}

template <int kFrom, int kTo>
void RescaleRows(const int16_t* __restrict from, int height, int16_t* __restrict to) {
  for (int row = 0; row < height; ++row, from += 1 << kFrom, to += 1 << kTo)
    for (int i = 0; i < 1 << kTo; ++i)
      to[i] = Rescaled({kFrom, kTo}, i, [&](int k) { return from[k]; });
}

// Both ways for lines of one size to become lines of another: (from, lines, to).
struct Rescaler {
  void (*columns)(const int16_t*, int, int16_t*);
  void (*rows)(const int16_t*, int, int16_t*);
};
constexpr int kSizes = 5;

template <int... kBoth>
constexpr std::array<Rescaler, kSizes * kSizes> MakeRescalers(
    std::integer_sequence<int, kBoth...>) {
  return {Rescaler{RescaleColumns<kBoth / kSizes, kBoth % kSizes>,
                   RescaleRows<kBoth / kSizes, kBoth % kSizes>}...};
}
// The levels of 2^log2_height rows, a bit each.
constexpr std::array<uint32_t, kSizes> kLevelsOfHeight = [] {
  std::array<uint32_t, kSizes> levels{};
  for (int level = 0; level < kLevelCount; ++level)
    levels[kLevelShapes[level].log2_height] |= 1u << level;
  return levels;
}();
constexpr auto kRescalers = MakeRescalers(std::make_integer_sequence<int, kSizes * kSizes>());

}  // namespace

void RescalePattern(const int16_t* from, int from_level, int to_level, int16_t* to) {
  int16_t all[kAllLevelsPixels];
  RescaleToLevels(from, from_level, 1u << to_level, all);
  std::copy_n(all + kLevelOffsets[to_level], kLevelShapes[to_level].pixels(), to);
}

void RescaleToLevels(const int16_t* from, int from_level, uint32_t levels, int16_t* to) {
  const LevelShape f = ShapeOfLevel(from_level);
  Block pattern, tall;
  std::copy_n(from, f.pixels(), pattern);
  std::fill_n(pattern + f.pixels(), kRoom, int16_t{0});
  for (int log2_height = 0; log2_height < kSizes; ++log2_height) {
    const uint32_t of_height = levels & kLevelsOfHeight[log2_height];
    if (of_height == 0) continue;
    const int16_t* columns = pattern;
    if (log2_height != f.log2_height) {
      kRescalers[f.log2_height * kSizes + log2_height].columns(pattern, f.width(), tall);
      columns = tall;
    }
    for (uint32_t left = of_height; left != 0; left &= left - 1) {
      const int level = std::countr_zero(left);
      const int log2_width = ShapeOfLevel(level).log2_width;
      int16_t* rows = to + kLevelOffsets[level];
      if (log2_width == f.log2_width)
        std::copy_n(columns, f.width() << log2_height, rows);
      else
        kRescalers[f.log2_width * kSizes + log2_width].rows(columns, 1 << log2_height, rows);
    }
  }
}

}  // namespace mmp
