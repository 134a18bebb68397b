// The samples and errors that the coder looks back at: a few rows, with columns beyond both edges.
// Normative: docs/format-pixel.md, "Neighbours".
#ifndef MMP_CODEC_PIXEL_SAMPLE_HISTORY_H_
#define MMP_CODEC_PIXEL_SAMPLE_HISTORY_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace mmp {

inline constexpr int kPixelMargin = 8;  // columns beyond each edge

// Where the neighbours are that predictors read, the nearest first.
struct PixelNeighbour {
  int x, y;  // columns to the right and rows down from the sample
};
inline constexpr std::array<PixelNeighbour, 32> kPixelNeighbours = {
    {{-1, 0},  {0, -1}, {-1, -1}, {1, -1}, {-2, 0},  {0, -2}, {-1, -2}, {1, -2},
     {-2, -1}, {2, -1}, {-2, -2}, {2, -2}, {-3, 0},  {0, -3}, {-3, -1}, {3, -1},
     {-1, -3}, {1, -3}, {-3, -2}, {3, -2}, {-2, -3}, {2, -3}, {-4, 0},  {0, -4},
     {-4, -1}, {4, -1}, {-1, -4}, {1, -4}, {-3, -3}, {3, -3}, {-5, 0},  {0, -5}}};

// `kDepth` rows of `kLanes` numbers a column; row 0 is the current one, row r the one r above.
template <int kDepth, int kLanes>
class RowsOfNumbers {
 public:
  RowsOfNumbers(int width, double first)
      : width_(width), numbers_(static_cast<size_t>(kDepth) * Stride(), first) {
    for (int r = 0; r < kDepth; ++r) rows_[r] = numbers_.data() + static_cast<size_t>(r) * Stride();
  }

  // Column `x`, in [-kPixelMargin, width + kPixelMargin).
  double* At(int x, int row) {
    return rows_[row] + static_cast<ptrdiff_t>(x + kPixelMargin) * kLanes;
  }
  const double* At(int x, int row) const {
    return rows_[row] + static_cast<ptrdiff_t>(x + kPixelMargin) * kLanes;
  }

  // The columns left of the current row become equal to `numbers`.
  void FillLeft(const double* numbers) {
    for (int x = -kPixelMargin; x < 0; ++x) std::copy_n(numbers, kLanes, At(x, 0));
  }
  // The same, right of it.
  void FillRight(const double* numbers) {
    for (int x = 0; x < kPixelMargin; ++x) std::copy_n(numbers, kLanes, At(width_ + x, 0));
  }
  // The current row becomes row 1; the new one has numbers of an earlier row.
  void NextRow() { std::rotate(rows_.begin(), rows_.end() - 1, rows_.end()); }

 private:
  size_t Stride() const { return (static_cast<size_t>(width_) + 2 * kPixelMargin) * kLanes; }

  const int width_;
  std::vector<double> numbers_;
  std::array<double*, kDepth> rows_;
};

inline constexpr int kSampleRows = 7;
inline constexpr int kErrorRows = 3;
using SampleRows = RowsOfNumbers<kSampleRows, 1>;

}  // namespace mmp

#endif  // MMP_CODEC_PIXEL_SAMPLE_HISTORY_H_
