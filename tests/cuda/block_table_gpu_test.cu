// Numbering residual blocks: blocks have equal ids if and only if they have equal content.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cuda/block_table.cuh"
#include "tests/cuda/search_memory.cuh"
#include "tests/test_support.h"

namespace mmp::cuda {
namespace {

struct Residual {
  int level;
  int16_t values[kMacroblockPixels];
};
constexpr int kMostPartitions = 31 * 31;

constexpr int kWarps = 4;  // of a block

constexpr int kMostTogether = 4;  // residuals of a block

// So many residuals of one level a block: what the search does with a node's modes.
__global__ void EnterAll(const __grid_constant__ BlockTableView table,
                         const __grid_constant__ PartitionsView all_partitions,
                         const Residual* residuals, int count, int together, uint32_t stamp,
                         uint32_t* ids, int* known, SearchCounters* counters) {
  __shared__ NewBlocks new_blocks;
  __shared__ int16_t values[kMostTogether * kMacroblockPixels];
  __shared__ uint32_t own_ids[kMostTogether * kMostPartitions];
  const int first = blockIdx.x * together;
  const PartitionList partitions = all_partitions.Of(residuals[first].level);
  const int pixels = partitions.grid.pixels(), size = partitions.grid.size();
  const int stride = blockDim.x / together, number = threadIdx.x / stride;
  Share share{static_cast<int>(threadIdx.x) % stride, stride};
  if (number >= together || first + number >= count) share.first = 1 << 16;
  for (int k = share.first; k < pixels; k += stride)
    values[number * pixels + k] = residuals[first + number].values[k];
  __syncthreads();
  NumberPartitions(share, table, partitions, stamp, number, values + number * pixels,
                   own_ids + number * size, new_blocks, counters);
  if (share.first == 0) known[first + number] = (new_blocks.roots >> number & 1) == 0 ? 1 : 0;
  for (int k = share.first; k < size; k += stride)
    ids[(first + number) * kMostPartitions + k] = own_ids[number * size + k];
  ListNewBlocks(table, partitions, values, (1u << together) - 1, (1u << together) - 1, own_ids,
                new_blocks, counters);
}

// Of few values in half of the cases, so that many blocks are equal; with some residuals twice.
// `together` consecutive ones have the same level.
std::vector<Residual> RandomResiduals(Random& random, int count, int together = 1) {
  std::vector<Residual> residuals(count);
  for (int k = 0; k < count; ++k) {
    Residual& residual = residuals[k];
    residual.level = k % together != 0 ? residuals[k - 1].level
                     : random.OneIn(3) ? kMacroblockLevel
                                       : random.Below(kLevelCount);
    const int range = random.OneIn(4) ? 0 : random.OneIn(2) ? 1 : 255;
    for (int16_t& v : residual.values) v = static_cast<int16_t>(random.Between(-range, range));
    if (k == 0 || !random.OneIn(4)) continue;
    const Residual& other = residuals[random.Below(k)];
    if (k % together == 0 || other.level == residual.level) residual = other;
  }
  return residuals;
}

using Content = std::vector<int16_t>;

Content PartOf(const Residual& residual, const Partition& p) {
  const int width = kLevelShapes[residual.level].width();
  Content content;
  for (int i = 0; i < 1 << p.log2_height; ++i)
    for (int j = 0; j < 1 << p.log2_width; ++j)
      content.push_back(
          residual.values[((p.y << p.log2_height) + i) * width + (p.x << p.log2_width) + j]);
  return content;
}

class BlockTable : public DeviceTest {
 protected:
  // Enters the residuals as those of macroblock `stamp`.
  void Enter(DeviceTable& table, const std::vector<Residual>& residuals, uint32_t stamp,
             int together = 1) {
    const int count = static_cast<int>(residuals.size());
    const DeviceArray<Residual> in(residuals);
    const DeviceArray<uint32_t> ids(static_cast<size_t>(count) * kMostPartitions);
    const DeviceArray<int> known(count);
    const DeviceArray<SearchCounters> counters(1);
    const DevicePartitions partitions;
    EnterAll<<<(count + together - 1) / together, 32 * kWarps>>>(
        table.view(), partitions.view(), in.data(), count, together, stamp, ids.data(),
        known.data(), counters.data());
    Finish();
    ids_ = ids.Read();
    known_ = known.Read();
    counters_ = counters.Read()[0];
  }

  uint32_t IdOf(int residual, const PartitionGrid& grid, const Partition& p) const {
    return ids_[static_cast<size_t>(residual) * kMostPartitions + grid.Index(p)];
  }

  // Calls visit(level, content, id) for every partition of every residual.
  template <typename Visitor>
  void Visit(const std::vector<Residual>& residuals, Visitor visit) const {
    for (size_t k = 0; k < residuals.size(); ++k) {
      const PartitionGrid grid(residuals[k].level);
      for (int r = 0; r <= grid.log2_pixels(); ++r) {
        for (int i = 0; i < grid.RoundSize(r); ++i) {
          const Partition p = grid.Round(r, i);
          visit(LevelOf(p.log2_height, p.log2_width), PartOf(residuals[k], p),
                IdOf(static_cast<int>(k), grid, p));
        }
      }
    }
  }

  // Ids and contents of each level must be one to one.
  void CheckIds(const std::vector<Residual>& residuals) {
    ByLevel<std::map<Content, uint32_t>> ids;
    contents_ = {};
    Visit(residuals, [&](int level, const Content& content, uint32_t id) {
      const auto [of_content, is_new] = ids[level].emplace(content, id);
      ASSERT_EQ(of_content->second, id) << "equal blocks of level " << level;
      const auto [of_id, also_new] = contents_[level].emplace(id, content);
      ASSERT_EQ(of_id->second, content) << "different blocks of level " << level;
      if (level == 0) {
        ASSERT_EQ(static_cast<int>(id), content[0] + 255);
      }
    });
  }

  // Each content must be listed once, with its slot and its norm, and be without a match.
  void CheckLists(DeviceTable& table) const {
    const BlockTableView& view = table.view();
    const auto slots = table.slots().Read();
    const auto norms = table.norms().Read();
    const auto contents = table.contents().Read();
    const auto best = table.best().Read();
    for (int level = 1; level < kLevelCount; ++level) {
      SCOPED_TRACE(testing::Message() << "level " << level);
      const int pixels = kLevelShapes[level].pixels();
      ASSERT_EQ(counters_.entries[level], contents_[level].size());
      std::set<uint32_t> listed;
      for (uint32_t e = 0; e < counters_.entries[level]; ++e) {
        const uint32_t slot = slots[view.first_entry[level] + e];
        ASSERT_TRUE(listed.insert(slot).second) << "slot " << slot << " twice";
        const auto found = contents_[level].find(slot);
        ASSERT_NE(found, contents_[level].end());
        const int16_t* content = &contents[view.first_content[level] + e * pixels];
        ASSERT_EQ(Content(content, content + pixels), found->second);
        ASSERT_EQ(kDistortionScale * norms[view.first_entry[level] + e],
                  ScaledNorm(content, pixels));
        ASSERT_EQ(best[view.first_slot[level] + slot], ~0ull);
      }
    }
  }

  static ByLevel<int> Capacity(int residuals) {
    ByLevel<int> capacity{};
    for (int level = 1; level < kLevelCount; ++level)
      capacity[level] = residuals * (kMacroblockPixels >> Log2Pixels(level));
    return capacity;
  }

  std::vector<uint32_t> ids_;
  std::vector<int> known_;
  SearchCounters counters_;
  ByLevel<std::map<uint32_t, Content>> contents_;  // by id, as CheckIds saw them
};

// Macroblock after macroblock in one table, whose old entries stay.
TEST_F(BlockTable, EqualIdsForEqualContents) {
  Random random(1);
  constexpr int kMost = 40;
  DeviceTable table(Capacity(kMost), true);
  uint32_t stamp = 0;
  for (int together = 1; together <= kMostTogether; ++together) {
    for (const int count : {1, 2, 5, 10, kMost, 3, kMost}) {
      SCOPED_TRACE(testing::Message() << count << " residuals, " << together << " at a time");
      const std::vector<Residual> residuals = RandomResiduals(random, count, together);
      Enter(table, residuals, ++stamp, together);
      CheckIds(residuals);
      if (!HasFatalFailure()) CheckLists(table);
      if (HasFatalFailure()) return;
    }
  }
}

// The same residuals in two macroblocks: nothing of the first is known in the second.
TEST_F(BlockTable, EveryMacroblockBeginsAnew) {
  Random random(2);
  const std::vector<Residual> residuals = RandomResiduals(random, 10);
  DeviceTable table(Capacity(10), true);
  for (const uint32_t stamp : {1u, 2u, (1u << 18) - 1}) {
    Enter(table, residuals, stamp);
    CheckIds(residuals);
    if (!HasFatalFailure()) CheckLists(table);
    if (HasFatalFailure()) return;
  }
}

// Of equal residuals one is new.
TEST_F(BlockTable, TellsWhatIsKnown) {
  Random random(3);
  std::vector<Residual> residuals = RandomResiduals(random, 1);
  residuals[0].level = kMacroblockLevel;
  residuals.resize(20, residuals[0]);
  DeviceTable table(Capacity(20), true);
  Enter(table, residuals, 1);
  int known = 0;
  for (const int k : known_) known += k;
  EXPECT_EQ(known, 19);
  CheckIds(residuals);
}

// Without reuse every block is an entry of its own.
TEST_F(BlockTable, WithoutReuse) {
  Random random(4);
  const std::vector<Residual> residuals = RandomResiduals(random, 12);
  DeviceTable table(Capacity(12), false);
  Enter(table, residuals, 1);
  contents_ = {};
  Visit(residuals, [&](int level, const Content& content, uint32_t id) {
    const bool is_new = contents_[level].emplace(id, content).second;
    if (level > 0) {
      ASSERT_TRUE(is_new) << "level " << level << ", id " << id;
    }
  });
  CheckLists(table);
}

}  // namespace
}  // namespace mmp::cuda
