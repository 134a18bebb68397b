// The Wiener filter: brings a tile's finished reconstruction nearer to the original. Every pixel is
// corrected by its neighbours with weights that were trained for its class, which is derived from
// the reconstruction around it. A tile's stream can correct the weights for the tile. Normative:
// docs/format.md, "Wiener filter".
#ifndef MMP_CODEC_POSTFILTER_WIENER_FILTER_H_
#define MMP_CODEC_POSTFILTER_WIENER_FILTER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/task_pool.h"

namespace mmp {

inline constexpr int kWienerStrengths = 6;  // numbered 1 to 6; 0: no filter
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

inline constexpr int kMostCorrectionSets = 8;
inline constexpr int kCorrectionSteps = 4;
inline constexpr int kCorrectionBits = 9;  // of a correction's magnitude

// Corrections of the weights that a tile's stream brings.
struct WienerCorrections {
  using Set = std::array<int16_t, kWienerTerms>;  // below 2^kCorrectionBits in magnitude

  int step = 0;                               // in [0, kCorrectionSteps)
  std::array<uint8_t, kWienerClasses> set{};  // by class: its set
  std::vector<Set> sets;                      // at most kMostCorrectionSets; none: no corrections

  // What is added to the weight of the term of the class; there must be sets.
  int Of(int which, int term) const { return sets[set[which]][term] * (1 << step); }
};

// What corrections are added to: the trained weights, or, after the network filter, zeros.
enum class WienerBase : uint8_t { kTrained, kZeros };

// The weight of the term of the class before corrections.
inline int BaseWeight(WienerBase base, int strength, int which, int term) {
  return base == WienerBase::kTrained ? kWienerWeights[strength - 1][which][term] : 0;
}

// What becomes of a block, see filter_blocks.h.
enum class WienerBlock : uint8_t { kUnfiltered = 0, kTrained = 1, kCorrected = 2 };
inline constexpr int kWienerBlockKinds = 3;

// The choice of a tile's filter.
struct WienerChoice {
  int strength = 0;
  WienerCorrections corrections = {};
  // Of the blocks in raster order; kCorrected only if there are corrections, kTrained only if the
  // base is. Empty if strength is 0.
  std::vector<WienerBlock> blocks = {};
  WienerBase base = WienerBase::kTrained;
};

// The terms of a row's pixels, and their classes: see WienerFilter::FindTerms.
class WienerRowTerms {
 public:
  // Of the pixel at x.
  int Class(int x) const { return classes_[static_cast<size_t>(x)]; }
  // Copies the terms of the pixel at x to to[0], to[step] and so on.
  void Copy(int x, int16_t* to, int step) const {
    const auto& pair_of_tap = *pair_of_tap_[static_cast<size_t>(x)];
    for (int k = 0; k < kWienerTaps; ++k) {
      to[k * step] = differences_[pair_of_tap[k]][x];
      to[(kWienerTaps + k) * step] = limited_[pair_of_tap[k]][x];
    }
  }

 private:
  friend class WienerFilter;
  // By pair, then by pixel.
  std::array<std::vector<int16_t>, kWienerTaps> differences_, limited_;
  std::vector<uint8_t> classes_;
  // Of the pixel's turn.
  std::vector<const std::array<int, kWienerTaps>*> pair_of_tap_;
};

// Filters a reconstruction, whose pixels it classifies first.
class WienerFilter {
 public:
  // `plane`: height rows of width samples. The pool shares the work, here and below.
  WienerFilter(const std::vector<uint8_t>& plane, int width, int height,
               TaskPool& pool = TaskPool::Alone());

  // Fills the terms of the pixel at (y, x) and returns its class.
  int Terms(int y, int x, int strength, int16_t* terms) const;
  // The same of row y, many times as fast.
  void FindTerms(int y, int strength, WienerRowTerms& row) const;

  // Filters `plane`, which is the one that the filter was made of, as chosen. The width must be a
  // multiple of 16.
  void Apply(const WienerChoice& choice, std::vector<uint8_t>& plane,
             TaskPool& pool = TaskPool::Alone()) const;
  // The plane with all blocks filtered, by corrected weights if there are corrections.
  std::vector<uint8_t> Filter(int strength, const WienerCorrections& corrections = {},
                              TaskPool& pool = TaskPool::Alone(),
                              WienerBase base = WienerBase::kTrained) const;

 private:
  static constexpr int kMargin = 3;  // pixels around the plane, those of its edge repeated

  const uint8_t* Pixel(int y, int x) const {
    return padded_.data() + static_cast<size_t>(y + kMargin) * stride_ + x + kMargin;
  }
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

// Filters the plane as chosen. The width must be a multiple of 16.
void ApplyWiener(const WienerChoice& choice, int width, int height, std::vector<uint8_t>& plane,
                 TaskPool& pool = TaskPool::Alone());

}  // namespace mmp

#endif  // MMP_CODEC_POSTFILTER_WIENER_FILTER_H_
