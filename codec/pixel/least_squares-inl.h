// Per-target include (Highway): a linear predictor whose weights are fitted to the coded samples
// around each sample by weighted least squares. Loops are plain; the compiler makes vectors of
// them.
#if defined(MMP_CODEC_PIXEL_LEAST_SQUARES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MMP_CODEC_PIXEL_LEAST_SQUARES_INL_H_
#undef MMP_CODEC_PIXEL_LEAST_SQUARES_INL_H_
#else
#define MMP_CODEC_PIXEL_LEAST_SQUARES_INL_H_
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {

struct LeastSquaresOptions {
  int block;            // columns that share their sums of the rows above
  double decay;         // weight lost per column and per row of distance
  double ridge;         // added to the diagonal; holds the weights to the prior ones
  int period;           // samples of a row between two solutions
  const double* prior;  // the first weights to be held to; the others are held to 0
  int prior_count;
};

// Normal equations are kept as rows of the upper triangle, each from a column that is a multiple of
// four, with the right side as the column behind the last one.
template <int kOrder>
class LeastSquares {
 public:
  LeastSquares(int width, const LeastSquaresOptions& options)
      : options_(options), blocks_((width + options.block - 1) / options.block) {
    for (int i = 0; i < options.block; ++i) block_decay_ = block_decay_ * options.decay;
    const size_t size = static_cast<size_t>(blocks_) * kSize;
    column_.assign(size, 0.0);
    above_.assign(size, 0.0);
    row_.assign(size, 0.0);
    for (int i = 0; i < options.prior_count; ++i) weights_[i] = options.prior[i];
  }

  void BeginRow() {
    left_.fill(0.0);
    until_solution_ = 0;
  }

  // The prediction from `values`, kOrder samples; `mean` is taken off them and the prediction.
  double Predict(int x, const double* values, double mean) {
    for (int i = 0; i < kOrder; ++i) sample_[i] = values[i] - mean;
    if (until_solution_ == 0) {
      Solve(&above_[static_cast<size_t>(x / options_.block) * kSize]);
      until_solution_ = options_.period;
    }
    --until_solution_;
    double sum = mean;
    for (int i = 0; i < kOrder; ++i) sum = sum + weights_[i] * sample_[i];
    return sum;
  }

  // Learns from the sample that Predict was called for; `importance` is its weight.
  void Learn(int x, double value, double mean, double importance) {
    sample_[kOrder] = value - mean;
    double* const row = &row_[static_cast<size_t>(x / options_.block) * kSize];
    const double decay = options_.decay;
    for (int r = 0; r < kOrder; ++r) {
      const double factor = sample_[r] * importance;
      double* HWY_RESTRICT sums = row + RowStart(r);
      double* HWY_RESTRICT left = left_.data() + RowStart(r);
      const double* HWY_RESTRICT sample = sample_.data() + FirstColumn(r);
      for (int c = 0; c < kColumns - FirstColumn(r); ++c) {
        const double product = factor * sample[c];
        sums[c] = sums[c] + product;
        left[c] = (left[c] + product) * decay;
      }
    }
  }

  void EndRow() {
    for (size_t i = 0; i < column_.size(); ++i) {
      column_[i] = (column_[i] + row_[i]) * options_.decay;
      row_[i] = 0.0;
    }
    std::array<double, kSize> run{};
    for (int b = 0; b < blocks_; ++b) Spread(b, run, false);
    run.fill(0.0);
    for (int b = blocks_ - 1; b >= 0; --b) Spread(b, run, true);
  }

 private:
  static constexpr int kColumns = (kOrder + 1 + 3) / 4 * 4;
  static constexpr int FirstColumn(int r) { return r / 4 * 4; }
  static constexpr int RowStart(int r) {
    const int group = r / 4;
    return 4 * (group * kColumns - 2 * group * (group - 1)) + (r % 4) * (kColumns - FirstColumn(r));
  }
  static constexpr int kSize = RowStart(kOrder - 1) + kColumns - FirstColumn(kOrder - 1);

  // One step of the sums over blocks, weighted by distance, from either side; the second one leaves
  // out the block itself.
  void Spread(int b, std::array<double, kSize>& run, bool from_right) {
    double* HWY_RESTRICT above = &above_[static_cast<size_t>(b) * kSize];
    const double* HWY_RESTRICT column = &column_[static_cast<size_t>(b) * kSize];
    double* HWY_RESTRICT sums = run.data();
    const double decay = block_decay_;
    if (from_right) {
      for (int i = 0; i < kSize; ++i) {
        sums[i] = sums[i] * decay;
        above[i] = above[i] + sums[i];
        sums[i] = sums[i] + column[i];
      }
    } else {
      for (int i = 0; i < kSize; ++i) {
        sums[i] = sums[i] * decay + column[i];
        above[i] = sums[i];
      }
    }
  }

  double& At(int r, int c) { return matrix_[RowStart(r) - FirstColumn(r) + c]; }

  void Solve(const double* HWY_RESTRICT above) {
    for (int i = 0; i < kSize; ++i) matrix_[i] = left_[i] + above[i];
    for (int r = 0; r < kOrder; ++r) At(r, r) = At(r, r) + options_.ridge;
    for (int r = 0; r < options_.prior_count; ++r)
      At(r, kOrder) = At(r, kOrder) + options_.ridge * options_.prior[r];
    std::array<double, kOrder> inverse;
    for (int k = 0; k < kOrder; ++k) {
      const double pivot = At(k, k);
      inverse[k] = pivot > 1e-9 ? 1.0 / pivot : 0.0;
      for (int r = k + 1; r < kOrder; ++r) {
        const double factor = At(k, r) * inverse[k];
        double* HWY_RESTRICT to = &At(r, FirstColumn(r));
        const double* HWY_RESTRICT from = &At(k, FirstColumn(r));
        for (int c = 0; c < kColumns - FirstColumn(r); ++c) to[c] = to[c] - factor * from[c];
      }
    }
    for (int r = kOrder - 1; r >= 0; --r) {
      double value = At(r, kOrder);
      for (int c = r + 1; c < kOrder; ++c) value = value - At(r, c) * weights_[c];
      weights_[r] = value * inverse[r];
    }
  }

  const LeastSquaresOptions options_;
  const int blocks_;
  double block_decay_ = 1.0;
  int until_solution_ = 0;
  std::vector<double> column_;                    // of the rows above, decayed by rows
  std::vector<double> above_;                     // the same, of all blocks, decayed by columns
  std::vector<double> row_;                       // of the current row
  alignas(64) std::array<double, kSize> left_{};  // of the current row, decayed by columns
  alignas(64) std::array<double, kSize> matrix_{};
  alignas(64) std::array<double, kColumns> sample_{};
  std::array<double, kOrder> weights_{};
};

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#endif  // MMP_CODEC_PIXEL_LEAST_SQUARES_INL_H_
