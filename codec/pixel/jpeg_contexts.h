// What is known of a coefficient of a JPEG file before it is coded: those coded before it, in its
// block and around, and what the samples beside the block let expect.
// Normative: docs/format-jpeg.md, "Block".
#ifndef MMP_CODEC_PIXEL_JPEG_CONTEXTS_H_
#define MMP_CODEC_PIXEL_JPEG_CONTEXTS_H_

#include <array>
#include <cstdint>

#include "codec/base/jpeg_blocks.h"
#include "codec/pixel/jpeg_picture.h"

namespace mmp {

inline constexpr int kJpegContexts = 9;
using JpegHashes = std::array<uint32_t, kJpegContexts>;

// The decisions that a coefficient is coded by: whether it is nought, its sign, and then whether
// its magnitude is above 1, 2 ...
inline constexpr int kJpegZero = 0, kJpegSign = 1, kFirstJpegSize = 2;
inline constexpr int kMostJpegSizes = 17;

// Of one coefficient.
class JpegSurroundings {
 public:
  // What is coded is how far the multiple is from this; of all but the first frequency it is 0.
  int expected() const { return expected_; }
  JpegHashes HashesOf(int decision) const;
  // The sets of weights of a decision, apart from the one that goes by the decision alone.
  int PlaceSet(int decision) const;
  static constexpr int kPlaceSets = 3 * kCosinePixels;
  int SizeSet(int decision) const;
  static constexpr int kLevels = 11;
  static constexpr int kSizeSets =
      kLevels * kLevels + 4 * (2 * kLevels - 1) + 8 * kLevels * kLevels;
  // Which curve refines a decision's probability.
  int Curve(int decision) const;
  static constexpr int kCurves = 4 + 4 + 4 * 4;
  bool is_first() const { return place_ == 0; }

 private:
  friend class JpegBlockContexts;

  int place_ = 0, order_ = 0;  // in the block, row by row, and in JPEG's order
  int kind_ = 0;  // 0: neither frequency is 0; 1: the vertical; 2: the horizontal; 3: both
  int expected_ = 0;
  int known_ = 0;                                     // edges: 1 above, 2 left
  int above_ = 0, left_ = 0;                          // multiples of the same frequency
  int nonzero_ = 0;                                   // in the block
  int around_ = 0, near_ = 0, other_ = 0;             // levels of magnitudes
  int64_t by_above_ = 0, by_left_ = 0, by_both_ = 0;  // what is expected, in 16ths of a step
  int difference_ = 0, activity_ = 0;                 // of the first frequency: levels
};

// Of the coefficients of one block, from the highest frequency on.
class JpegBlockContexts {
 public:
  // `samples`: decoded samples, less 128, rows of `stride`, the block's first one; those above and
  // left are read.
  JpegBlockContexts(const JpegPicture& picture, int row, int column, const int16_t* samples,
                    int stride);

  // Of number `order` in JPEG's order, those after it having been added.
  JpegSurroundings Of(int order) const;
  void Add(int order, int multiple);

 private:
  int Magnitude(int row, int column, int u, int v) const;

  const JpegPicture& picture_;
  const int row_, column_;
  const bool has_above_, has_left_, has_right_;
  // What the samples beside the block let expect of the sums of the frequencies of a column, or a
  // row, at the block's edge, less what is known of these; times 2^15.
  std::array<int64_t, kCosineSide> above_{}, left_{};
  int nonzero_ = 0, activity_ = 0;
};

}  // namespace mmp

#endif  // MMP_CODEC_PIXEL_JPEG_CONTEXTS_H_
