// An image encoded at several lambdas side by side.
#ifndef MMP_TOOLS_ENCODE_ENCODE_TRIAL_H_
#define MMP_TOOLS_ENCODE_ENCODE_TRIAL_H_

#include <cstdint>
#include <vector>

#include "mmp/image.h"
#include "mmp/mmp.h"
#include "mmp/status.h"
#include "tools/encode/rate_target.h"

namespace mmp {

struct EncodeTrial {
  std::vector<uint8_t> file;
  EncodeStats stats;
  RateTrial result;
};

// What came of an encode of the image.
RateTrial MeasureTrial(const EncodeStats& stats, size_t bytes, const ImageView& image);

// In the order of the lambdas, each of which is kept to: options.exact_lambda does not matter.
// Errors: those of Encode.
Result<std::vector<EncodeTrial>> EncodeTrials(const ImageView& image, const EncodeOptions& options,
                                              const std::vector<double>& lambdas);

}  // namespace mmp

#endif  // MMP_TOOLS_ENCODE_ENCODE_TRIAL_H_
