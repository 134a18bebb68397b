#include "tools/kernels/cuda_kernels.h"

#include "mmp/mmp_cuda.h"

namespace mmp::kernels {
namespace {

CudaMachine FindCudaMachine() {
  CudaMachine machine;
  const std::vector<CudaDevice> devices = ListCudaDevices(&machine.problem);
  if (!devices.empty()) {
    machine.problem = devices[0].problem;
    if (machine.problem.empty()) machine.problem = CudaDeviceProblem(0);
    machine.multiprocessors = devices[0].multiprocessors;
    machine.compute_capability = devices[0].compute_capability;
  }
  if (machine.problem.empty())
    machine.targets.push_back({"sm_" + std::to_string(machine.compute_capability), [] {}});
  return machine;
}

}  // namespace

void AddCudaKernels(std::vector<Kernel>& table) {
  const CudaMachine machine = FindCudaMachine();
  AddCudaMatchingKernels(machine, table);
  AddCudaNetworkKernels(machine, table);
  AddCudaPredictionKernels(machine, table);
  AddCudaResidualKernels(machine, table);
}

}  // namespace mmp::kernels
