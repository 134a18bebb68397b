// Sums of products of the Wiener filter's terms, and the equations that they make.
#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "codec/encoder/filter/correction_equations.h"
#include "codec/encoder/filter/term_products.h"
#include "tools/kernels/kernel_table.h"
#include "tools/kernels/output.h"

namespace mmp::kernels {
namespace {

class TermCase : public Case {
 public:
  // Values up to `most` in magnitude, or the greatest alone.
  TermCase(Random& random, int most, bool greatest) : most_(most), sums_(kTermProducts) {
    for (int k = 0; k < kTermRows * kTermColumns; ++k) {
      const int value =
          greatest ? (k / kTermColumns % 2 == 0 ? most : -most) : random.Between(-most, most);
      rows_.push_back(static_cast<int16_t>(value));
    }
    for (int k = 0; k < kTermProducts; ++k)
      before_.push_back(random.Between(-1000, 1000) * int64_t{1} << 40);
  }

  std::string Describe() const override { return "terms up to " + std::to_string(most_); }
  double Work() const override { return kTermColumns; }
  std::string Place(size_t index) const override { return "product " + std::to_string(index); }

  void RunKernel() override {
    std::copy(before_.begin(), before_.end(), sums_.data());
    AddTermProducts(rows_.data(), sums_.data());
  }
  void RunTwin() override {
    std::copy(before_.begin(), before_.end(), sums_.data());
    for (int a = 0; a < kTermRows; ++a)
      for (int b = a; b < kTermRows; ++b)
        for (int k = 0; k < kTermColumns; ++k)
          sums_.data()[TermProduct(a, b)] +=
              rows_[a * kTermColumns + k] * rows_[b * kTermColumns + k];
  }
  std::vector<int64_t> TakeOutput() override { return sums_.Take(); }

 private:
  const int most_;
  std::vector<int16_t> rows_;
  std::vector<int64_t> before_;
  Output<int64_t> sums_;
};

// Equations of random pixels, half of them in each of two sets of classes.
class EquationsCase : public Case {
 public:
  EquationsCase(Random& random, int pixels) : pixels_(pixels) {
    for (int pixel = 0; pixel < pixels; ++pixel) {
      CorrectionEquations& part = parts_[pixel % 2];
      double terms[kTermRows];
      for (double& term : terms) term = random.Between(-510, 510);
      for (int a = 0; a < kWienerTerms; ++a) {
        for (int b = 0; b < kWienerTerms; ++b) part.matrix[a][b] += terms[a] * terms[b];
        part.right[a] += terms[a] * terms[kWienerTerms];
      }
    }
  }

  std::string Describe() const override { return std::to_string(pixels_) + " pixels"; }
  double Work() const override { return 1; }
  std::string Place(size_t /*index*/) const override { return "the gain's bits"; }

  void RunKernel() override { gain_ = GainOfBoth(parts_[0], parts_[1]); }
  void RunTwin() override {
    CorrectionEquations both = parts_[0];
    both += parts_[1];
    auto& matrix = both.matrix;
    for (int r = 0; r < kWienerTerms; ++r) matrix[r][r] += CorrectionRidge(matrix[r][r]);
    gain_ = 0;
    for (int r = 0; r < kWienerTerms; ++r) {
      const double inverse = 1 / matrix[r][r];
      gain_ += both.right[r] * both.right[r] * inverse;
      for (int below = r + 1; below < kWienerTerms; ++below) {
        const double factor = matrix[r][below] * inverse;
        for (int c = below; c < kWienerTerms; ++c) matrix[below][c] -= factor * matrix[r][c];
      }
      const double factor = both.right[r] * inverse;
      for (int c = r + 1; c < kWienerTerms; ++c) both.right[c] -= factor * matrix[r][c];
    }
  }
  std::vector<int64_t> TakeOutput() override {
    return {std::bit_cast<int64_t>(std::exchange(gain_, 0))};
  }

 private:
  const int pixels_;
  CorrectionEquations parts_[2];
  double gain_ = 0;
};

}  // namespace

void AddTermKernels(std::vector<Kernel>& table) {
  table.push_back({.name = "AddTermProducts",
                   .targets = SimdTargetList(),
                   .unit = "pixels",
                   .cases = 40,
                   .make = [](Random& random, int number) -> std::unique_ptr<Case> {
                     constexpr int kMost[] = {510, 30, 1, 255};
                     return std::make_unique<TermCase>(random, kMost[number % 4], number % 8 == 0);
                   },
                   .size_name = "largest",
                   .sizes = {30},
                   .make_sized = [](Random& random, int most) -> std::unique_ptr<Case> {
                     return std::make_unique<TermCase>(random, most, false);
                   }});
  table.push_back({.name = "GainOfBoth",
                   .targets = SimdTargetList(),
                   .unit = "equations",
                   .cases = 40,
                   .make = [](Random& random, int number) -> std::unique_ptr<Case> {
                     return std::make_unique<EquationsCase>(random, number * number);
                   },
                   .size_name = "pixels",
                   .sizes = {1000},
                   .make_sized = [](Random& random, int pixels) -> std::unique_ptr<Case> {
                     return std::make_unique<EquationsCase>(random, pixels);
                   }});
}

}  // namespace mmp::kernels
