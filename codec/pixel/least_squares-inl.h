// Per-target include (Highway): a linear predictor whose weights are fitted to the coded samples
// around each sample by weighted least squares. Loops are plain; the compiler makes vectors of
// them. Arrays are plain, too: the fuzzers compile these functions without sanitizers, and what is
// called, as the operator of a std::array would be, is not inlined there.
#if defined(MMP_CODEC_PIXEL_LEAST_SQUARES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MMP_CODEC_PIXEL_LEAST_SQUARES_INL_H_
#undef MMP_CODEC_PIXEL_LEAST_SQUARES_INL_H_
#else
#define MMP_CODEC_PIXEL_LEAST_SQUARES_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <utility>
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
namespace hn = hwy::HWY_NAMESPACE;

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
    std::fill_n(left_, kSize, 0.0);
    until_solution_ = 0;
  }

  // The prediction from `values`, kOrder samples; `mean` is taken off them and the prediction.
  double Predict(int x, const double* values, double mean) {
    for (int i = 0; i < kOrder; ++i) sample_[i] = values[i] - mean;
    if (until_solution_ == 0) {
      Solve(above_.data() + static_cast<size_t>(x / options_.block) * kSize);
      until_solution_ = options_.period;
    }
    --until_solution_;
    double lanes[4] = {};
    for (int i = 0; i < kColumns; i += 4)
      for (int l = 0; l < 4; ++l) lanes[l] = lanes[l] + weights_[i + l] * sample_[i + l];
    return mean + ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
  }

  // Learns from the sample that Predict was called for; `importance` is its weight.
  void Learn(int x, double value, double mean, double importance) {
    sample_[kOrder] = value - mean;
    double* const row = row_.data() + static_cast<size_t>(x / options_.block) * kSize;
    const auto decays = hn::Set(d, options_.decay);
    for (int r = 0; r < kOrder; ++r) {
      const auto factor = hn::Set(d, sample_[r] * importance);
      double* sums = row + RowStart(r) - FirstColumn(r);
      double* left = left_ + RowStart(r) - FirstColumn(r);
      for (int c = FirstColumn(r); c < kColumns; c += kLanes) {
        const auto product = hn::Mul(factor, hn::Load(d, sample_ + c));
        hn::StoreU(hn::Add(hn::LoadU(d, sums + c), product), d, sums + c);
        hn::StoreU(hn::Mul(hn::Add(hn::LoadU(d, left + c), product), decays), d, left + c);
      }
    }
  }

  void EndRow() {
    double* HWY_RESTRICT column = column_.data();
    double* HWY_RESTRICT row = row_.data();
    const size_t size = column_.size();
    for (size_t i = 0; i < size; ++i) {
      column[i] = (column[i] + row[i]) * options_.decay;
      row[i] = 0.0;
    }
    double run[kSize] = {};
    for (int b = 0; b < blocks_; ++b) Spread(b, run, false);
    std::fill_n(run, kSize, 0.0);
    for (int b = blocks_ - 1; b >= 0; --b) Spread(b, run, true);
  }

 private:
  // Four numbers at most, of which all rows are multiples.
  static constexpr hn::CappedTag<double, 4> d{};
  static constexpr int kLanes = static_cast<int>(hn::MaxLanes(d));
  static constexpr int kColumns = (kOrder + 1 + 3) / 4 * 4;
  static constexpr int FirstColumn(int r) { return r / 4 * 4; }
  static constexpr int RowStart(int r) {
    const int group = r / 4;
    return 4 * (group * kColumns - 2 * group * (group - 1)) + (r % 4) * (kColumns - FirstColumn(r));
  }
  static constexpr int kSize = RowStart(kOrder - 1) + kColumns - FirstColumn(kOrder - 1);

  // One step of the sums over blocks, weighted by distance, from either side; the second one leaves
  // out the block itself.
  void Spread(int b, double* HWY_RESTRICT sums, bool from_right) {
    double* HWY_RESTRICT above = above_.data() + static_cast<size_t>(b) * kSize;
    const double* HWY_RESTRICT column = column_.data() + static_cast<size_t>(b) * kSize;
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

  // Where column 0 of each row would be.
  struct RowOrigins {
    int of[kOrder];
  };
  static constexpr RowOrigins kRowOrigins = [] {
    RowOrigins origins{};
    for (int r = 0; r < kOrder; ++r) origins.of[r] = RowStart(r) - FirstColumn(r);
    return origins;
  }();
  double& At(int r, int c) { return matrix_[kRowOrigins.of[r] + c]; }

  void Solve(const double* HWY_RESTRICT above) {
    for (int i = 0; i < kSize; ++i) matrix_[i] = left_[i] + above[i];
    for (int r = 0; r < kOrder; ++r) At(r, r) = At(r, r) + options_.ridge;
    for (int r = 0; r < options_.prior_count; ++r)
      At(r, kOrder) = At(r, kOrder) + options_.ridge * options_.prior[r];
    Eliminate(std::make_integer_sequence<int, (kOrder + 3) / 4>());
    for (int r = kOrder - 1; r > 0; --r) {
      const auto weight = hn::Set(d, weights_[r]);
      const double* factors = &factors_[r * kColumns];
      for (int k = 0; k < r; k += kLanes)
        hn::Store(hn::Sub(hn::Load(d, &weights_[k]), hn::Mul(hn::Load(d, factors + k), weight)), d,
                  &weights_[k]);
    }
  }

  template <int... kGroups>
  void Eliminate(std::integer_sequence<int, kGroups...>) {
    (EliminateRows<kGroups>(), ...);
  }

  // Four rows, or those that are left, by all rows above each.
  template <int kGroup>
  void EliminateRows() {
    constexpr int kFirst = 4 * kGroup, kEnd = std::min(kFirst + 4, kOrder);
    for (int r = kFirst; r < kEnd; ++r) {
      double* factors = &factors_[r * kColumns];
      for (int k = 0; k < r; ++k) factors[k] = At(k, r) * inverse_[k];
      EliminateRow<kColumns - kFirst>(r, kFirst, factors);
      const double pivot = At(r, r);
      inverse_[r] = pivot > 1e-9 ? 1.0 / pivot : 0.0;
      weights_[r] = At(r, kOrder) * inverse_[r];
    }
  }

  // Takes off row r, from `column` on, the rows above times their factors.
  template <int kCount>
  void EliminateRow(int r, int column, const double* factors) {
    using D = decltype(d);
    constexpr int kVectors = kCount / kLanes;
    hn::Vec<D> row[kVectors];
    for (int j = 0; j < kVectors; ++j) row[j] = hn::LoadU(d, &At(r, column + j * kLanes));
    for (int k = 0; k < r; ++k) {
      const auto factor = hn::Set(d, factors[k]);
      const double* above = &At(k, column);
      for (int j = 0; j < kVectors; ++j)
        row[j] = hn::Sub(row[j], hn::Mul(factor, hn::LoadU(d, above + j * kLanes)));
    }
    for (int j = 0; j < kVectors; ++j) hn::StoreU(row[j], d, &At(r, column + j * kLanes));
  }

  const LeastSquaresOptions options_;
  const int blocks_;
  double block_decay_ = 1.0;
  int until_solution_ = 0;
  std::vector<double> column_;        // of the rows above, decayed by rows
  std::vector<double> above_;         // the same, of all blocks, decayed by columns
  std::vector<double> row_;           // of the current row
  alignas(64) double left_[kSize]{};  // of the current row, decayed by columns
  alignas(64) double matrix_[kSize]{};
  alignas(64) double sample_[kColumns]{};
  alignas(64) double weights_[kColumns]{};  // 0 behind the last
  alignas(64) double factors_[kOrder * kColumns]{};
  double inverse_[kOrder]{};
};

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#endif  // MMP_CODEC_PIXEL_LEAST_SQUARES_INL_H_
