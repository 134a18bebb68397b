#include "codec/bitstream/range_coder.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace mmp {
namespace {
constexpr uint32_t kRenormalizeBelow = 1u << 24;
}  // namespace

void RangeEncoder::Encode(uint32_t cumulative, uint32_t frequency, uint32_t total) {
  assert(frequency > 0 && cumulative + frequency <= total && total <= kMaxFrequencyTotal);
  const uint32_t step = range_ / total;
  low_ += static_cast<uint64_t>(step) * cumulative;
  range_ = step * frequency;
  while (range_ < kRenormalizeBelow) {
    range_ <<= 8;
    ShiftLow();
  }
}

void RangeEncoder::ShiftLow() {
  const uint8_t carry = static_cast<uint8_t>(low_ >> 32);
  const uint32_t low = static_cast<uint32_t>(low_);
  // A top byte of 0xff could still overflow: hold it back until the carry is known.
  if (carry != 0 || low < 0xff000000u) {
    if (!first_) bytes_.push_back(static_cast<uint8_t>(cache_ + carry));
    bytes_.insert(bytes_.end(), pending_, static_cast<uint8_t>(0xff + carry));
    pending_ = 0;
    cache_ = static_cast<uint8_t>(low >> 24);
    first_ = false;
  } else {
    ++pending_;
  }
  low_ = static_cast<uint64_t>(low) << 8 & 0xffffffffu;
}

std::vector<uint8_t> RangeEncoder::Finish() {
  // Any value in [low, low + range) will do: take the one with the most trailing zero bits.
  uint64_t value = low_ + range_ - 1;
  for (int bits = 32; bits >= 0; --bits) {
    const uint64_t candidate = value >> bits << bits;
    if (candidate >= low_) {
      low_ = candidate;
      break;
    }
  }
  for (int i = 0; i < 5; ++i) ShiftLow();
  // The decoder, which reads four bytes ahead, takes zeros past the end.
  for (int i = 0; i < 4 && bytes_.back() == 0; ++i) bytes_.pop_back();
  return std::move(bytes_);
}

RangeDecoder::RangeDecoder(std::span<const uint8_t> bytes) : bytes_(bytes) {
  for (int i = 0; i < 4; ++i) code_ = code_ << 8 | Next();
}

uint32_t RangeDecoder::Target(uint32_t total) {
  step_ = range_ / total;
  // Only a damaged stream reaches the part of the range that belongs to no symbol.
  return std::min(code_ / step_, total - 1);
}

void RangeDecoder::Consume(uint32_t cumulative, uint32_t frequency) {
  code_ -= step_ * cumulative;
  range_ = step_ * frequency;
  while (range_ < kRenormalizeBelow) {
    code_ = code_ << 8 | Next();
    range_ <<= 8;
  }
}

double RangeDecoder::BitsRead() const {
  return 8.0 * static_cast<double>(position_) - std::log2(static_cast<double>(range_));
}

}  // namespace mmp
