// A small sweep with files, made up, for the tests of the report.
#ifndef MMP_TESTS_TOOLS_SWEEP_REPORT_REPORT_SAMPLE_H_
#define MMP_TESTS_TOOLS_SWEEP_REPORT_REPORT_SAMPLE_H_

#include <string>

#include "tools/sweep/results/sweep_results.h"

namespace mmp {

inline constexpr char kHostileName[] =
    "</script><hostile onclick='x'>&lt; \"</title><!-- <script>hostile=1</script> \xff "
    "\xe2\x80\xa8";

// Two images, the second with kHostileName, in three codecs: "mmp" with .mmp files (and one
// lossless point), "near" with decoded pictures at almost the same rates, "far" without pictures.
// The files are in `folder`, which exists.
SweepResults MakeSampleResults(const std::string& folder);

}  // namespace mmp

#endif  // MMP_TESTS_TOOLS_SWEEP_REPORT_REPORT_SAMPLE_H_
