// A search on a device, for callers whose current device may be another one.
#ifndef MMP_CUDA_BACKEND_GUEST_SEARCH_H_
#define MMP_CUDA_BACKEND_GUEST_SEARCH_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "codec/rdo/macroblock_search.h"
#include "cuda/backend/device_scope.h"

namespace mmp::cuda {

// The search and its network filter as others see them, whatever device is their current one.
class GuestSearch : public MacroblockSearch, private NetworkDevice {
 public:
  GuestSearch(int device, std::unique_ptr<MacroblockSearch> search)
      : device_(device), search_(std::move(search)) {}
  ~GuestSearch() override {
    const DeviceScope scope(device_);
    search_.reset();
  }

  Status Search(const TileState& tile, Lambda lambda, std::span<SearchedMacroblock> front,
                TaskPool& pool, const std::function<void()>& beside) override {
    const DeviceScope scope(device_);
    MMP_RETURN_IF_ERROR(scope.status());
    return search_->Search(tile, lambda, front, pool, beside);
  }
  Result<int> Await(int n) override {
    const DeviceScope scope(device_);
    MMP_RETURN_IF_ERROR(scope.status());
    return search_->Await(n);
  }
  bool IsElsewhere() const override { return search_->IsElsewhere(); }
  NetworkDevice* Network() override { return search_->Network() != nullptr ? this : nullptr; }
  SearchStats Stats() const override { return search_->Stats(); }

 private:
  Status Filter(NetworkRun run, const PredictedTile& tile, uint8_t* filtered,
                const GoesOn& goes_on) override {
    const DeviceScope scope(device_);
    MMP_RETURN_IF_ERROR(scope.status());
    return search_->Network()->Filter(run, tile, filtered, goes_on);
  }

  const int device_;
  std::unique_ptr<MacroblockSearch> search_;
};

}  // namespace mmp::cuda

#endif  // MMP_CUDA_BACKEND_GUEST_SEARCH_H_
