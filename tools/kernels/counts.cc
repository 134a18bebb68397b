// The mixture behind the costs of indices.
#include <array>
#include <string>

#include "codec/bitstream/mix_counts.h"
#include "tools/kernels/kernel_table.h"
#include "tools/kernels/output.h"

namespace mmp::kernels {
namespace {

constexpr int kSizes[] = {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 69, 257, 1000};

class MixCountsCase : public Case {
 public:
  // Values below 2^bits.
  MixCountsCase(Random& random, int size, int bits, bool all_most)
      : size_(size), bits_(bits), all_most_(all_most), output_(size) {
    shift_ = random.Below(32);
    const uint32_t most = 0xffffffffu >> (32 - bits);
    auto value = [&] { return all_most ? most : random.Bits() & most; };
    for (int k = 0; k < kMixedCounts; ++k) {
      for (int i = 0; i < size; ++i) counts_[k].push_back(value());
      factors_[k] = value();
    }
  }

  std::string Describe() const override {
    return std::to_string(size_) + " counts and factors of " + std::to_string(bits_) + " bits" +
           (all_most_ ? ", all as large as can be" : "") + ", shift " + std::to_string(shift_);
  }
  double Work() const override { return size_; }

  void RunKernel() override {
    MixCounts({counts_[0].data(), counts_[1].data(), counts_[2].data()}, factors_, shift_,
              {output_.data(), static_cast<size_t>(size_)});
  }
  void RunTwin() override {
    for (int i = 0; i < size_; ++i) {
      const uint32_t mixed =
          factors_[0] * counts_[0][i] + factors_[1] * counts_[1][i] + factors_[2] * counts_[2][i];
      output_.data()[i] = 1 + (mixed >> shift_);
    }
  }

  std::vector<int64_t> TakeOutput() override { return output_.Take(); }

 private:
  static_assert(kMixedCounts == 3);

  const int size_, bits_;
  const bool all_most_;
  int shift_;
  std::vector<uint32_t> counts_[kMixedCounts];
  std::array<uint32_t, kMixedCounts> factors_;
  Output<uint32_t> output_;
};

Kernel MixKernel() {
  return {.name = "MixCounts",
          .targets = SimdTargetList(),
          .unit = "counts",
          .cases = 300,
          .make = [](Random& random, int number) -> std::unique_ptr<Case> {
            constexpr int kBits[] = {15, 32, 1, 24};
            const int size = kSizes[number % std::size(kSizes)];
            return std::make_unique<MixCountsCase>(random, size, kBits[number % std::size(kBits)],
                                                   random.OneIn(4));
          },
          .size_name = "counts",
          .sizes = {32, 256, 1024},
          .make_sized = [](Random& random, int size) -> std::unique_ptr<Case> {
            return std::make_unique<MixCountsCase>(random, size, 15, false);
          }};
}

}  // namespace

void AddCountKernels(std::vector<Kernel>& table) { table.push_back(MixKernel()); }

}  // namespace mmp::kernels
