// Tables that device code looks things up in, in constant memory.
#ifndef MMP_CUDA_TABLES_CUH_
#define MMP_CUDA_TABLES_CUH_

#include <cstdint>

#include "codec/levels.h"

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

}  // namespace mmp::cuda

#endif  // MMP_CUDA_TABLES_CUH_
