#include "codec/search/block_memo.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>

#include "tests/support/test_support.h"

namespace mmp {
namespace {

constexpr int kPixels = 4;
using Block = std::array<int16_t, kPixels>;

Block BlockOf(int number) {
  return {static_cast<int16_t>(number), static_cast<int16_t>(number >> 3), 7, -1};
}

// Hashes of which many are alike in the bits that say where to look first, some of them in all.
uint32_t HashOf(Random& random, int kinds) {
  const auto low =
      static_cast<uint32_t>(1023 - random.Below(kinds));  // also beyond the table's end
  return low | static_cast<uint32_t>(random.Below(2)) << 30;
}

TEST(BlockMemoTest, KnowsWhatWasAddedSinceItWasCleared) {
  Random random(1);
  BlockMemo<int> memo;
  for (int round = 0; round < 200; ++round) {
    // So many that the table grows, or few, in which case each slot is cleared on its own.
    const int blocks = round % 50 == 7 ? 3000 : random.Below(90);
    const int kinds = 1 + random.Below(40);
    std::map<int, uint32_t> hashes;  // by number of the block
    std::map<int, uint32_t> ids;
    for (int i = 0; i < blocks; ++i) {
      const int number = random.Below(blocks + 1);
      const uint32_t hash = hashes.try_emplace(number, HashOf(random, kinds)).first->second;
      bool found = false;
      const uint32_t id = memo.FindOrAdd<kPixels>(BlockOf(number).data(), hash, &found);
      ASSERT_EQ(found, ids.contains(number)) << "round " << round;
      const auto known = ids.try_emplace(number, static_cast<uint32_t>(ids.size())).first;
      ASSERT_EQ(id, known->second) << "round " << round;
      ASSERT_EQ(memo.Contents(id, kPixels)[0], BlockOf(number)[0]);
      if (!found) memo.entry(id) = number;
      ASSERT_EQ(memo.entry(id), number);
    }
    ASSERT_EQ(memo.size(), ids.size());
    memo.Clear();
    ASSERT_EQ(memo.size(), 0u);
    // Nothing is left of what was there, wherever it lay.
    for (const auto& [number, hash] : hashes) {
      if (random.Below(8) != 0) continue;
      bool found = true;
      memo.FindOrAdd<kPixels>(BlockOf(number).data(), hash, &found);
      ASSERT_FALSE(found) << "round " << round;
    }
    memo.Clear();
  }
}

}  // namespace
}  // namespace mmp
