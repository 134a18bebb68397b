// Stands in for the CUDA backend where mmp is built without: nothing is enabled, no device listed.
#include "mmp/mmp_cuda.h"

namespace mmp {

void EnableCuda() {}
void ShareCudaDevices(int /*part*/, int /*parts*/) {}
void TrimCuda() {}

std::vector<CudaDevice> ListCudaDevices(std::string* problem) {
  *problem = "this program was built without CUDA";
  return {};
}

std::string CudaDeviceProblem(int /*device*/) { return "this program was built without CUDA"; }

}  // namespace mmp
