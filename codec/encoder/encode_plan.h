// What an encode does before its first tile and after its last: from options to a file's header,
// and from tiles to the file.
#ifndef MMP_CODEC_ENCODER_ENCODE_PLAN_H_
#define MMP_CODEC_ENCODER_ENCODE_PLAN_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "codec/base/lambda.h"
#include "codec/bitstream/container.h"
#include "codec/dictionary/trained_patterns.h"
#include "codec/encoder/encode_tile.h"
#include "codec/encoder/find_exact_blocks.h"
#include "codec/encoder/step_weights.h"
#include "mmp/image.h"
#include "mmp/mmp.h"
#include "mmp/status.h"

namespace mmp {

struct EncodePlan {
  FileHeader header;
  double lambda = 0;                         // of samples scaled to [0, 255]
  Lambda coded_lambda;                       // of coded samples
  StepWeights weights;                       // of errors of coded samples
  bool finds_block_vectors = true;           // or the tiles have none
  ImageView image;                           // of coded samples, as patterns are to see them
  std::shared_ptr<const Image> coded_image;  // what `image` is of, if that is not the caller's
  // Null if no blocks are coded exactly; else `image` is its filled one, and of `with_exact`, of
  // coded samples, are those of exact blocks.
  std::shared_ptr<const ExactRegions> exact_regions;
  ImageView with_exact;
  std::vector<TileInfo> grid;
  int64_t macroblocks = 0;                              // of all tiles
  std::shared_ptr<const TrainedPatterns> patterns;      // null if the header asks for none
  std::shared_ptr<const std::vector<uint8_t>> preview;  // null if there is to be none
};

// Whether the image has so few gray levels, as text and slides have, or was a JPEG file, that a
// lossless file may well be smaller than a lossy one.
bool MayBeBestLossless(const ImageView& image);

// The plans to be followed, at least one, for the file that costs least at the first one's lambda
// to be kept: by patterns, by the pixel coder, and lossless where that may be worth it. Errors:
// kInvalidArgument, if the image or an option is out of range; those of FindPatterns.
Result<std::vector<EncodePlan>> PlanTries(const ImageView& image, const EncodeOptions& options);

// Gives all plans the image's preview, as MakePreview makes it. Errors: those of MakePreview.
Status AddPreview(const ImageView& image, int threads, const ProgressCallback& progress,
                  std::vector<EncodePlan>& plans);

// What is to be least of a plan's file: J at the lambda of the first plan, of samples scaled to [0,
// 255]; if that is 0, the bytes.
double FileCost(const EncodePlan& first, uint64_t sum_squared_error, size_t bytes);

// The file made of all tiles of the plan's grid, coded. `stats` becomes the sum of the tiles' and
// what follows from the plan; backend, threads, tries and seconds_total are left as in a new one.
std::vector<uint8_t> FinishEncode(const EncodePlan& plan, const std::vector<EncodedTile>& tiles,
                                  const std::vector<TileStats>& tile_stats,
                                  const Metadata& metadata, EncodeStats& stats);

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_ENCODE_PLAN_H_
