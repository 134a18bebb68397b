// The costs of a macroblock's search: what each decision adds to the Lagrangian cost J, frozen
// while the macroblock is searched, so that every searcher decides the same.
//
// Costs are int32_t in units of 1/kDistortionScale of squared error: J = kDistortionScale D +
// lambda R. In lossless coding D must be 0 and costs are rates in 1/4096 bit.
#ifndef MMP_CODEC_RDO_SYMBOL_COSTS_H_
#define MMP_CODEC_RDO_SYMBOL_COSTS_H_

#include <array>
#include <cstdint>

#include "codec/base/lambda.h"
#include "codec/base/levels.h"
#include "codec/tile/tile_state.h"
#include "common/aligned_vector.h"
#include "common/task_pool.h"

namespace mmp {

class SymbolCosts {
 public:
  // Computes the costs from the present state of `tile`, which must outlive them. Those of indices
  // are kept where their model is in the state that they were computed from. The pool shares the
  // work.
  void Update(const TileState& tile, Lambda lambda, TaskPool& pool = TaskPool::Alone());

  Lambda lambda() const { return lambda_; }
  const TileState& tile() const { return *tile_; }

  // Indexed by symbol; symbols that cannot occur cost kImpossible.
  const std::array<int32_t, kPartitions>& PartitionCosts(int level) const {
    return partition_costs_[level];
  }
  const std::array<int32_t, kResidualFlags>& ResidualFlagCosts(int level) const {
    return residual_flag_costs_[level];
  }
  // Rates of the modes in a mask where these can be used, in 1/4096 bit.
  std::array<int32_t, kPredictionModes> ModeRatesQ12(int level, uint32_t modes) const;
  // Cost of each index of a level; padded to a multiple of kPatternGroup with kImpossible.
  const int32_t* Index(int level) const { return index_[level].data(); }
  // The cheapest index but 0, which is the zero pattern's.
  int32_t CheapestOtherIndex(int level) const { return cheapest_other_index_[level]; }
  // The `bias` of MatchBlocks: squared norm plus index cost of each pattern.
  const int32_t* Bias(int level) const { return bias_[level].data(); }
  // Least cost, distortion and index, of a single pixel's residual in [-255, 255].
  int32_t Pixel(int residual) const { return pixel_[residual + 255]; }
  // The index that Pixel's cost is for, the lowest if several.
  int PixelIndex(int residual) const { return pixel_index_[residual + 255]; }

 private:
  void UpdateLevel(int level);
  void UpdateFlags(int level);
  void UpdateIndices(int level);
  void UpdatePixels();

  const TileState* tile_ = nullptr;
  Lambda lambda_;
  std::array<std::array<int32_t, kPartitions>, kLevelCount> partition_costs_;
  std::array<std::array<int32_t, kResidualFlags>, kLevelCount> residual_flag_costs_;
  std::array<AlignedVector<int32_t>, kLevelCount> index_;
  std::array<AlignedVector<int32_t>, kLevelCount> bias_;
  std::array<int32_t, kLevelCount> cheapest_other_index_;
  std::array<int32_t, kPixelPatterns> pixel_;
  std::array<uint16_t, kPixelPatterns> pixel_index_;
  std::array<uint64_t, kLevelCount> state_{};  // of the models that indices' costs are from
};

}  // namespace mmp

#endif  // MMP_CODEC_RDO_SYMBOL_COSTS_H_
