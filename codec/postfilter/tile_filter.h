// All that is done to a tile's finished reconstruction: the network, then the Wiener filter, then a
// JPEG file's lattice, then maps of gray levels, and exact blocks over it all.
#ifndef MMP_CODEC_POSTFILTER_TILE_FILTER_H_
#define MMP_CODEC_POSTFILTER_TILE_FILTER_H_

#include <cstdint>
#include <vector>

#include "codec/pixel/exact_blocks.h"
#include "codec/postfilter/jpeg_lattice.h"
#include "codec/postfilter/level_maps.h"
#include "codec/postfilter/network_filter.h"
#include "codec/postfilter/predicted_tile.h"
#include "codec/postfilter/wiener_filter.h"
#include "common/task_pool.h"

namespace mmp {

struct FilterChoice {
  NetworkChoice network = {};
  WienerChoice wiener = {};  // after the network its base is WienerBase::kZeros
  JpegLattice jpeg_lattice = {};
  LevelMaps level_maps = {};
  ExactBlocks exact_blocks = {};
};

// Filters `plane`, of which `prediction` was predicted, as chosen; the prediction is used by the
// network alone. `goes_on`: as NetworkFilter asks it.
inline void ApplyFilter(const FilterChoice& choice, const std::vector<uint8_t>& prediction,
                        PlaneSize size, std::vector<uint8_t>& plane,
                        TaskPool& pool = TaskPool::Alone(), const GoesOn& goes_on = {}) {
  const auto [width, height, tile_width, tile_height] = size;
  ApplyNetwork(choice.network, prediction, width, height, plane, pool, goes_on);
  ApplyWiener(choice.wiener, width, height, plane, pool);
  ApplyJpegLattice(choice.jpeg_lattice, tile_width, tile_height, width, plane, pool);
  ApplyLevelMaps(choice.level_maps, width, height, plane, pool);
  ApplyExactBlocks(choice.exact_blocks, width, plane.data());
}

}  // namespace mmp

#endif  // MMP_CODEC_POSTFILTER_TILE_FILTER_H_
