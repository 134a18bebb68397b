// The search of one macroblock on a device: memory and a stream of its own, beside what all
// searches of a CudaSearch share.
#ifndef MMP_CUDA_BACKEND_SEARCH_SLOT_H_
#define MMP_CUDA_BACKEND_SEARCH_SLOT_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/backend/device_memory.h"
#include "cuda/kernels/search_kernel.h"
#include "cuda/schedule/exchange.h"
#include "cuda/schedule/prediction_schedule.h"
#include "cuda/schedule/search_arguments.h"
#include "mmp/status.h"

namespace mmp::cuda {

class SearchSlot {
 public:
  struct Sizes {
    size_t entries, contents;  // of BlockListView
    size_t node_memory;        // bytes, of all blocks
    size_t shared_bytes;       // of a block's shared memory
    bool timing;
  };

  // Takes what it needs of the device. `arguments` has what is shared; the host writes its input to
  // `host_input`, which is copied to `device_input`.
  Status Allocate(const SearchArguments& arguments, const PredictionSchedule& schedule,
                  const Sizes& sizes, MacroblockInput* host_input, MacroblockInput* device_input);

  // For the host to fill in, all but the stamp.
  MacroblockInput& input() { return *host_input_; }
  const MacroblockOutput& output() const {
    return *static_cast<const MacroblockOutput*>(output_.data());
  }
  cudaStream_t stream() const { return stream_.get(); }

  // The number that the device is to return with the next output; before the input is copied.
  void Stamp() { host_input_->stamp = ++stamp_; }
  // Copies the input, and `more` bytes that follow it.
  Status CopyInput(size_t more);
  // Lets the device add the dictionary's new patterns, before the searches that are started after
  // it.
  Status Append(const SearchConfig& config);
  // What is started after this waits for the event.
  Status WaitFor(const Event& event);
  // Searches with the input that has been copied; `appends`: adds the new patterns first.
  Status Start(const SearchConfig& config, bool appends);
  // Whether what was started is done. Watches the host's memory, which costs the driver nothing.
  bool IsDone() const;
  // Asks the driver if it has failed.
  Status Check();

  // The stream's work until then, if Sizes::timing.
  Status TimeSince(const Event& begin, float* milliseconds) const;

 private:
  Status AllocateNodes(const PredictionSchedule& schedule, size_t node_memory);

  Sizes sizes_{};
  Stream stream_;
  Event end_;
  SearchArguments arguments_{};
  MacroblockInput* host_input_ = nullptr;
  PinnedBuffer output_;
  uint32_t stamp_ = 0;
  DeviceBuffer<unsigned long long> best_;
  DeviceBuffer<int32_t> norms_;
  DeviceBuffer<int16_t> contents_;
  DeviceBuffer<int2> leaves_;
  DeviceBuffer<uint8_t> leaf_mode_;
  DeviceBuffer<uint8_t> reconstruction_;
  DeviceBuffer<uint32_t> choices_;
  DeviceBuffer<SearchedNode> searched_;
  DeviceBuffer<uint8_t> predictions_;
  DeviceBuffer<char> node_memory_;
};

}  // namespace mmp::cuda

#endif  // MMP_CUDA_BACKEND_SEARCH_SLOT_H_
