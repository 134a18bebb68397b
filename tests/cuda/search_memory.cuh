// Small versions of what a search keeps on the device: table of blocks, dictionary, costs.
#ifndef MMP_TESTS_CUDA_SEARCH_MEMORY_CUH_
#define MMP_TESTS_CUDA_SEARCH_MEMORY_CUH_

#include <cuda_fp16.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "codec/base/levels.h"
#include "codec/dictionary/matcher.h"
#include "cuda/kernels/block_list.cuh"
#include "cuda/kernels/match.cuh"
#include "cuda/kernels/search_kernel.h"
#include "cuda/schedule/search_arguments.h"
#include "cuda/schedule/sub_block_grid.h"
#include "tests/cuda/device_array.h"

namespace mmp::cuda {

inline int RoundUpToGroup(int patterns) {
  return (patterns + kPatternGroup - 1) / kPatternGroup * kPatternGroup;
}

// By level.
template <typename T>
using ByLevel = std::array<T, kLevelCount>;

class DeviceList {
 public:
  // For so many blocks of each level.
  explicit DeviceList(const ByLevel<int>& capacity)
      : view_(Layout(capacity)),
        best_(entries_count_),
        norms_(entries_count_),
        contents_(contents_count_) {
    view_.best = best_.data();
    view_.norms = norms_.data();
    view_.contents = contents_.data();
  }

  const BlockListView& view() const { return view_; }
  DeviceArray<unsigned long long>& best() { return best_; }
  DeviceArray<int32_t>& norms() { return norms_; }
  DeviceArray<int16_t>& contents() { return contents_; }

 private:
  BlockListView Layout(const ByLevel<int>& capacity) {
    BlockListView view{};
    for (int level = 1; level < kLevelCount; ++level) {
      const auto count = static_cast<unsigned>(std::max(1, capacity[level]));
      view.first_entry[level] = static_cast<uint32_t>(entries_count_);
      view.first_content[level] = static_cast<uint32_t>(contents_count_);
      entries_count_ += count;
      contents_count_ += ((count << kLevelShapes[level].log2_pixels()) + 7) / 8 * 8;
    }
    return view;
  }

  size_t entries_count_ = 0, contents_count_ = 0;
  BlockListView view_;
  DeviceArray<unsigned long long> best_;
  DeviceArray<int32_t> norms_;
  DeviceArray<int16_t> contents_;
};

// The sub-blocks of every level's blocks.
struct SubBlocksView {
  const uint64_t* infos;
  int first[kLevelCount];

  __device__ SubBlockList Of(int level) const {
    return {SubBlockGrid(level), infos + first[level]};
  }
};

class DeviceSubBlocks {
 public:
  DeviceSubBlocks() : infos_(List()) { view_.infos = infos_.data(); }
  const SubBlocksView& view() const { return view_; }

 private:
  std::vector<uint64_t> List() {
    std::vector<uint64_t> infos;
    for (int level = 0; level < kLevelCount; ++level) {
      view_.first[level] = static_cast<int>(infos.size());
      AppendSubBlocks(level, infos);
    }
    return infos;
  }

  SubBlocksView view_{};
  DeviceArray<uint64_t> infos_;
};

// A level's patterns one behind the other.
using Patterns = ByLevel<std::vector<int16_t>>;

// The dictionary in a matching layout; `rows` is left out.
class DeviceDictionary {
 public:
  DeviceDictionary(const Patterns& patterns, bool tensor_cores)
      : matching_(LayOut(patterns, tensor_cores)) {
    view_.matching = matching_.data();
  }
  const DictionaryView& view() const { return view_; }

 private:
  std::vector<uint16_t> LayOut(const Patterns& patterns, bool tensor_cores) {
    std::vector<uint16_t> matching;
    for (int level = 1; level < kLevelCount; ++level) {
      const int log2_pixels = kLevelShapes[level].log2_pixels();
      const uint32_t count = static_cast<uint32_t>(patterns[level].size() >> log2_pixels);
      const size_t first = matching.size();
      view_.first_matching[level] = static_cast<uint32_t>(first);
      matching.resize(first + MatchingSize(tensor_cores, level, RoundUpToGroup(count)));
      for (uint32_t k = 0; k < count << log2_pixels; ++k) {
        const uint32_t index = k >> log2_pixels, pixel = k & ((1u << log2_pixels) - 1);
        const int16_t value = patterns[level][k];
        if (tensor_cores)
          matching[first + TensorPlace(log2_pixels, index, pixel)] =
              __half_as_ushort(__short2half_rn(value));
        else
          matching[first + PlainPlace(log2_pixels, index, pixel)] = static_cast<uint16_t>(value);
      }
    }
    return matching;
  }

  DictionaryView view_{};
  DeviceArray<uint16_t> matching_;
};

// A macroblock's input with its arrays: each level's keys from their bias and, in lossless coding,
// index costs, padded to kPatternGroup.
class DeviceInput {
 public:
  DeviceInput(MacroblockInput input, const ByLevel<std::vector<int32_t>>& bias,
              const ByLevel<std::vector<int32_t>>& index_costs)
      : bytes_(Assemble(input, bias, index_costs)) {}

  MacroblockInput* get() const { return reinterpret_cast<MacroblockInput*>(bytes_.data()); }
  SearchCounters ReadCounters() const {
    SearchCounters counters;
    Must(cudaMemcpy(&counters, &get()->counters, sizeof(counters), cudaMemcpyDeviceToHost));
    return counters;
  }
  void WriteCounters(const SearchCounters& counters) {
    Must(cudaMemcpy(&get()->counters, &counters, sizeof(counters), cudaMemcpyHostToDevice));
  }

 private:
  static std::vector<uint8_t> Assemble(MacroblockInput& input,
                                       const ByLevel<std::vector<int32_t>>& bias,
                                       const ByLevel<std::vector<int32_t>>& index_costs) {
    constexpr size_t kAlignment = 16;
    std::vector<uint8_t> bytes((sizeof(MacroblockInput) + kAlignment - 1) / kAlignment *
                               kAlignment);
    auto append = [&bytes](const ByLevel<std::vector<int32_t>>& values) {
      const size_t offset = bytes.size();
      for (const std::vector<int32_t>& level : values) {
        const auto* from = reinterpret_cast<const uint8_t*>(level.data());
        bytes.insert(bytes.end(), from, from + level.size() * sizeof(int32_t));
      }
      bytes.resize((bytes.size() + kAlignment - 1) / kAlignment * kAlignment);
      return static_cast<uint32_t>(offset);
    };
    int32_t first = 0;
    for (int level = 0; level < kLevelCount; ++level) {
      input.block.first_bias[level] = first;
      first += static_cast<int32_t>(bias[level].size());
    }
    ByLevel<std::vector<int32_t>> keys = bias;
    for (int level = 0; level < kLevelCount; ++level)
      for (uint32_t i = 0; i < keys[level].size(); ++i)
        keys[level][i] = MatchKey(kLevelShapes[level].log2_pixels(), i, bias[level][i]);
    input.block.bias = append(keys);
    input.index_costs = append(index_costs);
    std::memcpy(bytes.data(), &input, sizeof(input));
    return bytes;
  }

  DeviceArray<uint8_t> bytes_;
};

// One step of matching by a grid of blocks; `plans`: one a block, kept from step to step.
template <bool kTensor>
__global__ void MatchStep(const __grid_constant__ BlockListView list,
                          const __grid_constant__ DictionaryView dictionary,
                          const MacroblockInput* input, MatchPlan* plans) {
  __shared__ MatchPlan plan;
  if (threadIdx.x == 0) plan = plans[blockIdx.x];
  __syncthreads();
  const uint32_t warps = blockDim.x / 32 * gridDim.x;
  if (threadIdx.x < 32) PlanMatching<kTensor>(input->counters, 0, input->block, warps, plan);
  __syncthreads();
  MatchPlanned<kTensor>(list, dictionary, *input, input->block, plan,
                        threadIdx.x / 32 * gridDim.x + blockIdx.x);
  if (threadIdx.x == 0) plans[blockIdx.x] = plan;
}

}  // namespace mmp::cuda

#endif  // MMP_TESTS_CUDA_SEARCH_MEMORY_CUH_
