#include "codec/dictionary/sketch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace mmp {
namespace {

// A sketch times -2 fits 16 bits, too.
static_assert(2 * kSketchScale * 255 * kMacroblockSize <= std::numeric_limits<int16_t>::max());

int16_t Rounded(double value) {
  return static_cast<int16_t>(static_cast<int32_t>(value + 32768.5) - 32768);
}

}  // namespace

Sketch SketchOf(const int16_t* values, LevelShape shape, int32_t norm) {
  // The bits of a pixel's number that say in which half it lies: `high` top or bottom, `low` left
  // or right; of a line, its halves and the halves of these.
  const bool is_line = shape.log2_height == 0 || shape.log2_width == 0;
  const int high = shape.log2_pixels() - 1, low = is_line ? high - 1 : shape.log2_width - 1;
  const int run = low < 0 ? 1 : 1 << low, pixels = shape.pixels();
  int32_t sums[2][2] = {};
  for (int k = 0; k < pixels; k += run)
    sums[k >> high][low < 0 ? 0 : k >> low & 1] +=
        std::accumulate(values + k, values + k + run, int32_t{0});
  const int64_t all = sums[0][0] + sums[0][1] + sums[1][0] + sums[1][1];
  const int64_t halves = sums[0][0] + sums[0][1] - sums[1][0] - sums[1][1];
  // A block of two pixels has one pair of halves only.
  const int64_t others = low < 0 ? 0 : sums[0][0] - sums[0][1] + sums[1][0] - sums[1][1];
  const int64_t rest = int64_t{norm} * pixels - all * all - halves * halves - others * others;
  const double scale = kSketchScale / std::sqrt(static_cast<double>(pixels));
  return {Rounded(scale * static_cast<double>(all)), Rounded(scale * static_cast<double>(halves)),
          Rounded(scale * static_cast<double>(others)),
          Rounded(scale * std::sqrt(static_cast<double>(rest)))};
}

int32_t SketchReach(int64_t threshold) {
  // Each of four differences may be larger by 1, as two numbers have been rounded.
  const double reach = kSketchScale * std::sqrt(static_cast<double>(threshold)) + 2;
  return static_cast<int32_t>(
      std::min(reach * reach + 2, double{std::numeric_limits<int32_t>::max()}));
}

}  // namespace mmp
