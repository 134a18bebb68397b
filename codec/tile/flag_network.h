// The trained network that predicts a binary decision of a partition or a residual flag.
// Normative: docs/format-flags.md, "Network".
#ifndef MMP_CODEC_TILE_FLAG_NETWORK_H_
#define MMP_CODEC_TILE_FLAG_NETWORK_H_

#include <array>
#include <cstdint>

#include "codec/base/levels.h"

namespace mmp {

// The decisions that flags are made of: whether to cut, and if so, which way.
enum class FlagDecision : uint8_t {
  kCutBoth,         // a partition: the prediction, and the residual with it
  kCutBothWay,      // 0: vertically, 1: horizontally; also below
  kCutResidual,     // a partition that does not cut the prediction: the residual
  kCutResidualWay,  //
  kCutPart,         // a residual flag
  kCutPartWay,      //
};
inline constexpr int kFlagDecisions = 6;

// What a network is told: of the surroundings and of the decision's estimates.
inline constexpr int kFlagFeatures = 60;
inline constexpr int kFlagInputs = kFlagFeatures + 4;
using FlagFeatures = std::array<int16_t, kFlagFeatures>;  // in 1/16, in [-127, 127]
using FlagInputs = std::array<int16_t, kFlagInputs>;      // the same

// One layer of hidden units, and a direct way past it.
struct FlagNetwork {
  static constexpr int kUnits = 16;
  static constexpr int kWeightBits = 8;  // weights are in 1/256
  static constexpr int kMostWeight = (1 << 13) - 1;

  // The logit of a 1 at a block of `level`, in 1/256, in [-kMostLogit, kMostLogit].
  int Logit(int level, const FlagInputs& inputs) const;
  // The same in plain integers, as it is specified: what Logit is compared with.
  int PlainLogit(int level, const FlagInputs& inputs) const;

  int16_t hidden[kFlagInputs / 2][kUnits][2];  // of two inputs side by side, as PairDotAdd has them
  int16_t hidden_bias[kLevelCount][kUnits];
  int16_t output[kUnits];
  FlagInputs direct;
  int16_t bias[kLevelCount];
};

const FlagNetwork& NetworkOf(FlagDecision decision);

}  // namespace mmp

#endif  // MMP_CODEC_TILE_FLAG_NETWORK_H_
