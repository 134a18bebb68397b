// Sums of products of the Wiener filter's terms.
#include <algorithm>
#include <string>

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
}

}  // namespace mmp::kernels
