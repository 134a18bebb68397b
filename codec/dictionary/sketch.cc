#include "codec/dictionary/sketch.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mmp {
namespace {

// A sketch times -2 fits 16 bits, too.
static_assert(2 * kSketchScale * 255 * kMacroblockSize <= std::numeric_limits<int16_t>::max());

int16_t Rounded(double value) {
  return static_cast<int16_t>(static_cast<int32_t>(value + 32768.5) - 32768);
}

// The sums of a block's quarters: of runs of kRun pixels, number k being of quarter
// [k >> high & 1][k >> low & 1].
template <int kRun>
void SumRuns(const int16_t* values, int runs, int high, int low, int32_t (&sums)[2][2]) {
  for (int k = 0; k < runs; ++k, values += kRun) {
    int32_t sum = 0;
    for (int i = 0; i < kRun; ++i) sum += values[i];
    sums[k >> high & 1][k >> low & 1] += sum;
  }
}

void SumQuarters(const int16_t* values, LevelShape shape, int32_t (&sums)[2][2]) {
  // The bits of a pixel's number that say in which half it lies: `high` top or bottom, `low` left
  // or right; of a line, its halves and the halves of these.
  const bool is_line = shape.log2_height == 0 || shape.log2_width == 0;
  const int high = shape.log2_pixels() - 1, low = is_line ? high - 1 : shape.log2_width - 1;
  const int runs = shape.pixels() >> low;
  switch (low) {
    case 0:
      return SumRuns<1>(values, runs, high, 0, sums);
    case 1:
      return SumRuns<2>(values, runs, high - 1, 0, sums);
    case 2:
      return SumRuns<4>(values, runs, high - 2, 0, sums);
    default:
      return SumRuns<8>(values, runs, high - 3, 0, sums);
  }
}

// kSketchScale / sqrt(2^log2_pixels).
double ScaleOf(int log2_pixels) {
  constexpr double kRootOfHalf = 0.70710678118654752;
  return (log2_pixels % 2 == 0 ? 1.0 : kRootOfHalf) * kSketchScale / (1 << log2_pixels / 2);
}

}  // namespace

Sketch SketchOf(const int16_t* values, LevelShape shape, int32_t norm) {
  // A block of two pixels has one pair of halves only.
  const bool is_pair = shape.log2_pixels() == 1;
  int32_t sums[2][2] = {};
  if (is_pair) {
    sums[0][0] = values[0];
    sums[1][0] = values[1];
  } else {
    SumQuarters(values, shape, sums);
  }
  const int64_t all = sums[0][0] + sums[0][1] + sums[1][0] + sums[1][1];
  const int64_t halves = sums[0][0] + sums[0][1] - sums[1][0] - sums[1][1];
  const int64_t others = is_pair ? 0 : sums[0][0] - sums[0][1] + sums[1][0] - sums[1][1];
  const int64_t rest =
      (int64_t{norm} << shape.log2_pixels()) - all * all - halves * halves - others * others;
  const double scale = ScaleOf(shape.log2_pixels());
  return {Rounded(scale * static_cast<double>(all)), Rounded(scale * static_cast<double>(halves)),
          Rounded(scale * static_cast<double>(others)),
          Rounded(scale * std::sqrt(static_cast<double>(rest)))};
}

int32_t SquaredNorm(const int16_t* values, int count) {
  int32_t sum = 0;
  for (int k = 0; k < count; ++k) sum += values[k] * values[k];
  return sum;
}

int32_t SketchReach(int64_t threshold) {
  // Each of four differences may be larger by 1, as two numbers have been rounded.
  const double reach = kSketchScale * std::sqrt(static_cast<double>(threshold)) + 2;
  return static_cast<int32_t>(
      std::min(reach * reach + 2, double{std::numeric_limits<int32_t>::max()}));
}

}  // namespace mmp
