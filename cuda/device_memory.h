// Owners of CUDA's resources, and CUDA's errors as Status.
#ifndef MMP_CUDA_DEVICE_MEMORY_H_
#define MMP_CUDA_DEVICE_MEMORY_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <utility>

#include "common/status.h"

namespace mmp::cuda {

// kUnavailable with CUDA's description, or ok. `what` completes "CUDA: cannot ...".
inline Status ToStatus(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return {};
  const StatusCode code =
      error == cudaErrorMemoryAllocation ? StatusCode::kOutOfMemory : StatusCode::kUnavailable;
  return {code, std::string("CUDA: cannot ") + what + ": " + cudaGetErrorString(error)};
}

// Elements of T on the device, not initialised.
template <typename T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() { cudaFree(data_); }

  [[nodiscard]] Status Allocate(size_t size) {
    cudaFree(data_);
    data_ = nullptr;
    size_ = size;
    return ToStatus(cudaMalloc(&data_, size * sizeof(T)), "allocate memory on the device");
  }
  T* data() const { return data_; }
  size_t bytes() const { return size_ * sizeof(T); }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

// Bytes of the host's memory that the device reads and writes directly.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  ~PinnedBuffer() { cudaFreeHost(data_); }

  [[nodiscard]] Status Allocate(size_t bytes) {
    cudaFreeHost(data_);
    data_ = nullptr;
    return ToStatus(cudaHostAlloc(&data_, bytes, cudaHostAllocPortable | cudaHostAllocMapped),
                    "allocate memory that the device can reach");
  }
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }

  [[nodiscard]] Status Create() {
    return ToStatus(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
  }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

// A point in the work of a stream.
class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }

  [[nodiscard]] Status Create() { return ToStatus(cudaEventCreate(&event_), "create an event"); }
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace mmp::cuda

#endif  // MMP_CUDA_DEVICE_MEMORY_H_
