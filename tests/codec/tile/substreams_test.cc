#include "codec/tile/substreams.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "codec/base/parameters.h"
#include "mmp/mmp.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

using Bytes = std::vector<uint8_t>;

CodecParameters WithSubstreams() {
  return {.tools = kSubstreams | kFlagNetwork, .order = MacroblockOrder::kWavefront};
}

TEST(SubstreamsTest, AreAsManyAsTheLargestFrontAllows) {
  const CodecParameters parameters = WithSubstreams();
  EXPECT_EQ(SubstreamCount(parameters, 16, 65536), 1);
  EXPECT_EQ(SubstreamCount(parameters, 512, 512), 1);
  EXPECT_EQ(SubstreamCount(parameters, 976, 4096), 1);  // 61 columns, 31 macroblocks
  EXPECT_EQ(SubstreamCount(parameters, 992, 512), 1);
  EXPECT_EQ(SubstreamCount(parameters, 993, 512), 2);  // 63 columns
  EXPECT_EQ(SubstreamCount(parameters, 4096, 496), 1);
  EXPECT_EQ(SubstreamCount(parameters, 2032, 1024), 4);
  EXPECT_EQ(SubstreamCount(parameters, 2048, 1008), 2);
  EXPECT_EQ(SubstreamCount(parameters, 4080, 2048), 8);
  EXPECT_EQ(SubstreamCount(parameters, 16384, 16384), kMostSubstreams);
}

TEST(SubstreamsTest, NeedWaveFrontsAndFlagsByNetwork) {
  CodecParameters raster = WithSubstreams(), without_network = WithSubstreams();
  raster.order = MacroblockOrder::kRaster;
  without_network.tools = kSubstreams;
  EXPECT_EQ(SubstreamCount(raster, 4096, 4096), 1);
  EXPECT_EQ(SubstreamCount(without_network, 4096, 4096), 1);
}

Bytes Copy(std::span<const uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

TEST(SubstreamsTest, AreSplitAsTheyWereJoined) {
  for (const std::vector<Bytes>& substreams :
       {std::vector<Bytes>{{1, 2, 3}},
        {{}},
        {{1, 2}, {3}},
        {{}, {1, 2, 3, 4, 5}},
        {{9}, {}, {8, 7}, {}},
        {{1}, {2}, {3}, {4}, {5}, {6}, {7}, Bytes(300, 8)}}) {
    const Bytes stream = JoinSubstreams(substreams);
    const auto split = SplitSubstreams(stream, static_cast<int>(substreams.size()));
    ASSERT_TRUE(split);
    ASSERT_EQ(split->size(), substreams.size());
    for (size_t k = 0; k < substreams.size(); ++k) EXPECT_EQ(Copy((*split)[k]), substreams[k]);
  }
}

TEST(SubstreamsTest, LongerThanTheStreamAreRefused) {
  EXPECT_FALSE(SplitSubstreams(Bytes{1, 0, 0}, 2));
  EXPECT_FALSE(SplitSubstreams(Bytes{1, 0, 0, 0}, 2));
  EXPECT_TRUE(SplitSubstreams(Bytes{1, 0, 0, 0, 5}, 2));
  EXPECT_FALSE(SplitSubstreams(Bytes{255, 255, 255, 255, 5}, 2));
  EXPECT_FALSE(SplitSubstreams(Bytes{0, 0, 0, 0, 2, 0, 0, 0, 7}, 3));
}

// Of a picture with so many substreams: bytes and pixels are the same with any number of threads.
class SubstreamFilesTest : public testing::TestWithParam<int> {};

TEST_P(SubstreamFilesTest, DoNotDependOnThreads) {
  const int count = GetParam();
  const int width = count == 1 ? 640 : 508 * count, height = count == 1 ? 304 : 256 * count;
  Image image(width, height);
  Random random(3);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      image.Row(y)[x] = static_cast<uint8_t>(96 + (x / 37 + y / 23) % 5 * 20 + random.Below(24));
  EncodeOptions options;
  options.lambda = 900;
  options.effort = 1;
  options.tile_width = options.tile_height = 4096;
  options.order = MacroblockOrder::kWavefront;
  std::optional<Bytes> file;
  for (const int threads : {1, 3}) {
    options.threads = threads;
    const Result<Bytes> encoded = Encode(image.View(), options);
    ASSERT_TRUE(encoded.ok()) << encoded.status().message();
    if (!file) file = *encoded;
    EXPECT_EQ(*encoded, *file) << threads << " threads";
  }
  EXPECT_EQ(SubstreamCount(WithSubstreams(), width, height), count);
  std::optional<Image> pixels;
  for (const int threads : {1, 2, 5}) {
    DecodeOptions decoding;
    decoding.threads = threads;
    Result<DecodedImage> decoded = Decode(*file, decoding);
    ASSERT_TRUE(decoded.ok()) << decoded.status().message();
    if (!pixels)
      pixels = std::move(decoded->image);
    else
      EXPECT_EQ(decoded->image, *pixels) << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(Counts, SubstreamFilesTest, testing::Values(1, 2, 4),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace mmp
