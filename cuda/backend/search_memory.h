// What the groups of thread blocks that search macroblocks work in: the device's memory for the
// arrays of SearchArguments, and for the front's inputs and outputs the host's, too.
#ifndef MMP_CUDA_BACKEND_SEARCH_MEMORY_H_
#define MMP_CUDA_BACKEND_SEARCH_MEMORY_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/backend/device_memory.h"
#include "cuda/schedule/exchange.h"
#include "cuda/schedule/prediction_schedule.h"
#include "cuda/schedule/search_arguments.h"
#include "mmp/status.h"

namespace mmp::cuda {

constexpr size_t RoundUp(size_t value, size_t to) { return (value + to - 1) / to * to; }

// The parts of SearchArguments that each group has for itself.
class GroupMemory {
 public:
  struct Sizes {
    size_t entries, contents;  // of BlockListView, of all groups
    size_t node_memory;        // bytes
  };

  // Takes it from the device for so many groups, and enters it into `arguments`.
  Status Allocate(const PredictionSchedule& schedule, int groups, const Sizes& sizes,
                  SearchArguments& arguments);

 private:
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

// Inputs and outputs of macroblocks that are searched side by side, and behind the last input what
// they share. A front of fewer macroblocks has the last of them, so that one copy takes all.
class FrontMemory {
 public:
  // For at most so many macroblocks, and so many bytes that they share.
  Status Allocate(int macroblocks, size_t shared_bytes);

  int capacity() const { return capacity_; }

  // The host's copies, of macroblock i of a front of `count`.
  MacroblockInput& Input(int i, int count) { return inputs()[capacity_ - count + i]; }
  const MacroblockOutput& Output(int i) const { return outputs()[i]; }
  char* Shared() { return reinterpret_cast<char*>(inputs() + capacity_); }
  // Where that begins, in bytes from the first input of a front of `count`; a multiple of 16.
  static size_t SharedAt(int count) { return count * sizeof(MacroblockInput); }

  // Numbers the inputs of a front before they are copied: the outputs return it when they are done.
  void Stamp(int count);
  // Copies a front's inputs, and so many bytes that they share, behind the stream's work, and
  // enters where they are into `arguments`.
  Status Copy(int count, size_t shared_bytes, cudaStream_t stream, SearchArguments& arguments);
  // Whether a macroblock is done. Watches the host's memory, which costs the driver nothing.
  bool IsDone(int i) const;

 private:
  MacroblockInput* inputs() { return static_cast<MacroblockInput*>(host_inputs_.data()); }
  MacroblockOutput* outputs() const { return static_cast<MacroblockOutput*>(outputs_.data()); }

  int capacity_ = 0;
  uint32_t stamp_ = 0;
  PinnedBuffer host_inputs_, outputs_;
  DeviceBuffer<uint8_t> device_inputs_;
  MacroblockOutput* device_outputs_ = nullptr;
};

}  // namespace mmp::cuda

#endif  // MMP_CUDA_BACKEND_SEARCH_MEMORY_H_
