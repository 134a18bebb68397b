#include "cuda/schedule/front_shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace mmp::cuda {
namespace {

// Groups of up to 16 blocks that an H100 has room for.
const std::vector<int> kMostGroups = {0,  264, 132, 83, 66, 47, 39, 32, 30,
                                      24, 22,  17,  17, 15, 15, 15, 15};
constexpr int kFewestBlocks = 4;

FrontShape Shape(std::vector<double> times) {
  std::sort(times.begin(), times.end(), std::greater<>());
  return ShapeFront(times, kMostGroups, kFewestBlocks);
}
// `dear` macroblocks of time 1, then `cheap` ones of this time.
FrontShape Shape(int dear, int cheap, double time) {
  std::vector<double> times(dear, 1);
  times.resize(dear + cheap, time);
  return Shape(times);
}

TEST(ExpectedTimesTest, GrowWithVariationFromATenthToOne) {
  const ExpectedTimes times({10 << 8});
  EXPECT_NEAR(times(0), 0.1, 0.01);
  EXPECT_NEAR(times(900), 0.55, 0.01);
  EXPECT_NEAR(times(100000), 1, 0.01);
  for (int variation = 0; variation < 20000; variation += 100)
    EXPECT_LT(times(variation), times(variation + 100));
}

TEST(ExpectedTimesTest, ShrinkWithLambda) {
  for (const int lambda : {0, 1, 10, 100, 1000})
    EXPECT_GT(ExpectedTimes({lambda << 8})(3000), ExpectedTimes({(2 * lambda + 1) << 8})(3000));
  EXPECT_NEAR(ExpectedTimes({0})(0), 1, 0.001) << "without loss all is searched";
}

TEST(FrontShapeTest, GivesEqualMacroblocksTheLargestGroupsThatFitAtOnce) {
  const auto blocks = [](int count) { return Shape(count, 0, 0).blocks; };
  EXPECT_EQ(blocks(2), 16);
  EXPECT_EQ(blocks(15), 16);
  EXPECT_EQ(blocks(17), 12);
  EXPECT_EQ(blocks(30), 8);
  EXPECT_EQ(blocks(32), 7);
  EXPECT_EQ(blocks(47), 5);
  EXPECT_EQ(blocks(48), 4);
  EXPECT_EQ(blocks(66), 4);
  for (const int count : {2, 15, 17, 30, 32, 47, 48, 66})
    EXPECT_EQ(Shape(count, 0, 0).groups, count);
}

TEST(FrontShapeTest, LetsTheCheapestWaitWhereAllOthersGainByIt) {
  // Two groups do two cheap ones each while the others do a dear one.
  const FrontShape shape = Shape(28, 4, 0.4);
  EXPECT_EQ(shape.blocks, 8);
  EXPECT_EQ(shape.groups, 30);
  // Not if these end last.
  EXPECT_EQ(Shape(28, 4, 0.9).blocks, 7);
}

TEST(FrontShapeTest, SharesOutWhatDoesNotFitAtOnce) {
  const FrontShape equal = Shape(132, 0, 0);
  EXPECT_EQ(equal.blocks, 4);
  EXPECT_EQ(equal.groups, 66);
  // Two each in either shape.
  EXPECT_EQ(Shape(90, 0, 0).groups, 47);
}

TEST(FrontShapeTest, KeepsToTheRoomThatThereIs) {
  const std::vector<double> times(20, 1);
  for (const std::vector<int>& room :
       {std::vector<int>{0, 3, 2, 1, 1}, {0, 3, 2, 1, 1, 0, 0}, {0, 90, 50, 40, 30, 0}}) {
    const FrontShape shape = ShapeFront(times, room, 2);
    EXPECT_GE(shape.blocks, 2);
    EXPECT_LE(shape.blocks, 4);
    EXPECT_EQ(shape.groups, std::min(room[shape.blocks], 20));
  }
}

}  // namespace
}  // namespace mmp::cuda
