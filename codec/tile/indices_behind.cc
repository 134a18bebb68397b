#include "codec/tile/indices_behind.h"

#include "codec/tile/index_classes.h"

namespace mmp {

IndicesBehind::IndicesBehind(const TileState& tile, RangeEncoder& coder) : coder_(coder) {
  for (int level = 0; level < kLevelCount; ++level) {
    levels_[level].indices = tile.models.neighbour_index[level];
    levels_[level].counts = tile.models.index[level];
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
  IndexModel& counts = of_level.counts;
  int64_t rate_q12 = 0;
  for (const WrittenMacroblock& macroblock : macroblocks) {
    for (const MacroblockWriter::KeptIndex& kept : macroblock.writer.IndicesOfLevel(level)) {
      const auto [of_class, within] = of_level.indices.Encode(
          counts, StandardIndexClasses(level), of_level.patterns, kept.context, kept.symbol);
      coder_.Fill(macroblock.first_symbol + kept.number, of_class);
      coder_.Fill(macroblock.first_symbol + kept.number + 1, within);
      rate_q12 += of_class.RateQ12() + within.RateQ12();
    }
  }
  counts.Add(static_cast<int>(of_level.behind.size()), IndexModel::kNewCount,
             PatternOrigin::kGrown);
  for (const auto& [features, which] : of_level.behind) of_level.patterns.Add(features, which);
  of_level.behind.clear();
  return rate_q12;
}

}  // namespace mmp
