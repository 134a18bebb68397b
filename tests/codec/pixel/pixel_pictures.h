// Small pictures of every depth and character for the tests of the pixel coder.
#ifndef MMP_TESTS_CODEC_PIXEL_PIXEL_PICTURES_H_
#define MMP_TESTS_CODEC_PIXEL_PIXEL_PICTURES_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "tests/support/pictures.h"

namespace mmp {

struct PixelSamples {
  int width, height;
  std::vector<uint16_t> values;
};

struct PixelKind {
  const char* name;
  std::function<int(Random&, int x, int y, int highest)> paint;
};

inline const std::vector<PixelKind>& PixelKinds() {
  static const std::vector<PixelKind> kinds = {
      {"noise", [](Random& random, int, int, int highest) { return random.Below(highest + 1); }},
      {"flat", [](Random&, int, int, int highest) { return highest / 3; }},
      {"gradient",
       [](Random&, int x, int y, int highest) { return (x * 3 + y * 2) % (highest + 1); }},
      {"extremes", [](Random& random, int, int, int highest) { return random.Below(2) * highest; }},
      {"steps",
       [](Random&, int x, int y, int highest) { return ((x / 5 + y / 4) % 3) * highest / 2; }},
      {"soft",
       [](Random& random, int x, int y, int highest) {
         return std::min(highest, highest * (x + 2 * y) / 90 + random.Below(highest / 16 + 1));
       }},
      // A quarter of the samples are as the one before: many contexts, and candidates that fail.
      {"few values",
       [](Random& random, int, int, int highest) { return random.Below(4) * highest / 3; }},
      // Five shapes of four values, one beside the other in an order of their own.
      {"glyphs",
       [](Random&, int x, int y, int highest) {
         const int shape = (x / 6 * 7 + y / 8 * 3 + x / 6 * (y / 8)) % 5;
         const int mark = (x % 6 * 5 + y % 8 * 3 + shape * 11 + x % 6 * shape) % 17;
         return x % 6 < 5 && y % 8 < 6 && mark < 4 ? mark * highest / 4 : highest;
       }},
  };
  return kinds;
}

inline PixelSamples Paint(const PixelKind& kind, int width, int height, int depth, uint32_t seed) {
  Random random(seed);
  PixelSamples samples = {width, height, {}};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      samples.values.push_back(static_cast<uint16_t>(kind.paint(random, x, y, (1 << depth) - 1)));
  return samples;
}

}  // namespace mmp

#endif  // MMP_TESTS_CODEC_PIXEL_PIXEL_PICTURES_H_
