#include "cuda/backend/search_memory.h"

#include <atomic>
#include <cstring>

#include "codec/base/parameters.h"

namespace mmp::cuda {

Status GroupMemory::Allocate(const PredictionSchedule& schedule, int groups, const Sizes& sizes,
                             SearchArguments& arguments) {
  const size_t nodes = groups * schedule.nodes.size();
  const size_t pixels = groups * static_cast<size_t>(schedule.pixels);
  const size_t step_pixels = groups * static_cast<size_t>(schedule.most_step_pixels);
  MMP_RETURN_IF_ERROR(best_.Allocate(sizes.entries));
  MMP_RETURN_IF_ERROR(norms_.Allocate(sizes.entries));
  MMP_RETURN_IF_ERROR(contents_.Allocate(sizes.contents));
  MMP_RETURN_IF_ERROR(leaves_.Allocate(nodes));
  MMP_RETURN_IF_ERROR(leaf_mode_.Allocate(nodes));
  MMP_RETURN_IF_ERROR(reconstruction_.Allocate(pixels));
  MMP_RETURN_IF_ERROR(choices_.Allocate(pixels));
  MMP_RETURN_IF_ERROR(searched_.Allocate(groups * static_cast<size_t>(schedule.most_step_nodes)));
  MMP_RETURN_IF_ERROR(predictions_.Allocate(step_pixels * kPredictionModes));
  if (sizes.node_memory > 0) MMP_RETURN_IF_ERROR(node_memory_.Allocate(sizes.node_memory));
  arguments.list.best = best_.data();
  arguments.list.norms = norms_.data();
  arguments.list.contents = contents_.data();
  arguments.leaves = leaves_.data();
  arguments.leaf_mode = leaf_mode_.data();
  arguments.reconstruction = reconstruction_.data();
  arguments.choices = choices_.data();
  arguments.pixels = static_cast<uint32_t>(schedule.pixels);
  arguments.searched = searched_.data();
  arguments.predictions = predictions_.data();
  arguments.most_step_pixels = static_cast<uint32_t>(schedule.most_step_pixels);
  arguments.node_memory = node_memory_.data();
  return {};
}

Status FrontMemory::Allocate(int macroblocks, size_t shared_bytes) {
  static_assert(sizeof(MacroblockInput) % 16 == 0);
  capacity_ = macroblocks;
  const size_t input_bytes = SharedAt(macroblocks) + shared_bytes;
  const size_t output_bytes = macroblocks * sizeof(MacroblockOutput);
  MMP_RETURN_IF_ERROR(host_inputs_.Allocate(input_bytes));
  MMP_RETURN_IF_ERROR(device_inputs_.Allocate(input_bytes));
  MMP_RETURN_IF_ERROR(outputs_.Allocate(output_bytes));
  std::memset(outputs_.data(), 0, output_bytes);
  void* outputs = nullptr;
  MMP_RETURN_IF_ERROR(
      ToStatus(cudaHostGetDevicePointer(&outputs, outputs_.data(), 0), "reach the host's memory"));
  device_outputs_ = static_cast<MacroblockOutput*>(outputs);
  return {};
}

void FrontMemory::Stamp(int count) {
  ++stamp_;
  for (int i = 0; i < count; ++i) Input(i, count).stamp = stamp_;
}

Status FrontMemory::Copy(int count, size_t shared_bytes, cudaStream_t stream,
                         SearchArguments& arguments) {
  arguments.inputs = reinterpret_cast<MacroblockInput*>(device_inputs_.data()) + capacity_ - count;
  arguments.outputs = device_outputs_;
  return ToStatus(cudaMemcpyAsync(arguments.inputs, &Input(0, count),
                                  SharedAt(count) + shared_bytes, cudaMemcpyHostToDevice, stream),
                  "copy to the device");
}

bool FrontMemory::IsDone(int i) const {
  return std::atomic_ref(outputs()[i].stamp).load(std::memory_order_acquire) == stamp_;
}

}  // namespace mmp::cuda
