// The sums behind the models of indices.
#include <algorithm>
#include <string>

#include "codec/bitstream/mix_counts.h"
#include "tools/kernels/kernel_table.h"
#include "tools/kernels/output.h"

namespace mmp::kernels {
namespace {

constexpr int kSizes[] = {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 69, 257, 1000};

// Either kernel: the mixture itself, or its sums by block alone.
class MixCountsCase : public Case {
 public:
  // Values below 2^bits.
  MixCountsCase(Random& random, bool by_blocks, int size, int bits, bool all_most)
      : by_blocks_(by_blocks),
        size_(size),
        bits_(bits),
        all_most_(all_most),
        output_(by_blocks ? Blocks(size) : size),
        sum_(1) {
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
    const auto kernel = by_blocks_ ? SumMixedBlocks : MixCounts;
    *sum_.data() = kernel({counts_[0].data(), counts_[1].data(), counts_[2].data()}, factors_,
                          shift_, size_, output_.data());
  }
  void RunTwin() override {
    uint32_t sum = 0;
    std::fill_n(output_.data(), by_blocks_ ? Blocks(size_) : size_, 0u);
    for (int i = 0; i < size_; ++i) {
      const uint32_t mixed =
          factors_[0] * counts_[0][i] + factors_[1] * counts_[1][i] + factors_[2] * counts_[2][i];
      const uint32_t count = 1 + (mixed >> shift_);
      sum += count;
      output_.data()[by_blocks_ ? i / kMixedBlock : i] += count;
    }
    *sum_.data() = sum;
  }

  std::vector<int64_t> TakeOutput() override {
    std::vector<int64_t> values = output_.Take();
    sum_.Take(values);
    return values;
  }

 private:
  static_assert(kMixedCounts == 3);
  static int Blocks(int size) { return (size + kMixedBlock - 1) / kMixedBlock; }

  const bool by_blocks_;
  const int size_, bits_;
  const bool all_most_;
  int shift_;
  std::vector<uint32_t> counts_[kMixedCounts];
  uint32_t factors_[kMixedCounts];
  Output<uint32_t> output_, sum_;
};

Kernel MixKernel(const char* name, bool by_blocks) {
  return {.name = name,
          .targets = SimdTargetList(),
          .unit = "counts",
          .cases = 300,
          .make = [by_blocks](Random& random, int number) -> std::unique_ptr<Case> {
            constexpr int kBits[] = {15, 32, 1, 24};
            const int size = kSizes[number % std::size(kSizes)];
            return std::make_unique<MixCountsCase>(
                random, by_blocks, size, kBits[number % std::size(kBits)], random.OneIn(4));
          },
          .size_name = "counts",
          .sizes = {32, 256, 1024},
          .make_sized = [by_blocks](Random& random, int size) -> std::unique_ptr<Case> {
            return std::make_unique<MixCountsCase>(random, by_blocks, size, 15, false);
          }};
}

}  // namespace

void AddCountKernels(std::vector<Kernel>& table) {
  table.push_back(MixKernel("MixCounts", false));
  table.push_back(MixKernel("SumMixedBlocks", true));
}

}  // namespace mmp::kernels
