// The Wiener filter: brings a tile's finished reconstruction nearer to the original. Every pixel is
// corrected by its neighbours with weights that were trained for its class, which is derived from
// the reconstruction around it. Normative: docs/format.md, "Wiener filter".
#ifndef MMP_CODEC_POSTFILTER_WIENER_FILTER_H_
#define MMP_CODEC_POSTFILTER_WIENER_FILTER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/task_pool.h"

namespace mmp {

inline constexpr int kWienerStrengths = 6;  // numbered 1 to 6; 0: no filter
inline constexpr uint32_t kAllWienerStrengths = (1u << (kWienerStrengths + 1)) - 1;
inline constexpr uint32_t kBothWienerBlocks = 3;
inline constexpr int kWienerBlockSize = 32;
inline constexpr int kWienerActivities = 8;
inline constexpr int kWienerDirections = 5;
inline constexpr int kWienerClasses = kWienerActivities * kWienerDirections;
inline constexpr int kWienerTaps = 12;  // pairs of pixels, one opposite the other
inline constexpr int kWienerTerms = 2 * kWienerTaps;
inline constexpr int kWienerWeightShift = 8;

// Differences are limited to this in half of the terms; a strength fits multipliers lambda around
// the square of it.
inline constexpr std::array<int, kWienerStrengths> kWienerLimits = {2, 3, 6, 10, 17, 32};

// Weights by strength - 1, class and term, in 1/256: trained by tools/train_wiener.
using WienerWeights =
    std::array<std::array<std::array<int16_t, kWienerTerms>, kWienerClasses>, kWienerStrengths>;
extern const WienerWeights kWienerWeights;

// Filters a reconstruction, whose pixels it classifies first.
class WienerFilter {
 public:
  // `plane`: height rows of width samples. The pool shares the work, here and below.
  WienerFilter(const std::vector<uint8_t>& plane, int width, int height,
               TaskPool& pool = TaskPool::Alone());

  // Fills the terms of the pixel at (y, x) and returns its class.
  int Terms(int y, int x, int strength, int16_t* terms) const;

  // The filtered plane. The width must be a multiple of 16.
  std::vector<uint8_t> Filter(int strength, TaskPool& pool = TaskPool::Alone()) const;

 private:
  static constexpr int kMargin = 3;  // pixels around the plane, those of its edge repeated

  const uint8_t* Pixel(int y, int x) const {
    return padded_.data() + static_cast<size_t>(y + kMargin) * stride_ + x + kMargin;
  }
  // Of the rows [first, last).
  void Analyse(int first, int last);
  // Calls body(first, last) for bands of rows.
  template <typename Body>
  void ForBands(TaskPool& pool, const Body& body) const;

  int width_, height_, stride_;
  std::vector<uint8_t> padded_;
  // Activity and texture of each pixel, from the 5x5 pixels around it.
  std::vector<uint16_t> activities_;
  std::vector<uint8_t> textures_;
  std::array<int, kWienerTaps> offsets_;  // to one pixel of each pair
};

// The choice of a tile's filter.
struct WienerChoice {
  int strength = 0;
  // By block of kWienerBlockSize pixels a side, in raster order: whether it is filtered. Empty if
  // strength is 0.
  std::vector<uint8_t> blocks;
};

// Number of blocks of a tile.
constexpr int WienerBlocks(int width, int height) {
  return ((width + kWienerBlockSize - 1) / kWienerBlockSize) *
         ((height + kWienerBlockSize - 1) / kWienerBlockSize);
}

// Filters the plane as chosen. The width must be a multiple of 16.
void ApplyWiener(const WienerChoice& choice, int width, int height, std::vector<uint8_t>& plane,
                 TaskPool& pool = TaskPool::Alone());

}  // namespace mmp

#endif  // MMP_CODEC_POSTFILTER_WIENER_FILTER_H_
