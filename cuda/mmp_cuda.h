// The CUDA backend of mmp. Link with mmp::mmp_cuda and call EnableCuda once; from then on Encode
// with Backend::kAuto or kCuda searches on the machine's CUDA devices. The files are those of the
// CPU.
#ifndef MMP_CUDA_MMP_CUDA_H_
#define MMP_CUDA_MMP_CUDA_H_

#include <string>
#include <vector>

namespace mmp {

void EnableCuda();

// For process `part`, from 0, of `parts` on this machine that all call this, before they encode:
// from now on each uses some of the devices, so that all are used evenly.
void ShareCudaDevices(int part, int parts);

// Frees the memory that is kept on the devices for the next Encode.
void TrimCuda();

struct CudaDevice {
  std::string name;
  std::string problem;  // why it cannot be used; empty if nothing is known that forbids it
  int multiprocessors = 0;
  int compute_capability = 0;  // 10 major + minor
  size_t memory_bytes = 0;
};

// The devices of this machine, in CUDA's order; none if there is no driver, and then `problem` says
// why.
std::vector<CudaDevice> ListCudaDevices(std::string* problem);

// Starts CUDA on device number `device` of that list, one without a `problem`, and says why it
// cannot be used after all: for one, that this program was compiled without code for it. Empty if
// it can. Takes a while; the device becomes the calling thread's current one.
std::string CudaDeviceProblem(int device);

}  // namespace mmp

#endif  // MMP_CUDA_MMP_CUDA_H_
