// Makes CUDA searches, spread over the machine's devices.
#ifndef MMP_CUDA_BACKEND_CUDA_BACKEND_H_
#define MMP_CUDA_BACKEND_CUDA_BACKEND_H_

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "codec/encoder/search_backend.h"
#include "cuda/backend/cuda_search.h"
#include "cuda/backend/device_share.h"
#include "cuda/backend/search_pool.h"

namespace mmp::cuda {

class CudaBackend : public SearchBackend {
 public:
  CudaBackend() = default;
  // Uses this configuration whatever the device: for tests and measurements.
  explicit CudaBackend(const CudaSearchOptions& forced) : forced_(forced) {}

  // Before any of the following.
  void SetShare(const DeviceShare& share) { share_ = share; }

  Status Available() override;
  int Devices() override;
  int MostSearches(int device) override;
  // A search that is destroyed is kept for the next call of the same kind, until Trim.
  Result<std::unique_ptr<MacroblockSearch>> MakeSearch(const SearchKind& kind, int device) override;

  // Frees the searches that are kept.
  void Trim();

 private:
  struct Device {
    explicit Device(int device_number);

    const int number;  // CUDA's
    SearchPool<SearchKind> searches;
    std::mutex making;  // held while a search is made
  };

  void FindDevices();
  Result<std::unique_ptr<MacroblockSearch>> MakeNewSearch(const SearchKind& kind, int number) const;

  const std::optional<CudaSearchOptions> forced_;
  DeviceShare share_;
  std::once_flag found_;
  std::deque<Device> devices_;  // those that can be used
  std::string problem_;
};

}  // namespace mmp::cuda

#endif  // MMP_CUDA_BACKEND_CUDA_BACKEND_H_
