#include "codec/bitstream/range_coder.h"

#include <cassert>
#include <cmath>

namespace mmp {

void RangeEncoder::Encode(uint32_t cumulative, uint32_t frequency, uint32_t total) {
  assert(frequency > 0 && cumulative + frequency <= total && total <= kMaxFrequencyTotal);
  const uint32_t step = interval_.range() / total;
  interval_.Narrow(step * cumulative, step * frequency);
}

double RangeDecoder::BitsRead() const {
  return 8.0 * static_cast<double>(interval_.taken()) -
         std::log2(static_cast<double>(interval_.range()));
}

}  // namespace mmp
