// The SIMD targets that the codec is built for and this machine has.
#ifndef MMP_TESTS_SUPPORT_SIMD_TARGETS_H_
#define MMP_TESTS_SUPPORT_SIMD_TARGETS_H_

#include <cstdint>
#include <vector>

namespace mmp {

// As Highway numbers them, the fastest first. The target that needs nothing of the machine is
// always there.
std::vector<int64_t> SimdTargets();
const char* SimdTargetName(int64_t target);

// What is called from now on runs on `target`; 0: on the best there is.
void UseSimdTarget(int64_t target);

}  // namespace mmp

#endif  // MMP_TESTS_SUPPORT_SIMD_TARGETS_H_
