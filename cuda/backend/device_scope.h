// Work on a device as a guest in a program that may use CUDA itself.
#ifndef MMP_CUDA_BACKEND_DEVICE_SCOPE_H_
#define MMP_CUDA_BACKEND_DEVICE_SCOPE_H_

#include <cuda.h>

#include "mmp/status.h"

namespace mmp::cuda {

// While it lives, a device is the calling thread's current one; then the device, and the driver's
// context, that were current before are so again. It starts no device but its own.
class DeviceScope {
 public:
  explicit DeviceScope(int device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

  // Whether the device can be used.
  const Status& status() const { return status_; }

 private:
  Status status_;
  bool has_context_ = false;  // context_ is known
  CUcontext context_ = nullptr;
  int device_ = -1;  // -1: not known
};

}  // namespace mmp::cuda

#endif  // MMP_CUDA_BACKEND_DEVICE_SCOPE_H_
