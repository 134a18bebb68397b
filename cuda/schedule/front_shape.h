// How the macroblocks of a front are dealt out on a device: to how many groups of how many thread
// blocks, each of which takes the next macroblock when it is done with one.
#ifndef MMP_CUDA_SCHEDULE_FRONT_SHAPE_H_
#define MMP_CUDA_SCHEDULE_FRONT_SHAPE_H_

#include <span>

#include "codec/base/lambda.h"

namespace mmp::cuda {

// How long a device is expected to search macroblocks.
class ExpectedTimes {
 public:
  explicit ExpectedTimes(Lambda lambda);

  // One of this variation (see LongestFirst), of what the dearest one takes: 0 to 1.
  double operator()(int variation) const;

 private:
  double scale_;
};

struct FrontShape {
  int blocks;  // of a group
  int groups;
};

// The shape by which macroblocks of these expected times, longest first, are done soonest.
// `most_groups`, by the blocks of a group: how many groups there is room for, 0 from some number
// on. Groups have at least `fewest_blocks`, of which there is room for one.
FrontShape ShapeFront(std::span<const double> times, std::span<const int> most_groups,
                      int fewest_blocks);

}  // namespace mmp::cuda

#endif  // MMP_CUDA_SCHEDULE_FRONT_SHAPE_H_
