// The CUDA backend of mmp. Link with mmp::mmp_cuda and call EnableCuda once; from then on Encode
// with Backend::kAuto or kCuda searches on the machine's CUDA devices. The files are those of the
// CPU.
//
// A program that uses CUDA itself finds it as it was after each call, and in each callback: the
// thread's current device and context, and CUDA's last error. What stays of it is an error of a
// device that is lost, which nothing clears.
#ifndef MMP_MMP_CUDA_H_
#define MMP_MMP_CUDA_H_

#include <cstddef>
#include <string>
#include <vector>

#include "mmp/export.h"

namespace mmp {

MMP_EXPORT void EnableCuda();

// For process `part`, in [0, parts), of `parts` on this machine that all call this, before they
// encode: from now on each uses some of the devices, so that all are used evenly.
MMP_EXPORT void ShareCudaDevices(int part, int parts);

// Frees the memory that is kept on the devices for the next Encode.
MMP_EXPORT void TrimCuda();

struct CudaDevice {
  std::string name;
  std::string problem;  // why it cannot be used; empty if nothing is known that forbids it
  int multiprocessors = 0;
  int compute_capability = 0;  // 10 major + minor
  size_t memory_bytes = 0;
};

// The devices of this machine, in CUDA's order; none if there is no driver, and then `problem`,
// which must not be null, says why.
MMP_EXPORT std::vector<CudaDevice> ListCudaDevices(std::string* problem);

// Starts CUDA on device number `device` of that list, one without a `problem`, and says why it
// cannot be used after all: for one, that this program was compiled without code for it. Empty if
// it can. Takes a while.
MMP_EXPORT std::string CudaDeviceProblem(int device);

}  // namespace mmp

#endif  // MMP_MMP_CUDA_H_
