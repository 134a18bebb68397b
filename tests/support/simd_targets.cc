#include "tests/support/simd_targets.h"

#include "hwy/targets.h"

namespace mmp {
namespace {

// Built for one target, the codec's functions are called without looking at the machine.
constexpr bool kChoosesTarget = (HWY_TARGETS & (HWY_TARGETS - 1)) != 0;

}  // namespace

std::vector<int64_t> SimdTargets() {
  std::vector<int64_t> targets;
  if constexpr (kChoosesTarget) {
    const int64_t all = (hwy::SupportedTargets() & HWY_TARGETS) | HWY_STATIC_TARGET;
    for (int64_t left = all; left != 0; left &= left - 1) targets.push_back(left & -left);
  } else {
    targets.push_back(HWY_STATIC_TARGET);
  }
  return targets;
}

const char* SimdTargetName(int64_t target) { return hwy::TargetName(target); }

void UseSimdTarget(int64_t target) {
  if constexpr (kChoosesTarget) hwy::SetSupportedTargetsForTest(target);
}

}  // namespace mmp
