// The network filter behind the fronts of a tile: area by area, while later fronts are being parsed
// and reconstructed.
#ifndef MMP_CODEC_DECODER_NETWORK_BEHIND_H_
#define MMP_CODEC_DECODER_NETWORK_BEHIND_H_

#include <cstdint>
#include <vector>

#include "codec/base/progress.h"
#include "codec/decoder/front_pipeline.h"
#include "codec/postfilter/network_filter.h"
#include "codec/tile/tile_state.h"

namespace mmp {

class NetworkBehind {
 public:
  // `choice` is one with a network; the tile must last.
  NetworkBehind(const NetworkChoice& choice, TileState& tile, int threads);

  // Filters each area as soon as the fronts have been reconstructed that it needs. Asks `goes_on`
  // row by row; once it says no, the pipeline stops, and what was filtered is of no use.
  void FilterBehind(FrontPipeline& pipeline, const GoesOn& goes_on);
  // The tile's plane becomes the filtered one; once the pipeline has ended.
  void Finish();

 private:
  // One of the networks that filter, and its blocks.
  struct Network {
    std::vector<uint8_t> is_filtered;
    NetworkFilter filter;
  };
  struct Job {
    const Network* network;
    NetworkFilter::AreaBehind behind;
  };

  // The pixels of the network's blocks that it does not see.
  void CopyUnseen(const Network& network);

  const std::vector<uint8_t> blocks_;  // as NetworkChoice has them
  TileState& tile_;
  std::vector<Network> networks_;
  std::vector<Job> jobs_;          // by front
  std::vector<uint8_t> filtered_;  // a plane as the tile's
};

}  // namespace mmp

#endif  // MMP_CODEC_DECODER_NETWORK_BEHIND_H_
