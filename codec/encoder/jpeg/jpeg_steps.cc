#include "codec/encoder/jpeg/jpeg_steps.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <vector>

#include "codec/base/cosine_transform.h"
#include "codec/base/fixed_log2.h"
#include "codec/base/jpeg_blocks.h"

namespace mmp {
namespace {

constexpr int kParts = 4, kNear = 3;  // parts of a sample, and how many of them are near
constexpr int kNought = 6;            // of what may have been nought before it was rounded
constexpr int kShift = kCosineFraction - std::bit_width(unsigned{kParts}) + 1;

// The magnitude of a coefficient.
int PartsOf(int coefficient) { return (std::abs(coefficient) + (1 << (kShift - 1))) >> kShift; }

}  // namespace

int FindJpegStep(std::span<const int16_t> coefficients) {
  constexpr int kLargest = 1 << (15 - kShift);
  constexpr int64_t kAgainst = 7 << 12;  // bits, q12
  std::vector<int32_t> counts(kLargest + kNear + 1);
  int64_t all = 0;
  int largest = 0;
  for (const int coefficient : coefficients) {
    const int parts = PartsOf(coefficient);
    if (parts <= kNought) continue;
    ++counts[parts];
    ++all;
    largest = std::max(largest, parts);
  }
  int best = 0;
  int64_t best_score = 0;
  for (int step = 2; step <= kLargestJpegStep; ++step) {
    int64_t hits = 0;
    for (int multiple = step * kParts; multiple <= largest + kNear; multiple += step * kParts)
      for (int near = multiple - kNear; near <= std::min(multiple + kNear, largest); ++near)
        hits += counts[near];
    const int64_t score =
        hits * (Log2Q12(static_cast<uint32_t>(step * kParts)) - Log2Q12(2 * kNear + 1)) -
        (all - hits) * kAgainst;
    if (score > best_score) best_score = score, best = step;
  }
  // What most are by chance is no step if the others are multiples of a part of it.
  for (const int divisor : {2, 3})
    if (best % divisor == 0 && best / divisor >= 4 &&
        4 * CountOffStep(coefficients, best / divisor) < CountOffStep(coefficients, best))
      best /= divisor;
  return best;
}

int64_t CountOffStep(std::span<const int16_t> coefficients, int step) {
  int64_t off = 0;
  for (const int coefficient : coefficients) {
    const int parts = PartsOf(coefficient), unit = step * kParts;
    const int beyond = parts % unit;
    off += parts > kNought && (parts < unit - kNear || (beyond > kNear && unit - beyond > kNear));
  }
  return off;
}

}  // namespace mmp
