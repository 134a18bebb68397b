// Adaptive frequency models of the arithmetic coder. Their initial states and updates are
// normative: docs/format.md, "Models".
#ifndef MMP_CODEC_MODELS_H_
#define MMP_CODEC_MODELS_H_

#include <array>
#include <cassert>
#include <cstdint>
#include <vector>

#include "codec/fixed_log2.h"
#include "codec/range_coder.h"

namespace mmp {

// A model of an alphabet of at most N symbols (N <= 32) of which only some can occur at a time.
template <int N>
class SymbolModel {
 public:
  static constexpr uint32_t kIncrement = 32;
  static constexpr uint32_t kLimit = 2048;  // the counts are halved when their sum exceeds it

  explicit constexpr SymbolModel(int symbols = N) : counts_{} {
    for (int s = 0; s < symbols; ++s) counts_[s] = kIncrement / 2;
  }
  explicit constexpr SymbolModel(const std::array<uint16_t, N>& counts) : counts_(counts) {}

  // `allowed`: bit s is set if symbol s can occur; `symbol` is one of them.
  void Encode(RangeEncoder& coder, int symbol, uint32_t allowed) {
    uint32_t below = 0;
    for (int s = 0; s < symbol; ++s) below += CountIfAllowed(s, allowed);
    coder.Encode(below, counts_[symbol], AllowedTotal(allowed));
    Update(symbol);
  }

  int Decode(RangeDecoder& coder, uint32_t allowed) {
    const uint32_t target = coder.Target(AllowedTotal(allowed));
    uint32_t below = 0;
    int symbol = 0;
    while (below + CountIfAllowed(symbol, allowed) <= target)
      below += CountIfAllowed(symbol++, allowed);
    coder.Consume(below, counts_[symbol]);
    Update(symbol);
    return symbol;
  }

  // Bits of `symbol` in the present state, q12.
  int32_t RateQ12(int symbol, uint32_t allowed) const {
    return Log2Q12(AllowedTotal(allowed)) - Log2Q12(counts_[symbol]);
  }
  // The same for every allowed symbol; the other entries keep their values.
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
  void Update(int symbol) {
    counts_[symbol] = static_cast<uint16_t>(counts_[symbol] + kIncrement);
    uint32_t total = 0;
    for (uint16_t c : counts_) total += c;
    if (total > kLimit)
      for (uint16_t& c : counts_) c = static_cast<uint16_t>((c + 1) / 2);
  }

  std::array<uint16_t, N> counts_;
};

// A model of a growing alphabet: the indices of a level's patterns.
class IndexModel {
 public:
  static constexpr uint32_t kIncrement = 64;    // added to a symbol's count when it is coded
  static constexpr uint32_t kInitialCount = 4;  // first count of the initial patterns' symbols
  // First count of the homogeneous patterns' symbols where there are trained patterns.
  static constexpr uint32_t kUntrainedCount = 2;
  static constexpr uint32_t kNewCount = 8;  // first count of later ones
  static constexpr uint32_t kLimitPerModel = 1u << 15;
  static constexpr uint32_t kLimitPerSymbol = 8;

  // Adds the next symbol.
  void Add(uint32_t count);
  void SetCount(int symbol, uint32_t count);
  int size() const { return static_cast<int>(counts_.size()); }
  void Encode(RangeEncoder& coder, int symbol);
  int Decode(RangeDecoder& coder);
  uint32_t Count(int symbol) const { return counts_[symbol]; }
  uint32_t Total() const { return total_; }
  int32_t RateQ12(int symbol) const { return Log2Q12(total_) - Log2Q12(counts_[symbol]); }

 private:
  void Update(int symbol);
  void Increase(int symbol, uint32_t amount);
  void RebuildTree();
  uint32_t Below(int symbol) const;
  uint32_t Limit() const {
    const uint32_t by_size = kLimitPerSymbol * static_cast<uint32_t>(counts_.size());
    return by_size > kLimitPerModel ? by_size : kLimitPerModel;
  }

  std::vector<uint32_t> counts_;
  std::vector<uint32_t> tree_;  // Fenwick tree over counts_, 1-based; tree_[0] is unused
  uint32_t total_ = 0;
};

}  // namespace mmp

#endif  // MMP_CODEC_MODELS_H_
