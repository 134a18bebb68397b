#include "cuda/backend/device_scope.h"

#include <cudaTypedefs.h>
#include <cuda_runtime.h>

#include <map>
#include <mutex>

#include "cuda/backend/device_memory.h"

namespace mmp::cuda {
namespace {

// What the runtime cannot say or do: cudaSetDevice would forget the guest's own contexts and, to go
// back to a device that is not used at all, start it.
struct Driver {
  PFN_cuCtxGetCurrent_v4000 get_current = nullptr;
  PFN_cuCtxSetCurrent_v4000 set_current = nullptr;
  PFN_cuDeviceGet_v2000 get_device = nullptr;
  PFN_cuDevicePrimaryCtxRetain_v7000 retain_primary = nullptr;

  bool complete() const {
    return get_current != nullptr && set_current != nullptr && get_device != nullptr &&
           retain_primary != nullptr;
  }
};

template <typename Function>
void Find(const char* name, unsigned version, Function& function) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result;
  if (IsOk(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result)) &&
      result == cudaDriverEntryPointSuccess)
    function = reinterpret_cast<Function>(found);
}

const Driver& TheDriver() {
  static const Driver driver = [] {
    Driver found;
    Find("cuCtxGetCurrent", 4000, found.get_current);
    Find("cuCtxSetCurrent", 4000, found.set_current);
    Find("cuDeviceGet", 2000, found.get_device);
    Find("cuDevicePrimaryCtxRetain", 7000, found.retain_primary);
    return found;
  }();
  return driver;
}

// The context of a device that the runtime uses, too; null if there is none. It is kept until the
// process ends, as the runtime would.
CUcontext PrimaryContext(int device) {
  static std::mutex mutex;
  static std::map<int, CUcontext>& contexts = *new std::map<int, CUcontext>;
  const std::lock_guard lock(mutex);
  const auto known = contexts.find(device);
  if (known != contexts.end()) return known->second;
  const Driver& driver = TheDriver();
  CUdevice handle = 0;
  CUcontext context = nullptr;
  if (driver.get_device(&handle, device) != CUDA_SUCCESS ||
      driver.retain_primary(&context, handle) != CUDA_SUCCESS)
    return nullptr;
  contexts.emplace(device, context);
  return context;
}

}  // namespace

DeviceScope::DeviceScope(int device) {
  int current = 0;
  if (IsOk(cudaGetDevice(&current))) device_ = current;
  const Driver& driver = TheDriver();
  if (driver.complete()) {
    has_context_ = driver.get_current(&context_) == CUDA_SUCCESS;
    const CUcontext primary = has_context_ ? PrimaryContext(device) : nullptr;
    if (primary != nullptr && driver.set_current(primary) == CUDA_SUCCESS) return;
  }
  // By the runtime, which says what is wrong.
  status_ = ToStatus(cudaSetDevice(device), "use the device");
}

DeviceScope::~DeviceScope() {
  if (has_context_) TheDriver().set_current(context_);
  int current = 0;
  if (device_ >= 0 && (!IsOk(cudaGetDevice(&current)) || current != device_))
    IsOk(cudaSetDevice(device_));
}

}  // namespace mmp::cuda
