// Makes CUDA searches, spread over the machine's devices.
#ifndef MMP_CUDA_CUDA_BACKEND_H_
#define MMP_CUDA_CUDA_BACKEND_H_

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "codec/search_backend.h"
#include "cuda/cuda_search.h"

namespace mmp::cuda {

class CudaBackend : public SearchBackend {
 public:
  CudaBackend() = default;
  // Uses this configuration whatever the device: for tests and measurements.
  explicit CudaBackend(const CudaSearchOptions& forced) : forced_(forced) {}

  Status Available() override;
  Result<std::unique_ptr<MacroblockSearch>> MakeSearch(const CodecParameters& parameters,
                                                       Preset preset, int side_by_side) override;

 private:
  void FindDevices();

  const std::optional<CudaSearchOptions> forced_;
  std::once_flag found_;
  std::vector<int> devices_;
  std::string problem_;
  std::atomic<unsigned> next_{0};
};

}  // namespace mmp::cuda

#endif  // MMP_CUDA_CUDA_BACKEND_H_
