#include "cuda/backend/search_slot.h"

#include <atomic>
#include <cstring>

#include "codec/base/parameters.h"

namespace mmp::cuda {

Status SearchSlot::Allocate(const SearchArguments& arguments, const PredictionSchedule& schedule,
                            const Sizes& sizes, MacroblockInput* host_input,
                            MacroblockInput* device_input) {
  sizes_ = sizes;
  arguments_ = arguments;
  arguments_.input = device_input;
  host_input_ = host_input;
  MMP_RETURN_IF_ERROR(stream_.Create());
  if (sizes.timing) MMP_RETURN_IF_ERROR(end_.Create());
  MMP_RETURN_IF_ERROR(output_.Allocate(sizeof(MacroblockOutput)));
  std::memset(output_.data(), 0, sizeof(MacroblockOutput));
  void* output = nullptr;
  MMP_RETURN_IF_ERROR(
      ToStatus(cudaHostGetDevicePointer(&output, output_.data(), 0), "reach the host's memory"));
  arguments_.output = static_cast<MacroblockOutput*>(output);
  MMP_RETURN_IF_ERROR(best_.Allocate(sizes.entries));
  MMP_RETURN_IF_ERROR(norms_.Allocate(sizes.entries));
  MMP_RETURN_IF_ERROR(contents_.Allocate(sizes.contents));
  arguments_.list.best = best_.data();
  arguments_.list.norms = norms_.data();
  arguments_.list.contents = contents_.data();
  return AllocateNodes(schedule, sizes.node_memory);
}

Status SearchSlot::AllocateNodes(const PredictionSchedule& schedule, size_t node_memory) {
  const size_t nodes = schedule.nodes.size(), pixels = static_cast<size_t>(schedule.pixels);
  const size_t step_pixels = static_cast<size_t>(schedule.most_step_pixels);
  MMP_RETURN_IF_ERROR(leaves_.Allocate(nodes));
  MMP_RETURN_IF_ERROR(leaf_mode_.Allocate(nodes));
  MMP_RETURN_IF_ERROR(reconstruction_.Allocate(pixels));
  MMP_RETURN_IF_ERROR(choices_.Allocate(pixels));
  MMP_RETURN_IF_ERROR(searched_.Allocate(schedule.most_step_nodes));
  MMP_RETURN_IF_ERROR(predictions_.Allocate(step_pixels * kPredictionModes));
  if (node_memory > 0) MMP_RETURN_IF_ERROR(node_memory_.Allocate(node_memory));
  arguments_.leaves = leaves_.data();
  arguments_.leaf_mode = leaf_mode_.data();
  arguments_.reconstruction = reconstruction_.data();
  arguments_.choices = choices_.data();
  arguments_.searched = searched_.data();
  arguments_.predictions = predictions_.data();
  arguments_.node_memory = node_memory_.data();
  return {};
}

Status SearchSlot::CopyInput(size_t more) {
  return ToStatus(cudaMemcpyAsync(arguments_.input, host_input_, sizeof(MacroblockInput) + more,
                                  cudaMemcpyHostToDevice, stream_.get()),
                  "copy to the device");
}

Status SearchSlot::Append(const SearchConfig& config) {
  return ToStatus(LaunchAppend(config, arguments_, stream_.get()), "extend the dictionary");
}

Status SearchSlot::WaitFor(const Event& event) {
  return ToStatus(cudaStreamWaitEvent(stream_.get(), event.get()), "wait for an event");
}

Status SearchSlot::Start(const SearchConfig& config, bool appends) {
  arguments_.blocks = config.blocks;
  arguments_.appends = appends;
  MMP_RETURN_IF_ERROR(ToStatus(LaunchSearch(config, arguments_, sizes_.shared_bytes, stream_.get()),
                               "start the search"));
  return sizes_.timing ? end_.Record(stream_.get()) : Status();
}

bool SearchSlot::IsDone() const {
  auto& output = *static_cast<MacroblockOutput*>(output_.data());
  return std::atomic_ref(output.stamp).load(std::memory_order_acquire) == stamp_;
}

Status SearchSlot::Check() {
  const cudaError_t error = cudaStreamQuery(stream_.get());
  if (error == cudaErrorNotReady) {
    IsOk(error);
    return {};
  }
  // If the stream is done, so is the output by now.
  return ToStatus(IsOk(error) && !IsDone() ? cudaErrorUnknown : error, "search a macroblock");
}

Status SearchSlot::TimeSince(const Event& begin, float* milliseconds) const {
  MMP_RETURN_IF_ERROR(ToStatus(cudaEventSynchronize(end_.get()), "time a macroblock"));
  return ToStatus(cudaEventElapsedTime(milliseconds, begin.get(), end_.get()), "time a macroblock");
}

}  // namespace mmp::cuda
