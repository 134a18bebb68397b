#include "codec/base/macroblock_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "mmp/mmp.h"

namespace mmp {
namespace {

constexpr MacroblockOrder kOrders[] = {MacroblockOrder::kRaster, MacroblockOrder::kWavefront};
constexpr int kSides[] = {1, 2, 3, 4, 7, 12};

// The number of the front that each macroblock comes in, row by row; -1: in none.
class FrontNumbers {
 public:
  FrontNumbers(MacroblockOrder order, int columns, int rows)
      : columns_(columns), rows_(rows), numbers_(static_cast<size_t>(columns) * rows, -1) {
    FrontWalk walk(order, columns * kMacroblockSize, rows * kMacroblockSize);
    while (walk.Next()) {
      EXPECT_FALSE(walk.front().empty());
      largest_ = std::max(largest_, static_cast<int>(walk.front().size()));
      for (const MacroblockPlace place : walk.front()) Set(place, count_);
      ++count_;
    }
    EXPECT_FALSE(walk.Next()) << "the walk goes on behind its end";
  }

  int count() const { return count_; }
  int largest() const { return largest_; }
  bool Inside(int row, int column) const {
    return row >= 0 && column >= 0 && row < rows_ && column < columns_;
  }
  int At(int row, int column) const {
    return numbers_[static_cast<size_t>(row) * columns_ + column];
  }

 private:
  void Set(MacroblockPlace place, int number) {
    ASSERT_EQ(place.y % kMacroblockSize, 0);
    ASSERT_EQ(place.x % kMacroblockSize, 0);
    const int row = place.y / kMacroblockSize, column = place.x / kMacroblockSize;
    ASSERT_TRUE(Inside(row, column)) << row << ", " << column;
    ASSERT_EQ(At(row, column), -1) << "twice: " << row << ", " << column;
    numbers_[static_cast<size_t>(row) * columns_ + column] = number;
  }

  const int columns_, rows_;
  std::vector<int> numbers_;
  int count_ = 0, largest_ = 0;
};

template <typename Check>
void ForAllTiles(const Check& check) {
  for (const MacroblockOrder order : kOrders) {
    for (const int columns : kSides) {
      for (const int rows : kSides) {
        SCOPED_TRACE(testing::Message() << OrderName(order) << ", " << columns << "x" << rows);
        check(order, columns, rows);
      }
    }
  }
}

TEST(MacroblockOrderTest, EveryMacroblockOnceAfterWhatItNeeds) {
  ForAllTiles([](MacroblockOrder order, int columns, int rows) {
    const FrontNumbers numbers(order, columns, rows);
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        ASSERT_GE(numbers.At(row, column), 0) << "never: " << row << ", " << column;
        // What prediction reads: on the left, and above up to one macroblock on the right.
        const std::pair<int, int> needed[] = {
            {row, column - 1}, {row, column - 2},     {row - 1, column - 2}, {row - 1, column - 1},
            {row - 1, column}, {row - 1, column + 1}, {row - 2, column + 1}};
        for (const auto& [r, c] : needed) {
          if (!numbers.Inside(r, c)) continue;
          EXPECT_LT(numbers.At(r, c), numbers.At(row, column)) << row << ", " << column;
        }
      }
    }
  });
}

TEST(MacroblockOrderTest, TheLargestFront) {
  ForAllTiles([](MacroblockOrder order, int columns, int rows) {
    const FrontNumbers numbers(order, columns, rows);
    EXPECT_EQ(LargestFront(order, columns * kMacroblockSize, rows * kMacroblockSize),
              numbers.largest());
    // The same of a tile that ends inside its last macroblocks.
    EXPECT_EQ(
        LargestFront(order, (columns - 1) * kMacroblockSize + 1, (rows - 1) * kMacroblockSize + 1),
        numbers.largest());
  });
}

// FrontOf numbers the fronts as they are walked, but for those without a macroblock.
TEST(MacroblockOrderTest, FrontsComeByTheirNumber) {
  for (const int columns : kSides) {
    for (const int rows : kSides) {
      int last = -1;
      FrontWalk walk(MacroblockOrder::kWavefront, columns * kMacroblockSize,
                     rows * kMacroblockSize);
      while (walk.Next()) {
        const int number = FrontOf(walk.front()[0].y, walk.front()[0].x);
        EXPECT_EQ(number, last + (columns == 1 && last >= 0 ? 2 : 1));
        int row = -1;
        for (const MacroblockPlace place : walk.front()) {
          EXPECT_EQ(FrontOf(place.y, place.x), number);
          EXPECT_EQ(FrontOf(place.y + 15, place.x + 15), number);
          EXPECT_GT(place.y, row) << "not from top to bottom";
          row = place.y;
        }
        last = number;
      }
    }
  }
}

TEST(MacroblockOrderTest, WalksTellTheNumberOfAPixelsFront) {
  ForAllTiles([](MacroblockOrder order, int columns, int rows) {
    const FrontNumbers numbers(order, columns, rows);
    const FrontWalk walk(order, columns * kMacroblockSize, rows * kMacroblockSize);
    for (int y = 0; y < rows * kMacroblockSize; y += 5)
      for (int x = 0; x < columns * kMacroblockSize; x += 5)
        ASSERT_EQ(walk.NumberOf(y, x), numbers.At(y / kMacroblockSize, x / kMacroblockSize));
  });
}

TEST(MacroblockOrderTest, InRasterOrderEachIsAFront) {
  FrontWalk walk(MacroblockOrder::kRaster, 3 * kMacroblockSize, 2 * kMacroblockSize);
  for (int k = 0; k < 6; ++k) {
    ASSERT_TRUE(walk.Next());
    ASSERT_EQ(walk.front().size(), 1u);
    EXPECT_EQ(walk.front()[0].y, k / 3 * kMacroblockSize);
    EXPECT_EQ(walk.front()[0].x, k % 3 * kMacroblockSize);
  }
  EXPECT_FALSE(walk.Next());
}

TEST(MacroblockOrderTest, AWaveFront) {
  FrontWalk walk(MacroblockOrder::kWavefront, 5 * kMacroblockSize, 3 * kMacroblockSize);
  for (int k = 0; k < 5; ++k) ASSERT_TRUE(walk.Next());
  ASSERT_EQ(walk.front().size(), 3u);
  for (int row = 0; row < 3; ++row) {
    EXPECT_EQ(walk.front()[row].y, row * kMacroblockSize);
    EXPECT_EQ(walk.front()[row].x, (4 - 2 * row) * kMacroblockSize);
  }
}

}  // namespace
}  // namespace mmp
