// Devices without any memory to spare.
#ifndef MMP_TESTS_CUDA_MEMORY_HOG_H_
#define MMP_TESTS_CUDA_MEMORY_HOG_H_

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "mmp/mmp_cuda.h"
#include "tests/cuda/device.h"

namespace mmp::cuda {

// The numbers of the devices that can be used.
inline std::vector<int> UsableDevices() {
  std::string problem;
  const std::vector<CudaDevice> all = ListCudaDevices(&problem);
  std::vector<int> usable;
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].problem.empty()) usable.push_back(static_cast<int>(i));
  return usable;
}

// Takes all memory of some devices that is free, down to small pieces.
class MemoryHog {
 public:
  explicit MemoryHog(const std::vector<int>& devices) {
    int before = 0;
    Must(cudaGetDevice(&before));
    for (const int device : devices) Fill(device);
    Must(cudaSetDevice(before));
    cudaGetLastError();  // it failed as it should
  }
  ~MemoryHog() {
    for (void* piece : pieces_) cudaFree(piece);
  }

 private:
  void Fill(int device) {
    Must(cudaSetDevice(device));
    const size_t before = pieces_.size();
    for (size_t bytes = size_t{1} << 36; bytes >= 1 << 16;) {
      void* piece = nullptr;
      if (cudaMalloc(&piece, bytes) == cudaSuccess)
        pieces_.push_back(piece);
      else
        bytes /= 2;
    }
    EXPECT_GT(pieces_.size(), before) << "device " << device;
  }

  std::vector<void*> pieces_;
};

}  // namespace mmp::cuda

#endif  // MMP_TESTS_CUDA_MEMORY_HOG_H_
