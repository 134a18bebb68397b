// Owners of CUDA's resources, and CUDA's errors as Status.
#ifndef MMP_CUDA_BACKEND_DEVICE_MEMORY_H_
#define MMP_CUDA_BACKEND_DEVICE_MEMORY_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <utility>

#include "mmp/status.h"

namespace mmp::cuda {

// True if a call succeeded. A failure does not stay CUDA's last error, which is the program's that
// calls us: every result goes through here.
inline bool IsOk(cudaError_t error) {
  if (error == cudaSuccess) return true;
  cudaGetLastError();
  return false;
}

// kUnavailable with CUDA's description, or ok. `what` completes "CUDA: cannot ...".
inline Status ToStatus(cudaError_t error, const char* what) {
  if (IsOk(error)) return {};
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
  ~DeviceBuffer() { Free(); }

  [[nodiscard]] Status Allocate(size_t size) {
    Free();
    size_ = size;
    return ToStatus(cudaMalloc(&data_, size * sizeof(T)), "allocate memory on the device");
  }
  T* data() const { return data_; }
  size_t bytes() const { return size_ * sizeof(T); }

 private:
  // On an empty buffer nothing: cudaFree would start a device that is not used.
  void Free() {
    if (data_ != nullptr) IsOk(cudaFree(data_));
    data_ = nullptr;
  }

  T* data_ = nullptr;
  size_t size_ = 0;
};

// Bytes of the host's memory that the device reads and writes directly.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  ~PinnedBuffer() { Free(); }

  [[nodiscard]] Status Allocate(size_t bytes) {
    Free();
    return ToStatus(cudaHostAlloc(&data_, bytes, cudaHostAllocPortable | cudaHostAllocMapped),
                    "allocate memory that the device can reach");
  }
  void* data() const { return data_; }

 private:
  void Free() {
    if (data_ != nullptr) IsOk(cudaFreeHost(data_));
    data_ = nullptr;
  }

  void* data_ = nullptr;
};

class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    if (stream_ != nullptr) IsOk(cudaStreamDestroy(stream_));
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
    if (event_ != nullptr) IsOk(cudaEventDestroy(event_));
  }

  [[nodiscard]] Status Create() { return ToStatus(cudaEventCreate(&event_), "create an event"); }
  [[nodiscard]] Status Record(cudaStream_t stream) {
    return ToStatus(cudaEventRecord(event_, stream), "record an event");
  }
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace mmp::cuda

#endif  // MMP_CUDA_BACKEND_DEVICE_MEMORY_H_
