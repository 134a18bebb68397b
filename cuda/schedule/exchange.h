// The data that host and device exchange for a macroblock: one block of memory each way.
#ifndef MMP_CUDA_SCHEDULE_EXCHANGE_H_
#define MMP_CUDA_SCHEDULE_EXCHANGE_H_

#include <cstdint>

#include "codec/base/levels.h"
#include "codec/base/parameters.h"
#include "codec/dictionary/matcher.h"
#include "codec/intra/block_copy.h"
#include "codec/intra/canvas.h"
#include "codec/rdo/decision_rules.h"
#include "codec/rdo/symbol_costs.h"
#include "codec/tile/tile_state.h"

namespace mmp::cuda {

// A pattern's cost before its product with the block, as matching takes it: norm and cost of the
// index. For blocks of up to 64 pixels, where there is room for it, the index's lowest bits follow:
// of patterns that differ only there, the one with the least of such keys has a least cost and, of
// several, the lowest index.
MMP_HOST_DEVICE constexpr int MatchKeyBits(int log2_pixels) {
  return log2_pixels <= 5 ? 3 : log2_pixels == 6 ? 2 : 0;
}
MMP_HOST_DEVICE constexpr int32_t MatchKey(int log2_pixels, uint32_t index, int32_t bias) {
  const int bits = MatchKeyBits(log2_pixels);
  if (bits == 0) return bias;
  // No pattern: above that of the pattern of zeros, and products with it are 0.
  if (bias == kNoMatch) return 1 << 30;
  return bias * (1 << bits) + static_cast<int32_t>(index & ((1u << bits) - 1));
}
// Costs and products with these bits stay below 2^31.
constexpr bool MatchKeysFit(int log2_pixels) {
  const int64_t distortion = kDistortionScale * 3 * (int64_t{255 * 255} << log2_pixels);
  const int64_t rate = kDistortionScale * int64_t{20 * 65536};
  return (distortion + rate) << MatchKeyBits(log2_pixels) < int64_t{1} << 31;
}
static_assert(MatchKeysFit(5) && MatchKeysFit(6) && MatchKeysFit(8));  // the most of each kind

// A mode's count in the model of its level, and Log2Q12 of that.
struct ModeCount {
  uint16_t count, log2_q12;
};

// Counters of a macroblock's search on the device; 0 at its start.
struct SearchCounters {
  uint32_t barrier;               // arrivals at the group's barrier
  uint32_t taken;                 // of the first input: macroblocks taken by groups that had one
  uint32_t next;                  // the macroblock that the group searches next
  uint32_t entries[kLevelCount];  // blocks to match so far, by level: see TakeEntries
  uint32_t nodes;                 // searched
  uint32_t mode_searches[kPredictionModes];
};

// The costs of the decisions in a macroblock's search, and lower bounds on costs, in the units of
// SymbolCosts.
struct DeviceCosts {
  int32_t partition_costs[kLevelCount][kPartitions];
  int32_t residual_flag_costs[kLevelCount][kResidualFlags];
  ModeCount mode_counts[kLevelCount][kPredictionModes];
  // Least cost of a single pixel, by residual + 255, and the index that it is for.
  int32_t pixel_cost[kPixelPatterns + 1];
  uint16_t pixel_index[kPixelPatterns + 1];
  Lambda lambda;           // what the modes' rates cost
  int32_t root_lambda_q4;  // of a rate, in the unit of the search's SATD estimates
  // For the search's speed features, bounds:
  CheapestTrees cheapest_residuals[kLevelCount];
  int32_t split_margin[kLevelCount][2];
  int32_t least_node[kLevelCount];   // of a prediction node
  int32_t good_enough[kLevelCount];  // a leaf of one pattern that costs less is not split
};

// Patterns of a level that the device has not yet: how many, the first one's index, and where their
// pixels begin at MacroblockInput::values.
struct NewPatterns {
  int32_t count, first, first_value;
};

// What each thread block keeps a copy of, taken over as it is.
struct alignas(64) BlockInput {
  Canvas canvas;
  BlockCopies copies;
  alignas(16) uint8_t original[kMacroblockPixels];
  DeviceCosts device_costs;
  // Patterns by level, and where their keys (MatchKey; in lossless coding of the norm alone) begin:
  // `bias` is a byte offset from the first input's begin to all of them, int32_t, a multiple of 16.
  // Each level's part is padded to a multiple of kPatternGroup.
  int32_t patterns[kLevelCount];
  int32_t first_bias[kLevelCount];
  uint32_t bias;
};

// The fixed part of a macroblock's input. Those of a front lie one behind the other, and behind the
// last one, at the given offsets, the arrays whose length varies, which they share.
struct MacroblockInput {
  BlockInput block;
  SearchCounters counters;
  uint32_t stamp;  // of this macroblock
  NewPatterns new_patterns[kLevelCount];
  // Byte offsets from the first input's begin, multiples of 16.
  uint32_t index_costs;  // int32_t, in lossless coding: cost of each index, as BlockInput::bias
  uint32_t values;       // int16_t: pixels of new patterns
};

// What the search chose for a pixel: the leaf of the residual tree that covers it, and the
// prediction node. A path is the splits from the root on, first split in the lowest bit, 1:
// horizontal.
struct PixelChoice {
  // Leaf: pattern index (16 bits), path (8 bits) and its length (4 bits) within the node.
  uint32_t residual;
  // Prediction node: path (8 bits), its length (4 bits), mode (5 bits).
  uint32_t prediction;
};
MMP_HOST_DEVICE constexpr uint32_t PackResidual(uint32_t index, uint32_t path, uint32_t length) {
  return index | path << 16 | length << 24;
}
MMP_HOST_DEVICE constexpr uint32_t PackPrediction(uint32_t path, uint32_t length, uint32_t mode) {
  return path | length << 8 | mode << 12;
}

// The stages of a search on the device, in order, and how long its first block took for each,
// waiting for the others included.
enum SearchStage {
  kStageBegin,
  kStagePredict,
  kStageMatch,
  kStageDecide,
  kStageEnd,  // of steps
  kStages,
};

// A macroblock's output, written by the device into the host's memory.
struct MacroblockOutput {
  PixelChoice pixels[kMacroblockPixels];
  SearchCounters counters;
  uint32_t cycles[kStages];
  uint32_t stamp;  // MacroblockInput::stamp once all else is written
};

}  // namespace mmp::cuda

#endif  // MMP_CUDA_SCHEDULE_EXCHANGE_H_
