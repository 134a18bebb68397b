#include "cuda/backend/search_config.h"

#include <algorithm>
#include <string>

#include "cuda/backend/device_memory.h"
#include "cuda/backend/device_scope.h"

namespace mmp::cuda {
namespace {

// Ten times the compute capability that the code which the present device, `device`, runs was
// compiled for.
Result<int> CodeOf(int device) {
  int code = 0;
  const cudaError_t error = CodeCapability(&code);
  if (IsOk(error)) return code;
  int major = 0, minor = 0;
  if ((error == cudaErrorNoKernelImageForDevice || error == cudaErrorInvalidDeviceFunction) &&
      IsOk(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device)) &&
      IsOk(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device)))
    return Status(StatusCode::kUnavailable,
                  "CUDA: this program was built without code for compute capability " +
                      std::to_string(major) + "." + std::to_string(minor) +
                      " (MMP_CUDA_ARCHITECTURES)");
  return ToStatus(error, "use the device");
}

}  // namespace

Result<SearchConfig> ChooseConfig(int device, int searches) {
  const DeviceScope scope(device);
  MMP_RETURN_IF_ERROR(scope.status());
  cudaDeviceProp properties;
  MMP_RETURN_IF_ERROR(ToStatus(cudaGetDeviceProperties(&properties, device), "use the device"));
  SearchConfig config;
  const Result<int> code = CodeOf(device);
  if (!code.ok()) return code.status();
  config.tensor_cores = *code >= 80;
  const int multiprocessors = properties.multiProcessorCount;
  config.blocks = std::max(1, multiprocessors / std::max(1, searches));
  const int most_in_cluster = properties.major < 12 ? 16 : kPortableCluster;
  // Even shares of the device are fastest as long as they are larger than a cluster by a quarter,
  // as measured on an H100.
  if (searches <= 1 || *code < 90 || 4 * config.blocks >= 5 * most_in_cluster) return config;
  // The most that a search may have; it takes less while there are many.
  config.cluster = true;
  config.blocks = most_in_cluster;
  return config;
}

Status CheckConfig(int device, const SearchConfig& config) {
  const Result<int> code = CodeOf(device);
  if (!code.ok()) return code.status();
  if ((config.tensor_cores && *code < 80) || (config.cluster && *code < 90))
    return {StatusCode::kUnavailable, "CUDA: the device cannot be used in this configuration"};
  return {};
}

}  // namespace mmp::cuda
