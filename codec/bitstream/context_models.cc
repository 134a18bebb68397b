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
constexpr int kFactorShift = 14;
constexpr int kFrequencyShift = 11;

// The symbol whose interval contains `target`, and where that begins.
struct Found {
  int symbol;
  uint32_t below;
};

// `target` is below the sum of the frequencies.
Found Find(std::span<const uint32_t> frequencies, uint32_t target) {
  // First skips whole groups of symbols, then single symbols.
  constexpr int kGroup = 32;
  uint32_t below = 0;
  int symbol = 0;
  while (symbol + kGroup < static_cast<int>(frequencies.size())) {
    const auto group = frequencies.begin() + symbol;
    const uint32_t sum = std::accumulate(group, group + kGroup, 0u);
    if (below + sum > target) break;
    below += sum;
    symbol += kGroup;
  }
  while (below + frequencies[symbol] <= target) below += frequencies[symbol++];
  return {symbol, below};
}

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
  estimators_[0].total += static_cast<uint32_t>(symbols) * count;
  AddToOthers(symbols, origin);
}

void IndexModel::Add(std::span<const uint16_t> counts, PatternOrigin origin) {
  if (counts.empty()) return;
  Reserve(static_cast<int>(counts.size()));
  std::copy(counts.begin(), counts.end(), Counts(0) + size_);
  estimators_[0].total += std::accumulate(counts.begin(), counts.end(), 0u);
  AddToOthers(static_cast<int>(counts.size()), origin);
}

void IndexModel::AddToOthers(int symbols, PatternOrigin origin) {
  for (int k = 1; k < estimators(); ++k) {
    const uint32_t count = kOthers[k - 1].first_counts[static_cast<int>(origin)];
    std::fill_n(Counts(k) + size_, symbols, count);
    estimators_[k].total += static_cast<uint32_t>(symbols) * count;
  }
  size_ += symbols;
  state_ = NextState();
}

void IndexModel::Reserve(int symbols) {
  constexpr size_t kLeastGrowth = 64;
  const size_t needed = static_cast<size_t>(size_) + static_cast<size_t>(symbols);
  if (needed <= room_) return;
  const size_t room = needed + std::max(kLeastGrowth, room_ / 2);
  std::vector<uint32_t> counts(estimators() * room);
  for (int k = 0; k < estimators(); ++k) std::copy_n(Counts(k), size_, counts.data() + k * room);
  counts_ = std::move(counts);
  room_ = room;
}

void IndexModel::SetFactors() const {
  for (int k = 0; k < kEstimators; ++k)
    factors_[k] = (weights_[k] << kFactorShift) / estimators_[k].total;
}

void IndexModel::Mix() const {
  SetFactors();
  mixture_.resize(size());
  total_ = MixCounts({Counts(0), Counts(1), Counts(2)}, factors_, kFrequencyShift, size(),
                     mixture_.data());
  mixed_state_ = state_;
}

void IndexModel::Update(int symbol) {
  if (is_mixed_) {
    std::array<uint64_t, kEstimators> parts;
    uint64_t sum = 0;
    for (int k = 0; k < kEstimators; ++k)
      sum += parts[k] = uint64_t{factors_[k]} * Counts(k)[symbol];
    for (int k = 0; k < kEstimators; ++k)
      weights_[k] =
          kShare + static_cast<uint32_t>((kWeightUnit - kEstimators * kShare) * parts[k] / sum);
  }
  const uint32_t limit = std::max(IndexEstimator::kLimit,
                                  IndexEstimator::kLimitPerSymbol * static_cast<uint32_t>(size_));
  for (int k = 0; k < estimators(); ++k) {
    IndexEstimator& estimator = estimators_[k];
    uint32_t* counts = Counts(k);
    counts[symbol] += estimator.increment;
    estimator.total += estimator.increment;
    if (estimator.total <= limit) continue;
    for (int s = 0; s < size_; ++s) counts[s] = (counts[s] + 1) / 2;
    estimator.total = std::accumulate(counts, counts + size_, 0u);
  }
  state_ = NextState();
}

void IndexModel::Encode(RangeEncoder& coder, int symbol) {
  const uint32_t* frequencies = Frequencies().data();
  const uint32_t below = std::accumulate(frequencies, frequencies + symbol, 0u);
  coder.Encode(below, frequencies[symbol], Total());
  Update(symbol);
}

int IndexModel::Decode(RangeDecoder& coder) {
  if (is_mixed_) return DecodeMixed(coder);
  const std::span<const uint32_t> frequencies = Frequencies();
  const Found found = Find(frequencies, coder.Target(Total()));
  coder.Consume(found.below, frequencies[found.symbol]);
  Update(found.symbol);
  return found.symbol;
}

// Of the mixture, only the sums of blocks of symbols are made, and the block that the symbol is in.
int IndexModel::DecodeMixed(RangeDecoder& coder) {
  assert(size_ <= kMostSymbols);
  SetFactors();
  uint32_t sums[(kMostSymbols + kMixedBlock - 1) / kMixedBlock];
  const uint32_t total =
      SumMixedBlocks({Counts(0), Counts(1), Counts(2)}, factors_, kFrequencyShift, size_, sums);
  const uint32_t target = coder.Target(total);
  uint32_t before = 0;
  int block = 0;
  while (before + sums[block] <= target) before += sums[block++];
  const int first = block * kMixedBlock;
  const size_t symbols = static_cast<size_t>(std::min(kMixedBlock, size_ - first));
  uint32_t frequencies[kMixedBlock];
  MixCounts({Counts(0) + first, Counts(1) + first, Counts(2) + first}, factors_, kFrequencyShift,
            static_cast<int>(symbols), frequencies);
  const Found found = Find({frequencies, symbols}, target - before);
  coder.Consume(before + found.below, frequencies[found.symbol]);
  Update(first + found.symbol);
  return first + found.symbol;
}

}  // namespace mmp
