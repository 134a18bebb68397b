// Samples that were a JPEG file, coded as its coefficients were, and by what these are not.
// Normative: docs/format-jpeg.md.
#ifndef MMP_CODEC_PIXEL_JPEG_CODER_H_
#define MMP_CODEC_PIXEL_JPEG_CODER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/pixel/bit_port.h"
#include "codec/pixel/jpeg_contexts.h"
#include "codec/pixel/jpeg_picture.h"
#include "codec/pixel/mixed_decision.h"
#include "codec/pixel/pixel_codec.h"
#include "codec/pixel/pixel_tables.h"
#include "codec/pixel/repeat_models.h"

namespace mmp {

// Samples of 8 bits of a rectangle, rows `stride` apart.
struct JpegPlane {
  uint16_t* samples;
  ptrdiff_t stride;
  int width, height;
  int max_error;
};

// Codes what the picture's blocks begin with: where they are, and their steps.
JpegPicture CodeJpegPicture(BitPort& port, int width, int height, const JpegPicture* given);

class JpegCoder {
 public:
  // Decoding, the blocks of `picture` become what was coded, and the plane what that means.
  // Encoding, the plane becomes what a decoder makes of it.
  JpegCoder(BitPort& port, JpegPicture& picture, const JpegPlane& plane);

  // Asks `goes_on` behind each row of blocks, once for each row of samples that it has, and ends
  // there if it says no. Returns false then.
  bool Run(const GoesOn& goes_on);

 private:
  static constexpr int kInputs = kJpegContexts + 1;
  static constexpr int kTableBits = 16;
  using Weights = std::array<double, kInputs>;

  void CodeBlock(int row, int column);
  int CodeMultiple(const JpegSurroundings& surroundings, int multiple);
  int Decide(int bit, const JpegSurroundings& surroundings, int decision);
  // What a decoder adds to the samples of the blocks.
  void CodeErrors();

  BitPort& port_;
  const PixelTables& tables_;
  JpegPicture& picture_;
  const JpegPlane plane_;
  std::vector<int16_t> decoded_;  // less 128, of all blocks
  std::array<std::vector<CountedProbability>, kJpegContexts> contexts_;
  std::array<Weights, 2 * 16> decision_weights_{};
  std::array<Weights, JpegSurroundings::kPlaceSets> place_weights_{};
  std::array<Weights, JpegSurroundings::kSizeSets> size_weights_{};
  std::array<RefinedCurve, JpegSurroundings::kCurves> curves_;
  int64_t decisions_ = 0;
};

}  // namespace mmp

#endif  // MMP_CODEC_PIXEL_JPEG_CODER_H_
