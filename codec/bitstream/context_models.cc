#include "codec/bitstream/context_models.h"

#include <algorithm>
#include <atomic>
#include <numeric>

namespace mmp {
namespace {

// The estimators beside the first: one that ignores the trained counts, and one that adapts fast,
// to about the last 64 indices.
struct OtherEstimator {
  uint32_t increment;
  std::array<uint32_t, 3> first_counts;  // by PatternOrigin
};
constexpr OtherEstimator kOthers[] = {{64, {4, 1, 2}}, {512, {1, 1, 1}}};

constexpr uint32_t kShare = 170;  // least weight: a 128th of all, by three
constexpr int kFactorShift = 14;
constexpr int kFrequencyShift = 11;

}  // namespace

void IndexEstimator::Update(int symbol) {
  counts_[symbol] += increment_;
  total_ += increment_;
  if (total_ <= std::max(kLimit, kLimitPerSymbol * static_cast<uint32_t>(counts_.size()))) return;
  for (uint32_t& c : counts_) c = (c + 1) / 2;
  total_ = std::accumulate(counts_.begin(), counts_.end(), 0u);
}

uint64_t IndexModel::NextState() {
  // Each thread reserves a range of numbers at a time.
  constexpr uint64_t kRange = uint64_t{1} << 20;
  static std::atomic<uint64_t> next_range = kRange;
  thread_local uint64_t next = 0;
  if (next % kRange == 0) next = next_range.fetch_add(kRange, std::memory_order_relaxed);
  return next++;
}

IndexModel::IndexModel(bool is_mixed) {
  estimators_.emplace_back(kIncrement);
  if (is_mixed)
    for (const OtherEstimator& other : kOthers) estimators_.emplace_back(other.increment);
  weights_.fill(kWeightUnit / 16);
  weights_[0] = kWeightUnit / 16 * (16 - (kEstimators - 1));
}

void IndexModel::Add(uint32_t count, PatternOrigin origin) {
  estimators_[0].Add(count);
  for (size_t k = 1; k < estimators_.size(); ++k)
    estimators_[k].Add(kOthers[k - 1].first_counts[static_cast<int>(origin)]);
  state_ = NextState();
}

void IndexModel::Mix() const {
  const uint32_t* counts[kEstimators];
  for (int k = 0; k < kEstimators; ++k) {
    factors_[k] = (weights_[k] << kFactorShift) / estimators_[k].total();
    counts[k] = estimators_[k].counts().data();
  }
  mixture_.resize(size());
  total_ = MixCounts(counts, factors_, kFrequencyShift, size(), mixture_.data());
  mixed_state_ = state_;
}

void IndexModel::Update(int symbol) {
  if (is_mixed()) {
    std::array<uint64_t, kEstimators> parts;
    uint64_t sum = 0;
    for (int k = 0; k < kEstimators; ++k)
      sum += parts[k] = uint64_t{factors_[k]} * estimators_[k].counts()[symbol];
    for (int k = 0; k < kEstimators; ++k)
      weights_[k] =
          kShare + static_cast<uint32_t>((kWeightUnit - kEstimators * kShare) * parts[k] / sum);
  }
  for (IndexEstimator& estimator : estimators_) estimator.Update(symbol);
  state_ = NextState();
}

void IndexModel::Encode(RangeEncoder& coder, int symbol) {
  const uint32_t* frequencies = Frequencies().data();
  const uint32_t below = std::accumulate(frequencies, frequencies + symbol, 0u);
  coder.Encode(below, frequencies[symbol], Total());
  Update(symbol);
}

int IndexModel::Decode(RangeDecoder& coder) {
  const std::vector<uint32_t>& frequencies = Frequencies();
  const uint32_t target = coder.Target(Total());
  // First skips whole groups of symbols, then single symbols.
  constexpr int kGroup = 32;
  uint32_t below = 0;
  int symbol = 0;
  while (symbol + kGroup < size()) {
    const auto group = frequencies.begin() + symbol;
    const uint32_t sum = std::accumulate(group, group + kGroup, 0u);
    if (below + sum > target) break;
    below += sum;
    symbol += kGroup;
  }
  while (below + frequencies[symbol] <= target) below += frequencies[symbol++];
  coder.Consume(below, frequencies[symbol]);
  Update(symbol);
  return symbol;
}

}  // namespace mmp
