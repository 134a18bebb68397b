// What errors of coded samples weigh where their steps differ.
#ifndef MMP_CODEC_ENCODER_STEP_WEIGHTS_H_
#define MMP_CODEC_ENCODER_STEP_WEIGHTS_H_

#include <array>
#include <cstdint>

#include "codec/base/lambda.h"
#include "codec/base/sample_map.h"
#include "codec/rdo/macroblock_search.h"
#include "mmp/image.h"

namespace mmp {

// By coded sample, what a squared error there is in the image's samples, in proportion to the mean
// over the image, which the multiplier of coded samples counts on.
class StepWeights {
 public:
  // All alike.
  StepWeights() = default;
  // `mean_squared_step`: MeanSquaredStep of an image of samples of this map.
  StepWeights(const SampleMap& map, double mean_squared_step);

  bool AreAlike() const { return are_alike_; }

  // The multiplier for a macroblock: `lambda` over the mean of its samples' weights, rounded to two
  // significant bits, and above 0.
  Lambda LambdaOf(const MacroblockSamples& original, Lambda lambda) const;

  // The sum of squared errors of two images of coded samples, each with the weight of the
  // original's sample.
  uint64_t SumSquaredError(const ImageView& original, const ImageView& other) const;

 private:
  static constexpr int kShift = 8;

  bool are_alike_ = true;
  std::array<uint32_t, 256> weights_{};  // in 1/256
};

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_STEP_WEIGHTS_H_
