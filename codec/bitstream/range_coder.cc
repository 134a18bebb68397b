#include "codec/bitstream/range_coder.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace mmp {

std::vector<uint8_t> RangeEncoder::Finish(size_t first) const {
  constexpr uint64_t kMask = (uint64_t{1} << kBits) - 1;
  assert(between_.empty() || between_.back().position < symbols_.size());
  IntervalWriter interval;
  const auto write_one = [&](uint64_t symbol) {
    const uint32_t step = interval.range() / static_cast<uint32_t>(symbol >> 2 * kBits);
    interval.Narrow(step * static_cast<uint32_t>(symbol & kMask),
                    step * static_cast<uint32_t>(symbol >> kBits & kMask));
  };
  const auto write = [&](size_t begin, size_t end) {
    auto between = std::partition_point(between_.begin(), between_.end(),
                                        [&](const Between& b) { return b.position < begin; });
    for (size_t i = begin; i < end; ++i) {
      for (; between != between_.end() && between->position == i; ++between)
        write_one(between->symbol);
      write_one(symbols_[i]);
    }
  };
  write(first, symbols_.size());
  write(0, first);
  return interval.Finish();
}

double RangeDecoder::BitsRead() const {
  return 8.0 * static_cast<double>(interval_.taken()) -
         std::log2(static_cast<double>(interval_.range()));
}

}  // namespace mmp
