// The models of indices with tool kNeighbourIndices: the counts, and what the neighbours of a leaf
// make of them. Normative: docs/format-indices.md, "Estimates".
#ifndef MMP_CODEC_TILE_NEIGHBOUR_INDICES_H_
#define MMP_CODEC_TILE_NEIGHBOUR_INDICES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "codec/bitstream/context_models.h"
#include "codec/bitstream/range_coder.h"
#include "codec/tile/index_context.h"
#include "codec/tile/pattern_features.h"

namespace mmp {

// Both estimates of a group of patterns, summed.
struct GroupSums {
  uint32_t counted, weighed;
};

// weighed[i] = 2^(7/8 log2(counts[i]) + s) with piecewise linear logarithms, s being what the
// context makes of the features of pattern i, see PatternFeatures::Groups, for so many groups of
// PatternFeatures::kGroup patterns; sums[g]: of counts and of these, of group g. Counts of 0 are as
// 1 in `weighed`.
void Weigh(const uint32_t* counts, const uint8_t* features, const IndexContext& context, int groups,
           uint32_t* weighed, GroupSums* sums);
// The same in plain integers, as it is specified: what Weigh is compared with.
void PlainWeigh(const uint32_t* counts, const uint8_t* features, const IndexContext& context,
                int groups, uint32_t* weighed, GroupSums* sums);

// Of the indices of a level. A power of 7/8 of the counts, which trusts them less, times what the
// context says of the patterns is mixed with them by how well each has predicted so far.
class NeighbourIndices {
 public:
  // `features`: those of the level's patterns, see PatternFeatures::Groups, of which `counts` has
  // one each. Both models are updated.
  SymbolInterval Encode(IndexModel& counts, const uint8_t* features, const IndexContext& context,
                        int symbol);
  int Decode(RangeDecoder& coder, IndexModel& counts, const uint8_t* features,
             const IndexContext& context);

 private:
  static constexpr int kGroup = PatternFeatures::kGroup;
  static constexpr uint32_t kWeightUnit = 1u << 16;
  static constexpr uint32_t kShare = 256;  // least weight

  // Sums of both estimates over patterns.
  struct Sums {
    uint64_t counted = 0, weighed = 0;
    void Add(uint32_t more_counted, uint32_t more_weighed) {
      counted += more_counted;
      weighed += more_weighed;
    }
    void Add(GroupSums more) { Add(more.counted, more.weighed); }
  };
  // What both are multiplied by in the mixture.
  struct Factors {
    uint64_t counted, weighed;
  };

  // Computes the estimates.
  void Estimate(const IndexModel& counts, const uint8_t* features, const IndexContext& context);
  void Add(int symbol, Sums& sums) const { sums.Add(counted_[symbol], weighed_[symbol]); }
  Factors FactorsOf(Sums all) const;
  // Where the interval of a symbol begins, given the sums of those before it.
  static uint32_t Position(int symbol, Sums before, Factors factors);
  void Update(int symbol, Factors factors);

  uint32_t weight_ = kWeightUnit / 4 * 3;
  // Of the next index:
  std::span<const uint32_t> counted_;
  std::vector<uint32_t> weighed_;
  std::vector<GroupSums> group_sums_;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_NEIGHBOUR_INDICES_H_
