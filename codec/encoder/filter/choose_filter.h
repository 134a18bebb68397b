// How a tile is filtered: by the network or not, by Wiener filters, and in which blocks, and by
// which maps of gray levels, for the least J = D + lambda R.
#ifndef MMP_CODEC_ENCODER_FILTER_CHOOSE_FILTER_H_
#define MMP_CODEC_ENCODER_FILTER_CHOOSE_FILTER_H_

#include <cstdint>
#include <vector>

#include "codec/base/lambda.h"
#include "codec/base/progress.h"
#include "codec/encoder/filter/filter_effort.h"
#include "codec/encoder/filter/network_beside.h"
#include "codec/encoder/step_weights.h"
#include "codec/tile/tile_state.h"
#include "codec/tile/write_port.h"
#include "common/task_pool.h"
#include "mmp/image.h"

namespace mmp {

struct ChosenFilter {
  MacroblockSymbols symbols;      // none if the tile's file has no filter
  std::vector<uint8_t> filtered;  // the tile's plane, by all of it
};

// The filter for a tile that is reconstructed but for it. `image`: the tile's samples. `network`,
// if not null, gives what the network makes of the tile, as far as it can. If `goes_on`, as
// NetworkFilter asks it, says no, the choice means nothing.
ChosenFilter ChooseFilter(const TileState& tile, const ImageView& image, Lambda lambda,
                          const StepWeights& weights, FilterEffort effort, NetworkBeside* network,
                          TaskPool& pool, const GoesOn& goes_on = {});

// What is likely to be tried of the networks: the first two are in any case. Nothing if they are
// not. `image`: the tile's samples.
std::vector<NetworkRun> NetworkRunsTried(const CodecParameters& parameters, const ImageView& image,
                                         Lambda lambda, bool is_hurried);

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_FILTER_CHOOSE_FILTER_H_
