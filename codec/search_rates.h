// The prices of a macroblock's search: what each decision adds to the Lagrangian cost J, frozen
// while the macroblock is searched, so that every searcher decides alike.
//
// Costs are int32_t in units of 1/kDistortionScale of squared error: J = kDistortionScale D +
// lambda R. In lossless coding D must be 0 and costs are rates in 1/4096 bit.
#ifndef MMP_CODEC_SEARCH_RATES_H_
#define MMP_CODEC_SEARCH_RATES_H_

#include <array>
#include <cstdint>

#include "codec/levels.h"
#include "codec/tile_state.h"
#include "common/aligned_vector.h"
#include "common/host_device.h"

namespace mmp {

// The Lagrangian multiplier, squared error per bit in 1/256; 0 is lossless.
struct Lambda {
  // Of a rate in 1/4096 bit times q8, to make it a cost.
  static constexpr int kCostShift = 8 + kRateShift - 5;
  static_assert(kDistortionScale == 1 << 5);

  int32_t q8 = 0;

  MMP_HOST_DEVICE bool lossless() const { return q8 == 0; }
  // Cost of a rate in 1/4096 bit.
  MMP_HOST_DEVICE int32_t Cost(int32_t rate_q12) const {
    if (lossless()) return rate_q12;
    return static_cast<int32_t>((static_cast<int64_t>(q8) * rate_q12 + (1 << (kCostShift - 1))) >>
                                kCostShift);
  }
};

inline constexpr int32_t kImpossible = 1 << 29;  // above any cost that can win

class SearchRates {
 public:
  // Takes the prices from the present state of `tile`, which must outlive them. Those of indices
  // are kept where their model is in the state that they were made from.
  void Update(const TileState& tile, Lambda lambda);

  Lambda lambda() const { return lambda_; }
  const TileState& tile() const { return *tile_; }

  // Indexed by flag; impossible flags cost kImpossible.
  const std::array<int32_t, kPredictionFlags>& PredictionFlags(int level) const {
    return prediction_flags_[level];
  }
  const std::array<int32_t, kResidualFlags>& ResidualFlags(int level) const {
    return residual_flags_[level];
  }
  // Rates of the modes in a mask where these can be used, in 1/4096 bit.
  std::array<int32_t, kPredictionModes> ModeRatesQ12(int level, uint32_t modes) const;
  // Cost of each index of a level; padded to a multiple of kPatternGroup with kImpossible.
  const int32_t* Index(int level) const { return index_[level].data(); }
  // The cheapest index but 0, which is the zero pattern's.
  int32_t CheapestOtherIndex(int level) const { return cheapest_other_index_[level]; }
  // For MatchBlocks: norm plus cost of each pattern.
  const int32_t* Bias(int level) const { return bias_[level].data(); }
  // Least cost, distortion and index, of a single pixel's residual in [-255, 255].
  int32_t Pixel(int residual) const { return pixel_[residual + 255]; }
  // The index that Pixel's cost is for, the lowest if several.
  int PixelIndex(int residual) const { return pixel_index_[residual + 255]; }

 private:
  void UpdateFlags(int level);
  void UpdateIndices(int level);
  void UpdatePixels();

  const TileState* tile_ = nullptr;
  Lambda lambda_;
  std::array<std::array<int32_t, kPredictionFlags>, kLevelCount> prediction_flags_;
  std::array<std::array<int32_t, kResidualFlags>, kLevelCount> residual_flags_;
  std::array<AlignedVector<int32_t>, kLevelCount> index_;
  std::array<AlignedVector<int32_t>, kLevelCount> bias_;
  std::array<int32_t, kLevelCount> cheapest_other_index_;
  std::array<int32_t, kPixelPatterns> pixel_;
  std::array<uint16_t, kPixelPatterns> pixel_index_;
  std::array<uint64_t, kLevelCount> state_{};  // of the models that indices' prices are from
};

}  // namespace mmp

#endif  // MMP_CODEC_SEARCH_RATES_H_
