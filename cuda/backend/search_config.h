// How a search uses a device.
#ifndef MMP_CUDA_BACKEND_SEARCH_CONFIG_H_
#define MMP_CUDA_BACKEND_SEARCH_CONFIG_H_

#include "cuda/kernels/search_kernel.h"
#include "mmp/status.h"

namespace mmp::cuda {

// The fastest configuration for so many searches at a time on a device. Fails if the device
// cannot be used.
[[nodiscard]] Result<SearchConfig> ChooseConfig(int device, int searches);

// Whether the current device, `device`, can be used so; fails if not.
[[nodiscard]] Status CheckConfig(int device, const SearchConfig& config);

}  // namespace mmp::cuda

#endif  // MMP_CUDA_BACKEND_SEARCH_CONFIG_H_
