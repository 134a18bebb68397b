// Tables that device code looks things up in, in constant memory.
#ifndef MMP_CUDA_KERNELS_TABLES_CUH_
#define MMP_CUDA_KERNELS_TABLES_CUH_

#include <cstdint>

#include "codec/base/fixed_log2.h"
#include "codec/base/levels.h"
#include "codec/base/parameters.h"
#include "codec/bitstream/context_models.h"

namespace mmp::cuda {

struct LevelTable {
  int8_t level[5][5];  // [log2_height][log2_width]
};

constexpr LevelTable MakeLevelTable() {
  LevelTable table{};
  for (int level = 0; level < kLevelCount; ++level)
    table.level[kLevelShapes[level].log2_height][kLevelShapes[level].log2_width] =
        static_cast<int8_t>(level);
  return table;
}

__constant__ static LevelTable level_table = MakeLevelTable();

__device__ inline int LevelAt(int log2_height, int log2_width) {
  return level_table.level[log2_height][log2_width];
}

// How many of a block's sub-blocks have 2 to 2^kLog2MostSmall pixels.
inline constexpr int kLog2MostSmall = 4;
struct SmallSubBlocksTable {
  int16_t count[5][5];  // [log2_height][log2_width] of the block
};

constexpr SmallSubBlocksTable MakeSmallSubBlocksTable() {
  SmallSubBlocksTable table{};
  for (const LevelShape& whole : kLevelShapes) {
    for (const LevelShape& part : kLevelShapes) {
      const bool inside =
          part.log2_height <= whole.log2_height && part.log2_width <= whole.log2_width;
      if (inside && part.log2_pixels() >= 1 && part.log2_pixels() <= kLog2MostSmall)
        table.count[whole.log2_height][whole.log2_width] +=
            static_cast<int16_t>(whole.pixels() / part.pixels());
    }
  }
  return table;
}

static_assert(MakeSmallSubBlocksTable().count[2][2] == 7 * 7 - 16);

__constant__ static SmallSubBlocksTable small_sub_blocks_table = MakeSmallSubBlocksTable();

__device__ inline int SmallSubBlocks(int log2_height, int log2_width) {
  return small_sub_blocks_table.count[log2_height][log2_width];
}

// Log2Q12 of what the counts of a SymbolModel can add up to.
struct Log2Table {
  static constexpr uint32_t kMost = SymbolModel<kPredictionModes>::kLimit;
  uint16_t q12[kMost + 1];
};

constexpr Log2Table MakeLog2Table() {
  Log2Table table{};
  for (uint32_t value = 1; value <= Log2Table::kMost; ++value)
    table.q12[value] = static_cast<uint16_t>(Log2Q12(value));
  return table;
}

__constant__ static Log2Table log2_table = MakeLog2Table();

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_TABLES_CUH_
