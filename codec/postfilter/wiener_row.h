// One row of the Wiener filter, with SIMD.
#ifndef MMP_CODEC_POSTFILTER_WIENER_ROW_H_
#define MMP_CODEC_POSTFILTER_WIENER_ROW_H_

#include <array>
#include <cstdint>

#include "codec/postfilter/wiener_filter.h"

namespace mmp {

// The parameters that all pixels of a row share.
struct WienerRowRules {
  // Offsets from a pixel to one neighbour of each pair; the other lies opposite.
  std::array<int, kWienerTaps> offsets;
  // The differences' limit.
  int limit;
  // The least activity of each class but the first.
  std::array<int, kWienerActivities - 1> activity_bounds;
  // By activity class, texture and pair of neighbours: the weight of the pair's differences in the
  // low half, that of the limited differences in the high half.
  const uint32_t* weights;
  int texture_count;
};

// filtered[x] for x in [0, width); width is a multiple of 16. The textures are in [0,
// rules.texture_count).
void FilterWienerRow(const WienerRowRules& rules, const uint8_t* pixels, const uint16_t* activities,
                     const uint8_t* textures, int width, uint8_t* filtered);

}  // namespace mmp

#endif  // MMP_CODEC_POSTFILTER_WIENER_ROW_H_
