// The search written as plainly as its definition: every pattern, every split, every mode, nothing
// remembered, and nothing left out but by the rules of SpeedFeatures. What the codec's search must
// equal.
#ifndef MMP_TESTS_SUPPORT_REFERENCE_SEARCH_H_
#define MMP_TESTS_SUPPORT_REFERENCE_SEARCH_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codec/base/levels.h"
#include "codec/intra/canvas.h"
#include "codec/rdo/cost_bounds.h"
#include "codec/rdo/macroblock_search.h"
#include "codec/rdo/symbol_costs.h"
#include "codec/search/cpu_search.h"
#include "codec/search/residual_search.h"
#include "tests/support/test_support.h"

namespace mmp {

// The dictionary and the costs of a macroblock, as plain vectors.
class ReferenceCosts {
 public:
  // `rates` must outlive this.
  explicit ReferenceCosts(const SymbolCosts& symbol_costs);

  const SymbolCosts& symbol_costs() const { return symbol_costs_; }
  const CostBounds& cost_bounds() const { return cost_bounds_; }
  std::span<const int16_t> Pattern(int level, int index) const {
    const size_t pixels = kLevelShapes[level].pixels();
    return std::span(patterns_[level]).subspan(index * pixels, pixels);
  }

 private:
  const SymbolCosts& symbol_costs_;
  CostBounds cost_bounds_;
  std::array<std::vector<int16_t>, kLevelCount> patterns_;  // one behind the other
};

// The best segmentation of one residual block.
class ReferenceResidual {
 public:
  // values[i * width + j]; slack_q4: SpeedFeatures::residual_slack_q4. `costs` and `values` must
  // outlive this.
  ReferenceResidual(const ReferenceCosts& reference_costs, int level,
                    const std::vector<int16_t>& values, int slack_q4 = 0);

  // Least costs by the decision at the root; where that is impossible, kImpossible or more.
  const RootCosts& costs() const { return Root().costs; }
  // The symbols of the best tree below that decision, and the values it stands for.
  MacroblockSymbols Symbols(ResidualFlag root) const;
  std::vector<int16_t> Values(ResidualFlag root) const;

 private:
  struct Node {
    RootCosts costs;
    int32_t best;  // with the flag
    ResidualFlag flag;
    int index;  // of the cheapest pattern
  };

  const Node& Root() const { return nodes_[level_][0]; }
  size_t Place(BlockRect rect) const;
  const Node& At(BlockRect rect) const { return nodes_[rect.level][Place(rect)]; }
  std::vector<int16_t> Part(BlockRect rect) const;
  void Solve(BlockRect rect);
  bool IsGoodEnough(BlockRect rect, Split split, int32_t pattern_cost) const;
  template <typename Visitor>
  void Visit(BlockRect rect, ResidualFlag flag, const Visitor& visitor) const;

  const ReferenceCosts& reference_costs_;
  const int level_;
  const std::vector<int16_t>& values_;
  const int slack_q4_;
  std::array<std::vector<Node>, kLevelCount> nodes_;  // [level], blocks in raster order
};

struct ReferenceChoice {
  int64_t cost = 0;
  Partition flag = kLeaf;
  int64_t residual_split[2] = {kImpossible, kImpossible};  // least costs of leaves, by enum Split
  MacroblockSymbols symbols;
  std::vector<uint8_t> reconstruction;  // of the rectangle, row by row
};

// The best way to code the macroblock at (y, x) of the tile that `rates` are of.
ReferenceChoice SearchReference(const SymbolCosts& symbol_costs,
                                const SpeedFeatures& speed_features,
                                const MacroblockSamples& original, int y, int x);

// Codes the macroblock at (y, x) with the symbols of a search, which brings `tile` up to date.
// Fails the running test if the symbols are more or fewer than the macroblock takes.
void CodeMacroblock(TileState& tile, const MacroblockSymbols& symbols, int y, int x);
// The same with a front.
void CodeFront(TileState& tile, std::span<const SearchedMacroblock> macroblocks);

// Adds vectors, which point anywhere.
void AddRandomBlockVectors(Random& random, TileState& tile);

// Has the macroblock at (y, x) searched, as a front of its own.
Status SearchOne(MacroblockSearch& search, const TileState& tile, Lambda lambda,
                 const MacroblockSamples& original, int y, int x, MacroblockSymbols& symbols,
                 int threads = 1);

// A tile with a dictionary and models as they are after some coding: random, but not uniform.
TileState RandomTileState(Random& random, const CodecParameters& parameters, int width, int height);

// The samples of the macroblock at (y, x), which lies within the image.
MacroblockSamples SamplesAt(const Image& image, int y, int x);

// Where two macroblocks' symbols first differ, in words.
std::string FirstDifference(const MacroblockSymbols& symbols, const MacroblockSymbols& expected);

}  // namespace mmp

#endif  // MMP_TESTS_SUPPORT_REFERENCE_SEARCH_H_
