// The Wiener filter: brings a tile's finished reconstruction nearer to the original. Every pixel is
// corrected by its neighbours with weights that were trained for its class, which is told from the
// reconstruction around it. Normative: docs/format.md, "Wiener filter".
#ifndef MMP_CODEC_WIENER_FILTER_H_
#define MMP_CODEC_WIENER_FILTER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

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

// What filtering a reconstruction needs to know of it.
class WienerFilter {
 public:
  // `plane`: height rows of width samples.
  WienerFilter(const std::vector<uint8_t>& plane, int width, int height);

  // Fills the terms of the pixel at (y, x) and returns its class.
  int Terms(int y, int x, int strength, int16_t* terms) const;

  // The filtered plane. The width must be a multiple of 16.
  std::vector<uint8_t> Filter(int strength) const;

 private:
  static constexpr int kMargin = 3;  // pixels around the plane, those of its edge repeated

  const uint8_t* Pixel(int y, int x) const {
    return padded_.data() + static_cast<size_t>(y + kMargin) * stride_ + x + kMargin;
  }
  void Analyse();

  int width_, height_, stride_;
  std::vector<uint8_t> padded_;
  // By pixel, of the 5x5 pixels around it.
  std::vector<uint16_t> activities_;
  std::vector<uint8_t> textures_;
  std::array<int, kWienerTaps> offsets_;  // to one pixel of each pair
};

// How a tile is filtered.
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
void ApplyWiener(const WienerChoice& choice, int width, int height, std::vector<uint8_t>& plane);

}  // namespace mmp

#endif  // MMP_CODEC_WIENER_FILTER_H_
