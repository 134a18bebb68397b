// Guesses the lambda that gives a wanted quality or rate, from a part of the image.
#ifndef MMP_TOOLS_ENCODE_RATE_GUESS_H_
#define MMP_TOOLS_ENCODE_RATE_GUESS_H_

#include <optional>
#include <vector>

#include "mmp/image.h"
#include "mmp/mmp.h"
#include "mmp/status.h"
#include "tools/encode/rate_target.h"

namespace mmp {

// Squares of the image, evenly spread, side by side: at most a quarter of its pixels. Nothing if it
// is too small for that.
std::optional<Image> SampleImage(const ImageView& image);

// Encodes such a sample at several lambdas, quickly. Nothing if the image is too small: the search
// costs as little. Errors: those of Encode.
Result<std::optional<double>> GuessLambda(const ImageView& image, const EncodeOptions& options,
                                          const RateTarget& target);

// Where the trials, at least two and in falling order of lambda, put the target: a straight line
// between the logarithms of lambda and of the rate, or the PSNR.
double InterpolateLambda(const std::vector<RateTrial>& trials, const RateTarget& target);

}  // namespace mmp

#endif  // MMP_TOOLS_ENCODE_RATE_GUESS_H_
