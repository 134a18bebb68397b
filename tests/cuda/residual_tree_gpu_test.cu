// From a residual to the costs at the root of its tree: numbering, matching and pruning together,
// against the reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "codec/least_cost.h"
#include "cuda/block_list.cuh"
#include "cuda/residual_tree.cuh"
#include "tests/cuda/search_memory.cuh"
#include "tests/reference_search.h"
#include "tests/test_support.h"

namespace mmp::cuda {
namespace {

constexpr int kMostPartitions = 31 * 31;

struct Residual {
  int level;
  int16_t values[kMacroblockPixels];
};

// The leaf at each pixel, by the decision at the root.
struct Tree {
  TreeCosts costs;
  uint32_t index[3][kMacroblockPixels];
  uint32_t path[3][kMacroblockPixels];
  uint32_t length[3][kMacroblockPixels];
};

__global__ void Enter(const __grid_constant__ BlockListView list,
                      const __grid_constant__ PartitionsView all_partitions,
                      const Residual* residuals, MacroblockInput* input, NodeEntries* all_entries) {
  __shared__ NodeEntries entries;
  const Share share{static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)};
  const Residual& residual = residuals[blockIdx.x];
  const PartitionList partitions = all_partitions.Of(residual.level);
  if (threadIdx.x < kLevelCount) TakeEntries(partitions.grid, 1, &input->counters, list, entries);
  __syncthreads();
  WriteEntries(share, list, partitions, {residual.values, 1, 1}, 0, entries);
  if (threadIdx.x == 0) all_entries[blockIdx.x] = entries;
}

__global__ void Prune(const __grid_constant__ BlockListView list,
                      const __grid_constant__ PartitionsView all_partitions,
                      const Residual* residuals, const MacroblockInput* input,
                      const SearchPrices* prices, int slack_q4, const NodeEntries* all_entries,
                      Tree* trees) {
  __shared__ int32_t costs[kMostPartitions], norms[kMostPartitions];
  __shared__ uint8_t flags[kMostPartitions];
  const Share share{static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)};
  const Residual& residual = residuals[blockIdx.x];
  const PartitionList partitions = all_partitions.Of(residual.level);
  const PartitionGrid& grid = partitions.grid;
  const NodeEntries& entries = all_entries[blockIdx.x];
  Tree& tree = trees[blockIdx.x];
  const TreeCosts root = PruneResidualTrees(
      share, list, *input, *prices, partitions, entries, 0,
      [&](int k) -> int { return residual.values[k]; }, slack_q4, costs, flags, norms);
  if (share.first == 0) tree.costs = root;
  __syncthreads();
  for (uint32_t flag = kPattern; flag < kResidualFlags; ++flag) {
    if (flag == kSplitVertical && grid.log2_width == 0) continue;
    if (flag == kSplitHorizontal && grid.log2_height == 0) continue;
    for (int k = share.first; k < grid.pixels(); k += share.stride) {
      const LeafPlace leaf =
          FindLeaf(grid, flags, flag, k >> grid.log2_width, k & ((1 << grid.log2_width) - 1));
      const Partition& p = leaf.partition;
      const int level = LevelAt(p.log2_height, p.log2_width);
      tree.index[flag][k] =
          p.log2_pixels() == 0
              ? prices->pixel_index[residual.values[k] + 255]
              : static_cast<uint32_t>(list.best[entries.first[level] + grid.Number(p)]);
      tree.path[flag][k] = leaf.path;
      tree.length[flag][k] = leaf.length;
    }
  }
}

// A search's prices as the device has them.
struct Prices {
  SearchPrices shared{};
  MacroblockInput input{};
  Patterns patterns;
  ByLevel<std::vector<int32_t>> bias, index_costs;

  explicit Prices(const SearchRates& rates) {
    LeastCost least_cost;
    least_cost.Update(rates);
    const Dictionary& dictionary = rates.tile().dictionary;
    const bool lossless = rates.lambda().lossless();
    for (int level = 0; level < kLevelCount; ++level) {
      const int size = dictionary.size(level), pixels = kLevelShapes[level].pixels();
      input.block.patterns[level] = size;
      patterns[level].resize(static_cast<size_t>(size) * pixels);
      for (int p = 0; p < size; ++p)
        dictionary.Copy(level, p, &patterns[level][static_cast<size_t>(p) * pixels]);
      const auto norms = dictionary.Norms(level);
      if (lossless) {
        bias[level].assign(norms.begin(), norms.end());
        index_costs[level].assign(rates.Index(level), rates.Index(level) + norms.size());
      } else {
        bias[level].assign(rates.Bias(level), rates.Bias(level) + norms.size());
      }
      std::ranges::copy(rates.ResidualFlags(level), shared.residual_flags[level]);
      shared.least_zero[level] = least_cost.ZeroResidual(level);
      shared.least_other[level] = least_cost.OtherResidual(level);
      for (const Split split : {Split::kVertical, Split::kHorizontal})
        if (HalfLevel(level, split) >= 0)
          shared.split_margin[level][static_cast<int>(split)] =
              least_cost.SplitMargin(level, split);
    }
    shared.lambda = rates.lambda();
    for (int r = -255; r <= 255; ++r) {
      shared.pixel_cost[r + 255] = rates.Pixel(r);
      shared.pixel_index[r + 255] = static_cast<uint16_t>(rates.PixelIndex(r));
    }
  }
};

std::vector<Residual> RandomResiduals(Random& random, int for_each_level) {
  std::vector<Residual> residuals;
  for (int level = 0; level < kLevelCount; ++level) {
    for (int k = 0; k < for_each_level; ++k) {
      Residual& residual = residuals.emplace_back();
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
std::vector<int16_t> ValuesOf(const Tree& tree, int flag, int level, const Patterns& patterns) {
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

class ResidualTree : public DeviceTest {
 protected:
  template <bool kTensor>
  void Check(const std::vector<Residual>& residuals, const SearchRates& rates, int slack_q4,
             int threads) {
    const Prices prices(rates);
    const int count = static_cast<int>(residuals.size());
    ByLevel<int> capacity{};
    for (int level = 1; level < kLevelCount; ++level)
      capacity[level] = count * (kMacroblockPixels >> kLevelShapes[level].log2_pixels());
    const DeviceList list(capacity);
    const DeviceDictionary dictionary(prices.patterns, kTensor);
    const DeviceInput input(prices.input, prices.bias, prices.index_costs);
    const DeviceArray<SearchPrices> shared(std::vector<SearchPrices>{prices.shared});
    const DeviceArray<Residual> in(residuals);
    const DeviceArray<NodeEntries> entries(count);
    const DeviceArray<MatchPlan> plans(8);
    const DeviceArray<Tree> out(count);
    const DevicePartitions partitions;
    Enter<<<count, threads>>>(list.view(), partitions.view(), in.data(), input.get(),
                              entries.data());
    MatchStep<kTensor><<<8, 256>>>(list.view(), dictionary.view(), input.get(), plans.data());
    Prune<<<count, threads>>>(list.view(), partitions.view(), in.data(), input.get(), shared.data(),
                              slack_q4, entries.data(), out.data());
    Finish();
    const std::vector<Tree> trees = out.Read();
    const ReferencePrices reference_prices(rates);
    for (int k = 0; k < count; ++k) {
      SCOPED_TRACE(testing::Message() << "residual " << k << ", level " << residuals[k].level);
      Compare(trees[k], residuals[k], reference_prices, slack_q4, prices.patterns);
      if (HasFatalFailure()) return;
    }
  }

 private:
  static void Compare(const Tree& tree, const Residual& residual, const ReferencePrices& prices,
                      int slack_q4, const Patterns& patterns) {
    const std::vector<int16_t> values(residual.values,
                                      residual.values + kLevelShapes[residual.level].pixels());
    const ReferenceResidual reference(prices, residual.level, values, slack_q4);
    const RootCosts& expected = reference.costs();
    const int32_t costs[] = {tree.costs.pattern, tree.costs.vertical, tree.costs.horizontal};
    const int32_t expected_costs[] = {expected.pattern, expected.vertical, expected.horizontal};
    for (int flag = 0; flag < kResidualFlags; ++flag) {
      ASSERT_EQ(std::min(costs[flag], kImpossible), std::min(expected_costs[flag], kImpossible))
          << "decision " << flag;
      if (costs[flag] >= kImpossible) continue;
      ASSERT_EQ(ValuesOf(tree, flag, residual.level, patterns),
                reference.Values(static_cast<ResidualFlag>(flag)))
          << "decision " << flag;
    }
  }
};

TEST_F(ResidualTree, EqualsTheReference) {
  for (const int lambda_q8 : {0, 1, 256, 2560, 76800, 16777216}) {
    for (const int slack_q4 : {0, 16, 20}) {
      SCOPED_TRACE(testing::Message() << "lambda " << lambda_q8 / 256.0 << ", slack " << slack_q4);
      Random random(static_cast<uint32_t>(lambda_q8 + slack_q4));
      CodecParameters parameters;
      parameters.dictionary_size = 150;
      const TileState tile = RandomTileState(random, parameters, 16, 16);
      SearchRates rates;
      rates.Update(tile, Lambda{lambda_q8});
      const std::vector<Residual> residuals = RandomResiduals(random, 6);
      Check<false>(residuals, rates, slack_q4, 32);
      if (!HasFatalFailure() && ComputeCapability() >= 80)
        Check<true>(residuals, rates, slack_q4, 128);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace mmp::cuda
