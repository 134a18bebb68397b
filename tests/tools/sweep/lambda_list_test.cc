#include "tools/sweep/lambda_list.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace mmp {
namespace {

TEST(LambdaListTest, ListsAreSortedAndEachLambdaIsOnce) {
  EXPECT_EQ(*ParseLambdaList("10"), (std::vector<double>{10}));
  EXPECT_EQ(*ParseLambdaList("20,5,0,2.5,5.0,65536"), (std::vector<double>{0, 2.5, 5, 20, 65536}));
}

TEST(LambdaListTest, WhatIsNoList) {
  for (const char* text : {"", ",", "5,", ",5", "5,,6", "5 6", " 5", "5;6", "ten", "-1", "65537",
                           "nan", "inf", "0x5", "5,1e9"}) {
    const auto lambdas = ParseLambdaList(text);
    EXPECT_EQ(lambdas.status().code(), StatusCode::kInvalidArgument) << text;
  }
}

TEST(LambdaListTest, RangesAreEvenInRatio) {
  EXPECT_EQ(*ParseLambdaRange("2:320:2"), (std::vector<double>{2, 320}));
  EXPECT_EQ(*ParseLambdaRange("1:16:5"), (std::vector<double>{1, 2, 4, 8, 16}));
  EXPECT_EQ(*ParseLambdaRange("10:20:3"), (std::vector<double>{10, 14.14, 20}));
  EXPECT_EQ(*ParseLambdaRange("0.00390625:65536:2"), (std::vector<double>{1.0 / 256, 65536}));
  const std::vector<double> lambdas = *ParseLambdaRange("3:700:40");
  ASSERT_EQ(lambdas.size(), 40U);
  const double ratio = std::pow(700 / 3.0, 1 / 39.0);
  for (size_t i = 1; i < lambdas.size(); ++i)
    EXPECT_NEAR(lambdas[i] / lambdas[i - 1], ratio, 2e-3 * ratio);
}

// Rounded to four digits, lambdas this close are the same, or beyond the ends.
TEST(LambdaListTest, NarrowRangesStayInside) {
  EXPECT_EQ(*ParseLambdaRange("1.00001:1.00002:5"), (std::vector<double>{1.00001, 1.00002}));
}

TEST(LambdaListTest, WhatIsNoRange) {
  for (const char* text :
       {"",          "2",       "2:320",    "2:320:",    ":320:5",     "2::5",   "2:320:5:1",
        "2:320:1",   "2:320:0", "2:320:-5", "2:320:2.5", "320:2:5",    "5:5:3",  "0:320:5",
        "2:65537:5", "nan:5:3", "2:nan:3",  "2:inf:3",   "2:320:1001", "2,320,5"}) {
    const auto lambdas = ParseLambdaRange(text);
    EXPECT_EQ(lambdas.status().code(), StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace mmp
