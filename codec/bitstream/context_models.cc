#include "codec/bitstream/context_models.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <numeric>
#include <utility>

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

}  // namespace

uint64_t IndexModel::NextState() {
  // Each thread reserves a range of numbers at a time.
  constexpr uint64_t kRange = uint64_t{1} << 20;
  static std::atomic<uint64_t> next_range = kRange;
  thread_local uint64_t next = 0;
  if (next % kRange == 0) next = next_range.fetch_add(kRange, std::memory_order_relaxed);
  return next++;
}

IndexModel::IndexModel(bool is_mixed) : is_mixed_(is_mixed) {
  estimators_[0].increment = kIncrement;
  for (int k = 1; k < kEstimators; ++k) estimators_[k].increment = kOthers[k - 1].increment;
  weights_.fill(kWeightUnit / 16);
  weights_[0] = kWeightUnit / 16 * (16 - (kEstimators - 1));
}

void IndexModel::Add(int symbols, uint32_t count, PatternOrigin origin) {
  if (symbols == 0) return;
  Reserve(symbols);
  std::fill_n(Counts(0) + size_, symbols, count);
  AddToOthers(symbols, origin);
}

void IndexModel::Add(std::span<const uint16_t> counts, PatternOrigin origin) {
  if (counts.empty()) return;
  Reserve(static_cast<int>(counts.size()));
  std::copy(counts.begin(), counts.end(), Counts(0) + size_);
  AddToOthers(static_cast<int>(counts.size()), origin);
}

void IndexModel::AddToOthers(int symbols, PatternOrigin origin) {
  for (int k = 1; k < estimators(); ++k)
    std::fill_n(Counts(k) + size_, symbols, kOthers[k - 1].first_counts[static_cast<int>(origin)]);
  const int before = std::exchange(size_, size_ + symbols);
  assert(size_ <= kMostSymbols);
  for (int k = 0; k < estimators(); ++k) SumBlocks(k, before / kBlock);
  state_ = NextState();
}

void IndexModel::SumBlocks(int k, int first) {
  uint32_t* sums = Sums(k);
  for (int block = first; block * kBlock < size_; ++block) {
    const uint32_t* counts = Counts(k) + static_cast<ptrdiff_t>(block) * kBlock;
    const uint32_t sum = std::accumulate(counts, counts + kBlock, 0u);
    estimators_[k].total += sum - std::exchange(sums[block], sum);
  }
}

void IndexModel::Reserve(int symbols) {
  constexpr size_t kLeastGrowth = 64;
  const size_t needed = static_cast<size_t>(size_) + static_cast<size_t>(symbols);
  if (needed <= room_) return;
  const size_t room = (needed + std::max(kLeastGrowth, room_ / 2) + kBlock - 1) / kBlock * kBlock;
  const size_t before = std::exchange(room_, room);
  const std::vector<uint32_t> old =
      std::exchange(counts_, std::vector<uint32_t>(static_cast<size_t>(estimators()) * stride()));
  for (int k = 0; k < estimators(); ++k) {
    const uint32_t* from = old.data() + static_cast<size_t>(k) * (before + before / kBlock);
    std::copy_n(from, before, Counts(k));
    std::copy_n(from + before, before / kBlock, Sums(k));
  }
}

IndexModel::MixFactors IndexModel::Factors() const {
  if (!is_mixed_) return {1};
  MixFactors factors;
  for (int k = 0; k < kEstimators; ++k)
    factors[k] = (weights_[k] << kFactorShift) / estimators_[k].total;
  return factors;
}

IndexModel::Mixture IndexModel::Mix() const {
  if (!is_mixed_) return {{Counts(0), Counts(0), Counts(0)}, {1, 0, 0}, 0, 0};
  return {{Counts(0), Counts(1), Counts(2)}, Factors(), 1, kFrequencyShift};
}

uint32_t IndexModel::Total(const MixFactors& factors) const {
  uint32_t sum = 0;
  for (int k = 0; k < estimators(); ++k) sum += factors[k] * estimators_[k].total;
  return Position(size_, sum);
}

IndexModel::Interval IndexModel::IntervalOf(int symbol, const MixFactors& factors) const {
  const int block = symbol / kBlock;
  uint32_t before = 0, own = 0;
  for (int k = 0; k < estimators(); ++k) {
    const uint32_t* counts = Counts(k);
    const uint32_t blocks = std::accumulate(Sums(k), Sums(k) + block, 0u);
    before += factors[k] * std::accumulate(counts + static_cast<ptrdiff_t>(block) * kBlock,
                                           counts + symbol, blocks);
    own += factors[k] * counts[symbol];
  }
  return IntervalAt(symbol, before, own);
}

// First skips whole blocks, then single symbols.
template <int kUsed>
IndexModel::Found IndexModel::Find(uint32_t target, const MixFactors& factors) const {
  std::array<const uint32_t*, kUsed> counts, sums;
  for (int k = 0; k < kUsed; ++k) counts[k] = Counts(k), sums[k] = Sums(k);
  const auto mixed = [&factors](const auto& of, int i) {
    uint32_t sum = 0;
    for (int k = 0; k < kUsed; ++k) sum += factors[k] * of[k][i];
    return sum;
  };
  uint32_t before = 0, own;
  int block = 0;
  while (own = mixed(sums, block), Position((block + 1) * kBlock, before + own) <= target) {
    before += own;
    ++block;
  }
  int symbol = block * kBlock;
  while (own = mixed(counts, symbol), Position(symbol + 1, before + own) <= target) {
    before += own;
    ++symbol;
  }
  return {symbol, IntervalAt(symbol, before, own)};
}

std::span<const uint32_t> IndexModel::NearFrequencies() const {
  if (!is_mixed_) return {Counts(0), static_cast<size_t>(size_)};
  if (mixed_state_ != state_) {
    mixture_.resize(static_cast<size_t>((size_ + kBlock - 1) / kBlock) * kBlock);
    MixCounts({Counts(0), Counts(1), Counts(2)}, Factors(), kFrequencyShift, mixture_);
    mixed_state_ = state_;
  }
  return {mixture_.data(), static_cast<size_t>(size_)};
}

int32_t IndexModel::RateQ12(int symbol) const {
  const MixFactors factors = Factors();
  return Log2Q12(Total(factors)) - Log2Q12(IntervalOf(symbol, factors).frequency);
}

void IndexModel::Update(int symbol, const MixFactors& factors) {
  if (is_mixed_) {
    std::array<uint64_t, kEstimators> parts;
    uint64_t sum = 0;
    for (int k = 0; k < kEstimators; ++k)
      sum += parts[k] = uint64_t{factors[k]} * Counts(k)[symbol];
    for (int k = 0; k < kEstimators; ++k)
      weights_[k] =
          kShare + static_cast<uint32_t>((kWeightUnit - kEstimators * kShare) * parts[k] / sum);
  }
  const uint32_t limit = std::max(IndexEstimator::kLimit,
                                  IndexEstimator::kLimitPerSymbol * static_cast<uint32_t>(size_));
  for (int k = 0; k < estimators(); ++k) {
    const uint32_t increment = estimators_[k].increment;
    Counts(k)[symbol] += increment;
    Sums(k)[symbol / kBlock] += increment;
    estimators_[k].total += increment;
    if (estimators_[k].total > limit) Halve(k);
  }
  state_ = NextState();
}

void IndexModel::Halve(int k) {
  ++halvings_[k];
  uint32_t* counts = Counts(k);
  uint32_t total = 0;
  for (int first = 0; first < size_; first += kBlock) {
    uint32_t sum = 0;
    for (int i = 0; i < kBlock; ++i) sum += counts[first + i] = (counts[first + i] + 1) / 2;
    total += Sums(k)[first / kBlock] = sum;
  }
  estimators_[k].total = total;
}

SymbolInterval IndexModel::OfTotal(int symbol, const MixFactors& factors) const {
  const auto [below, frequency] = IntervalOf(symbol, factors);
  return {below, frequency, Total(factors)};
}

int IndexModel::Read(RangeDecoder& coder, const MixFactors& factors) const {
  const uint32_t target = coder.Target(Total(factors));
  const Found found = is_mixed_ ? Find<kEstimators>(target, factors) : Find<1>(target, factors);
  coder.Consume(found.interval.below, found.interval.frequency);
  return found.symbol;
}

SymbolInterval IndexModel::IntervalOf(int symbol) const { return OfTotal(symbol, Factors()); }

int IndexModel::Read(RangeDecoder& coder) const { return Read(coder, Factors()); }

SymbolInterval IndexModel::Encode(int symbol) {
  const MixFactors factors = Factors();
  const SymbolInterval interval = OfTotal(symbol, factors);
  Update(symbol, factors);
  return interval;
}

int IndexModel::Decode(RangeDecoder& coder) {
  const MixFactors factors = Factors();
  const int symbol = Read(coder, factors);
  Update(symbol, factors);
  return symbol;
}

}  // namespace mmp
