#include "codec/bitstream/range_coder.h"

#include <cmath>

namespace mmp {

std::vector<uint8_t> RangeEncoder::Finish(size_t first) const {
  constexpr uint64_t kMask = (uint64_t{1} << kBits) - 1;
  IntervalWriter interval;
  const auto write = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const uint64_t symbol = symbols_[i];
      const uint32_t step = interval.range() / static_cast<uint32_t>(symbol >> 2 * kBits);
      interval.Narrow(step * static_cast<uint32_t>(symbol & kMask),
                      step * static_cast<uint32_t>(symbol >> kBits & kMask));
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
