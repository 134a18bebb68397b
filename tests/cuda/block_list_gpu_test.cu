// Entering residual blocks: every sub-block becomes an entry of its own, with its pixels.
#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <vector>

#include "cuda/kernels/block_list.cuh"
#include "tests/cuda/device.h"
#include "tests/cuda/search_memory.cuh"
#include "tests/support/test_support.h"

namespace mmp::cuda {
namespace {

struct Residual {
  int level;
  int16_t values[kMacroblockPixels];
};

constexpr int kWarps = 4;         // of a block
constexpr int kMostTogether = 4;  // residuals of a block

// A block enters `together` residuals of one level but for one of them, which it passes over: what
// the search does with a node's modes.
__global__ void EnterAll(const __grid_constant__ BlockListView list,
                         const __grid_constant__ SubBlocksView all_sub_blocks,
                         const Residual* residuals, int together, uint32_t entered,
                         NodeEntries* all_entries, SearchCounters* counters) {
  __shared__ alignas(16) int16_t values[kMostTogether * kMacroblockPixels];
  __shared__ NodeEntries entries;
  const Residual* own = residuals + blockIdx.x * together;
  const SubBlockList sub_blocks = all_sub_blocks.Of(own->level);
  const int pixels = sub_blocks.grid.pixels();
  for (int k = threadIdx.x; k < together * pixels; k += blockDim.x)
    values[k] = own[k / pixels].values[k % pixels];
  const int count = __popc(entered), stride = blockDim.x / count, place = threadIdx.x / stride;
  if (threadIdx.x < kLevelCount) TakeEntries(sub_blocks.grid, count, 0, counters, list, entries);
  __syncthreads();
  Share share{static_cast<int>(threadIdx.x) - place * stride, stride};
  if (place >= count) share.first = 1 << 16;
  WriteEntries(share, list, sub_blocks, {values, (1u << together) - 1, entered},
               place < count ? BitAtPlace(entered, place) : 0, entries);
  if (threadIdx.x == 0) all_entries[blockIdx.x] = entries;
}

class BlockList : public DeviceTest {
 protected:
  // `groups` blocks of `together` residuals each, of which those in the mask are entered.
  static void Check(Random& random, int groups, int together, uint32_t entered) {
    std::vector<Residual> residuals(groups * together);
    for (int k = 0; k < groups * together; ++k) {
      residuals[k].level = k % together != 0 ? residuals[k - 1].level
                           : random.OneIn(3) ? kMacroblockLevel
                                             : random.Below(kLevelCount);
      for (int16_t& v : residuals[k].values) v = static_cast<int16_t>(random.Between(-255, 255));
    }
    ByLevel<int> capacity{};
    for (int level = 1; level < kLevelCount; ++level)
      capacity[level] =
          groups * together * (kMacroblockPixels >> kLevelShapes[level].log2_pixels());
    DeviceList list(capacity);
    const DeviceArray<Residual> in(residuals);
    const DeviceArray<NodeEntries> out(groups);
    const DeviceArray<SearchCounters> counters(1);
    const DeviceSubBlocks sub_blocks;
    EnterAll<<<groups, 32 * kWarps>>>(list.view(), sub_blocks.view(), in.data(), together, entered,
                                      out.data(), counters.data());
    Finish();
    const auto norms = list.norms().Read();
    const auto contents = list.contents().Read();
    const auto best = list.best().Read();
    const auto entries = out.Read();
    ByLevel<std::set<uint32_t>> seen;
    for (int k = 0; k < groups * together; ++k) {
      const int number = k % together;
      if ((entered >> number & 1) == 0) continue;
      const int place = std::popcount(entered & ((1u << number) - 1));
      const SubBlockGrid grid(residuals[k].level);
      for (int r = 1; r <= grid.log2_pixels(); ++r) {
        for (int i = 0; i < grid.RoundSize(r); ++i) {
          const SubBlock p = grid.Round(r, i);
          const int level = LevelOf(p.log2_height, p.log2_width);
          SCOPED_TRACE(testing::Message() << "residual " << k << ", level " << level);
          const int per_residual_log2 = grid.log2_pixels() - r;
          const uint32_t entry = entries[k / together].first[level] + (place << per_residual_log2) +
                                 (p.y << (grid.log2_width - p.log2_width)) + p.x;
          std::vector<int16_t> expected;
          for (int y = 0; y < 1 << p.log2_height; ++y)
            for (int x = 0; x < 1 << p.log2_width; ++x)
              expected.push_back(
                  residuals[k].values[(((p.y << p.log2_height) + y) << grid.log2_width) +
                                      (p.x << p.log2_width) + x]);
          const BlockListView& view = list.view();
          const uint32_t number = entry - view.first_entry[level];
          ASSERT_TRUE(seen[level].insert(number).second);
          const int16_t* content = &contents[view.first_content[level] + (number << r)];
          ASSERT_EQ(std::vector<int16_t>(content, content + (1 << r)), expected);
          ASSERT_EQ(kDistortionScale * norms[entry], ScaledNorm(content, 1 << r));
          ASSERT_EQ(best[entry], ~0ull);
        }
      }
    }
    const SearchCounters counted = counters.Read()[0];
    for (int level = 1; level < kLevelCount; ++level) {
      ASSERT_EQ(counted.entries[level], seen[level].size());
      // Without gaps.
      if (!seen[level].empty()) {
        ASSERT_EQ(*seen[level].rbegin() + 1, seen[level].size());
      }
    }
  }
};

TEST_F(BlockList, EverySubBlockHasAnEntry) {
  Random random(1);
  for (const int groups : {1, 3, 20}) {
    for (int together = 1; together <= kMostTogether; ++together) {
      for (const uint32_t entered : {1u, (1u << together) - 1, 1u << (together - 1), 5u}) {
        if (entered >> together != 0) continue;
        SCOPED_TRACE(testing::Message() << groups << " groups of " << together << " residuals, "
                                        << entered << " entered");
        Check(random, groups, together, entered);
        if (HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace mmp::cuda
