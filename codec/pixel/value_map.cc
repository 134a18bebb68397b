#include "codec/pixel/value_map.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>

#include "codec/pixel/repeat_coder.h"

namespace mmp {
namespace {

// Bits that are about as likely as they were.
class SlowBit {
 public:
  int Code(BitPort& port, int bit) {
    bit = port.Bit(bit, probability_);
    if (bit) {
      probability_ += (65536 - probability_) >> 4;
    } else {
      probability_ -= probability_ >> 4;
    }
    probability_ = std::clamp<uint32_t>(probability_, 64, 65472);
    return bit;
  }

 private:
  uint32_t probability_ = 32768;
};

// Distances of a value from the one before, in [1, 65535].
class GapCoder {
 public:
  int Code(BitPort& port, int gap) {
    int magnitude = std::bit_width(static_cast<uint32_t>(gap)) - 1;
    int read = 0;
    while (read < 15 && magnitude_[last_][read].Code(port, magnitude > read)) ++read;
    magnitude = read;
    int coded = 1;
    for (int i = magnitude - 1; i >= 0; --i)
      coded = coded * 2 + bits_[magnitude][i].Code(port, gap >> i & 1);
    last_ = magnitude;
    return coded;
  }

 private:
  std::array<std::array<SlowBit, 15>, 16> magnitude_;
  std::array<std::array<SlowBit, 15>, 16> bits_;
  int last_ = 0;
};

}  // namespace

bool CodeValueMap(BitPort& port, int depth, bool lossless, ValueMap& map) {
  const std::vector<uint16_t> given = std::move(map.values);
  map.values.clear();
  int lowest = given.empty() ? 0 : given.front(), highest = given.empty() ? 0 : given.back();
  if (map.repeats) std::swap(lowest, highest);
  lowest = port.EvenBits(depth, lowest);
  highest = port.EvenBits(depth, highest);
  map.repeats = highest < lowest;
  if (map.repeats) std::swap(lowest, highest);
  if (map.repeats && !lossless) return false;
  map.mapped = lossless && highest > lowest && port.EvenBit(map.mapped);
  map.values.push_back(static_cast<uint16_t>(lowest));
  GapCoder gaps;
  for (int value = lowest; value < highest;) {
    const size_t next = map.values.size();
    const int gap = next < given.size() ? given[next] - value : 1;
    value += map.mapped ? gaps.Code(port, gap) : 1;
    if (value > highest) return false;
    map.values.push_back(static_cast<uint16_t>(value));
  }
  return !map.repeats || map.values.size() <= kMostRepeatValues;
}

}  // namespace mmp
