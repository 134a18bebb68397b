#include "codec/pixel/exact_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "codec/bitstream/range_coder.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

const auto kGoOn = [](int /*samples*/) { return true; };

// One of `one_in` blocks is exact, of so many levels.
ExactBlocks Scatter(int width, int height, int levels, int one_in) {
  Random random(static_cast<uint32_t>(width * 1000 + height + levels));
  ExactBlocks blocks(width, height);
  for (uint8_t& is_exact : blocks.is_exact) is_exact = random.OneIn(one_in);
  blocks.is_exact.back() = 1;
  for (uint8_t& sample : blocks.samples)
    sample = static_cast<uint8_t>(255 - random.Below(levels) * 255 / std::max(levels - 1, 1));
  return blocks;
}

struct Coded {
  std::vector<uint8_t> stream;
  int64_t rate_q12 = 0;
};

Coded Encode(ExactBlocks blocks) {
  RangeEncoder encoder;
  Coded coded;
  BitPort port(encoder, coded.rate_q12);
  CodeExactBlocks(port, blocks, kGoOn);
  coded.stream = encoder.Finish();
  return coded;
}

TEST(ExactBlocksTest, AreDecodedAsTheyWereCoded) {
  for (const auto& [width, height] : std::vector<std::pair<int, int>>{
           {1, 1}, {7, 9}, {8, 8}, {1, 40}, {50, 2}, {40, 33}, {100, 70}})
    for (const int levels : {1, 2, 3, 4, 17, 256})
      for (const int one_in : {1, 2, 9}) {
        SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height) + ", " +
                     std::to_string(levels) + " levels");
        const ExactBlocks blocks = Scatter(width, height, levels, one_in);
        const Coded coded = Encode(blocks);
        EXPECT_NEAR(static_cast<double>(coded.rate_q12) / (8 << 12),
                    static_cast<double>(coded.stream.size()),
                    4.5 + 0.01 * static_cast<double>(coded.stream.size()));
        RangeDecoder decoder(coded.stream);
        BitPort port(decoder);
        ExactBlocks decoded(width, height);
        int samples = 0;
        CodeExactBlocks(port, decoded, [&](int of_row) {
          samples += of_row;
          return true;
        });
        EXPECT_FALSE(decoder.Overrun());
        EXPECT_TRUE(decoder.AllRead());
        ASSERT_EQ(decoded.is_exact, blocks.is_exact);
        for (int y = 0; y < height; ++y)
          for (int x = 0; x < width; ++x)
            if (const size_t at = static_cast<size_t>(y) * width + x; blocks.Has(y, x)) {
              ASSERT_EQ(decoded.samples[at], blocks.samples[at]);
              --samples;
            }
        EXPECT_EQ(samples, 0);
      }
}

// Glyphs that come again cost little, wherever they are.
TEST(ExactBlocksTest, WhatComesAgainIsExpected) {
  const auto text = [](int lines) {
    ExactBlocks blocks(160, lines * 16);
    Random random(3);
    std::vector<uint8_t> glyphs(6 * 64);
    for (uint8_t& sample : glyphs) sample = random.OneIn(2) ? 20 : 230;
    std::fill(blocks.samples.begin(), blocks.samples.end(), uint8_t{230});
    for (int line = 0; line < lines; ++line)
      for (int column = 0; column < 20; ++column) {
        blocks.is_exact[static_cast<size_t>(2 * line) * 20 + column] = 1;
        const int glyph = random.Below(6);
        for (int i = 0; i < 64; ++i)
          blocks.samples[static_cast<size_t>(16 * line + i / 8) * 160 + 8 * column + i % 8] =
              glyphs[static_cast<size_t>(glyph) * 64 + i];
      }
    return Encode(blocks).stream.size();
  };
  EXPECT_LT(text(12) - text(6), (text(6) - text(0)) / 2);
}

TEST(ExactBlocksTest, TakeThePlaceOfTheirSamplesOnly) {
  constexpr int kStride = 48;
  const ExactBlocks blocks = Scatter(43, 21, 256, 2);
  std::vector<uint8_t> plane(kStride * 32);
  Random random(1);
  for (uint8_t& sample : plane) sample = static_cast<uint8_t>(random.Below(256));
  std::vector<uint8_t> expected = plane;
  for (int y = 0; y < 21; ++y)
    for (int x = 0; x < 43; ++x)
      if (blocks.Has(y, x)) expected[y * kStride + x] = blocks.samples[y * 43 + x];
  ApplyExactBlocks(blocks, kStride, plane.data());
  EXPECT_EQ(plane, expected);
  ApplyExactBlocks({}, kStride, plane.data());
  EXPECT_EQ(plane, expected);
}

// Any bytes are read to something, and none are read for long behind their end.
TEST(ExactBlocksTest, AnyBytes) {
  Random random(2);
  for (int round = 0; round < 300; ++round) {
    std::vector<uint8_t> bytes(random.Below(60));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.Below(256));
    RangeDecoder decoder(bytes);
    BitPort port(decoder);
    ExactBlocks blocks(random.Between(1, 90), random.Between(1, 90));
    int rows_behind_the_end = 0;
    CodeExactBlocks(port, blocks, [&](int /*samples*/) {
      rows_behind_the_end += decoder.Overrun();
      return !decoder.Overrun();
    });
    EXPECT_LE(rows_behind_the_end, 1);
  }
}

}  // namespace
}  // namespace mmp
