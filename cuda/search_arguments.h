// What the search kernel works on: memory of one job on the device.
#ifndef MMP_CUDA_SEARCH_ARGUMENTS_H_
#define MMP_CUDA_SEARCH_ARGUMENTS_H_

#include <cuda_runtime.h>

#include <cstdint>

#include "codec/levels.h"
#include "cuda/exchange.h"
#include "cuda/prediction_schedule.h"

namespace mmp::cuda {

// What is looked up all the time, as one piece of memory; a block keeps a copy in its shared memory
// if there is room. Offsets are in bytes, multiples of 8.
struct LookupView {
  const uint64_t* data;
  uint32_t bytes;
  // PartitionInfo of all levels; those of level l begin at first_partition[l].
  uint32_t partitions;
  uint16_t first_partition[kLevelCount];
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

// The distinct residual blocks of a macroblock: a hash table, and lists of what to match.
struct BlockTableView {
  // Level l has 2^log2_slots[l] slots from first_slot[l] on. A slot holds the stamp of its
  // macroblock and the ids of the block's halves; it is the block's id.
  uint64_t* keys;
  // By slot: least cost of a pattern (J, or in lossless coding the squared error) << 32 | index.
  unsigned long long* best;
  // By entry, the first of level l being first_entry[l]: its slot and its squared norm.
  uint32_t* slots;
  int32_t* norms;
  // Pixels of the entries, row by row; those of level l begin at first_content[l].
  int16_t* contents;
  uint32_t first_slot[kLevelCount];
  uint32_t first_entry[kLevelCount];
  uint32_t first_content[kLevelCount];
  uint8_t log2_slots[kLevelCount];
  bool reuse;  // if not, every block is taken for a new one
};

// The dictionary on the device, twice: pixels row by row, to paint with, and laid out for matching.
struct DictionaryView {
  int16_t* rows;
  uint16_t* matching;
  uint32_t first_row[kLevelCount];
  uint32_t first_matching[kLevelCount];
};

// Modes of a node that can be searched: of those it has, the search must choose so many. Of a 16x16
// node fewer are searched at a time; and the modes that one can have.
inline constexpr int kMostModesSearched = 10;
inline constexpr int kMostMacroblockModesTogether = 4;
inline constexpr int kMostMacroblockModes = 10;

// The modes of a node that are searched, as a mask; and what the counts of all that it has add up
// to.
struct SearchedModes {
  uint32_t modes;
  uint32_t total_count;
};

struct SearchArguments {
  MacroblockInput* input;
  MacroblockOutput* output;  // in the host's memory
  LookupView lookup;
  BlockTableView table;
  DictionaryView dictionary;
  // By node: the best leaf's cost, and 1 if the node is not to be split; its mode.
  int2* leaves;
  uint8_t* leaf_mode;
  // By pixel of all nodes: the best leaf's reconstruction and PixelChoice::residual.
  uint8_t* reconstruction;
  uint32_t* choices;
  // Of the present step, by node: modes searched; by pixel: predictions, kPredictionModes each, and
  // partition ids, kMostModesSearched each and four to a pixel.
  SearchedModes* searched_modes;
  uint8_t* predictions;
  uint32_t* ids;
  // Look-ups, and each block's own copy of what is known of all nodes, are in shared memory; or
  // else the latter are here.
  bool all_in_shared_memory;
  char* node_memory;  // NodeBytes for each block

  uint32_t modes;  // that may be used
  int32_t dictionary_size;
  int32_t modes_searched;  // see SearchEffort
  int32_t residual_slack_q4;
  int32_t blocks;  // of the group
};

}  // namespace mmp::cuda

#endif  // MMP_CUDA_SEARCH_ARGUMENTS_H_
