// The interface between coding and searching. A searcher chooses how macroblocks are coded; it
// changes nothing, and all searchers (CPU, CUDA) choose the same: the least cost J; of equal ones
// the lowest pattern index, leaf before vertical before horizontal split, splitting the residual
// only before splitting both, the lowest mode.
#ifndef MMP_CODEC_RDO_MACROBLOCK_SEARCH_H_
#define MMP_CODEC_RDO_MACROBLOCK_SEARCH_H_

#include <cstdint>
#include <functional>
#include <span>

#include "codec/base/lambda.h"
#include "codec/base/levels.h"
#include "codec/base/macroblock_order.h"
#include "codec/postfilter/network_device.h"
#include "codec/rdo/search_stats.h"
#include "codec/tile/tile_state.h"
#include "codec/tile/write_port.h"
#include "common/task_pool.h"
#include "mmp/status.h"

namespace mmp {

// The original samples of a macroblock, row by row.
struct MacroblockSamples {
  alignas(64) uint8_t samples[kMacroblockPixels];
};

// A macroblock of a front, and what a search chooses for it.
struct SearchedMacroblock {
  MacroblockPlace place;
  MacroblockSamples original;
  MacroblockSymbols symbols;
};

class MacroblockSearch {
 public:
  virtual ~MacroblockSearch() = default;

  // Chooses the symbols of the macroblocks of a front of `tile`, given its state before the front,
  // whose block vectors have been coded, and the multiplier. A front may come in parts, whose
  // multipliers differ, each of which is awaited before the next. A tile's fronts come in order;
  // the first, never in parts, may follow any of another tile's, whatever its image and lambda.
  // Called by member 0 of the pool, whose other members share the work. A device may still be at
  // work when this returns: the symbols of a macroblock are there when it has been awaited, which
  // all are to be before the next call. Until then `tile` and `front` live, and what is known of
  // the tile's dictionary does not change. `beside`, which may be empty, is work of the caller's
  // that the search takes no part in: it is called once, while members of the pool or the device
  // search. Fails if the device that searches does; `beside` may then not have been called.
  virtual Status Search(const TileState& tile, Lambda lambda, std::span<SearchedMacroblock> front,
                        TaskPool& pool, const std::function<void()>& beside) = 0;
  // Returns the number of a macroblock of what was given to Search once it has been searched: the
  // n-th in the order in which they are best awaited. Fails as Search. May be called by several
  // threads, once for each n.
  virtual Result<int> Await(int n) { return n; }

  // Whether a device searches, so that the members of the pool have nothing to do with it once
  // Search has returned.
  virtual bool IsElsewhere() const { return false; }

  // The network filter of the device that searches, for any thread while no front is to be awaited,
  // one at a time; null if there is none. Lives as long as this.
  virtual NetworkDevice* Network() { return nullptr; }

  // Called if what it chose turned out to be wrong: a pool of searches must not reuse this one.
  virtual void Distrust() {}

  // What this search has counted and timed since it was made.
  virtual SearchStats Stats() const = 0;
};

}  // namespace mmp

#endif  // MMP_CODEC_RDO_MACROBLOCK_SEARCH_H_
