#include "codec/pixel/repeat_coder.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "codec/pixel/pixel_coder.h"
#include "tests/codec/pixel/pixel_pictures.h"

namespace mmp {
namespace {

constexpr int kOutside = 1;

std::vector<uint8_t> Encode(PixelSamples samples, int values) {
  BinaryEncoder encoder;
  BitPort port(encoder);
  const PixelPlane plane = {
      samples.values.data(), samples.width, samples.width, samples.height, values, 0, false, false};
  EXPECT_TRUE(std::make_unique<RepeatCoder>(port, plane, kOutside)->Run([] { return true; }));
  return encoder.Finish();
}

// The samples of a stream; none if it was overrun.
std::vector<uint16_t> Decode(const std::vector<uint8_t>& stream, int width, int height,
                             int values) {
  BinaryDecoder decoder(stream);
  BitPort port(decoder);
  std::vector<uint16_t> samples(static_cast<size_t>(width) * height, 0xdead);
  const PixelPlane plane = {samples.data(), width, width, height, values, 0, false, false};
  if (!std::make_unique<RepeatCoder>(port, plane, kOutside)->Run([&] {
        return !decoder.Overrun();
      }))
    return {};
  EXPECT_TRUE(decoder.AllRead());
  return samples;
}

// Of `values` values, drawn by chance from a few that are near each other in the row.
PixelSamples Scatter(int width, int height, int values, int calm) {
  Random random(static_cast<uint32_t>(width * 1000 + height + values));
  PixelSamples samples = {width, height, {}};
  int value = values - 1;
  for (int i = 0; i < width * height; ++i) {
    if (random.OneIn(calm)) value = random.Below(values);
    samples.values.push_back(static_cast<uint16_t>(value));
  }
  return samples;
}

TEST(RepeatCoder, EveryNumberOfValuesAndSize) {
  for (const int values : {2, 3, 4, 5, 16, 17, 255, 256})
    for (const auto& [width, height] : std::vector<std::pair<int, int>>{
             {1, 1}, {1, 30}, {30, 1}, {2, 2}, {15, 11}, {16, 9}, {40, 21}})
      for (const int calm : {1, 9}) {
        SCOPED_TRACE(std::to_string(values) + " values, " + std::to_string(width) + "x" +
                     std::to_string(height));
        const PixelSamples samples = Scatter(width, height, values, calm);
        EXPECT_EQ(Decode(Encode(samples, values), width, height, values), samples.values);
      }
}

// Thirty-two copies of a picture of noise: all but the first cost next to nothing.
TEST(RepeatCoder, WhatWasSeenBeforeIsExpected) {
  const PixelSamples once = Scatter(48, 20, 4, 2);
  PixelSamples often = {48, 20 * 32, {}};
  for (int i = 0; i < 32; ++i)
    often.values.insert(often.values.end(), once.values.begin(), once.values.end());
  const size_t size = Encode(once, 4).size();
  EXPECT_LT(Encode(often, 4).size(), size + size / 4);
}

TEST(RepeatCoder, StreamsThatEndTooEarlyAreNoticed) {
  const PixelSamples samples = Scatter(30, 40, 16, 2);
  std::vector<uint8_t> stream = Encode(samples, 16);
  stream.resize(stream.size() / 2);
  EXPECT_TRUE(Decode(stream, 30, 40, 16).empty());
}

TEST(RepeatCoder, DamagedStreamsYieldValuesInRange) {
  for (const int values : {2, 3, 5, 200}) {
    std::vector<uint8_t> stream = Encode(Scatter(30, 40, values, 3), values);
    Random random(static_cast<uint32_t>(values));
    for (size_t i = 3; i < stream.size(); i += 7) stream[i] ^= random.Bits() & 255;
    stream.resize(stream.size() + 10000, 0x5a);
    BinaryDecoder decoder(stream);
    BitPort port(decoder);
    std::vector<uint16_t> samples(30 * 40, 0xdead);
    std::make_unique<RepeatCoder>(
        port, PixelPlane{samples.data(), 30, 30, 40, values, 0, false, false}, kOutside)
        ->Run([&] { return !decoder.Overrun(); });
    for (const uint16_t sample : samples) EXPECT_LT(sample, values);
  }
}

// The pixel coder takes repeats for shapes that come again: by predictions these take 212 bytes.
TEST(RepeatCoder, IsChosenForGlyphs) {
  const PixelSamples samples = Paint(PixelKinds()[7], 128, 96, 8, 1);
  const std::vector<uint8_t> stream = EncodePixels(
      {samples.values.data(), samples.width, samples.width, samples.height}, {8, 0, 2}, nullptr);
  EXPECT_LE(stream.size(), 100u);
}

// A stream that says that samples of 16 bits, of all values from 0 to `highest`, are coded by
// repeats, with this value outside.
std::vector<uint8_t> Begin(int highest, int outside) {
  BinaryEncoder encoder;
  BitPort port(encoder);
  port.EvenBits(16, highest);
  port.EvenBits(16, 0);
  port.EvenBit(0);  // none is left out
  port.EvenBits(std::bit_width(static_cast<uint32_t>(highest)), outside);
  return encoder.Finish();
}

StatusCode DecodeOne(const std::vector<uint8_t>& stream, int max_error) {
  uint16_t sample = 0;
  return DecodePixels(stream, {16, max_error, 2}, 1, 1, &sample, 1).code();
}

TEST(RepeatCoder, AValueOutsideThatDoesNotExistIsRefused) {
  EXPECT_EQ(DecodeOne(Begin(2, 2), 0), StatusCode::kOk);
  EXPECT_EQ(DecodeOne(Begin(2, 3), 0), StatusCode::kCorrupt);
}

TEST(RepeatCoder, TooManyValuesAreRefused) {
  EXPECT_EQ(DecodeOne(Begin(255, 7), 0), StatusCode::kOk);
  EXPECT_EQ(DecodeOne(Begin(256, 7), 0), StatusCode::kCorrupt);
}

TEST(RepeatCoder, ABoundOnErrorsIsRefused) {
  EXPECT_EQ(DecodeOne(Begin(2, 2), 1), StatusCode::kCorrupt);
}

}  // namespace
}  // namespace mmp
