// The network filter: a small convolutional network of integers that brings a tile's finished
// reconstruction nearer to the original. It sees the reconstruction and what was predicted of it,
// and is told how noisy they are. Normative: docs/format.md, "Network filter".
#ifndef MMP_CODEC_POSTFILTER_NETWORK_FILTER_H_
#define MMP_CODEC_POSTFILTER_NETWORK_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/base/macroblock_order.h"
#include "codec/base/parameters.h"
#include "codec/base/progress.h"
#include "codec/postfilter/network_area.h"
#include "codec/postfilter/network_arithmetic.h"
#include "codec/postfilter/network_convolution.h"
#include "codec/postfilter/network_weights.h"
#include "codec/postfilter/predicted_tile.h"
#include "common/task_pool.h"

namespace mmp {

// Which network is beside the first one, in the pairs of which a tile has one.
enum class NetworkPair : uint8_t { kSecond, kThird };

// Whether there is a choice of these: of deep networks.
bool HasNetworkPairs(const CodecParameters& parameters);

// The networks that the parameters' tools filter with, if they do; each block has one of them.
// `pair`: counts if there is a choice.
std::span<const NetworkKind> NetworksOf(const CodecParameters& parameters,
                                        NetworkPair pair = NetworkPair::kSecond);

// Where a network begins in a tile whose third deep one begins there: others begin at the first
// pixel.
constexpr NetworkOrigin OriginOf(NetworkKind kind, NetworkOrigin of_third) {
  return kind == NetworkKind::kThirdDeep ? of_third : NetworkOrigin();
}

// What becomes of a tile by the networks.
struct NetworkChoice {
  std::span<const NetworkKind> networks = {};  // that there are to choose from, see NetworksOf
  int level = 0;                               // of noise, in [0, kNetworkLevels]; 0: no network
  // By number of the block: 0, if it is not filtered, or 1 + the place in `networks` of the one
  // that filters it. Empty if the level is 0.
  std::vector<uint8_t> blocks = {};
  NetworkOrigin origin = {};  // of the third deep network
};

// The blocks that a network filters.
struct NetworkBlocks {
  NetworkKind kind;
  NetworkOrigin origin;
  std::vector<uint8_t> is_filtered;  // by number of the block
};
// Those of a choice, without networks that filter none.
std::vector<NetworkBlocks> BlocksByNetwork(const NetworkChoice& choice);

class NetworkFilter {
 public:
  // An area with the number of the last front that has something it needs.
  struct AreaBehind {
    int front;
    NetworkArea area;
  };

  // `level` is in [1, kNetworkLevels].
  NetworkFilter(const NetworkWeights& weights, int level, NetworkOrigin origin = {});

  NetworkOrigin origin() const { return origin_; }

  // Writes the filtered pixels of the blocks that are not 0 into `filtered`, a plane like that of
  // the tile's pixels, but not that one; leaves the others, also those of rows and columns that the
  // network does not see. The pool shares the work, and its
  // members ask `goes_on`, if there is one, row by row: if it says no, some pixels are not written.
  void Apply(const PredictedTile& tile, const std::vector<uint8_t>& blocks, uint8_t* filtered,
             TaskPool& pool = TaskPool::Alone(), const GoesOn& goes_on = {}) const;

  // The same in steps, which may be taken side by side, each as soon as what it needs of the tile
  // is there: areas that have all blocks that are not 0, so many that there is work for `threads`,
  // and of at most `most_rows` rows of blocks; the last pixel, of the lowest row and the last
  // column, that one needs; areas by the fronts that these are in; an area's filtered pixels.
  static std::vector<NetworkArea> Areas(const PredictedTile& tile,
                                        const std::vector<uint8_t>& blocks, int threads,
                                        int most_rows);
  MacroblockPlace LastNeeded(const PredictedTile& tile, const NetworkArea& area) const;
  std::vector<AreaBehind> AreasBehind(const PredictedTile& tile, MacroblockOrder order,
                                      const std::vector<uint8_t>& blocks, int threads,
                                      int most_rows) const;
  void ApplyTo(const NetworkArea& area, const PredictedTile& tile,
               const std::vector<uint8_t>& blocks, uint8_t* filtered,
               const GoesOn& goes_on = {}) const;

  // The bytes that Apply takes at most for a tile of this size.
  static uint64_t Memory(NetworkShape shape, int width, int height);

 private:
  class Strip;

  const NetworkShape shape_;
  const NetworkScale scale_;
  const NetworkOrigin origin_;
  std::vector<PackedLayer> layers_;
};

// Filters `plane`, of which `prediction` was predicted, as chosen. The sides must be multiples of
// 16. `goes_on`: as Apply takes it.
void ApplyNetwork(const NetworkChoice& choice, const std::vector<uint8_t>& prediction, int width,
                  int height, std::vector<uint8_t>& plane, TaskPool& pool = TaskPool::Alone(),
                  const GoesOn& goes_on = {});

}  // namespace mmp

#endif  // MMP_CODEC_POSTFILTER_NETWORK_FILTER_H_
