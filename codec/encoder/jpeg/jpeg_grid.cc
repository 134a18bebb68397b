#include "codec/encoder/jpeg/jpeg_grid.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <numeric>

namespace mmp {
namespace {

constexpr int kSide = 8;                // of JPEG's blocks
constexpr int kWindow = 2 * kSide - 1;  // which has a block of each grid
constexpr int kHighest = 3;             // frequencies in each direction

// One for each grid of blocks: by the rows and columns that it begins at.
using Grids = std::array<std::array<int, kSide>, kSide>;

// The three highest frequencies of eight samples, by a cosine transform in integers: 181 times what
// the orthonormal one gives.
std::array<int, kHighest> HighestFrequencies(const std::array<int, kSide>& s) {
  const int a = s[0] - s[7], b = s[1] - s[6], c = s[2] - s[5], d = s[3] - s[4];
  const int e = s[0] + s[7] - s[3] - s[4], f = s[1] + s[6] - s[2] - s[5];
  return {50 * a - 89 * b + 18 * c + 75 * d, 36 * e - 83 * f, 18 * a - 50 * b + 75 * c - 89 * d};
}

// Of the blocks of a window, by where they begin in it: 1 if all products of the highest
// frequencies are nought but for what rounding samples adds.
Grids BlocksWithoutDetail(const ImageView& window) {
  constexpr int kOne = 181 * 181;
  std::array<std::array<std::array<int, kHighest>, kSide>, kWindow> rows;
  for (int y = 0; y < kWindow; ++y) {
    for (int x = 0; x < kSide; ++x) {
      std::array<int, kSide> samples;
      std::copy_n(window.Row(y) + x, kSide, samples.begin());
      rows[y][x] = HighestFrequencies(samples);
    }
  }
  Grids without;
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      bool nought = true;
      for (int f = 0; f < kHighest && nought; ++f) {
        std::array<int, kSide> column;
        for (int i = 0; i < kSide; ++i) column[i] = rows[y + i][x][f];
        for (const int product : HighestFrequencies(column)) nought &= std::abs(product) < kOne;
      }
      without[y][x] = nought;
    }
  }
  return without;
}

}  // namespace

std::optional<JpegGrid> FindJpegGrid(const ImageView& image) {
  constexpr int kMost = 16, kFewest = 64;  // windows in a row or column, and in all
  const int down = std::min((image.height - kSide + 1) / kSide, kMost);
  const int across = std::min((image.width - kSide + 1) / kSide, kMost);
  Grids sums{};
  int windows = 0;
  for (int i = 0; i < down; ++i) {
    const int top = (image.height - kWindow) * (2 * i + 1) / (2 * down);
    for (int j = 0; j < across; ++j) {
      const int left = (image.width - kWindow) * (2 * j + 1) / (2 * across);
      const Grids without = BlocksWithoutDetail(image.Crop(left, top, kWindow, kWindow));
      int all = 0;
      for (const auto& row : without) all = std::accumulate(row.begin(), row.end(), all);
      if (all == kSide * kSide) continue;  // flat, as in any grid
      ++windows;
      for (int y = 0; y < kSide; ++y)
        for (int x = 0; x < kSide; ++x)
          sums[(top + y) % kSide][(left + x) % kSide] += without[y][x];
    }
  }
  if (windows < kFewest) return {};

  // Blocks of few frequencies have none of the highest products in any grid of the same rows or
  // columns, so these are told by the sums of all such grids.
  std::array<int, kSide> by_row{}, by_column{};
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x) {
      by_row[y] += sums[y][x];
      by_column[x] += sums[y][x];
    }
  const auto place_of_most = [](const std::array<int, kSide>& counts) {
    return static_cast<int>(std::ranges::max_element(counts) - counts.begin());
  };
  const JpegGrid grid = {place_of_most(by_row), place_of_most(by_column)};
  const int most = sums[grid.row][grid.column];
  // In the grids of JPEG's neighbours there are some, too.
  constexpr int kNear = 2, kOthers = (kSide - 2 * kNear + 1) * (kSide - 2 * kNear + 1);
  int others = 0;
  for (int y = kNear; y <= kSide - kNear; ++y)
    for (int x = kNear; x <= kSide - kNear; ++x)
      others += sums[(grid.row + y) % kSide][(grid.column + x) % kSide];
  if (8 * (most * kOthers - others) <= windows * kOthers) return {};
  return grid;
}

}  // namespace mmp
