// The pixel coder: rectangles of gray samples of 1 to 16 bits, without loss or with a bound on
// every sample's error. Normative: docs/format-pixel.md.
//
// Rectangles are independent of each other, so several can be coded side by side. Memory is linear
// in the width, time in the number of samples.
#ifndef MMP_CODEC_PIXEL_PIXEL_CODER_H_
#define MMP_CODEC_PIXEL_PIXEL_CODER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/pixel/jpeg_picture.h"
#include "codec/pixel/pixel_codec.h"
#include "mmp/status.h"

namespace mmp {

inline constexpr int kMaxPixelRectangleSize = 65535;
inline constexpr int64_t kMaxPixelRectanglePixels = int64_t{1} << 30;

struct PixelFormat {
  int depth = 8;      // bits of a sample, in [1, 16]
  int max_error = 0;  // |sample - decoded sample| is at most this; in [0, 65535]
  int effort = 2;     // 1: fast, 2: small
  // Cells of max_error + 1 values or one less, each decoded as the mean that is expected of it:
  // less squared error than the middle of a cell, but only half as many values in one of the same
  // bound. Not where max_error is 0.
  bool by_means = false;
  // Depth 8: streams say whether they are of a JPEG file's coefficients.
  bool may_be_jpeg = false;
};

struct PixelView {
  const uint16_t* samples;  // rows of `width`, `stride` apart; each below 2^depth
  ptrdiff_t stride;
  int width, height;  // in [1, kMaxPixelRectangleSize]
};

// The stream of a rectangle. `jpeg`, if not null, is what it was as a JPEG file, which the format
// allows; without loss it is coded in other ways, too, if it may be smaller so. `reconstruction`,
// if not null, is set to what its decoder yields: rows of view.width without gaps. If `goes_on`
// says no, it ends there, and neither means anything.
std::vector<uint8_t> EncodePixels(const PixelView& view, const PixelFormat& format,
                                  std::vector<uint16_t>* reconstruction, const GoesOn& goes_on = {},
                                  const JpegPicture* jpeg = nullptr);

// Whether a stream that begins so, or is shorter and has zeros behind it here, is of a JPEG file's
// coefficients.
inline constexpr size_t kBytesThatSayJpeg = 4;
bool IsOfJpeg(std::span<const uint8_t, kBytesThatSayJpeg> beginning, const PixelFormat& format);

// Decodes into `samples`: rows of `width`, `stride` apart. kCorrupt: the stream is malformed, too
// short or too long; some samples may then have been written. kInvalidArgument: the format or the
// size is out of range. kCancelled: `goes_on` said so.
Status DecodePixels(std::span<const uint8_t> stream, const PixelFormat& format, int width,
                    int height, uint16_t* samples, ptrdiff_t stride, const GoesOn& goes_on = {});

}  // namespace mmp

#endif  // MMP_CODEC_PIXEL_PIXEL_CODER_H_
