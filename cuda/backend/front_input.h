// What the device is told of a front: costs and new patterns, which its macroblocks share, and the
// surroundings of each.
#ifndef MMP_CUDA_BACKEND_FRONT_INPUT_H_
#define MMP_CUDA_BACKEND_FRONT_INPUT_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/base/lambda.h"
#include "codec/base/levels.h"
#include "codec/base/parameters.h"
#include "codec/rdo/cost_bounds.h"
#include "codec/rdo/macroblock_search.h"
#include "codec/rdo/speed_features.h"
#include "codec/rdo/symbol_costs.h"
#include "codec/tile/tile_state.h"
#include "common/task_pool.h"
#include "cuda/schedule/exchange.h"
#include "cuda/schedule/prediction_schedule.h"

namespace mmp::cuda {

class FrontInput {
 public:
  FrontInput(const CodecParameters& parameters, const SpeedFeatures& speed_features,
             const PredictionSchedule& schedule);

  // Of what macroblocks share, at most.
  static size_t MostSharedBytes(const CodecParameters& parameters);

  // The device has no patterns.
  void BeginTile() { known_.fill(0); }
  // Makes the costs and writes what the macroblocks of a front share to `shared`, which is what the
  // last front left there; returns its bytes.
  size_t FillShared(const TileState& tile, Lambda lambda, char* shared, TaskPool& pool);
  // Writes the input of a macroblock: its surroundings, and where, from `shared_at` bytes on, the
  // device finds what FillShared has made.
  void Fill(MacroblockInput& input, size_t shared_at, const TileState& tile,
            const SearchedMacroblock& macroblock) const;
  // Inputs that are filled after this one name no new patterns.
  void ForgetNewPatterns();

 private:
  // What the host's copy of what is shared holds of a level's index costs: where, of which state of
  // the model, and at which lambda.
  struct FilledCosts {
    int32_t first = -1;
    uint64_t state = 0;
    int32_t lambda_q8 = 0;
    bool operator==(const FilledCosts&) const = default;
  };

  void FillCosts(const TileState& tile);
  size_t FillBias(const TileState& tile, size_t offset, char* shared);
  size_t FillNewPatterns(const TileState& tile, size_t offset, char* shared);

  const CodecParameters parameters_;
  const SpeedFeatures speed_features_;
  uint32_t levels_ = 0;  // bit l: some node of the schedule has level l
  SymbolCosts symbol_costs_;
  CostBounds cost_bounds_;
  BlockInput shared_input_{};  // what is the same in all inputs of a front:
  std::array<NewPatterns, kLevelCount> new_patterns_{};
  size_t bias_at_ = 0, index_costs_at_ = 0, values_at_ = 0;  // bytes from what is shared on
  std::array<int, kLevelCount> known_{};                     // patterns that the device has
  std::array<FilledCosts, kLevelCount> filled_;
  size_t filled_count_ = 0;  // of all levels
};

}  // namespace mmp::cuda

#endif  // MMP_CUDA_BACKEND_FRONT_INPUT_H_
