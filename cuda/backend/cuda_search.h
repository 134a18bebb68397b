// The search on a CUDA device: every node, mode and sub-block of a macroblock by one kernel, the
// macroblocks of a front side by side, one round trip a front. Chooses exactly what the CPU's
// search chooses.
#ifndef MMP_CUDA_BACKEND_CUDA_SEARCH_H_
#define MMP_CUDA_BACKEND_CUDA_SEARCH_H_

#include <memory>

#include "codec/base/parameters.h"
#include "codec/rdo/macroblock_search.h"
#include "codec/rdo/speed_features.h"
#include "cuda/backend/search_config.h"
#include "cuda/kernels/search_kernel.h"
#include "mmp/status.h"

namespace mmp::cuda {

struct CudaSearchOptions {
  int device = 0;
  // A cluster that the device has no room for gives way to a smaller one or a grid; to a grid also
  // where the schedule's tables do not fit into the shared memory that a block may have.
  SearchConfig config;
  // Other searches run at the same time: threads that wait for the device leave their core to
  // others, and what is asked to be a cluster has its share of the device, those of a front up to
  // twice that, config.blocks at most.
  bool side_by_side = false;
  // Of a front that are searched at a time, at most, each by a cluster; 1 where there are none.
  int macroblocks = 1;
  bool timing = false;  // see EncodeStats::seconds_device
};

// A search of its own on the device; several, each in a thread of its own, share it.
[[nodiscard]] Result<std::unique_ptr<MacroblockSearch>> MakeCudaSearch(
    const CudaSearchOptions& options, const CodecParameters& parameters,
    const SpeedFeatures& speed_features);

}  // namespace mmp::cuda

#endif  // MMP_CUDA_BACKEND_CUDA_SEARCH_H_
