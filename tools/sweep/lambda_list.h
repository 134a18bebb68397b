// The lambdas that a sweep is asked for.
#ifndef MMP_TOOLS_SWEEP_LAMBDA_LIST_H_
#define MMP_TOOLS_SWEEP_LAMBDA_LIST_H_

#include <string_view>
#include <vector>

#include "mmp/status.h"

namespace mmp {

inline constexpr int kMaxLambdas = 1000;  // of a range

// "10,2,5": numbers in [0, kMaxLambda]. Errors: kInvalidArgument.
Result<std::vector<double>> ParseLambdaList(std::string_view text);

// "2:320:8", FROM:TO:COUNT: COUNT (from 2) lambdas at even ratios from FROM to TO, both in
// [1/256, kMaxLambda] and included, the others rounded to four digits. Errors: kInvalidArgument.
Result<std::vector<double>> ParseLambdaRange(std::string_view text);

// Both give increasing numbers, each once.

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_LAMBDA_LIST_H_
