// Built without the CUDA backend.
#include "tools/kernels/kernel_table.h"

namespace mmp::kernels {

void AddCudaKernels(std::vector<Kernel>&) {}

}  // namespace mmp::kernels
