// The reconstructed pixels that prediction sees while one macroblock is coded: the macroblock
// itself and the surroundings that its predictors reach, with a flag for each pixel that says
// whether it is already reconstructed ("available").
#ifndef MMP_CODEC_INTRA_CANVAS_H_
#define MMP_CODEC_INTRA_CANVAS_H_

#include <cstdint>

#include "codec/base/levels.h"
#include "common/host_device.h"

namespace mmp {

struct Canvas {
  static constexpr int kTop = 26;    // rows above the macroblock
  static constexpr int kLeft = 32;   // columns left of it
  static constexpr int kRight = 16;  // columns right of it
  static constexpr int kStride = kLeft + kMacroblockSize + kRight;
  static constexpr int kRows = kTop + kMacroblockSize;

  // (0, 0) is the macroblock's top left pixel; y in [-kTop, 16), x in [-kLeft, 32).
  static MMP_HOST_DEVICE constexpr int Index(int y, int x) {
    return (y + kTop) * kStride + x + kLeft;
  }
  MMP_HOST_DEVICE uint8_t Pixel(int y, int x) const { return pixels[Index(y, x)]; }
  MMP_HOST_DEVICE bool Available(int y, int x) const { return available[Index(y, x)] != 0; }

  // Pixels that are not available are 0.
  alignas(64) uint8_t pixels[kRows * kStride];
  alignas(64) uint8_t available[kRows * kStride];  // 0 or 1
};

// Fills `canvas` for the macroblock whose top left pixel is (y, x) of a tile, from the tile's
// reconstruction: `plane` has `stride` samples a row, `width` x `height` samples (multiples of 16).
void LoadCanvas(const uint8_t* plane, int stride, int width, int height, int y, int x,
                Canvas& canvas);

// Marks the block's pixels, which have been written, as available.
void MarkAvailable(Canvas& canvas, BlockRect rect);

// Makes the block's pixels unavailable.
void Withdraw(Canvas& canvas, BlockRect rect);

}  // namespace mmp

#endif  // MMP_CODEC_INTRA_CANVAS_H_
