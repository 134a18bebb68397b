// The syntax elements of a macroblock's blocks: what each can be, and where.
// Normative: docs/format.md, "Macroblock".
#ifndef MMP_CODEC_TILE_SYNTAX_ELEMENTS_H_
#define MMP_CODEC_TILE_SYNTAX_ELEMENTS_H_

#include <cstdint>

#include "codec/base/levels.h"

namespace mmp {

enum class CodedElement : uint8_t {
  kPartition,     // its value: a Partition
  kMode,          // a PredictionMode
  kResidualFlag,  // a ResidualFlag
  kIndex,         // a pattern's
};
inline constexpr int kCodedElements = 4;

// The decision at a node of the prediction tree, for both trees at once.
enum Partition : uint8_t {
  kLeaf = 0,               // one mode, one pattern
  kSplitBothVertical = 1,  // each half is a prediction node
  kSplitBothHorizontal = 2,
  kSplitResidualVertical = 3,  // one mode; the residual's halves are coded one by one
  kSplitResidualHorizontal = 4,
};
inline constexpr int kPartitions = 5;

// The decision at a node of the residual tree below its root.
enum ResidualFlag : uint8_t {
  kPattern = 0,
  kSplitVertical = 1,
  kSplitHorizontal = 2,
};
inline constexpr int kResidualFlags = 3;

// The flags that can occur at a node, as bit masks.
constexpr uint32_t AllowedPartitions(int level, int prediction_level) {
  uint32_t allowed = 1u << kLeaf;
  for (Split split : {Split::kVertical, Split::kHorizontal}) {
    if (HalfLevel(level, split) < 0) continue;
    allowed |= 1u << (kSplitResidualVertical + static_cast<int>(split));
    if (PredictionMaySplit(level, split, prediction_level))
      allowed |= 1u << (kSplitBothVertical + static_cast<int>(split));
  }
  return allowed;
}

constexpr uint32_t AllowedResidualFlags(int level) {
  uint32_t allowed = 1u << kPattern;
  for (Split split : {Split::kVertical, Split::kHorizontal})
    if (HalfLevel(level, split) >= 0) allowed |= 1u << (kSplitVertical + static_cast<int>(split));
  return allowed;
}

}  // namespace mmp

#endif  // MMP_CODEC_TILE_SYNTAX_ELEMENTS_H_
