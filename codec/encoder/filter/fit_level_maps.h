// Fits maps of gray levels to a tile.
#ifndef MMP_CODEC_ENCODER_FILTER_FIT_LEVEL_MAPS_H_
#define MMP_CODEC_ENCODER_FILTER_FIT_LEVEL_MAPS_H_

#include <cstdint>
#include <vector>

#include "codec/base/lambda.h"
#include "codec/postfilter/level_maps.h"
#include "common/task_pool.h"
#include "mmp/image.h"

namespace mmp {

// Those of about the least cost D + lambda R for the filtered plane of a tile, of rows of `stride`
// samples, whose original is `image`; none if they are not worth their bits. A user in a hurry gets
// fewer kinds tried. The pool shares the work.
LevelMaps FitLevelMaps(const std::vector<uint8_t>& plane, int stride, const ImageView& image,
                       Lambda lambda, bool is_hurried, TaskPool& pool = TaskPool::Alone());

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_FILTER_FIT_LEVEL_MAPS_H_
