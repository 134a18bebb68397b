// Blocks in the middle of a macroblock's coding, for tests of the predictions on the device.
#ifndef MMP_TESTS_CUDA_PLACES_H_
#define MMP_TESTS_CUDA_PLACES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "codec/base/levels.h"
#include "codec/intra/canvas.h"
#include "tests/support/test_support.h"

namespace mmp::cuda {

struct Place {
  Canvas canvas;
  BlockRect rect;
};

// `rounds` places of every picture and every level below `levels` that are `usable`, and what they
// are. Every third has few values, so that much is equal.
template <typename UsableFn>
std::vector<Place> RandomPlaces(int levels, int rounds, UsableFn usable,
                                std::vector<std::string>& names) {
  Random random(1);
  std::vector<Place> places;
  for (const Picture picture : kAllPictures) {
    for (int level = 0; level < levels; ++level) {
      for (int round = 0; round < rounds;) {
        const CodingPosition position = RandomPosition(random, level, picture);
        if (!usable(position.canvas, position.rect)) continue;
        places.push_back({position.canvas, position.rect});
        names.push_back(std::string(PictureName(picture)) + ", " + position.ToString());
        if (round % 3 == 0) {
          const int values = 2 + round % 5;
          for (uint8_t& v : places.back().canvas.pixels)
            v = static_cast<uint8_t>(v * values / 256 * (255 / values));
          names.back() += ", few values";
        }
        ++round;
      }
    }
  }
  return places;
}

}  // namespace mmp::cuda

#endif  // MMP_TESTS_CUDA_PLACES_H_
