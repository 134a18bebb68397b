// Device memory and errors as tests want them, without GoogleTest.
#ifndef MMP_TESTS_CUDA_DEVICE_ARRAY_H_
#define MMP_TESTS_CUDA_DEVICE_ARRAY_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "mmp/mmp_cuda.h"

namespace mmp::cuda {

// Throws if a call failed, which fails the test.
inline void Must(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}
// Waits for what was launched.
inline void Finish() {
  Must(cudaGetLastError());
  Must(cudaDeviceSynchronize());
}

// Why there is no device to test on; empty if there is one, device 0, that ought to work.
inline std::string DeviceProblem() {
  std::string problem;
  const std::vector<CudaDevice> devices = ListCudaDevices(&problem);
  if (devices.empty()) return problem;
  return devices[0].problem;
}

inline int ComputeCapability() {
  std::string problem;
  return ListCudaDevices(&problem).at(0).compute_capability;
}

// Elements on the device.
template <typename T>
class DeviceArray {
 public:
  // `size` elements, all bytes 0.
  explicit DeviceArray(size_t size) : size_(size) {
    Must(cudaMalloc(&data_, size * sizeof(T)));
    Must(cudaMemset(data_, 0, size * sizeof(T)));
  }
  explicit DeviceArray(const std::vector<T>& values) : size_(values.size()) {
    Must(cudaMalloc(&data_, size_ * sizeof(T)));
    Must(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  T* data() const { return data_; }
  size_t size() const { return size_; }
  std::vector<T> Read() const {
    std::vector<T> values(size_);
    Must(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }
  void Write(const std::vector<T>& values) {
    Must(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace mmp::cuda

#endif  // MMP_TESTS_CUDA_DEVICE_ARRAY_H_
