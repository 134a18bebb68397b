// Built without the CUDA backend, or without what needs a device.
#include "tools/kernels/kernel_table.h"

namespace mmp::kernels {

void AddCudaKernels(std::vector<Kernel>&) {}

}  // namespace mmp::kernels
