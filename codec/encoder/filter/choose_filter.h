// How a tile is filtered: by the network or not, by Wiener filters, and in which blocks, for the
// least J = D + lambda R.
#ifndef MMP_CODEC_ENCODER_CHOOSE_FILTER_H_
#define MMP_CODEC_ENCODER_CHOOSE_FILTER_H_

#include "codec/base/lambda.h"
#include "codec/tile/tile_state.h"
#include "codec/tile/write_port.h"
#include "common/task_pool.h"
#include "mmp/image.h"

namespace mmp {

// The symbols of the filter for a tile that is reconstructed but for it; none if its file has no
// filter. `image`: the tile's samples.
MacroblockSymbols ChooseFilter(const TileState& tile, const ImageView& image, Lambda lambda,
                               TaskPool& pool);

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_CHOOSE_FILTER_H_
