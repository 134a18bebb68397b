// What the search kernel works on: the macroblocks of a front, and memory of one job on the device.
#ifndef MMP_CUDA_SCHEDULE_SEARCH_ARGUMENTS_H_
#define MMP_CUDA_SCHEDULE_SEARCH_ARGUMENTS_H_

#include <cuda_runtime.h>

#include <cstdint>

#include "codec/base/levels.h"
#include "cuda/schedule/exchange.h"
#include "cuda/schedule/prediction_schedule.h"

namespace mmp::cuda {

// The tables that are looked up most often, as one piece of memory; a block keeps a copy in its
// shared memory if there is room. Offsets are in bytes, multiples of 8.
struct LookupView {
  const uint64_t* data;
  uint32_t bytes;
  // SubBlockInfo of all levels; those of level l begin at first_sub_block[l].
  uint32_t sub_blocks;
  uint16_t first_sub_block[kLevelCount];
  // The PredictionSchedule.
  uint32_t nodes, first_node, ending, first_ending;
  int32_t steps, node_count, most_step_nodes;
};

// What a block keeps of all nodes: two costs and a state; and a list of nodes of a step.
MMP_HOST_DEVICE inline size_t NodeBytes(const LookupView& lookup) {
  const size_t bytes =
      lookup.node_count * (2 * sizeof(int32_t) + 1) + lookup.most_step_nodes * sizeof(uint16_t);
  return (bytes + 7) & ~size_t{7};
}

// The residual blocks of a macroblock, by level: lists of what to match. Those of level l are
// entries first_entry[l], ...
struct BlockListView {
  // Least cost of a pattern (J, or in lossless coding the squared error) << 32 | index.
  unsigned long long* best;
  int32_t* norms;  // squared
  // Pixels of the entries, row by row; those of level l begin at first_content[l].
  int16_t* contents;
  uint32_t first_entry[kLevelCount];
  uint32_t first_content[kLevelCount];
};

// The dictionary on the device, twice: row by row for reconstruction, and in the layout of
// matching.
struct DictionaryView {
  int16_t* rows;
  uint16_t* matching;
  uint32_t first_row[kLevelCount];
  uint32_t first_matching[kLevelCount];
};

// Modes whose residual trees are pruned at a time: of a node, and of a 16x16 node, which has twice
// the sub-blocks; and the modes that a 16x16 node can have.
inline constexpr int kMostModesTogether = 10;
inline constexpr int kMostMacroblockModesTogether = 4;
inline constexpr int kMostMacroblockModes = 10;

// What a step's matching and decision must know of a node: the modes that are searched, as a mask;
// what the counts of all that it has add up to; and its entries.
struct SearchedNode {
  uint32_t modes;
  uint32_t bright_modes;  // those whose prediction is, where it matters
  uint32_t total_count;
  uint32_t first_entry[kLevelCount];  // see NodeEntries
};

// What groups of thread blocks search macroblocks with. Of the arrays from `list` on, each group
// has a part of its own; group 0's is the first.
struct SearchArguments {
  // Of macroblocks, one behind the other; the outputs are in the host's memory. Group g begins with
  // number first + g, and goes on with the first that no group has taken.
  MacroblockInput* inputs;
  MacroblockOutput* outputs;
  int32_t first, macroblocks;  // inputs [first, macroblocks) are searched
  int32_t blocks;              // of a group
  LookupView lookup;
  DictionaryView dictionary;
  // Of all groups, level by level. Group g's entries of level l begin at number
  // g * group_entries[l].
  BlockListView list;
  uint32_t group_entries[kLevelCount];
  // For each node the best leaf's cost, and 1 if the node is not to be split; and its mode.
  int2* leaves;
  uint8_t* leaf_mode;
  // For each pixel of all nodes, of which there are so many, the best leaf's reconstruction and
  // PixelChoice::residual.
  uint8_t* reconstruction;
  uint32_t* choices;
  uint32_t pixels;
  // Of the present step, by node, but for those that a block keeps in shared memory; and by pixel,
  // of which a step has so many at most, predictions, kPredictionModes each.
  SearchedNode* searched;
  uint8_t* predictions;
  uint32_t most_step_pixels;
  // Look-ups, and each block's own copy of what is known of all nodes, are in shared memory, as a
  // cluster's always are; or else the latter are here.
  bool all_in_shared_memory;
  char* node_memory;  // NodeBytes for each block of the one group

  uint32_t modes;          // that may be used
  int32_t modes_searched;  // see SpeedFeatures
  int32_t residual_slack_q4;
  bool reverses;  // see kReversedResiduals
  bool appends;   // the search begins by adding the dictionary's new patterns
};

}  // namespace mmp::cuda

#endif  // MMP_CUDA_SCHEDULE_SEARCH_ARGUMENTS_H_
