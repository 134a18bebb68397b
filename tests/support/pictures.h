// Random numbers and small images that are the same on every machine.
#ifndef MMP_TESTS_SUPPORT_PICTURES_H_
#define MMP_TESTS_SUPPORT_PICTURES_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "mmp/image.h"

namespace mmp {

// Numbers that depend on the seed alone (the distributions of <random> are the library's own).
class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}

  uint32_t Bits() { return static_cast<uint32_t>(engine_()); }
  // In [0, count), count > 0.
  int Below(int count) { return static_cast<int>(Bits() % static_cast<uint32_t>(count)); }
  // In [low, high].
  int Between(int low, int high) { return low + Below(high - low + 1); }
  // True once in `times`.
  bool OneIn(int times) { return Below(times) == 0; }

 private:
  std::mt19937 engine_;
};

std::vector<uint8_t> RandomBytes(Random& random, size_t count);

// Images of every character, all drawn with integers.
enum class Picture { kNoise, kFlat, kGradient, kCheckerboard, kText, kTexture };
inline constexpr Picture kAllPictures[] = {Picture::kNoise,    Picture::kFlat,
                                           Picture::kGradient, Picture::kCheckerboard,
                                           Picture::kText,     Picture::kTexture};
const char* PictureName(Picture picture);
Image Draw(Picture picture, int width, int height, uint32_t seed);
// Text, and from column `left` on another picture.
Image DrawTextBeside(Picture picture, int width, int height, int left);
// What a JPEG file of low quality gives: blocks of 8x8 of low frequencies, the first three in each
// direction, all quantized by one step, in a grid that begins at column `left` and row `top`, in
// [0, 7].
inline constexpr int kDrawnJpegStep = 16;
Image DrawJpeg(int width, int height, int left, int top, uint32_t seed);

}  // namespace mmp

#endif  // MMP_TESTS_SUPPORT_PICTURES_H_
