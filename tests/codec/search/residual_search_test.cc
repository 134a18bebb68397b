#include "codec/search/residual_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "tests/support/reference_search.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

using Values = std::vector<int16_t>;

constexpr int kLevel8x8 = 15;

// A tile's state with the costs taken from it.
struct Setting {
  Setting(uint32_t seed, double lambda, int dictionary_size)
      : random(seed), tile(RandomTileState(random, Parameters(dictionary_size), 16, 16)) {
    symbol_costs.Update(tile, Lambda{static_cast<int32_t>(lambda * 256)});
    reference_costs = std::make_unique<ReferenceCosts>(symbol_costs);
  }
  static CodecParameters Parameters(int dictionary_size) {
    CodecParameters parameters;
    parameters.dictionary_size = dictionary_size;
    return parameters;
  }

  Random random;
  TileState tile;
  SymbolCosts symbol_costs;
  std::unique_ptr<ReferenceCosts> reference_costs;
};

// Residuals as they are: smooth, noisy, zero, extreme, or made of patterns of the dictionary.
Values RandomResidual(Setting& setting, int level) {
  Random& random = setting.random;
  const LevelShape shape = kLevelShapes[level];
  Values values(shape.pixels());
  const int mean = random.Between(-40, 40), slope = random.Between(-9, 9);
  switch (random.Below(5)) {
    case 0:
      break;
    case 1:
      for (int i = 0; i < shape.height(); ++i)
        for (int j = 0; j < shape.width(); ++j)
          values[i * shape.width() + j] = static_cast<int16_t>(mean + slope * (i - j));
      break;
    case 2:
      for (int16_t& v : values) v = static_cast<int16_t>(mean + random.Between(-20, 20));
      break;
    case 3:
      for (int16_t& v : values) v = static_cast<int16_t>(random.OneIn(2) ? 255 : -255);
      break;
    default:
      setting.tile.dictionary.Copy(level, random.Below(setting.tile.dictionary.size(level)),
                                   values.data());
      if (random.OneIn(2)) values[random.Below(shape.pixels())] = 0;
  }
  return values;
}

std::vector<ResidualFlag> PossibleRoots(int level) {
  std::vector<ResidualFlag> roots;
  for (const ResidualFlag flag : {kPattern, kSplitVertical, kSplitHorizontal})
    if ((AllowedResidualFlags(level) >> flag & 1) != 0) roots.push_back(flag);
  return roots;
}

int32_t CostOf(const RootCosts& costs, ResidualFlag root) {
  return root == kPattern         ? costs.pattern
         : root == kSplitVertical ? costs.vertical
                                  : costs.horizontal;
}

// Parses the symbols of a tree below the decision `flag` and adds up what they cost, the squared
// error to `values` included, by the costs alone. Advances `position`.
int64_t CostOfTree(const Setting& setting, int level, ResidualFlag flag, const Values& values,
                   const MacroblockSymbols& symbols, size_t& position) {
  const SymbolCosts& symbol_costs = setting.symbol_costs;
  if (flag == kPattern) {
    const int index = static_cast<int>(symbols.at(position++));
    Values pattern(values.size());
    setting.tile.dictionary.Copy(level, index, pattern.data());
    int64_t error = 0;
    for (size_t k = 0; k < values.size(); ++k)
      error += (values[k] - pattern[k]) * (values[k] - pattern[k]);
    if (symbol_costs.lambda().lossless()) {
      EXPECT_EQ(error, 0);
    }
    return kDistortionScale * error + symbol_costs.Index(level)[index];
  }
  const Split split = flag == kSplitVertical ? Split::kVertical : Split::kHorizontal;
  const int half_level = HalfLevel(level, split);
  const LevelShape shape = kLevelShapes[half_level];
  const int stride = kLevelShapes[level].width();
  int64_t cost = 0;
  for (int half = 0; half < 2; ++half) {
    Values half_values;
    const int first = half == 0 ? 0 : split == Split::kVertical ? shape.width() : shape.pixels();
    for (int i = 0; i < shape.height(); ++i)
      for (int j = 0; j < shape.width(); ++j) half_values.push_back(values[first + i * stride + j]);
    ResidualFlag half_flag = kPattern;
    if (!std::has_single_bit(AllowedResidualFlags(half_level))) {
      half_flag = static_cast<ResidualFlag>(symbols.at(position++));
      cost += symbol_costs.ResidualFlagCosts(half_level)[half_flag];
    }
    cost += CostOfTree(setting, half_level, half_flag, half_values, symbols, position);
  }
  return cost;
}

// A root decision may be given up only if it cannot win, whichever tree's flags apply.
bool CannotWin(const Setting& setting, int level, ResidualFlag root, const RootCosts& costs) {
  if (root == kPattern) return false;
  const auto& residual = setting.symbol_costs.ResidualFlagCosts(level);
  const auto& prediction = setting.symbol_costs.PartitionCosts(level);
  const int partition = root == kSplitVertical ? kSplitResidualVertical : kSplitResidualHorizontal;
  const int64_t cost = CostOf(costs, root);
  return costs.pattern + residual[kPattern] <= cost + residual[root] &&
         costs.pattern + prediction[kLeaf] <= cost + prediction[partition];
}

void CheckBlock(const Setting& setting, const ResidualSearch& search, int level,
                const Values& values, ResidualSearch::BlockId id, const RootCosts& costs) {
  const ReferenceResidual reference(*setting.reference_costs, level, values);
  for (const ResidualFlag root : PossibleRoots(level)) {
    SCOPED_TRACE(testing::Message() << "root decision " << root);
    const int32_t cost = CostOf(costs, root);
    if (cost == kImpossible) {
      ASSERT_TRUE(CannotWin(setting, level, root, reference.costs()) ||
                  CostOf(reference.costs(), root) >= kImpossible);
      continue;
    }
    ASSERT_EQ(cost, CostOf(reference.costs(), root));
    MacroblockSymbols symbols = {77};  // Emit appends
    search.Emit(level, id, root, symbols);
    ASSERT_EQ(symbols.front(), 77u);
    symbols.erase(symbols.begin());
    ASSERT_EQ(symbols, reference.Symbols(root));
    size_t position = 0;
    ASSERT_EQ(CostOfTree(setting, level, root, values, symbols, position), cost);
    ASSERT_EQ(position, symbols.size());
    Values reconstruction(values.size());
    search.Reconstruct(level, id, root, reconstruction.data());
    ASSERT_EQ(reconstruction, reference.Values(root));
  }
}

// Solves `count` random blocks at once; some of them equal. Fails the test at the first difference.
void CheckSolve(Setting& setting, ResidualSearch& search, int level, int count) {
  SCOPED_TRACE(testing::Message() << "level " << level << ", " << count << " blocks");
  std::vector<Values> values;
  Values blocks;
  for (int i = 0; i < count; ++i) {
    values.push_back(i > 0 && setting.random.OneIn(4) ? values[setting.random.Below(i)]
                                                      : RandomResidual(setting, level));
    blocks.insert(blocks.end(), values.back().begin(), values.back().end());
  }
  std::vector<ResidualSearch::BlockId> ids(count);
  std::vector<RootCosts> costs(count);
  bool reused[kModes];
  search.Solve(level, blocks.data(), count, ids.data(), costs.data(), reused);
  for (int i = 0; i < count; ++i) {
    SCOPED_TRACE(testing::Message() << "block " << i);
    for (int k = 0; k < i; ++k) {
      if (values[k] != values[i]) continue;
      EXPECT_EQ(ids[k], ids[i]);
      EXPECT_TRUE(reused[i]);
    }
    ASSERT_NO_FATAL_FAILURE(CheckBlock(setting, search, level, values[i], ids[i], costs[i]));
  }
}

class ResidualSearchTest : public testing::TestWithParam<double> {};

TEST_P(ResidualSearchTest, EqualsTheReference) {
  for (const int dictionary_size : {69, 100}) {
    Setting setting(dictionary_size, GetParam(), dictionary_size);
    ResidualSearch search(0, false);
    for (int round = 0; round < 3; ++round) {
      // The same search goes on with what it knows, then forgets it.
      search.Begin(setting.symbol_costs);
      for (int level = 0; level <= kLevel8x8; ++level)
        for (const int count : {1, 3, 10})
          ASSERT_NO_FATAL_FAILURE(CheckSolve(setting, search, level, count));
      for (int level = kLevel8x8; level >= 0; --level)
        ASSERT_NO_FATAL_FAILURE(CheckSolve(setting, search, level, 4));
    }
  }
}

TEST_P(ResidualSearchTest, LargeBlocks) {
  Setting setting(5, GetParam(), 80);
  ResidualSearch search(0, true);
  search.Begin(setting.symbol_costs);
  for (int level = kLevel8x8 + 1; level < kLevelCount; ++level)
    ASSERT_NO_FATAL_FAILURE(CheckSolve(setting, search, level, 2));
}

TEST_P(ResidualSearchTest, NewCostsAreTakenUp) {
  Setting first(1, GetParam(), 100), second(2, GetParam(), 70);
  ResidualSearch search(0, false);
  for (int round = 0; round < 2; ++round) {
    for (Setting* setting : {&first, &second}) {
      search.Begin(setting->symbol_costs);
      ASSERT_NO_FATAL_FAILURE(CheckSolve(*setting, search, 8, 5));
      ASSERT_NO_FATAL_FAILURE(CheckSolve(*setting, search, 1, 5));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Lambdas, ResidualSearchTest, testing::Values(0, 0.25, 10, 300, 65536));

// In a new tile all patterns of a level are equally likely: many of them cost the same.
TEST(ResidualSearchTiesTest, TheLowestIndexThenTheLeaf) {
  TileState tile({}, 16, 16);
  for (const double lambda : {1.0, 20.0, 65536.0}) {
    SymbolCosts symbol_costs;
    symbol_costs.Update(tile, Lambda{static_cast<int32_t>(lambda * 256)});
    const ReferenceCosts reference_costs(symbol_costs);
    ResidualSearch search(0, false);
    search.Begin(symbol_costs);
    for (int level = 1; level <= kLevel8x8; ++level) {
      for (int value = -30; value <= 30; ++value) {
        const Values values(kLevelShapes[level].pixels(), static_cast<int16_t>(value));
        const ReferenceResidual reference(reference_costs, level, values);
        ResidualSearch::BlockId id;
        RootCosts costs;
        bool reused;
        search.Solve(level, values.data(), 1, &id, &costs, &reused);
        MacroblockSymbols symbols;
        search.Emit(level, id, kPattern, symbols);
        ASSERT_EQ(symbols, reference.Symbols(kPattern)) << "level " << level << ", " << value;
        if (costs.vertical >= kImpossible) continue;
        symbols.clear();
        search.Emit(level, id, kSplitVertical, symbols);
        ASSERT_EQ(symbols, reference.Symbols(kSplitVertical)) << "level " << level << ", " << value;
      }
    }
  }
}

// Enough blocks that the tables of known blocks grow, several times.
TEST(ResidualSearchMemoTest, ManyBlocks) {
  Setting setting(3, 10, 69);
  ResidualSearch search(0, false);
  search.Begin(setting.symbol_costs);
  std::vector<Values> blocks;
  std::vector<ResidualSearch::BlockId> ids;
  std::vector<RootCosts> costs;
  for (int k = 0; k < 3000; ++k) {
    Values values(16);
    for (int16_t& v : values) v = static_cast<int16_t>(setting.random.Between(-99, 99));
    ResidualSearch::BlockId id;
    RootCosts cost;
    bool reused;
    search.Solve(8, values.data(), 1, &id, &cost, &reused);
    EXPECT_FALSE(reused);
    blocks.push_back(values);
    ids.push_back(id);
    costs.push_back(cost);
  }
  for (int k = 0; k < 3000; ++k) {
    ResidualSearch::BlockId id;
    RootCosts cost;
    bool reused;
    search.Solve(8, blocks[k].data(), 1, &id, &cost, &reused);
    ASSERT_TRUE(reused);
    ASSERT_EQ(id, ids[k]);
    ASSERT_EQ(cost.pattern, costs[k].pattern);
    ASSERT_EQ(cost.vertical, costs[k].vertical);
    ASSERT_EQ(cost.horizontal, costs[k].horizontal);
    if (k % 100 == 0) {
      ASSERT_NO_FATAL_FAILURE(CheckBlock(setting, search, 8, blocks[k], id, cost));
    }
  }
}

TEST(ResidualSearchTest, CountsItsWork) {
  Setting setting(4, 10, 69);
  ResidualSearch search(0, true);
  search.Begin(setting.symbol_costs);
  const Values zero(16);
  ResidualSearch::BlockId id;
  RootCosts costs;
  bool reused;
  search.Solve(8, zero.data(), 1, &id, &costs, &reused);
  EXPECT_EQ(search.blocks_matched(), 1);  // nothing below can be cheaper
  EXPECT_EQ(search.multiply_adds(), 16 * 96);
  search.Solve(8, zero.data(), 1, &id, &costs, &reused);
  EXPECT_EQ(search.blocks_matched(), 1);
}

}  // namespace
}  // namespace mmp
