// Decoding by several threads: one parses ahead, the others reconstruct.
#include "codec/decoder/front_pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "codec/base/parameters.h"
#include "common/task_pool.h"
#include "mmp/mmp.h"
#include "tests/support/pictures.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

std::vector<uint8_t> EncodeFast(const Image& image, MacroblockOrder order, double lambda) {
  EncodeOptions options;
  options.preset = Preset::kFast;
  options.order = order;
  options.lambda = lambda;
  options.backend = Backend::kCpu;
  auto file = Encode(image.View(), options);
  EXPECT_TRUE(file.ok()) << file.status().message();
  return *std::move(file);
}

class FrontPipelineTest : public testing::TestWithParam<MacroblockOrder> {};

TEST_P(FrontPipelineTest, ThreadsDecodeTheSame) {
  for (const auto& [width, height] :
       std::vector<std::pair<int, int>>{{400, 300}, {1000, 33}, {40, 700}}) {
    const Image image = Draw(Picture::kTexture, width, height, 5);
    const std::vector<uint8_t> file = EncodeFast(image, GetParam(), 30);
    DecodeOptions options;
    options.threads = 1;
    const auto expected = Decode(file, options);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    for (const int threads : {2, 3, 4, 8}) {
      for (int round = 0; round < 5; ++round) {
        options.threads = threads;
        const auto decoded = Decode(file, options);
        ASSERT_TRUE(decoded.ok()) << threads << " threads: " << decoded.status().message();
        ASSERT_EQ(decoded->image, expected->image) << threads << " threads";
      }
    }
  }
}

// What is wrong with a file is found while others are still at work on what came before.
TEST_P(FrontPipelineTest, DamageEndsAllThreads) {
  const Image image = Draw(Picture::kTexture, 320, 256, 5);
  const std::vector<uint8_t> file = EncodeFast(image, GetParam(), 30);
  DecodeOptions options;
  options.threads = 4;
  for (size_t size = file.size() / 10; size < file.size(); size += file.size() / 10 + 1) {
    const auto decoded = Decode(std::span(file).first(size), options);
    ASSERT_FALSE(decoded.ok());
  }
  options.max_work = uint64_t{1} << 26;
  EXPECT_EQ(Decode(file, options).status().code(), StatusCode::kLimitExceeded);
}

TEST_P(FrontPipelineTest, CanBeCancelled) {
  const Image image = Draw(Picture::kTexture, 320, 256, 5);
  const std::vector<uint8_t> file = EncodeFast(image, GetParam(), 30);
  for (int calls = 0; calls < 6; ++calls) {
    std::atomic<int> left = calls;
    DecodeOptions options;
    options.threads = 4;
    options.progress = [&](double) { return left-- > 0; };
    const auto decoded = Decode(file, options);
    if (decoded.ok()) continue;
    EXPECT_EQ(decoded.status().code(), StatusCode::kCancelled);
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, FrontPipelineTest,
                         testing::Values(MacroblockOrder::kRaster, MacroblockOrder::kWavefront),
                         [](const auto& test) { return std::string(OrderName(test.param)); });

// More fronts than there is room for, and more threads than macroblocks of a front.
TEST(FrontPipelineOrderTest, FrontsAreReconstructedInTheirOrder) {
  // Blocks predicted from their left neighbour, each with a residual of one: what comes out counts
  // the macroblocks of the row if each was reconstructed after the one before.
  constexpr int kColumns = 100;
  std::vector<uint8_t> samples(size_t{kColumns} * kMacroblockPixels);
  const TilePlane plane = {samples.data(), kColumns * kMacroblockSize, kMacroblockSize,
                           MacroblockOrder::kRaster};
  FrontPipeline pipeline(plane);
  TaskPool pool(5);
  bool is_parsing = false;
  auto work = [&](int member) {
    if (member > 0 || std::exchange(is_parsing, true)) return pipeline.Work();
    for (int column = 0; column < kColumns; ++column) {
      CodedFront& front = *pipeline.NextFront();
      front.Clear({});
      const int mode = column == 0 ? kMostFrequent : kHorizontal;
      CodedMacroblock& macroblock = front.Add({0, column * kMacroblockSize});
      macroblock.Add({0, 0, kMacroblockLevel}, mode);
      std::fill_n(macroblock.residual(), kMacroblockPixels, int16_t{1});
      pipeline.Push();
    }
    pipeline.Drain();
  };
  pool.OnAll(work);
  for (int x = 0; x < kColumns * kMacroblockSize; ++x)
    ASSERT_EQ(samples[x], 129 + x / kMacroblockSize);
}

// Where another thread fails, as for want of memory, nothing more is parsed, whatever room there
// is.
TEST(FrontPipelineOrderTest, NoFrontComesOnceItIsStopped) {
  std::vector<uint8_t> samples(kMacroblockPixels);
  FrontPipeline pipeline(
      {samples.data(), kMacroblockSize, kMacroblockSize, MacroblockOrder::kRaster});
  EXPECT_NE(pipeline.NextFront(), nullptr);
  pipeline.Stop();
  EXPECT_EQ(pipeline.NextFront(), nullptr);
}

// What follows a front sees all of it and of those before, and is done once.
TEST(FrontPipelineOrderTest, WhatFollowsComesBehindItsFront) {
  constexpr int kColumns = 60;
  std::vector<uint8_t> samples(size_t{kColumns} * kMacroblockPixels);
  const TilePlane plane = {samples.data(), kColumns * kMacroblockSize, kMacroblockSize,
                           MacroblockOrder::kRaster};
  for (const int threads : {2, 5}) {
    FrontPipeline pipeline(plane);
    TaskPool pool(threads);
    std::vector<uint32_t> fronts;
    for (uint32_t front = 0; front < kColumns; ++front)
      fronts.insert(fronts.end(), front % 3, front);
    std::vector<std::atomic<int>> calls(fronts.size());
    std::atomic<int> early{0};
    bool is_parsing = false;
    std::ranges::fill(samples, uint8_t{0});
    auto work = [&](int member) {
      if (member > 0 || std::exchange(is_parsing, true)) return pipeline.Work();
      pipeline.Follow(fronts, [&](int i) {
        ++calls[i];
        for (uint32_t x = 0; x < (fronts[i] + 1) * kMacroblockSize; ++x) early += samples[x] == 0;
      });
      for (int column = 0; column < kColumns; ++column) {
        CodedFront& front = *pipeline.NextFront();
        front.Clear({});
        CodedMacroblock& macroblock = front.Add({0, column * kMacroblockSize});
        macroblock.Add({0, 0, kMacroblockLevel}, column == 0 ? kMostFrequent : kHorizontal);
        std::fill_n(macroblock.residual(), kMacroblockPixels, int16_t{1});
        pipeline.Push();
      }
      pipeline.Drain();
    };
    pool.OnAll(work);
    for (size_t i = 0; i < calls.size(); ++i) ASSERT_EQ(calls[i], 1) << i;
    EXPECT_EQ(early, 0);
  }
}

}  // namespace
}  // namespace mmp
