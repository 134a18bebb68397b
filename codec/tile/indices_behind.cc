#include "codec/tile/indices_behind.h"

#include "codec/tile/index_classes.h"

namespace mmp {

IndicesBehind::IndicesBehind(const TileState& tile, std::span<RangeEncoder> coders)
    : learns_by_fronts_(tile.parameters.LearnsByFronts()), coders_(coders) {
  for (int level = 0; level < kLevelCount; ++level) {
    for (const SubstreamModels& substream : tile.substreams)
      levels_[level].indices.push_back(substream.indices[level]);
    levels_[level].counts = tile.models.index[level];
    levels_[level].classes = tile.models.index_classes[level];
    levels_[level].patterns = tile.pattern_features.OfLevel(level);
  }
}

void IndicesBehind::Follow(const TileState& tile) {
  for (int level = 0; level < kLevelCount; ++level) {
    Level& of_level = levels_[level];
    const ClassedPatterns& all = tile.pattern_features.OfLevel(level);
    const int known = of_level.patterns.size() + static_cast<int>(of_level.behind.size());
    for (int i = known; i < all.size(); ++i) of_level.behind.push_back({all.Of(i), all.ClassOf(i)});
  }
}

int64_t IndicesBehind::CodeLevel(int level, std::span<const WrittenMacroblock> macroblocks) {
  Level& of_level = levels_[level];
  const auto count = [&of_level](int symbol) {
    of_level.classes.Count(symbol, of_level.patterns.ClassOf(symbol), of_level.counts);
    of_level.classes.Follow(of_level.counts, of_level.patterns);
  };
  int64_t rate_q12 = 0;
  for (const WrittenMacroblock& macroblock : macroblocks) {
    NeighbourIndices& indices = of_level.indices[macroblock.substream];
    RangeEncoder& coder = coders_[macroblock.substream];
    for (const MacroblockWriter::KeptIndex& kept : macroblock.writer.IndicesOfLevel(level)) {
      const auto [of_class, within] =
          indices.Encode(of_level.counts, of_level.classes, StandardIndexClasses(level),
                         of_level.patterns, kept.context, kept.symbol);
      coder.Fill(macroblock.first_symbol + kept.number, of_class);
      coder.Fill(macroblock.first_symbol + kept.number + 1, within);
      rate_q12 += of_class.RateQ12() + within.RateQ12();
      if (!learns_by_fronts_) count(kept.symbol);
    }
  }
  if (learns_by_fronts_) {
    for (const WrittenMacroblock& macroblock : macroblocks)
      for (const MacroblockWriter::KeptIndex& kept : macroblock.writer.IndicesOfLevel(level))
        count(kept.symbol);
  }
  of_level.counts.Add(static_cast<int>(of_level.behind.size()), IndexModel::kNewCount,
                      PatternOrigin::kGrown);
  for (const auto& [features, which] : of_level.behind) of_level.patterns.Add(features, which);
  of_level.behind.clear();
  of_level.classes.Follow(of_level.counts, of_level.patterns);
  return rate_q12;
}

}  // namespace mmp
