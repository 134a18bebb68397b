// The models of partitions and residual flags that a trained network begins, and that mix it with
// what they learn in the tile. Normative: docs/format-flags.md.
#ifndef MMP_CODEC_TILE_FLAG_MODELS_H_
#define MMP_CODEC_TILE_FLAG_MODELS_H_

#include <array>
#include <cstdint>

#include "codec/base/levels.h"
#include "codec/bitstream/adaptive_bit.h"
#include "codec/tile/contexts.h"
#include "codec/tile/flag_network.h"
#include "codec/tile/syntax_elements.h"

namespace mmp {

// The bit of a decision that `symbol` is told by; `symbol` of an element that has the decision.
constexpr int FlagBit(FlagDecision decision, int symbol) {
  switch (decision) {
    case FlagDecision::kCutBoth:
      return symbol == kSplitBothVertical || symbol == kSplitBothHorizontal;
    case FlagDecision::kCutBothWay:
      return symbol == kSplitBothHorizontal;
    case FlagDecision::kCutResidual:
      return symbol == kSplitResidualVertical || symbol == kSplitResidualHorizontal;
    case FlagDecision::kCutResidualWay:
      return symbol == kSplitResidualHorizontal;
    case FlagDecision::kCutPart:
      return symbol != kPattern;
    case FlagDecision::kCutPartWay:
      return symbol == kSplitHorizontal;
  }
  return 0;
}

// Where a flag is coded.
struct FlagPlace {
  int level;
  int leaf_context;  // of LeafMap
  const FlagFeatures& features;
};

// The decisions of one kind.
class DecisionModel {
 public:
  explicit DecisionModel(FlagDecision decision);

  // Codes a decision: bit(p), p being the probability of a 1 in 1/2^16, in (0, 2^16), codes it and
  // returns it.
  template <typename Bit>
  int Code(const FlagPlace& place, Bit bit) {
    const Prediction prediction = Predict(place);
    const int value = bit(prediction.probability);
    Update(place, prediction, value);
    return value;
  }

  // What the network is told of the decision at `place`.
  FlagInputs Inputs(const FlagPlace& place) const;
  // Counts a decision that has been coded otherwise; the mixture remains as it is.
  void Count(const FlagPlace& place, int bit);

 private:
  static constexpr int kMixed = 6;  // the network's logit, four estimates and a constant

  struct Prediction {
    std::array<int32_t, kMixed> logits;
    int probability;
  };

  Prediction Predict(const FlagPlace& place) const;
  void Update(const FlagPlace& place, const Prediction& prediction, int bit);

  const FlagNetwork* network_;
  std::array<AdaptiveBit, kLevelCount> by_level_;
  std::array<std::array<AdaptiveBit, LeafMap::kContexts>, kLevelCount> by_leaves_;
  std::array<int32_t, kMixed> weights_;  // in 1/2^16
};

class FlagModels {
 public:
  // Codes a flag that is one of `allowed`, which are several, by decisions: bit(decision, p) as
  // DecisionModel::Code's.
  template <typename Bit>
  int CodePartition(const FlagPlace& place, uint32_t allowed, Bit bit) {
    const int both = CodeCut(FlagDecision::kCutBoth, place, allowed >> kSplitBothVertical, bit);
    if (both != 0) return both - 1 + kSplitBothVertical;
    const int residual =
        CodeCut(FlagDecision::kCutResidual, place, allowed >> kSplitResidualVertical, bit);
    return residual != 0 ? residual - 1 + kSplitResidualVertical : static_cast<int>(kLeaf);
  }
  template <typename Bit>
  int CodeResidualFlag(const FlagPlace& place, uint32_t allowed, Bit bit) {
    const int cut = CodeCut(FlagDecision::kCutPart, place, allowed >> kSplitVertical, bit);
    return cut != 0 ? cut - 1 + kSplitVertical : static_cast<int>(kPattern);
  }

  DecisionModel& Of(FlagDecision decision) { return models_[static_cast<int>(decision)]; }

 private:
  // `ways`: bit 0 is set if a vertical cut is allowed, bit 1 if a horizontal one is. Returns 0 for
  // none, 1 for a vertical cut, 2 for a horizontal one. `whether` is followed by the decision on
  // the way.
  template <typename Bit>
  int CodeCut(FlagDecision whether, const FlagPlace& place, uint32_t ways, Bit bit) {
    ways &= 3;
    const auto code = [&](FlagDecision decision) {
      return Of(decision).Code(place, [&](int p) { return bit(decision, p); });
    };
    if (ways == 0 || code(whether) == 0) return 0;
    if (ways != 3) return static_cast<int>(ways);
    return 1 + code(static_cast<FlagDecision>(static_cast<int>(whether) + 1));
  }

  std::array<DecisionModel, kFlagDecisions> models_ = {
      DecisionModel(FlagDecision::kCutBoth),     DecisionModel(FlagDecision::kCutBothWay),
      DecisionModel(FlagDecision::kCutResidual), DecisionModel(FlagDecision::kCutResidualWay),
      DecisionModel(FlagDecision::kCutPart),     DecisionModel(FlagDecision::kCutPartWay)};
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_FLAG_MODELS_H_
