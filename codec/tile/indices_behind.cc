#include "codec/tile/indices_behind.h"

namespace mmp {

IndicesBehind::IndicesBehind(const TileState& tile, RangeEncoder& coder)
    : coder_(coder), features_(tile.pattern_features) {
  for (int level = 0; level < kLevelCount; ++level) {
    levels_[level].indices = tile.models.neighbour_index[level];
    levels_[level].counts = tile.models.index[level];
  }
  Follow(tile);
}

void IndicesBehind::Follow(const TileState& tile) {
  features_.CopyNew(tile.pattern_features);
  for (int level = 0; level < kLevelCount; ++level)
    levels_[level].size_behind = tile.models.index[level].size();
}

int64_t IndicesBehind::CodeLevel(int level, std::span<const WrittenMacroblock> macroblocks) {
  Level& of_level = levels_[level];
  IndexModel& counts = of_level.counts;
  int64_t rate_q12 = 0;
  for (const WrittenMacroblock& macroblock : macroblocks) {
    for (const MacroblockWriter::KeptIndex& kept : macroblock.writer.IndicesOfLevel(level)) {
      const SymbolInterval interval =
          of_level.indices.Encode(counts, features_.Groups(level), kept.context, kept.symbol);
      coder_.Fill(macroblock.first_symbol + kept.number, interval);
      rate_q12 += interval.RateQ12();
    }
  }
  counts.Add(of_level.size_behind - counts.size(), IndexModel::kNewCount, PatternOrigin::kGrown);
  return rate_q12;
}

}  // namespace mmp
