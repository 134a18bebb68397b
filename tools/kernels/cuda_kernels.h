// The kernels of the CUDA backend by subject. A call of one works on many inputs at once.
#ifndef MMP_TOOLS_KERNELS_CUDA_KERNELS_H_
#define MMP_TOOLS_KERNELS_CUDA_KERNELS_H_

#include <string>
#include <vector>

#include "tools/kernels/kernel_table.h"

namespace mmp::kernels {

// The machine's first CUDA device.
struct CudaMachine {
  std::vector<Target> targets;  // one, or none
  std::string problem;          // why there is none
  int multiprocessors = 0;
  int compute_capability = 0;
};

void AddCudaMatchingKernels(const CudaMachine& machine, std::vector<Kernel>& table);
void AddCudaNetworkKernels(const CudaMachine& machine, std::vector<Kernel>& table);
void AddCudaPredictionKernels(const CudaMachine& machine, std::vector<Kernel>& table);
void AddCudaResidualKernels(const CudaMachine& machine, std::vector<Kernel>& table);

}  // namespace mmp::kernels

#endif  // MMP_TOOLS_KERNELS_CUDA_KERNELS_H_
