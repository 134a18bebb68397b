#include "cuda/backend/cuda_backend.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cuda/backend/device_memory.h"
#include "cuda/schedule/search_arguments.h"
#include "mmp/mmp_cuda.h"

namespace mmp {

std::vector<CudaDevice> ListCudaDevices(std::string* problem) {
  std::vector<CudaDevice> devices;
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); !cuda::IsOk(error)) {
    // Without a driver CUDA says that it is too old.
    int driver = 0;
    const bool none = cuda::IsOk(cudaDriverGetVersion(&driver)) && driver == 0;
    *problem = std::string("no CUDA device can be used: ") +
               (none ? "there is no NVIDIA driver" : cudaGetErrorString(error));
    return devices;
  }
  if (count == 0) *problem = "there is no CUDA device";
  for (int id = 0; id < count; ++id) {
    CudaDevice& device = devices.emplace_back();
    device.name = "CUDA device " + std::to_string(id);
    cudaDeviceProp properties;
    if (const cudaError_t error = cudaGetDeviceProperties(&properties, id); !cuda::IsOk(error)) {
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

namespace {

// Never destroyed: when the program ends, the driver frees what searches are kept.
cuda::CudaBackend& TheBackend() {
  static cuda::CudaBackend& backend = *new cuda::CudaBackend;
  return backend;
}

}  // namespace

std::string CudaDeviceProblem(int device) {
  return cuda::ChooseConfig(device, 1).status().message();
}

void EnableCuda() { SetCudaBackend(&TheBackend()); }
void ShareCudaDevices(int part, int parts) { TheBackend().SetShare({part, parts}); }
void TrimCuda() { TheBackend().Trim(); }

namespace cuda {
namespace {

// Searches of a device at a time, and most that are kept: more would not make it faster.
constexpr int kSearchesPerDevice = 64;
// Macroblocks of fronts that are searched at a time, at most: by one search, by all of a device.
constexpr int kMacroblocksPerSearch = 64;
constexpr int kMacroblocksPerDevice = 512;

}  // namespace

CudaBackend::Device::Device(int device_number)
    : number(device_number), searches(kSearchesPerDevice) {}

void CudaBackend::FindDevices() {
  const std::vector<CudaDevice> devices = ListCudaDevices(&problem_);
  std::vector<int> usable;
  for (size_t id = 0; id < devices.size(); ++id) {
    const int number = static_cast<int>(id);
    if (!devices[id].problem.empty())
      problem_ = devices[id].name + ": " + devices[id].problem;
    else if (!forced_ || forced_->device == number)
      usable.push_back(number);
  }
  const int count = static_cast<int>(usable.size());
  for (int i = 0; i < count; ++i)
    if (share_.Has(i, count)) devices_.emplace_back(usable[i]);
}

Status CudaBackend::Available() {
  std::call_once(found_, [this] { FindDevices(); });
  if (!devices_.empty()) return {};
  return {StatusCode::kUnavailable, problem_};
}

int CudaBackend::Devices() { return Available().ok() ? static_cast<int>(devices_.size()) : 0; }

int CudaBackend::MostSearches(int /*device*/) { return kSearchesPerDevice; }

Result<std::unique_ptr<MacroblockSearch>> CudaBackend::MakeSearch(const SearchKind& kind,
                                                                  int device) {
  MMP_RETURN_IF_ERROR(Available());
  Device& d = devices_[device];
  if (auto kept = d.searches.Take(kind)) return kept;
  // One at a time: two that lack the memory for both would else both fail.
  const std::lock_guard lock(d.making);
  auto search = MakeNewSearch(kind, d.number);
  if (!search.ok() && search.status().code() == StatusCode::kOutOfMemory) {
    d.searches.Trim();
    search = MakeNewSearch(kind, d.number);
  }
  if (!search.ok()) return search.status();
  return d.searches.Lend(kind, *std::move(search));
}

Result<std::unique_ptr<MacroblockSearch>> CudaBackend::MakeNewSearch(const SearchKind& kind,
                                                                     int number) const {
  CudaSearchOptions options;
  if (forced_) {
    options = *forced_;
  } else {
    options.device = number;
    Result<SearchConfig> config = ChooseConfig(number, kind.side_by_side);
    if (!config.ok()) return config.status();
    options.config = *config;
    options.side_by_side = kind.side_by_side > 1;
    if (kind.parameters.order == MacroblockOrder::kWavefront)
      options.macroblocks =
          std::clamp(kMacroblocksPerDevice / kind.side_by_side, 2, kMacroblocksPerSearch);
  }
  options.timing = kind.timing;
  return MakeCudaSearch(options, kind.parameters, kind.speed_features);
}

void CudaBackend::Trim() {
  if (!Available().ok()) return;
  for (Device& device : devices_) device.searches.Trim();
}

}  // namespace cuda
}  // namespace mmp
