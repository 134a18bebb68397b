// What the symbols of a tile cost.
#ifndef MMP_CODEC_TILE_SYMBOL_STATS_H_
#define MMP_CODEC_TILE_SYMBOL_STATS_H_

#include <array>
#include <cstdint>

#include "codec/base/levels.h"
#include "codec/base/parameters.h"

namespace mmp {

struct SymbolStats {
  std::array<int64_t, kPredictionModes> modes_chosen{};
  std::array<int64_t, kLevelCount> leaves_by_level{};  // of residual trees
  std::array<double, kLevelCount> index_bits_by_level{};
  double partition_bits = 0;
  double residual_flag_bits = 0;
  double mode_bits = 0;
  double index_bits = 0;
  double block_vector_bits = 0;
  double filter_bits = 0;
  double exact_block_bits = 0;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_SYMBOL_STATS_H_
