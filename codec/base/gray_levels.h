// How many gray levels a picture has, which tells what kind of picture it is.
#ifndef MMP_CODEC_BASE_GRAY_LEVELS_H_
#define MMP_CODEC_BASE_GRAY_LEVELS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mmp/image.h"

namespace mmp {

inline int CountGrayLevels(const ImageView& image) {
  std::vector<uint8_t> seen(LargestSample(image.depth) + 1);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) seen[image.Sample(y, x)] = 1;
  return static_cast<int>(std::ranges::count(seen, 1));
}

// Text, line art and slides have few gray levels; photographs and scans have more.
inline bool LooksDrawn(const ImageView& image) { return CountGrayLevels(image) <= 128; }

}  // namespace mmp

#endif  // MMP_CODEC_BASE_GRAY_LEVELS_H_
