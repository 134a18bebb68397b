#include "codec/tile/write_port.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <functional>
#include <vector>

#include "codec/bitstream/range_coder.h"
#include "codec/dictionary/dictionary.h"
#include "codec/tile/contexts.h"
#include "codec/tile/learnt_later.h"
#include "codec/tile/syntax_elements.h"
#include "codec/tile/tile_state.h"
#include "common/task_pool.h"
#include "tests/support/indices.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

// A symbol of a block, as a front says it.
struct BlockSymbol {
  CodedElement element;
  BlockRect rect;
  uint32_t symbol, allowed;
  int context;
  ModeNeighbours neighbours = {};
  IndexContext by_neighbours = {};
};

BlockSymbol RandomSymbol(Random& random, const TileState& tile) {
  BlockSymbol s = {
      CodedElement::kIndex, {0, 0, static_cast<uint8_t>(random.Below(kLevelCount))}, 0, 0, 0};
  const auto choose = [&](CodedElement element, uint32_t allowed) {
    if (std::popcount(allowed) < 2) return;
    s.element = element;
    s.allowed = allowed;
    do s.symbol = static_cast<uint32_t>(random.Below(std::bit_width(allowed)));
    while ((allowed >> s.symbol & 1) == 0);
  };
  switch (random.Below(4)) {
    case 0:
      s.context = random.Below(LeafMap::kContexts);
      choose(CodedElement::kPartition,
             AllowedPartitions(s.rect.level, tile.parameters.prediction_level));
      break;
    case 1:
      choose(CodedElement::kResidualFlag, AllowedResidualFlags(s.rect.level));
      break;
    case 2:
      choose(CodedElement::kMode, tile.parameters.modes & 0x35);
      s.neighbours = {static_cast<uint8_t>(random.Below(32)),
                      static_cast<uint8_t>(random.Below(32))};
      break;
    default:
      break;
  }
  if (s.element == CodedElement::kIndex) {
    for (int8_t& factor : s.by_neighbours.factors)
      factor = static_cast<int8_t>(random.Between(-50, 50));
    s.symbol = static_cast<uint32_t>(random.Below(tile.dictionary.size(s.rect.level)));
  }
  return s;
}

bool IsByNeighbours(const BlockSymbol& s, const TileState& tile) {
  return tile.parameters.Uses(kNeighbourIndices) && s.rect.level > 0;
}

// What one after the other makes of them, for the coder. Modes and indices are still to be learnt.
std::vector<SymbolInterval> Encode(const BlockSymbol& s, TileState& tile) {
  TileModels& models = tile.models;
  const int level = s.rect.level, symbol = static_cast<int>(s.symbol);
  switch (s.element) {
    case CodedElement::kPartition:
      return {models.partition[level].Encode(symbol, s.context, s.allowed)};
    case CodedElement::kResidualFlag:
      return {models.residual_flag[level].Encode(symbol, s.allowed)};
    case CodedElement::kMode:
      return {EncodeMode(tile, level, s.neighbours, s.allowed, symbol)};
    default:
      break;
  }
  return EncodeIndex(tile, level, IsByNeighbours(s, tile) ? &s.by_neighbours : nullptr, symbol);
}

int Write(MacroblockWriter& writer, const BlockSymbol& s, const TileState& tile) {
  switch (s.element) {
    case CodedElement::kPartition:
      return writer.Prediction(s.rect, s.context, s.allowed);
    case CodedElement::kResidualFlag:
      return writer.Residual(s.rect, s.allowed);
    case CodedElement::kMode:
      return writer.Mode(s.rect, s.neighbours, s.allowed);
    default:
      return writer.Index(s.rect, IsByNeighbours(s, tile) ? &s.by_neighbours : nullptr);
  }
}

// Patterns that both tiles learn.
void Learn(Random& random, TileState& tile, TileState& plain) {
  PatternList patterns;
  for (int k = random.Below(8); k > 0; --k) {
    const int level = random.Between(1, kLevelCount - 1);
    std::array<int16_t, kMacroblockPixels> values;
    for (int16_t& value : values) value = static_cast<int16_t>(random.Between(-60, 60));
    patterns.Add(level, values.data());
  }
  for (TileState* learning : {&tile, &plain}) {
    learning->dictionary.Insert(patterns, 0);
    learning->AddSymbols(IndexModel::kNewCount, PatternOrigin::kGrown);
  }
}

// Macroblocks are written, and then levels coded, in any order by any threads, with what is coded
// behind the front before, and the stream is that of the symbols' order.
TEST(WritePortTest, MacroblocksAndLevelsAreCodedByThemselves) {
  Random random(31);
  TaskPool pool(3);
  for (const uint32_t tools :
       {0u, uint32_t{kMixedModels | kNeighbourModes}, uint32_t{kMixedModels | kNeighbourIndices}}) {
    const CodecParameters parameters = {.tools = tools};
    TileState tile(parameters, 32, 32), plain(parameters, 32, 32);
    std::array<RangeEncoder, 1> coders;
    RangeEncoder plain_coder;
    SymbolStats stats;
    WritePort port(tile, coders, stats);
    double bits = 0, partition_bits = 0, index_bits = 0;
    int64_t leaves = 0;
    std::array<int64_t, kPredictionModes> modes{};
    for (int front = 0; front < 8; ++front) {
      struct OneMacroblock {
        std::vector<BlockSymbol> symbols;
        MacroblockSymbols numbers;
      };
      std::vector<OneMacroblock> macroblocks(random.Below(6));
      for (OneMacroblock& macroblock : macroblocks) {
        for (int k = random.Below(600); k > 0; --k) {
          const BlockSymbol s = RandomSymbol(random, tile);
          macroblock.symbols.push_back(s);
          macroblock.numbers.push_back(s.symbol);
          double of_symbol = 0;
          for (const SymbolInterval interval : Encode(s, plain)) {
            plain_coder.Encode(interval);
            of_symbol += interval.RateQ12() / 4096.0;
          }
          if (s.element == CodedElement::kMode || s.element == CodedElement::kIndex)
            Learn({s.element, s.rect.level, static_cast<uint16_t>(s.symbol)}, plain);
          bits += of_symbol;
          if (s.element == CodedElement::kPartition) partition_bits += of_symbol;
          if (s.element == CodedElement::kIndex) index_bits += of_symbol, ++leaves;
          if (s.element == CodedElement::kMode) ++modes[s.symbol];
        }
      }
      const int count = static_cast<int>(macroblocks.size());
      std::function<void(int, int)> code_behind = [&](int part, int /*member*/) {
        port.CodeBehind(part);
      };
      ForEachBeside behind(pool, port.PartsBehind(), code_behind, 1);
      port.BeginMacroblocks(count);
      std::atomic<int> written = 0;
      pool.ForEach(count, [&](int i, int /*member*/) {
        const OneMacroblock& macroblock = macroblocks[count - 1 - i];
        MacroblockWriter& writer = port.Macroblock(count - 1 - i);
        writer.Begin(macroblock.numbers);
        for (const BlockSymbol& s : macroblock.symbols)
          if (Write(writer, s, tile) != static_cast<int>(s.symbol)) return;
        if (writer.AllTaken()) ++written;
      });
      ASSERT_EQ(written, count);
      port.EndMacroblocks();
      pool.ForEach(kLevelCount,
                   [&](int i, int /*member*/) { port.CodeLevel((i * 7 + front) % kLevelCount); });
      port.CountLevels();
      Learn(random, tile, plain);
      behind.Finish();
      port.CountBehind();
      port.HandOver();
    }
    for (int part = port.PartsBehind(); part-- > 0;) port.CodeBehind(part);
    port.CountBehind();
    EXPECT_EQ(coders.front().Finish(), plain_coder.Finish());
    // Rates are multiples of 1/4096, so that sums are exact.
    EXPECT_EQ(stats.partition_bits, partition_bits);
    EXPECT_EQ(stats.index_bits, index_bits);
    EXPECT_EQ(stats.partition_bits + stats.residual_flag_bits + stats.mode_bits + stats.index_bits,
              bits);
    EXPECT_EQ(stats.modes_chosen, modes);
    double by_level = 0;
    int64_t counted = 0;
    for (int level = 0; level < kLevelCount; ++level) {
      by_level += stats.index_bits_by_level[level];
      counted += stats.leaves_by_level[level];
    }
    EXPECT_EQ(by_level, index_bits);
    EXPECT_EQ(counted, leaves);
  }
}

}  // namespace
}  // namespace mmp
