// The order in which to search macroblocks side by side so that all end at about the same time.
#ifndef MMP_CODEC_RDO_LONGEST_FIRST_H_
#define MMP_CODEC_RDO_LONGEST_FIRST_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "codec/base/levels.h"
#include "codec/rdo/macroblock_search.h"

namespace mmp {

// How much a macroblock's samples differ from the ones beside and below them, summed: the more, the
// longer it takes to search it.
inline int VariationOf(const MacroblockSamples& macroblock) {
  const uint8_t* samples = macroblock.samples;
  auto differences = [&](int count, int distance) {
    int sum = 0;
    for (int i = 0; i < count; ++i) sum += std::abs(samples[i] - samples[i + distance]);
    return sum;
  };
  // All samples in a row: compilers know how to sum so many differences. Those from the end of a
  // row to the next one's begin do not count.
  int sum = differences(kMacroblockPixels - kMacroblockSize, kMacroblockSize) +
            differences(kMacroblockPixels - 1, 1);
  for (int i = kMacroblockSize; i < kMacroblockPixels; i += kMacroblockSize)
    sum -= std::abs(samples[i - 1] - samples[i]);
  return sum;
}

// The macroblocks of a front, that of the largest variation first.
class LongestFirst {
 public:
  void Order(std::span<const SearchedMacroblock> front) {
    order_.clear();
    for (size_t i = 0; i < front.size(); ++i)
      order_.emplace_back(VariationOf(front[i].original), static_cast<int>(i));
    std::sort(order_.begin(), order_.end(), std::greater<>());
  }

  int size() const { return static_cast<int>(order_.size()); }
  // Of the one at `place` in the order: its variation, and its number in the front.
  int Variation(int place) const { return order_[place].first; }
  int Macroblock(int place) const { return order_[place].second; }

 private:
  std::vector<std::pair<int, int>> order_;
};

}  // namespace mmp

#endif  // MMP_CODEC_RDO_LONGEST_FIRST_H_
