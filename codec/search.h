// The interface between coding and searching. A searcher chooses how a macroblock is coded; it
// changes nothing, and all searchers (CPU, CUDA) choose alike: the least cost J; of equal ones the
// lowest pattern index, leaf before vertical before horizontal split, splitting the residual only
// before splitting both, the lowest mode.
#ifndef MMP_CODEC_SEARCH_H_
#define MMP_CODEC_SEARCH_H_

#include <cstdint>
#include <vector>

#include "codec/levels.h"
#include "codec/mmp.h"
#include "codec/search_rates.h"
#include "codec/tile_state.h"
#include "common/status.h"

namespace mmp {

// The original samples of a macroblock, row by row.
struct MacroblockSamples {
  alignas(64) uint8_t samples[kMacroblockPixels];
};

// The symbols of a macroblock in coding order; those that are the only one allowed are left out.
using MacroblockSymbols = std::vector<uint32_t>;

class MacroblockSearch {
 public:
  virtual ~MacroblockSearch() = default;

  // Chooses for the macroblock at (y, x) of `tile`, given its state and the multiplier. A tile's
  // macroblocks come in raster order; the first may follow any of another tile's, whatever its
  // image and lambda. Fails if the device that searches does.
  virtual Status Search(const TileState& tile, Lambda lambda, const MacroblockSamples& original,
                        int y, int x, MacroblockSymbols& symbols) = 0;

  // Called if what it chose turned out to be wrong: whoever keeps searches shall not keep this one.
  virtual void Distrust() {}

  // Adds what this searcher has counted and timed since it was made to `stats`.
  virtual void AddStats(EncodeStats& stats) const = 0;
};

// Adds to `to` what searches counted and timed in `from`, or with sign -1 in place of 1 subtracts
// it.
void AddSearchStats(const EncodeStats& from, int sign, EncodeStats& to);

}  // namespace mmp

#endif  // MMP_CODEC_SEARCH_H_
