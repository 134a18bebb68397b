// Which of a machine's devices each of several processes uses.
#ifndef MMP_CUDA_BACKEND_DEVICE_SHARE_H_
#define MMP_CUDA_BACKEND_DEVICE_SHARE_H_

namespace mmp::cuda {

// Process `part` of `parts`. All devices are used by the same number of processes, or all processes
// have the same number of devices for themselves, or as nearly so as can be.
struct DeviceShare {
  int part = 0;  // in [0, parts)
  int parts = 1;

  // `device` is in [0, devices).
  bool Has(int device, int devices) const {
    return parts < devices ? device % parts == part : device == part % devices;
  }
};

}  // namespace mmp::cuda

#endif  // MMP_CUDA_BACKEND_DEVICE_SHARE_H_
