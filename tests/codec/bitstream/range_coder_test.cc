#include "codec/bitstream/range_coder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/support/test_support.h"

namespace mmp {
namespace {

using Interval = SymbolInterval;

std::vector<uint8_t> EncodeAll(const std::vector<Interval>& intervals) {
  RangeEncoder encoder;
  for (const Interval& i : intervals) encoder.Encode(i);
  return encoder.Finish();
}

// True if `bytes` decode to `intervals` and the decoder then finds nothing wrong.
testing::AssertionResult DecodesTo(std::span<const uint8_t> bytes,
                                   const std::vector<Interval>& intervals) {
  RangeDecoder decoder(bytes);
  for (size_t k = 0; k < intervals.size(); ++k) {
    const Interval& i = intervals[k];
    const uint32_t target = decoder.Target(i.total);
    if (target < i.cumulative || target >= i.cumulative + i.frequency)
      return testing::AssertionFailure()
             << "symbol " << k << " of " << intervals.size() << ": " << target << " is not in ["
             << i.cumulative << ", " << i.cumulative + i.frequency << ") of " << i.total;
    decoder.Consume(i.cumulative, i.frequency);
    if (decoder.Overrun()) return testing::AssertionFailure() << "overrun at symbol " << k;
  }
  if (!decoder.AllRead()) return testing::AssertionFailure() << "bytes are left";
  return testing::AssertionSuccess();
}

// The same code by arithmetic on one long number: carries run through it as they must.
class PlainEncoder {
 public:
  void Encode(const Interval& i) {
    const uint32_t step = range_ / i.total;
    AddAtEnd(uint64_t{step} * i.cumulative);
    range_ = step * i.frequency;
    while (range_ < 1u << 24) {
      range_ <<= 8;
      digits_.push_back(0);
    }
  }

  // The number in [low, low + range) with the most trailing zero bits, without zero bytes at the
  // end (at most four of the last).
  std::vector<uint8_t> Finish() {
    for (int bits = 32; bits >= 0; --bits) {
      PlainEncoder rounded = *this;
      const uint64_t unit = uint64_t{1} << bits;
      const uint64_t past = rounded.Last40Bits() % unit;
      if (past != 0) rounded.AddAtEnd(unit - past);
      if (past == 0 || unit - past < range_) {
        // Its largest multiple of the unit in the interval.
        const uint64_t room = range_ - 1 - (past == 0 ? 0 : unit - past);
        rounded.AddAtEnd(room / unit * unit);
        for (int k = 0; k < 4 && rounded.digits_.back() == 0; ++k) rounded.digits_.pop_back();
        rounded.digits_.erase(rounded.digits_.begin());
        return rounded.digits_;
      }
    }
    return {};
  }

  int carries() const { return carries_; }
  int longest_carry() const { return longest_carry_; }

 private:
  uint64_t Last40Bits() const {
    uint64_t value = 0;
    for (size_t k = digits_.size() - 5; k < digits_.size(); ++k) value = value << 8 | digits_[k];
    return value;
  }

  void AddAtEnd(uint64_t amount) {
    int length = 0;
    for (size_t k = digits_.size(); amount != 0; ++length) {
      amount += digits_[--k];
      digits_[k] = static_cast<uint8_t>(amount);
      amount >>= 8;
    }
    if (length <= 4) return;
    ++carries_;
    longest_carry_ = std::max(longest_carry_, length - 4);
  }

  std::vector<uint8_t> digits_ = std::vector<uint8_t>(5);  // big-endian; the first is for a carry
  uint32_t range_ = 0xffffffff;
  int carries_ = 0, longest_carry_ = 0;  // past the last four digits
};

uint32_t RandomTotal(Random& random) {
  switch (random.Below(4)) {
    case 0:
      return 1 + random.Below(4);
    case 1:
      return kMaxFrequencyTotal - random.Below(2);
    default:
      return 1 + (random.Bits() & ((1u << random.Between(1, 20)) - 1));
  }
}

Interval RandomInterval(Random& random) {
  const uint32_t total = RandomTotal(random);
  switch (random.Below(4)) {
    case 0:
      return {0, total, total};
    case 1:
      return {total - 1, 1, total};
    default: {
      const uint32_t a = random.Bits() % total, b = random.Bits() % total;
      return {std::min(a, b), std::max(a, b) - std::min(a, b) + 1, total};
    }
  }
}

// The symbols of equal frequency that a decoder sees in `bytes`.
std::vector<Interval> SymbolsOf(const std::vector<uint8_t>& bytes, uint32_t total) {
  std::vector<Interval> intervals;
  RangeDecoder decoder(bytes);
  while (!decoder.AllRead()) {
    intervals.push_back({decoder.Target(total), 1, total});
    decoder.Consume(intervals.back().cumulative, 1);
  }
  return intervals;
}

TEST(RangeCoderTest, EmptyStream) {
  RangeEncoder encoder;
  EXPECT_TRUE(encoder.Finish().empty());
  RangeDecoder decoder({});
  EXPECT_FALSE(decoder.Overrun());
  EXPECT_TRUE(decoder.AllRead());
}

TEST(RangeCoderTest, RandomSymbolsComeBack) {
  Random random(1);
  for (int length = 0; length < 400; ++length) {
    SCOPED_TRACE(length);
    std::vector<Interval> intervals;
    for (int k = 0; k < length; ++k) intervals.push_back(RandomInterval(random));
    const std::vector<uint8_t> bytes = EncodeAll(intervals);
    ASSERT_TRUE(DecodesTo(bytes, intervals));
    PlainEncoder plain;
    for (const Interval& i : intervals) plain.Encode(i);
    ASSERT_EQ(bytes, plain.Finish());
  }
}

// What is coded last can come first.
TEST(RangeCoderTest, StreamsBeginWhereTheyAreToldTo) {
  const std::vector<Interval> intervals = {
      {0, 1, 3}, {5, 2, 9}, {1, 1, 2}, {0, 7, 8}, {90, 9, 100}};
  for (size_t first = 0; first <= intervals.size(); ++first) {
    RangeEncoder encoder;
    for (const Interval& i : intervals) encoder.Encode(i);
    ASSERT_EQ(encoder.size(), intervals.size());
    std::vector<Interval> turned = intervals;
    std::rotate(turned.begin(), turned.begin() + static_cast<ptrdiff_t>(first), turned.end());
    EXPECT_TRUE(DecodesTo(encoder.Finish(first), turned)) << first;
  }
}

// Symbols whose intervals are known later than their places.
TEST(RangeCoderTest, ReservedSymbols) {
  Random random(9);
  for (int round = 0; round < 20; ++round) {
    std::vector<Interval> intervals;
    std::vector<size_t> reserved;
    RangeEncoder encoder;
    for (int k = random.Below(200); k > 0; --k) {
      intervals.push_back(RandomInterval(random));
      if (random.OneIn(2))
        reserved.push_back(encoder.Reserve());
      else
        encoder.Encode(intervals.back());
      ASSERT_EQ(encoder.size(), intervals.size());
    }
    std::reverse(reserved.begin(), reserved.end());
    for (const size_t number : reserved) encoder.Fill(number, intervals[number]);
    EXPECT_EQ(encoder.Finish(), EncodeAll(intervals));
  }
}

// Symbols that are coded behind the others, and stand before them.
TEST(RangeCoderTest, SymbolsBetweenOthers) {
  Random random(8);
  for (int round = 0; round < 50; ++round) {
    const auto symbol = [&] {
      const uint32_t total = 1 + random.Below(1000), at = random.Below(static_cast<int>(total));
      return Interval{at, 1 + static_cast<uint32_t>(random.Below(static_cast<int>(total - at))),
                      total};
    };
    RangeEncoder encoder;
    struct Behind {
      size_t position;
      Interval interval;
    };
    std::vector<Behind> behind;
    std::vector<Interval> macroblocks, filter;
    for (int k = random.Between(0, 60); k > 0; --k) {
      for (int between = random.Below(3); between > 0; --between) {
        behind.push_back({encoder.size(), symbol()});
        macroblocks.push_back(behind.back().interval);
      }
      macroblocks.push_back(symbol());
      encoder.Encode(macroblocks.back());
    }
    const size_t first = encoder.size();
    for (int k = random.Between(1, 5); k > 0; --k) {
      filter.push_back(symbol());
      encoder.Encode(filter.back());
    }
    for (const auto& [position, i] : behind) encoder.EncodeBefore(position, i);
    std::vector<Interval> in_order = filter;
    in_order.insert(in_order.end(), macroblocks.begin(), macroblocks.end());
    EXPECT_EQ(encoder.Finish(first), EncodeAll(in_order));
    in_order = macroblocks;
    in_order.insert(in_order.end(), filter.begin(), filter.end());
    EXPECT_EQ(encoder.Finish(), EncodeAll(in_order));
  }
}

// Of any bytes, also of those that no encoder writes.
TEST(RangeCoderTest, OneOfTwoIsWhatTargetsSay) {
  Random random(21);
  for (int round = 0; round < 100; ++round) {
    std::vector<uint8_t> bytes = RandomBytes(random, random.Below(60));
    if (round % 4 == 0) bytes.insert(bytes.begin(), 8, 0xff);
    RangeDecoder decoder(bytes), by_targets(bytes);
    for (int k = 0; k < 300; ++k) {
      const int bits = random.Between(1, 20);
      const uint32_t total = 1u << bits, first = random.Between(1, static_cast<int>(total) - 1);
      const bool is_first = by_targets.Target(total) < first;
      by_targets.Consume(is_first ? 0 : first, is_first ? first : total - first);
      ASSERT_EQ(decoder.IsFirstOfTwo(first, bits), is_first);
      ASSERT_EQ(decoder.BitsRead(), by_targets.BitsRead());
    }
    EXPECT_EQ(decoder.Overrun(), by_targets.Overrun());
  }
}

// Numbers full of 0xff and 0x00 bytes: a carry may run through many bytes, or through none at last.
TEST(RangeCoderTest, CarriesThroughLongRuns) {
  Random random(2);
  int carries = 0, longest = 0;
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    std::vector<uint8_t> wanted = RandomBytes(random, random.Below(6));
    for (int run = 0; run < 4; ++run) {
      wanted.insert(wanted.end(), random.Below(round % 10 == 0 ? 500 : 20),
                    random.OneIn(2) ? 0xff : 0x00);
      for (int k = random.Below(4); k > 0; --k)
        wanted.push_back(static_cast<uint8_t>(random.Below(256)));
    }
    const uint32_t total = round % 3 == 0 ? 1u << random.Between(1, 20) : RandomTotal(random);
    if (total == 1) continue;
    std::vector<Interval> intervals = SymbolsOf(wanted, total);
    // Stop anywhere: then a number of few digits ends the stream.
    intervals.resize(intervals.size() - random.Below(static_cast<int>(intervals.size()) + 1));
    const std::vector<uint8_t> bytes = EncodeAll(intervals);
    ASSERT_TRUE(DecodesTo(bytes, intervals));
    PlainEncoder plain;
    for (const Interval& i : intervals) plain.Encode(i);
    ASSERT_EQ(bytes, plain.Finish());
    carries += plain.carries();
    longest = std::max(longest, plain.longest_carry());
  }
  // The test tests what it says.
  EXPECT_GT(carries, 100);
  EXPECT_GT(longest, 100);
}

// A decoder sees the bytes of its stream and nothing on either side of them.
TEST(RangeCoderTest, StreamsSideBySide) {
  constexpr uint8_t kMagic[4] = {0xde, 0xad, 0xbe, 0xef};
  Random random(3);
  std::vector<std::vector<Interval>> streams(50);
  std::vector<uint8_t> file(kMagic, kMagic + 4);
  std::vector<std::pair<size_t, size_t>> places;
  for (size_t s = 0; s < streams.size(); ++s) {
    for (size_t k = 0; k < s; ++k) streams[s].push_back(RandomInterval(random));
    const std::vector<uint8_t> bytes = EncodeAll(streams[s]);
    places.emplace_back(file.size(), bytes.size());
    file.insert(file.end(), bytes.begin(), bytes.end());
    file.insert(file.end(), kMagic, kMagic + 4);
  }
  const std::vector<uint8_t> before = file;
  for (size_t s = 0; s < streams.size(); ++s)
    EXPECT_TRUE(DecodesTo(std::span(file).subspan(places[s].first, places[s].second), streams[s]))
        << "stream " << s;
  EXPECT_EQ(file, before);
}

// Symbols that cost next to nothing: thousands of them to a byte, none of them an overrun.
TEST(RangeCoderTest, MostProbableSymbols) {
  for (const uint32_t total : {2u, 3u, 100u, 2048u, 65537u, kMaxFrequencyTotal}) {
    for (const uint32_t first : {0u, 1u}) {  // the rare symbol's place
      for (const int length : {1, 2, 7, 100, 30000}) {
        SCOPED_TRACE(testing::Message() << length << " symbols of " << total);
        const std::vector<Interval> intervals(length, {first, total - 1, total});
        EXPECT_TRUE(DecodesTo(EncodeAll(intervals), intervals));
      }
    }
  }
}

TEST(RangeCoderTest, SizeIsTheInformation) {
  Random random(4);
  constexpr uint32_t kTotal = 4096;
  std::vector<Interval> intervals;
  double bits = 0;
  for (int k = 0; k < 20000; ++k) {
    const uint32_t cumulative = random.Bits() % kTotal;
    const uint32_t frequency = 1 + random.Bits() % (kTotal - cumulative);
    intervals.push_back({cumulative, frequency, kTotal});
    bits -= std::log2(static_cast<double>(frequency) / kTotal);
  }
  const double bytes = static_cast<double>(EncodeAll(intervals).size());
  EXPECT_LT(bytes, bits / 8 * 1.001 + 4);
  EXPECT_GT(bytes, bits / 8 - 1);
}

TEST(RangeCoderTest, GarbageStaysInBounds) {
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    const std::vector<uint8_t> bytes =
        round % 4 == 0 ? std::vector<uint8_t>(random.Below(50), random.OneIn(2) ? 0xff : 0x00)
                       : RandomBytes(random, random.Below(50));
    RangeDecoder decoder(bytes);
    for (int k = 0; k < 300; ++k) {
      const uint32_t total = RandomTotal(random);
      const uint32_t target = decoder.Target(total);
      ASSERT_LT(target, total);
      const uint32_t cumulative = target - random.Bits() % (target + 1);
      decoder.Consume(cumulative, target - cumulative + 1 + random.Bits() % (total - target));
    }
  }
}

TEST(RangeCoderTest, TruncatedStreamsOverrun) {
  Random random(6);
  std::vector<Interval> intervals;
  for (int k = 0; k < 100; ++k) intervals.push_back({1 + random.Bits() % 255, 1, 256});
  const std::vector<uint8_t> bytes = EncodeAll(intervals);
  for (size_t size = 0; size + 5 <= bytes.size(); ++size) {
    RangeDecoder decoder{std::span(bytes).first(size)};
    for (size_t k = 0; k < intervals.size(); ++k) {
      const uint32_t target = decoder.Target(256);
      decoder.Consume(target, 1);
    }
    EXPECT_TRUE(decoder.Overrun()) << size << " of " << bytes.size() << " bytes";
  }
}

TEST(RangeCoderTest, BytesLeftOverAreSeen) {
  Random random(7);
  std::vector<Interval> intervals;
  for (int k = 0; k < 20; ++k) intervals.push_back({1 + random.Bits() % 255, 1, 256});
  std::vector<uint8_t> bytes = EncodeAll(intervals);
  bytes.insert(bytes.end(), 5, 0xab);
  RangeDecoder decoder(bytes);
  for (const Interval& i : intervals) {
    decoder.Target(i.total);
    decoder.Consume(i.cumulative, i.frequency);
  }
  EXPECT_FALSE(decoder.AllRead());
}

TEST(RangeCoderTest, BitsReadAreThoseOfTheSymbols) {
  const std::vector<Interval> intervals = {
      {3, 1, 8}, {0, 5, 5}, {10, 90, 100}, {0, 1, 1 << 20}, {1000, 3, 4000}};
  const std::vector<uint8_t> bytes = EncodeAll(intervals);
  RangeDecoder decoder(bytes);
  double expected = 0;
  EXPECT_NEAR(decoder.BitsRead(), 0, 1e-8);
  for (const Interval& i : intervals) {
    decoder.Target(i.total);
    decoder.Consume(i.cumulative, i.frequency);
    expected -= std::log2(static_cast<double>(i.frequency) / i.total);
    // The range is cut into whole steps: up to 1 in 16 is lost with the largest total.
    EXPECT_NEAR(decoder.BitsRead(), expected, 0.1);
  }
}

}  // namespace
}  // namespace mmp
