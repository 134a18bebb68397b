#include "codec/pixel/pixel_coder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "tests/codec/pixel/pixel_pictures.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

PixelView View(const PixelSamples& samples) {
  return {samples.values.data(), samples.width, samples.width, samples.height};
}

std::vector<uint8_t> Encode(const PixelSamples& samples, const PixelFormat& format) {
  return EncodePixels(View(samples), format, nullptr);
}

int WorstError(const std::vector<uint16_t>& a, const std::vector<uint16_t>& b) {
  int worst = 0;
  for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

// Encodes and decodes, and expects what each promises.
void ExpectRoundTrip(const PixelSamples& samples, const PixelFormat& format) {
  std::vector<uint16_t> reconstruction;
  const std::vector<uint8_t> stream = EncodePixels(View(samples), format, &reconstruction);
  std::vector<uint16_t> decoded(samples.values.size(), 0xdead);
  const Status status =
      DecodePixels(stream, format, samples.width, samples.height, decoded.data(), samples.width);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(decoded, reconstruction);
  EXPECT_LE(WorstError(decoded, samples.values), format.max_error);
}

TEST(PixelCoder, EveryDepthAndKindWithoutLoss) {
  for (int depth = 1; depth <= 16; ++depth)
    for (const PixelKind& kind : PixelKinds())
      for (int effort = 1; effort <= 2; ++effort) {
        SCOPED_TRACE(std::string(kind.name) + " of " + std::to_string(depth) + " bits, effort " +
                     std::to_string(effort));
        ExpectRoundTrip(Paint(kind, 19, 13, depth, 7), {depth, 0, effort});
      }
}

TEST(PixelCoder, EverySizeWithoutLoss) {
  for (const auto& [width, height] : std::vector<std::pair<int, int>>{{1, 1},
                                                                      {2, 1},
                                                                      {1, 2},
                                                                      {40, 1},
                                                                      {1, 40},
                                                                      {2, 33},
                                                                      {33, 2},
                                                                      {3, 3},
                                                                      {8, 8},
                                                                      {9, 7},
                                                                      {17, 16}})
    for (const PixelKind& kind : PixelKinds())
      for (int effort = 1; effort <= 2; ++effort) {
        SCOPED_TRACE(std::string(kind.name) + " " + std::to_string(width) + "x" +
                     std::to_string(height));
        ExpectRoundTrip(Paint(kind, width, height, 8, 3), {8, 0, effort});
      }
}

TEST(PixelCoder, ErrorsStayWithinTheBound) {
  for (const int depth : {1, 3, 8, 12, 16})
    for (const int max_error : {1, 2, 5, 100, 4000, 65535})
      for (const PixelKind& kind : PixelKinds()) {
        SCOPED_TRACE(std::string(kind.name) + " of " + std::to_string(depth) + " bits, " +
                     std::to_string(max_error));
        for (const bool by_means : {false, true})
          ExpectRoundTrip(Paint(kind, 11, 9, depth, 5),
                          {depth, max_error, 1 + max_error % 2, by_means});
      }
}

// A bell of errors around what is predicted, whose deviation is a third of a cell.
PixelSamples PaintBell() {
  Random random(4);
  PixelSamples samples = {64, 48, {}};
  for (int i = 0; i < 64 * 48; ++i) {
    int sample = 2000;
    for (int k = 0; k < 4; ++k) sample += random.Between(-5, 5);
    samples.values.push_back(static_cast<uint16_t>(sample));
  }
  return samples;
}

TEST(PixelCoder, MeansAreNearerThanMiddles) {
  const PixelSamples samples = PaintBell();
  const auto squared_error = [&](const PixelFormat& format) {
    std::vector<uint16_t> decoded;
    EncodePixels(View(samples), format, &decoded);
    double sum = 0;
    for (size_t i = 0; i < decoded.size(); ++i) {
      const double error = decoded[i] - samples.values[i];
      sum += error * error;
    }
    return sum;
  };
  for (int effort = 1; effort <= 2; ++effort)
    EXPECT_LT(squared_error({12, 16, effort, true}), 0.9 * squared_error({12, 8, effort, false}));
}

TEST(PixelCoder, LossMakesStreamsSmaller) {
  const PixelSamples samples = Paint(PixelKinds()[5], 48, 40, 8, 1);
  size_t last = Encode(samples, {8, 0, 2}).size();
  for (const int max_error : {1, 2, 4, 8}) {
    const size_t size = Encode(samples, {8, max_error, 2}).size();
    EXPECT_LT(size, last) << max_error;
    last = size;
  }
}

TEST(PixelCoder, RowsMayHaveGaps) {
  const PixelSamples samples = Paint(PixelKinds()[5], 10, 6, 8, 1);
  std::vector<uint16_t> wide(16 * 6, 999);
  for (int y = 0; y < 6; ++y) std::copy_n(&samples.values[y * 10], 10, &wide[y * 16]);
  const std::vector<uint8_t> stream = EncodePixels({wide.data(), 16, 10, 6}, {8, 0, 2}, nullptr);
  EXPECT_EQ(stream, Encode(samples, {8, 0, 2}));
  std::vector<uint16_t> decoded(16 * 6, 999);
  ASSERT_TRUE(DecodePixels(stream, {8, 0, 2}, 10, 6, decoded.data(), 16).ok());
  EXPECT_EQ(decoded, wide);
}

TEST(PixelCoder, FlatAndSparsePicturesTakeLittle) {
  EXPECT_LE(Encode(Paint(PixelKinds()[1], 64, 64, 16, 1), {16, 0, 2}).size(), 4u);
  // Multiples of 16, as of 12 bits in 16: about as large as those divided by 16.
  PixelSamples scaled = Paint(PixelKinds()[5], 48, 40, 12, 1);
  const size_t plain = Encode(scaled, {16, 0, 2}).size();
  for (uint16_t& value : scaled.values) value = static_cast<uint16_t>(value * 16);
  EXPECT_LE(Encode(scaled, {16, 0, 2}).size(), plain + 100);
  // A repeated pattern: less than a fifth of a bit a sample.
  EXPECT_LE(Encode(Paint(PixelKinds()[4], 128, 64, 8, 1), {8, 0, 2}).size(), 200u);
}

TEST(PixelCoder, ShortenedStreamsAreRefused) {
  const PixelSamples samples = Paint(PixelKinds()[5], 21, 18, 8, 1);
  for (int effort = 1; effort <= 2; ++effort) {
    const PixelFormat format = {8, 0, effort};
    const std::vector<uint8_t> stream = Encode(samples, format);
    std::vector<uint16_t> decoded(samples.values.size());
    for (size_t size = 0; size + 8 < stream.size(); size += 5)
      EXPECT_EQ(DecodePixels({stream.data(), size}, format, 21, 18, decoded.data(), 21).code(),
                StatusCode::kCorrupt)
          << size;
    std::vector<uint8_t> longer = stream;
    longer.insert(longer.end(), 9, 1);
    EXPECT_EQ(DecodePixels(longer, format, 21, 18, decoded.data(), 21).code(),
              StatusCode::kCorrupt);
  }
}

// Whatever comes of a damaged stream, samples stay in range and nothing behind them is written.
TEST(PixelCoder, DamagedStreamsDoNoHarm) {
  Random random(3);
  for (int i = 0; i < 60; ++i) {
    PixelFormat format = {1 + random.Below(16), i % 3 == 0 ? random.Below(9) : 0, 1 + i % 2};
    format.by_means = format.max_error > 0 && random.OneIn(2);
    const PixelSamples samples =
        Paint(PixelKinds()[i % 8], 1 + random.Below(20), 1 + random.Below(12), format.depth,
              static_cast<uint32_t>(i));
    std::vector<uint8_t> stream = Encode(samples, format);
    if (i % 4 == 3) {
      for (uint8_t& byte : stream) byte = static_cast<uint8_t>(random.Below(256));
    } else {
      stream[random.Below(static_cast<int>(stream.size()))] ^=
          static_cast<uint8_t>(1 << random.Below(8));
    }
    std::vector<uint16_t> decoded(samples.values.size() + 1, 0xdead);
    const Status status =
        DecodePixels(stream, format, samples.width, samples.height, decoded.data(), samples.width);
    EXPECT_EQ(decoded.back(), 0xdead);
    if (!status.ok()) continue;
    for (size_t j = 0; j + 1 < decoded.size(); ++j) EXPECT_LT(decoded[j], 1 << format.depth);
  }
}

TEST(PixelCoder, ArgumentsOutOfRangeAreRefused) {
  const std::vector<uint8_t> stream(8);
  uint16_t sample;
  const auto code = [&](PixelFormat format, int width, int height) {
    return DecodePixels(stream, format, width, height, &sample, 1).code();
  };
  for (const PixelFormat format :
       {PixelFormat{0, 0, 2}, PixelFormat{17, 0, 2}, PixelFormat{8, -1, 2},
        PixelFormat{8, 65536, 2}, PixelFormat{8, 0, 0}, PixelFormat{8, 0, 3},
        PixelFormat{8, 0, 2, true}})
    EXPECT_EQ(code(format, 1, 1), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({8, 0, 2}, 0, 1), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({8, 0, 2}, 1, 65536), StatusCode::kInvalidArgument);
}

uint32_t Crc(const std::vector<uint8_t>& bytes) {
  uint32_t crc = 0xffffffffu;
  for (const uint8_t byte : bytes) {
    crc ^= byte;
    for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
  }
  return ~crc;
}

// These change only with the format.
TEST(PixelCoder, BytesAreAsEver) {
  ForEachSimdTarget([] {
    std::vector<uint32_t> crcs;
    for (int effort = 1; effort <= 2; ++effort) {
      crcs.push_back(Crc(Encode(Paint(PixelKinds()[5], 50, 37, 8, 1), {8, 0, effort})));
      crcs.push_back(Crc(Encode(Paint(PixelKinds()[5], 31, 23, 16, 2), {16, 0, effort})));
      crcs.push_back(Crc(Encode(Paint(PixelKinds()[5], 31, 23, 8, 3), {8, 2, effort})));
      crcs.push_back(Crc(Encode(Paint(PixelKinds()[4], 64, 40, 10, 4), {10, 0, effort})));
      crcs.push_back(Crc(Encode(Paint(PixelKinds()[6], 64, 64, 8, 5), {8, 0, effort})));
      crcs.push_back(Crc(Encode(Paint(PixelKinds()[7], 64, 64, 8, 5), {8, 0, effort})));
    }
    const std::vector<uint32_t> expected = {3686356990, 3941752339, 1445358550, 376837816,
                                            654603798,  3396528101, 1740660210, 416586736,
                                            4192334105, 376837816,  1525152699, 3396528101};
    EXPECT_EQ(crcs, expected);
  });
}

}  // namespace
}  // namespace mmp
