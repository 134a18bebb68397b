// What indices cost.
#include <algorithm>
#include <string>

#include "codec/rdo/index_costs.h"
#include "tools/kernels/kernel_table.h"
#include "tools/kernels/output.h"

namespace mmp::kernels {
namespace {

constexpr uint32_t kMostCount = (1u << 24) - 1;
constexpr int32_t kMostLambdaQ8 = 65536 * 256;

// docs/format.md says nothing of costs; codec/base/fixed_log2.h does: the logarithm of a number's
// first 12 bits, to 12 bits behind the point, rounded down.
int32_t PlainLog2Q12(uint32_t value) {
  int32_t log = 0;
  while (value >> log > 1) ++log;
  uint64_t x = log >= 11 ? uint64_t{value >> (log - 11)} << 20 : uint64_t{value} << (31 - log);
  for (int bit = 0; bit < 12; ++bit) {
    x = x * x >> 31;
    log *= 2;
    if (x < uint64_t{1} << 32) continue;
    x /= 2;
    ++log;
  }
  return log;
}

int32_t PlainCost(int32_t lambda_q8, int32_t rate_q12) {
  if (lambda_q8 == 0) return rate_q12;
  return static_cast<int32_t>((int64_t{lambda_q8} * rate_q12 + 16384) >> 15);
}

enum class Counts { kAnyMagnitude, kLarge, kAllOne, kAllMost, kOneAndMost, kCount };

class IndexCostsCase : public Case {
 public:
  IndexCostsCase(Random& random, int size, Counts kind, int32_t lambda_q8)
      : kind_(kind), lambda_{lambda_q8}, costs_(size), least_(1) {
    int32_t most = 0;
    for (int i = 0; i < size; ++i) {
      counts_.push_back(Count(random, i));
      most = std::max(most, PlainLog2Q12(counts_.back()));
    }
    log2_total_ = most + (random.OneIn(3) ? 0 : random.Below(12 << 12));
  }

  std::string Describe() const override {
    constexpr const char* kNames[] = {"of any magnitude", "large", "1", "2^24 - 1",
                                      "1 and 2^24 - 1 in turn"};
    return std::to_string(counts_.size()) + " counts, " + kNames[static_cast<int>(kind_)] +
           ", logarithm of their total " + std::to_string(log2_total_) + " / 4096, lambda " +
           std::to_string(lambda_.q8) + " / 256";
  }
  double Work() const override { return static_cast<double>(counts_.size()); }

  void RunKernel() override {
    *least_.data() = IndexCosts(counts_.data(), log2_total_, lambda_,
                                static_cast<int>(counts_.size()), costs_.data());
  }
  void RunTwin() override {
    int32_t least = kImpossible;
    for (size_t i = 0; i < counts_.size(); ++i) {
      costs_.data()[i] = PlainCost(lambda_.q8, log2_total_ - PlainLog2Q12(counts_[i]));
      if (i > 0) least = std::min(least, costs_.data()[i]);
    }
    *least_.data() = least;
  }

  std::vector<int64_t> TakeOutput() override {
    std::vector<int64_t> values = costs_.Take();
    least_.Take(values);
    return values;
  }

 private:
  uint32_t Count(Random& random, int i) const {
    switch (kind_) {
      case Counts::kAllOne:
        return 1;
      case Counts::kAllMost:
        return kMostCount;
      case Counts::kOneAndMost:
        return i % 2 == 0 ? 1 : kMostCount;
      case Counts::kLarge:
        return kMostCount - static_cast<uint32_t>(random.Below(1 << 23));
      default:
        return 1 + static_cast<uint32_t>(random.Below(1 << random.Below(24)));
    }
  }

  const Counts kind_;
  const Lambda lambda_;
  std::vector<uint32_t> counts_;
  int32_t log2_total_;
  Output<int32_t> costs_, least_;
};

}  // namespace

void AddCostKernels(std::vector<Kernel>& table) {
  table.push_back({.name = "IndexCosts",
                   .targets = SimdTargetList(),
                   .unit = "costs",
                   .cases = 400,
                   .make = [](Random& random, int number) -> std::unique_ptr<Case> {
                     constexpr int kSizes[] = {0, 1, 2, 3, 5, 8, 9, 16, 17, 18, 33, 64, 69, 1000};
                     constexpr int32_t kLambdas[] = {0, 1, 640, 12345, kMostLambdaQ8};
                     return std::make_unique<IndexCostsCase>(
                         random, kSizes[number % std::size(kSizes)],
                         static_cast<Counts>(random.Below(static_cast<int>(Counts::kCount))),
                         kLambdas[number % std::size(kLambdas)]);
                   },
                   .size_name = "indices",
                   .sizes = {32, 256, 1024},
                   .make_sized = [](Random& random, int size) -> std::unique_ptr<Case> {
                     return std::make_unique<IndexCostsCase>(random, size, Counts::kAnyMagnitude,
                                                             2560);
                   }});
}

}  // namespace mmp::kernels
