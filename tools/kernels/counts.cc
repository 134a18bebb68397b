// The sums behind the models of indices.
#include <algorithm>
#include <string>

#include "codec/bitstream/mix_counts.h"
#include "tools/kernels/kernel_table.h"
#include "tools/kernels/output.h"

namespace mmp::kernels {
namespace {

constexpr int kSizes[] = {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 69, 127, 128, 129, 257, 1000};

class MixCountsCase : public Case {
 public:
  // Values below 2^bits.
  MixCountsCase(Random& random, int size, int bits, bool all_most)
      : size_(size), bits_(bits), all_most_(all_most), mixture_(size), sum_(1) {
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
    *sum_.data() = MixCounts({counts_[0].data(), counts_[1].data(), counts_[2].data()}, factors_,
                             shift_, size_, mixture_.data());
  }
  void RunTwin() override {
    uint32_t sum = 0;
    for (int i = 0; i < size_; ++i) {
      const uint32_t mixed =
          factors_[0] * counts_[0][i] + factors_[1] * counts_[1][i] + factors_[2] * counts_[2][i];
      mixture_.data()[i] = 1 + (mixed >> shift_);
      sum += mixture_.data()[i];
    }
    *sum_.data() = sum;
  }

  std::vector<int64_t> TakeOutput() override {
    std::vector<int64_t> values = mixture_.Take();
    sum_.Take(values);
    return values;
  }

 protected:
  static_assert(kMixedCounts == 3);

  const int size_, bits_;
  const bool all_most_;
  int shift_;
  std::vector<uint32_t> counts_[kMixedCounts];
  uint32_t factors_[kMixedCounts];
  Output<uint32_t> mixture_, sum_;
};

// The same with sums of blocks of the mixture in place of the mixture.
class SumMixedBlocksCase : public MixCountsCase {
 public:
  using MixCountsCase::MixCountsCase;

  void RunKernel() override {
    *sum_.data() = SumMixedBlocks({counts_[0].data(), counts_[1].data(), counts_[2].data()},
                                  factors_, shift_, size_, blocks_.data());
  }
  void RunTwin() override {
    MixCountsCase::RunTwin();
    std::fill_n(blocks_.data(), block_count_, 0u);
    for (int i = 0; i < size_; ++i) blocks_.data()[i / kMixedBlock] += mixture_.data()[i];
  }
  std::vector<int64_t> TakeOutput() override {
    std::vector<int64_t> values = blocks_.Take();
    sum_.Take(values);
    return values;
  }

 private:
  const size_t block_count_ = static_cast<size_t>((size_ + kMixedBlock - 1) / kMixedBlock);
  Output<uint32_t> blocks_{block_count_};
};

template <typename CountCase>
Kernel CountKernel(const char* name) {
  return {.name = name,
          .targets = SimdTargetList(),
          .unit = "counts",
          .cases = 300,
          .make = [](Random& random, int number) -> std::unique_ptr<Case> {
            constexpr int kBits[] = {15, 32, 1, 24};
            const int size = kSizes[number % std::size(kSizes)];
            return std::make_unique<CountCase>(random, size, kBits[number % std::size(kBits)],
                                               random.OneIn(4));
          },
          .size_name = "counts",
          .sizes = {32, 256, 1024},
          .make_sized = [](Random& random, int size) -> std::unique_ptr<Case> {
            return std::make_unique<CountCase>(random, size, 15, false);
          }};
}

}  // namespace

void AddCountKernels(std::vector<Kernel>& table) {
  table.push_back(CountKernel<MixCountsCase>("MixCounts"));
  table.push_back(CountKernel<SumMixedBlocksCase>("SumMixedBlocks"));
}

}  // namespace mmp::kernels
