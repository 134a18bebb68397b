#include "codec/rdo/block_vector_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "codec/base/macroblock_order.h"
#include "codec/base/parameters.h"
#include "codec/bitstream/file_header.h"
#include "common/metrics.h"
#include "common/task_pool.h"
#include "tests/support/pictures.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

constexpr MacroblockOrder kOrders[] = {MacroblockOrder::kRaster, MacroblockOrder::kWavefront};
// Further than template prediction reaches, which finds repeats, too.
constexpr BlockVector kRepeat = {-45, -5};

// A picture of noise in which what lies at (y, x) is that at (y - 45, x - 5) again, but for a
// `difference` at most.
Image Repeating(int width, int height, int difference = 0) {
  Image image = Draw(Picture::kNoise, width, height, 9);
  Random random(4);
  for (int y = 45; y < height; ++y) {
    for (int x = 5; x < width; ++x) {
      const int v = image.Row(y - 45)[x - 5] + random.Between(-difference, difference);
      image.Row(y)[x] = static_cast<uint8_t>(std::clamp(v, 0, 255));
    }
  }
  return image;
}

CodecParameters InOrder(MacroblockOrder order) {
  CodecParameters parameters = PresetParameters(Preset::kBest);
  parameters.order = order;
  return parameters;
}

constexpr Lambda Of(int lambda) { return {lambda << 8}; }

// The vectors that a tile has at the end, if all that are found are added and none is used.
std::vector<BlockVector> FindAll(const Image& image, MacroblockOrder order, Lambda lambda) {
  const CodecParameters parameters = InOrder(order);
  BlockVectorSearch search(image.View(), parameters, lambda, TaskPool::Alone());
  BlockVectorList known;
  FrontWalk walk(order, PaddedToMacroblocks(image.width()), PaddedToMacroblocks(image.height()));
  while (walk.Next()) {
    for (const BlockVector vector : search.FindNew(known, walk.front())) known.Add(vector);
    search.Add(walk.front());
  }
  std::vector<BlockVector> list;
  list.reserve(known.count());
  for (int k = 0; k < known.count(); ++k) list.push_back(known[k]);
  return list;
}

class BlockVectorSearchTest : public testing::TestWithParam<MacroblockOrder> {};
INSTANTIATE_TEST_SUITE_P(Orders, BlockVectorSearchTest, testing::ValuesIn(kOrders),
                         [](const auto& test) { return std::string(OrderName(test.param)); });

// What it has found once is known from then on, and the macroblocks of a front, which share their
// vectors, are not copied from each other.
TEST_P(BlockVectorSearchTest, FindsTheDisplacementOfARepeat) {
  for (const int lambda : {0, 5, 100})
    EXPECT_EQ(FindAll(Repeating(64, 176), GetParam(), Of(lambda)), (std::vector{kRepeat}))
        << "lambda " << lambda;
}

TEST_P(BlockVectorSearchTest, FindsNothingWhereNothingRepeats) {
  for (const Picture picture : {Picture::kNoise, Picture::kFlat, Picture::kGradient})
    EXPECT_TRUE(FindAll(Draw(picture, 48, 40, 9), GetParam(), Of(20)).empty())
        << PictureName(picture);
}

// A vector costs more bits than paper that is not quite flat, unless little may be lost.
TEST_P(BlockVectorSearchTest, FindsNothingThatIsAlmostFlat) {
  Image image = Repeating(64, 176);
  for (int y = 0; y < 176; ++y)
    for (int x = 0; x < 64; ++x) image.Row(y)[x] = 240 + image.Row(y)[x] % 3;
  EXPECT_TRUE(FindAll(image, GetParam(), Of(60)).empty());
  EXPECT_EQ(FindAll(image, GetParam(), Of(0)), (std::vector{kRepeat}));
}

// In wave fronts only what is equal is worth a vector that a front's macroblocks share.
TEST_P(BlockVectorSearchTest, FindsWhatIsSimilarInRasterOrder) {
  const std::vector<BlockVector> found = FindAll(Repeating(64, 176, 6), GetParam(), Of(40));
  if (GetParam() == MacroblockOrder::kRaster)
    EXPECT_EQ(found, (std::vector{kRepeat}));
  else
    EXPECT_TRUE(found.empty());
}

// All vectors that it ever proposes can be coded, and copy pixels that are there.
void CheckProposals(const Image& image, MacroblockOrder order) {
  const CodecParameters parameters = InOrder(order);
  const int width = PaddedToMacroblocks(image.width());
  BlockVectorSearch search(image.View(), parameters, Of(1), TaskPool::Alone());
  FrontWalk walk(order, width, PaddedToMacroblocks(image.height()));
  while (walk.Next()) {
    const std::vector<BlockVector> found = search.FindNew({}, walk.front());
    ASSERT_LE(found.size(), size_t{kMostNewBlockVectors});
    for (const BlockVector vector : found) {
      EXPECT_LE(vector.y, 0);
      bool any = false;
      for (const MacroblockPlace place : walk.front()) {
        BlockVectorList vectors;
        vectors.Add(vector);
        const BlockSources sources = FindBlockSources(vectors, order, width, place);
        for (uint8_t i = 0; i < 16; i += 4)
          for (uint8_t j = 0; j < 16; j += 4)
            any |= sources.AvailableModes({i, j, LevelOf(2, 2)}) != 0;
      }
      EXPECT_TRUE(any);
    }
    search.Add(walk.front());
  }
}

TEST_P(BlockVectorSearchTest, ProposesWhatCanBeCopied) {
  for (const Picture picture : kAllPictures) {
    for (const int width : {7, 8, 23, 100}) {
      SCOPED_TRACE(testing::Message() << PictureName(picture) << " " << width);
      // Of its last macroblocks, some repeats are lower in those on the left.
      CheckProposals(Draw(picture, width, 37, 4), GetParam());
    }
  }
}

TEST_P(BlockVectorSearchTest, RepeatsCostFewBits) {
  const Image image = Repeating(64, 176);
  EncodeOptions options;
  options.order = GetParam();
  options.preset = Preset::kBest;
  options.lambda = 0;
  options.prediction_level = 15;  // for speed
  EncodeStats stats;
  const auto with = Encode(image.View(), options, &stats);
  options.modes = kBestModes & ~kAllBlockCopyModes;
  const auto without = Encode(image.View(), options);
  ASSERT_TRUE(with.ok() && without.ok());
  EXPECT_LT(with->size(), without->size() / 2);
  EXPECT_GT(stats.block_vector_bits, 10);
  EXPECT_GT(stats.modes_chosen[kFirstBlockCopy], 10);
  const auto decoded = Decode(*with);
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  EXPECT_EQ(SumSquaredError(image.View(), decoded->image.View()), stats.sum_squared_error);
}

// As a noisy copy is, of which a file in wave fronts has nothing.
TEST(SimilarRepeatsTest, CostFewerBitsInRasterOrder) {
  const Image image = Repeating(64, 176, 6);
  EncodeOptions options;
  options.preset = Preset::kFast;
  options.lambda = 40;
  options.prediction_level = 15;  // for speed
  options.order = MacroblockOrder::kWavefront;
  const size_t in_fronts = MustEncode(image.View(), options).size();
  options.order = MacroblockOrder::kRaster;
  EXPECT_LT(MustEncode(image.View(), options).size(), in_fronts / 2);
}

TEST(PayInRasterOrderTest, WhereMuchRepeatsThoughNotQuite) {
  const CodecParameters parameters = InOrder(MacroblockOrder::kWavefront);
  for (const int lambda : {1, 20, 200}) {
    SCOPED_TRACE(testing::Message() << "lambda " << lambda);
    EXPECT_TRUE(
        BlockVectorSearch::PayInRasterOrder(Repeating(64, 176, 6).View(), parameters, Of(lambda)));
    // In each of two windows, of which one ends at the picture's edge.
    EXPECT_TRUE(
        BlockVectorSearch::PayInRasterOrder(Repeating(530, 176, 6).View(), parameters, Of(lambda)));
    for (const Picture picture : {Picture::kNoise, Picture::kFlat, Picture::kGradient})
      EXPECT_FALSE(BlockVectorSearch::PayInRasterOrder(Draw(picture, 96, 96, 1).View(), parameters,
                                                       Of(lambda)))
          << PictureName(picture);
  }
}

}  // namespace
}  // namespace mmp
