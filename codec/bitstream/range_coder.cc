#include "codec/bitstream/range_coder.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace mmp {

void RangeEncoder::Encode(uint32_t cumulative, uint32_t frequency, uint32_t total) {
  assert(frequency > 0 && cumulative + frequency <= total && total <= kMaxFrequencyTotal);
  const uint32_t step = interval_.range() / total;
  interval_.Narrow(step * cumulative, step * frequency);
}

uint32_t RangeDecoder::Target(uint32_t total) {
  step_ = interval_.range() / total;
  // Only a damaged stream reaches the part of the range that belongs to no symbol.
  return std::min(interval_.code() / step_, total - 1);
}

void RangeDecoder::Consume(uint32_t cumulative, uint32_t frequency) {
  interval_.Narrow(step_ * cumulative, step_ * frequency);
}

double RangeDecoder::BitsRead() const {
  return 8.0 * static_cast<double>(interval_.taken()) -
         std::log2(static_cast<double>(interval_.range()));
}

}  // namespace mmp
