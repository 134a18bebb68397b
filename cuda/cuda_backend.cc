#include "cuda/cuda_backend.h"

#include <utility>

#include "cuda/device_memory.h"
#include "cuda/mmp_cuda.h"

namespace mmp {

std::vector<CudaDevice> ListCudaDevices(std::string* problem) {
  std::vector<CudaDevice> devices;
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess) {
    // Without a driver CUDA says that it is too old.
    int driver = 0;
    const bool none = cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0;
    *problem = std::string("no CUDA device can be used: ") +
               (none ? "there is no NVIDIA driver" : cudaGetErrorString(error));
    return devices;
  }
  if (count == 0) *problem = "there is no CUDA device";
  for (int id = 0; id < count; ++id) {
    CudaDevice& device = devices.emplace_back();
    cudaDeviceProp properties;
    if (const cudaError_t error = cudaGetDeviceProperties(&properties, id); error != cudaSuccess) {
      device.problem = cudaGetErrorString(error);
      continue;
    }
    device.name = properties.name;
    device.multiprocessors = properties.multiProcessorCount;
    device.compute_capability = 10 * properties.major + properties.minor;
    device.memory_bytes = properties.totalGlobalMem;
    if (device.compute_capability < 75)
      device.problem = "its compute capability is below 7.5";
    else if (!properties.cooperativeLaunch)
      device.problem = "it has no cooperative launches";
  }
  return devices;
}

void EnableCuda() {
  static cuda::CudaBackend backend;
  SetCudaBackend(&backend);
}

namespace cuda {
namespace {
// What the device needs to know nothing of: it takes the prices that the models give.
constexpr uint32_t kSupportedTools = kMixedModels | kTrainedPatterns | kOwnDictionary;
}  // namespace

void CudaBackend::FindDevices() {
  const std::vector<CudaDevice> devices = ListCudaDevices(&problem_);
  for (size_t id = 0; id < devices.size(); ++id) {
    if (devices[id].problem.empty())
      devices_.push_back(static_cast<int>(id));
    else
      problem_ = devices[id].name + ": " + devices[id].problem;
  }
}

Status CudaBackend::Available() {
  std::call_once(found_, [this] { FindDevices(); });
  if (!devices_.empty()) return {};
  return {StatusCode::kUnavailable, problem_};
}

Result<std::unique_ptr<MacroblockSearch>> CudaBackend::MakeSearch(const CodecParameters& parameters,
                                                                  Preset preset, int side_by_side) {
  MMP_RETURN_IF_ERROR(Available());
  if ((parameters.tools & ~kSupportedTools) != 0)
    return Status(StatusCode::kUnavailable,
                  "the CUDA search does not support all coding tools that are asked for");
  if (forced_) return MakeCudaSearch(*forced_, parameters, SearchEffort::Of(preset));
  const int count = static_cast<int>(devices_.size());
  CudaSearchOptions options;
  options.device = devices_[next_++ % count];
  Result<SearchConfig> config = ChooseConfig(options.device, (side_by_side + count - 1) / count);
  if (!config.ok()) return config.status();
  options.config = *config;
  options.side_by_side = side_by_side > 1;
  return MakeCudaSearch(options, parameters, SearchEffort::Of(preset));
}

}  // namespace cuda
}  // namespace mmp
