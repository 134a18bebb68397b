// Adaptive frequency models of the arithmetic coder. Their initial states and updates are
// normative: docs/format.md, "Models".
#ifndef MMP_CODEC_BITSTREAM_CONTEXT_MODELS_H_
#define MMP_CODEC_BITSTREAM_CONTEXT_MODELS_H_

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/base/fixed_log2.h"
#include "codec/bitstream/estimate_mixer.h"
#include "codec/bitstream/mix_counts.h"
#include "codec/bitstream/range_coder.h"

namespace mmp {

// Codes a symbol given all symbols' frequencies; those of symbols that cannot occur are 0. The
// models are not updated. To encode it is to say what interval it owns.
template <typename Frequencies>
SymbolInterval EncodeSymbol(const Frequencies& frequencies, int symbol) {
  uint32_t below = 0, total = 0;
  for (int s = 0; s < static_cast<int>(frequencies.size()); ++s) {
    if (s == symbol) below = total;
    total += frequencies[s];
  }
  return {below, frequencies[symbol], total};
}
template <typename Frequencies>
int DecodeSymbol(RangeDecoder& coder, const Frequencies& frequencies) {
  uint32_t total = 0;
  for (const uint32_t frequency : frequencies) total += frequency;
  const uint32_t target = coder.Target(total);
  uint32_t below = 0;
  int symbol = 0;
  while (below + frequencies[symbol] <= target) below += frequencies[symbol++];
  coder.Consume(below, frequencies[symbol]);
  return symbol;
}

// A model of an alphabet of at most N symbols (N <= 32) of which only some can occur at a time.
template <int N>
class SymbolModel {
 public:
  static constexpr uint32_t kIncrement = 32;
  static constexpr uint32_t kLimit = 2048;  // the counts are halved when their sum exceeds it

  // `first_count` of each of the first `symbols`; the others must not be coded.
  explicit constexpr SymbolModel(int symbols = N, int first_count = kIncrement / 2) : counts_{} {
    for (int s = 0; s < symbols; ++s) counts_[s] = static_cast<uint16_t>(first_count);
  }
  explicit constexpr SymbolModel(const std::array<uint16_t, N>& counts) : counts_(counts) {}

  // `allowed`: bit s is set if symbol s can occur; `symbol` is one of them.
  SymbolInterval Encode(int symbol, uint32_t allowed) {
    const SymbolInterval interval = EncodeSymbol(Frequencies(allowed), symbol);
    Update(symbol);
    return interval;
  }

  int Decode(RangeDecoder& coder, uint32_t allowed) {
    const int symbol = DecodeSymbol(coder, Frequencies(allowed));
    Update(symbol);
    return symbol;
  }

  // The counts of the allowed symbols; 0 of the others.
  std::array<uint32_t, N> Frequencies(uint32_t allowed) const {
    std::array<uint32_t, N> frequencies;
    for (int s = 0; s < N; ++s) frequencies[s] = CountIfAllowed(s, allowed);
    return frequencies;
  }
  // Updates the counts after `symbol` has been coded.
  void Update(int symbol) {
    counts_[symbol] = static_cast<uint16_t>(counts_[symbol] + kIncrement);
    uint32_t total = 0;
    for (uint16_t c : counts_) total += c;
    if (total > kLimit)
      for (uint16_t& c : counts_) c = static_cast<uint16_t>((c + 1) / 2);
  }

  // Bits of `symbol` in the present state, q12.
  int32_t RateQ12(int symbol, uint32_t allowed) const {
    return Log2Q12(AllowedTotal(allowed)) - Log2Q12(counts_[symbol]);
  }
  // Sets the rate of every allowed symbol; the other entries of `rates` keep their values.
  void RatesQ12(uint32_t allowed, std::array<int32_t, N>& rates) const {
    const int32_t total = Log2Q12(AllowedTotal(allowed));
    for (int s = 0; s < N; ++s)
      if ((allowed >> s & 1) != 0) rates[s] = total - Log2Q12(counts_[s]);
  }

 private:
  uint32_t CountIfAllowed(int symbol, uint32_t allowed) const {
    return (allowed >> symbol & 1) != 0 ? counts_[symbol] : 0;
  }
  uint32_t AllowedTotal(uint32_t allowed) const {
    uint32_t total = 0;
    for (int s = 0; s < N; ++s) total += CountIfAllowed(s, allowed);
    return total;
  }

  std::array<uint16_t, N> counts_;
};

// A context-mixing model of such an alphabet: the model of the context is mixed with one that has
// no context; the weights follow how well each has predicted the symbols so far.
template <int N>
class ContextModel {
 public:
  static constexpr int kMostContexts = 16;

  // If `contexts`, at most kMostContexts, is 0, contexts are ignored.
  explicit ContextModel(int contexts = 0) : has_contexts_(contexts > 0) {
    assert(contexts <= kMostContexts);
    by_context_.fill(SymbolModel<N>(N, kFirstCount));
  }

  SymbolInterval Encode(int symbol, int context, uint32_t allowed) {
    if (!has_contexts_) return all_.Encode(symbol, allowed);
    const Mixture mixture = Mix(context, allowed);
    Update(symbol, context, mixture);
    return EncodeSymbol(mixture.frequencies, symbol);
  }
  int Decode(RangeDecoder& coder, int context, uint32_t allowed) {
    if (!has_contexts_) return all_.Decode(coder, allowed);
    const Mixture mixture = Mix(context, allowed);
    const int symbol = DecodeSymbol(coder, mixture.frequencies);
    Update(symbol, context, mixture);
    return symbol;
  }
  // Counts a symbol that has been coded otherwise, in the model without context.
  void CountWithoutContext(int symbol) { all_.Update(symbol); }
  // The model without context. The search uses it, as contexts are not known before blocks are
  // coded.
  const SymbolModel<N>& without_context() const { return all_; }

 private:
  using Mixer = EstimateMixer<N, 12>;
  using Mixture = typename Mixer::Mixture;

  static constexpr int kFirstCount = SymbolModel<N>::kIncrement / 4;

  Mixture Mix(int context, uint32_t allowed) const {
    const auto all = all_.Frequencies(allowed), here = by_context_[context].Frequencies(allowed);
    typename Mixer::Estimates estimates;
    std::copy(all.begin(), all.end(), estimates[0].begin());
    std::copy(here.begin(), here.end(), estimates[1].begin());
    return mixer_.Mix(estimates, allowed);
  }
  // `mixture` is what the symbol was coded with.
  void Update(int symbol, int context, const Mixture& mixture) {
    mixer_.Update(symbol, mixture);
    by_context_[context].Update(symbol);
    all_.Update(symbol);
  }

  SymbolModel<N> all_;
  bool has_contexts_;
  std::array<SymbolModel<N>, kMostContexts> by_context_;
  Mixer mixer_{Mixer::kWeightUnit / 2};
};

// Adaptive counts of a growing alphabet: the indices of a level's patterns. The counts themselves
// are kept by IndexModel.
struct IndexEstimator {
  static constexpr uint32_t kLimit = 1u << 15;  // the counts are halved when their sum exceeds it
  static constexpr uint32_t kLimitPerSymbol = 8;

  uint32_t increment = 0;  // added to a symbol's count when it is coded
  uint32_t total = 0;      // sum of the counts
};

// The origin of a pattern.
enum class PatternOrigin : uint8_t { kInitial, kTrained, kGrown };

// The model of a level's indices: an estimator, or a mixture of several; the weights follow how
// well each has predicted the indices so far.
class IndexModel {
 public:
  static constexpr uint32_t kIncrement = 64;            // of the first estimator
  static constexpr uint32_t kInitialCount = 4;          // first count of initial patterns
  static constexpr uint32_t kInitialBesideTrained = 2;  // the same where trained patterns follow
  static constexpr uint32_t kNewCount = 8;              // its first count of later ones
  static constexpr int kMostSymbols = 1 << 16;
  static constexpr int kBlock = 32;  // symbols whose counts are summed

  explicit IndexModel(bool is_mixed = false);

  // Adds the next symbol; `count` is its first count in the first estimator.
  void Add(uint32_t count, PatternOrigin origin) { Add(1, count, origin); }
  // Adds so many symbols of one count.
  void Add(int symbols, uint32_t count, PatternOrigin origin);
  // Adds a symbol for each of `counts`.
  void Add(std::span<const uint16_t> counts, PatternOrigin origin);
  int size() const { return size_; }
  // Changes with the model: models of one state have equal frequencies.
  uint64_t state() const { return state_; }
  SymbolInterval Encode(int symbol);
  int Decode(RangeDecoder& coder);
  // The same without counting the symbol, which may follow later.
  SymbolInterval IntervalOf(int symbol) const;
  int Read(RangeDecoder& coder) const;
  // Counts a symbol that has been coded otherwise.
  void Count(int symbol) { Update(symbol, Factors()); }

  // The symbols' frequencies in the present state; of a mixture to within one, which is enough to
  // search by. Behind the last there are some up to a multiple of kBlock. Valid until the model
  // changes; not to be called by two threads at once.
  std::span<const uint32_t> NearFrequencies() const;
  // The sum of the frequencies.
  uint32_t Total() const { return Total(Factors()); }
  // Bits of `symbol` in the present state, q12.
  int32_t RateQ12(int symbol) const;

  // For what codes symbols otherwise, and counts them: what the counts of the estimators make
  // together in the present state. Valid until the model changes.
  static constexpr int kEstimators = kMixedCounts;
  struct Mixture {
    // By estimator: the counts by symbol, and what they are multiplied by; if there is but one
    // estimator, it stands for all, times 0.
    std::array<const uint32_t*, kEstimators> counts;
    std::array<uint32_t, kEstimators> factors;
    uint32_t each;  // of a symbol, beside its counts
    int shift;

    // The frequency of so many symbols, given the sums of their counts by estimator.
    uint32_t Of(int symbols, const std::array<uint32_t, kEstimators>& sums) const {
      uint32_t sum = 0;
      for (int k = 0; k < kEstimators; ++k) sum += factors[k] * sums[k];
      return each * static_cast<uint32_t>(symbols) + (sum >> shift);
    }
  };
  Mixture Mix() const;
  // The counts of an estimator; where there is but one, it stands for all.
  const uint32_t* CountsOf(int estimator) const { return Counts(is_mixed_ ? estimator : 0); }
  // How often each estimator's counts have been halved, and what it adds to one that is coded.
  const std::array<uint32_t, kEstimators>& halvings() const { return halvings_; }
  uint32_t Increment(int estimator) const { return estimators_[estimator].increment; }

 private:
  static constexpr uint32_t kWeightUnit = 1u << 16;  // sum of the weights, or a little more
  static constexpr int kFactorShift = 14;
  static constexpr int kFrequencyShift = 11;

  // Of the estimators' counts in the mixture; 1 if there is but one.
  using MixFactors = std::array<uint32_t, kEstimators>;
  // The part of [0, Total()) that a symbol owns.
  struct Interval {
    uint32_t below, frequency;
  };
  struct Found {
    int symbol;
    Interval interval;
  };

  // A number that no call has given before, on any thread; never 0.
  static uint64_t NextState();

  int estimators() const { return is_mixed_ ? kEstimators : 1; }
  // The counts of an estimator; behind the last symbol's there are zeros up to a whole block.
  const uint32_t* Counts(int k) const { return counts_.data() + static_cast<size_t>(k) * stride(); }
  uint32_t* Counts(int k) { return counts_.data() + static_cast<size_t>(k) * stride(); }
  // The sums of blocks of them.
  const uint32_t* Sums(int k) const { return Counts(k) + room_; }
  uint32_t* Sums(int k) { return Counts(k) + room_; }
  size_t stride() const { return room_ + room_ / kBlock; }
  // Makes room for so many more symbols.
  void Reserve(int symbols);
  // Adds symbols whose counts in the first estimator have been filled in already.
  void AddToOthers(int symbols, PatternOrigin origin);

  MixFactors Factors() const;
  // Where the interval of `symbol` begins, given the weighted sum of the counts of those before it.
  uint32_t Position(int symbol, uint32_t weighted_sum) const {
    return is_mixed_ ? static_cast<uint32_t>(symbol) + (weighted_sum >> kFrequencyShift)
                     : weighted_sum;
  }
  uint32_t Total(const MixFactors& factors) const;
  // Of `symbol`, given the weighted sum of the counts of those before it, and its own count's.
  Interval IntervalAt(int symbol, uint32_t before, uint32_t own) const {
    const uint32_t below = Position(symbol, before);
    return {below, Position(symbol + 1, before + own) - below};
  }
  Interval IntervalOf(int symbol, const MixFactors& factors) const;
  template <int kUsed>  // estimators
  Found Find(uint32_t target, const MixFactors& factors) const;
  int Read(RangeDecoder& coder, const MixFactors& factors) const;
  SymbolInterval OfTotal(int symbol, const MixFactors& factors) const;
  // `factors`: those that the symbol was coded with.
  void Update(int symbol, const MixFactors& factors);
  void Halve(int k);
  // Brings the sums of an estimator's blocks from `first` on, and their total, up to date.
  void SumBlocks(int k, int first);

  bool is_mixed_;
  int size_ = 0;                  // symbols
  size_t room_ = 0;               // symbols that there is room for: whole blocks
  std::vector<uint32_t> counts_;  // for each estimator [room_] counts and [room_ / kBlock] sums
  std::array<IndexEstimator, kEstimators> estimators_;
  std::array<uint32_t, kEstimators> weights_;
  std::array<uint32_t, kEstimators> halvings_{};
  uint64_t state_ = NextState();
  // Made from these when needed:
  mutable uint64_t mixed_state_ = 0;  // the state that the mixture is made from
  mutable std::vector<uint32_t> mixture_;
};

}  // namespace mmp

#endif  // MMP_CODEC_BITSTREAM_CONTEXT_MODELS_H_
