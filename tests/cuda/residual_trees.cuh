// Residuals and the trees that the device makes of them.
#ifndef MMP_TESTS_CUDA_RESIDUAL_TREES_CUH_
#define MMP_TESTS_CUDA_RESIDUAL_TREES_CUH_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "codec/rdo/cost_bounds.h"
#include "cuda/kernels/block_list.cuh"
#include "cuda/kernels/residual_tree.cuh"
#include "tests/cuda/search_memory.cuh"
#include "tests/support/reference_search.h"
#include "tests/support/test_support.h"

namespace mmp::cuda {

inline constexpr int kMostTreeSubBlocks = 31 * 31;

struct TreeResidual {
  int level;
  int16_t values[kMacroblockPixels];
};

// The leaf at each pixel, by the decision at the root.
struct ResidualTree {
  RootCosts costs;
  uint32_t index[3][kMacroblockPixels];
  uint32_t path[3][kMacroblockPixels];
  uint32_t length[3][kMacroblockPixels];
};

static __global__ void EnterTrees(const __grid_constant__ BlockListView list,
                                  const __grid_constant__ SubBlocksView all_sub_blocks,
                                  const TreeResidual* residuals, MacroblockInput* input,
                                  NodeEntries* all_entries) {
  __shared__ NodeEntries entries;
  const Share share{static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)};
  const TreeResidual& residual = residuals[blockIdx.x];
  const SubBlockList sub_blocks = all_sub_blocks.Of(residual.level);
  if (threadIdx.x < kLevelCount)
    TakeEntries(sub_blocks.grid, 1, 0, &input->counters, list, entries);
  __syncthreads();
  WriteEntries(share, list, sub_blocks, {residual.values, 1, 1}, 0, entries);
  if (threadIdx.x == 0) all_entries[blockIdx.x] = entries;
}

static __global__ void PruneTrees(const __grid_constant__ BlockListView list,
                                  const __grid_constant__ SubBlocksView all_sub_blocks,
                                  const TreeResidual* residuals, const MacroblockInput* input,
                                  const DeviceCosts* device_costs, int slack_q4,
                                  const NodeEntries* all_entries, ResidualTree* trees) {
  __shared__ int32_t costs[kMostTreeSubBlocks], norms[kMostTreeSubBlocks];
  __shared__ uint8_t flags[kMostTreeSubBlocks];
  const Share share{static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)};
  const TreeResidual& residual = residuals[blockIdx.x];
  const SubBlockList sub_blocks = all_sub_blocks.Of(residual.level);
  const SubBlockGrid& grid = sub_blocks.grid;
  const NodeEntries& entries = all_entries[blockIdx.x];
  ResidualTree& tree = trees[blockIdx.x];
  const ResidualTrees residual_trees{share, list,     *input, *device_costs, sub_blocks, entries,
                                     0,     slack_q4, costs,  flags,         norms};
  const RootCosts root = residual_trees.Prune([&](int k) -> int { return residual.values[k]; });
  if (share.first == 0) tree.costs = root;
  __syncthreads();
  for (uint32_t flag = kPattern; flag < kResidualFlags; ++flag) {
    if (flag == kSplitVertical && grid.log2_width == 0) continue;
    if (flag == kSplitHorizontal && grid.log2_height == 0) continue;
    for (int k = share.first; k < grid.pixels(); k += share.stride) {
      const LeafPlace leaf =
          FindLeaf(grid, flags, flag, k >> grid.log2_width, k & ((1 << grid.log2_width) - 1));
      const SubBlock& p = leaf.sub_block;
      const int level = LevelAt(p.log2_height, p.log2_width);
      tree.index[flag][k] =
          p.log2_pixels() == 0
              ? device_costs->pixel_index[residual.values[k] + 255]
              : static_cast<uint32_t>(list.best[entries.first[level] + grid.Number(p)]);
      tree.path[flag][k] = leaf.path;
      tree.length[flag][k] = leaf.length;
    }
  }
}

// A search's costs as the device has them.
struct SearchCosts {
  DeviceCosts shared{};
  MacroblockInput input{};
  Patterns patterns;
  ByLevel<std::vector<int32_t>> bias, index_costs;

  explicit SearchCosts(const SymbolCosts& symbol_costs) {
    CostBounds cost_bounds;
    cost_bounds.Update(symbol_costs);
    const Dictionary& dictionary = symbol_costs.tile().dictionary;
    const bool lossless = symbol_costs.lambda().lossless();
    for (int level = 0; level < kLevelCount; ++level) {
      const int size = dictionary.size(level), pixels = kLevelShapes[level].pixels();
      input.block.patterns[level] = size;
      patterns[level].resize(static_cast<size_t>(size) * pixels);
      for (int p = 0; p < size; ++p)
        dictionary.Copy(level, p, &patterns[level][static_cast<size_t>(p) * pixels]);
      const auto norms = dictionary.Norms(level);
      if (lossless) {
        bias[level].assign(norms.begin(), norms.end());
        index_costs[level].assign(symbol_costs.Index(level),
                                  symbol_costs.Index(level) + norms.size());
      } else {
        bias[level].assign(symbol_costs.Bias(level), symbol_costs.Bias(level) + norms.size());
      }
      std::ranges::copy(symbol_costs.ResidualFlagCosts(level), shared.residual_flag_costs[level]);
      shared.cheapest_residuals[level] = cost_bounds.CheapestResiduals(level);
      for (const Split split : {Split::kVertical, Split::kHorizontal})
        if (HalfLevel(level, split) >= 0)
          shared.split_margin[level][static_cast<int>(split)] =
              cost_bounds.SplitMargin(level, split);
    }
    shared.lambda = symbol_costs.lambda();
    for (int r = -255; r <= 255; ++r) {
      shared.pixel_cost[r + 255] = symbol_costs.Pixel(r);
      shared.pixel_index[r + 255] = static_cast<uint16_t>(symbol_costs.PixelIndex(r));
    }
  }
};

inline std::vector<TreeResidual> RandomResiduals(Random& random, int for_each_level) {
  std::vector<TreeResidual> residuals;
  for (int level = 0; level < kLevelCount; ++level) {
    for (int k = 0; k < for_each_level; ++k) {
      TreeResidual& residual = residuals.emplace_back();
      residual.level = level;
      const int range = k % 3 == 0 ? random.Below(4) : k % 3 == 1 ? 40 : 255;
      const int mean = k % 3 == 2 ? 0 : random.Between(-30, 30);
      for (int16_t& v : residual.values)
        v = static_cast<int16_t>(std::clamp(mean + random.Between(-range, range), -255, 255));
    }
  }
  return residuals;
}

// The values that the leaves stand for.
inline std::vector<int16_t> ValuesOf(const ResidualTree& tree, int flag, int level,
                                     const Patterns& patterns) {
  const LevelShape whole = kLevelShapes[level];
  std::vector<int16_t> values;
  for (int k = 0; k < whole.pixels(); ++k) {
    int h = whole.log2_height, w = whole.log2_width;
    for (uint32_t s = 0; s < tree.length[flag][k]; ++s)
      --((tree.path[flag][k] >> s & 1) == 0 ? w : h);
    const int y = k / whole.width() & ((1 << h) - 1), x = k % whole.width() & ((1 << w) - 1);
    values.push_back(patterns[LevelOf(h, w)][(static_cast<size_t>(tree.index[flag][k]) << (h + w)) +
                                             (y << w) + x]);
  }
  return values;
}

// Residuals on the device, with blocks matched by tensor cores or by integers.
template <bool kTensor>
class DeviceTrees {
 public:
  // Enters the residuals and matches their blocks; `threads` of a block work on a residual.
  DeviceTrees(const std::vector<TreeResidual>& residuals, const SearchCosts& costs, int threads)
      : count_(static_cast<int>(residuals.size())),
        threads_(threads),
        list_(Capacity(count_)),
        dictionary_(costs.patterns, kTensor),
        input_(costs.input, costs.bias, costs.index_costs),
        shared_(std::vector<DeviceCosts>{costs.shared}),
        residuals_(residuals),
        entries_(count_),
        plans_(kMatchingBlocks),
        trees_(count_) {
    EnterTrees<<<count_, threads_>>>(list_.view(), sub_blocks_.view(), residuals_.data(),
                                     input_.get(), entries_.data());
    MatchStep<kTensor>
        <<<kMatchingBlocks, 256>>>(list_.view(), dictionary_.view(), input_.get(), plans_.data());
    Finish();
  }

  void Prune(int slack_q4) {
    PruneTrees<<<count_, threads_>>>(list_.view(), sub_blocks_.view(), residuals_.data(),
                                     input_.get(), shared_.data(), slack_q4, entries_.data(),
                                     trees_.data());
    Finish();
  }

  // A tree a residual.
  std::vector<ResidualTree> Read() const { return trees_.Read(); }

 private:
  static constexpr int kMatchingBlocks = 8;

  static ByLevel<int> Capacity(int count) {
    ByLevel<int> capacity{};
    for (int level = 1; level < kLevelCount; ++level)
      capacity[level] = count * (kMacroblockPixels >> kLevelShapes[level].log2_pixels());
    return capacity;
  }

  const int count_, threads_;
  const DeviceList list_;
  const DeviceDictionary dictionary_;
  const DeviceInput input_;
  const DeviceArray<DeviceCosts> shared_;
  const DeviceArray<TreeResidual> residuals_;
  const DeviceArray<NodeEntries> entries_;
  const DeviceArray<MatchPlan> plans_;
  const DeviceArray<ResidualTree> trees_;
  const DeviceSubBlocks sub_blocks_;
};

}  // namespace mmp::cuda

#endif  // MMP_TESTS_CUDA_RESIDUAL_TREES_CUH_
