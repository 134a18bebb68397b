#include "tools/kernels/kernel_table.h"

#include "tests/support/simd_targets.h"

namespace mmp::kernels {

std::vector<Target> SimdTargetList() {
  std::vector<Target> targets;
  for (const int64_t target : SimdTargets())
    targets.push_back({SimdTargetName(target), [target] { UseSimdTarget(target); }});
  return targets;
}

std::vector<Target> PortableTarget() {
  return {{"portable", [] {}}};
}

std::vector<Kernel> AllKernels() {
  std::vector<Kernel> table;
  AddFlagKernels(table);
  AddIndexKernels(table);
  AddMatchingKernels(table);
  AddPredictionKernels(table);
  AddPixelKernels(table);
  AddSatdKernels(table);
  AddCostKernels(table);
  AddCountKernels(table);
  AddNetworkKernels(table);
  AddWienerKernels(table);
  AddTermKernels(table);
  AddChecksumKernels(table);
  AddCudaKernels(table);
  return table;
}

}  // namespace mmp::kernels
