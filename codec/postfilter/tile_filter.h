// All that filters a tile's finished reconstruction: the network, then the Wiener filter,
// then maps of gray levels.
#ifndef MMP_CODEC_POSTFILTER_TILE_FILTER_H_
#define MMP_CODEC_POSTFILTER_TILE_FILTER_H_

#include <cstdint>
#include <vector>

#include "codec/postfilter/level_maps.h"
#include "codec/postfilter/network_filter.h"
#include "codec/postfilter/wiener_filter.h"
#include "common/task_pool.h"

namespace mmp {

struct FilterChoice {
  NetworkChoice network = {};
  WienerChoice wiener = {};  // after the network its base is WienerBase::kZeros
  LevelMaps level_maps = {};
};

// Filters `plane`, of which `prediction` was predicted, as chosen; the prediction is used by the
// network alone. The width and the height must be multiples of 16. `goes_on`: as NetworkFilter asks
// it.
inline void ApplyFilter(const FilterChoice& choice, const std::vector<uint8_t>& prediction,
                        int width, int height, std::vector<uint8_t>& plane,
                        TaskPool& pool = TaskPool::Alone(), const GoesOn& goes_on = {}) {
  ApplyNetwork(choice.network, prediction, width, height, plane, pool, goes_on);
  ApplyWiener(choice.wiener, width, height, plane, pool);
  ApplyLevelMaps(choice.level_maps, width, height, plane, pool);
}

}  // namespace mmp

#endif  // MMP_CODEC_POSTFILTER_TILE_FILTER_H_
