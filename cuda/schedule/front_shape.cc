#include "cuda/schedule/front_shape.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

namespace mmp::cuda {
namespace {

// The time of a macroblock by a group of so many blocks, of that by one: about as measured with 4
// to 16 blocks on an H100.
double TimeOfBlocks(int blocks) { return std::pow(blocks, -0.75); }

// When the last of the groups is done, if each takes the next macroblock as soon as it can.
double TimeOfGroups(std::span<const double> times, int groups) {
  if (groups >= static_cast<int>(times.size())) return times[0];
  std::vector<double> ends(times.begin(), times.begin() + groups);
  const auto next = std::greater<>();  // the earliest end is on top
  std::make_heap(ends.begin(), ends.end(), next);
  for (const double time : times.subspan(groups)) {
    std::pop_heap(ends.begin(), ends.end(), next);
    ends.back() += time;
    std::push_heap(ends.begin(), ends.end(), next);
  }
  return *std::max_element(ends.begin(), ends.end());
}

}  // namespace

// A curve through the times of 6 megapixels of photographs, presets best, fast and thesis, at
// lambdas 10, 40 and 160. Where rate costs more, more of the tree is not searched.
ExpectedTimes::ExpectedTimes(Lambda lambda)
    : scale_(1 / (384 * std::pow(lambda.q8 / 256.0, 0.37) + 1e-9)) {}

double ExpectedTimes::operator()(int variation) const {
  constexpr double kLeast = 0.1;  // of one with nothing to search
  const double scaled = (1 + variation) * scale_;
  const double part = scaled * std::sqrt(scaled);
  return kLeast + (1 - kLeast) * part / (1 + part);
}

FrontShape ShapeFront(std::span<const double> times, std::span<const int> most_groups,
                      int fewest_blocks) {
  const int count = static_cast<int>(times.size());
  const double sum = std::reduce(times.begin(), times.end());
  FrontShape best = {fewest_blocks, std::clamp(most_groups[fewest_blocks], 1, count)};
  double least = TimeOfGroups(times, best.groups) * TimeOfBlocks(fewest_blocks);
  for (int blocks = fewest_blocks + 1; blocks < static_cast<int>(most_groups.size()); ++blocks) {
    if (most_groups[blocks] == 0) break;
    const int groups = std::min(most_groups[blocks], count);
    const double unit = TimeOfBlocks(blocks);
    // Not sooner than if all groups ended at the same time.
    if (std::max(times[0], sum / groups) * unit >= least) continue;
    const double time = TimeOfGroups(times, groups) * unit;
    if (time >= least) continue;
    least = time;
    best = {blocks, groups};
  }
  return best;
}

}  // namespace mmp::cuda
