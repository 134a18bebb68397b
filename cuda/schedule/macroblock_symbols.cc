#include "cuda/schedule/macroblock_symbols.h"

#include <bit>

#include "codec/intra/neighbours.h"
#include "codec/intra/predict.h"
#include "codec/tile/tile_state.h"

namespace mmp::cuda {
namespace {

class Reader {
 public:
  Reader(const MacroblockOutput& output, const Canvas& canvas, const BlockSources& sources,
         const CodecParameters& parameters, std::span<const int32_t, kLevelCount> patterns,
         MacroblockSymbols& symbols)
      : output_(output),
        canvas_(canvas),
        sources_(sources),
        parameters_(parameters),
        patterns_(patterns),
        symbols_(symbols) {}

  bool Node(BlockRect rect, uint32_t depth) {
    const uint32_t choice = At(rect).prediction;
    const uint32_t length = choice >> 8 & 15;
    const bool split = length > depth;
    if (split) {
      const Split how = SplitAt(choice, depth);
      if (!PredictionMaySplit(rect.level, how, parameters_.prediction_level)) return false;
      Flag(rect.level, how == Split::kVertical ? kSplitBothVertical : kSplitBothHorizontal);
      return Node(rect.Half(how, 0), depth + 1) && Node(rect.Half(how, 1), depth + 1);
    }
    const uint32_t residual = At(rect).residual;
    if (length < depth) return false;
    if ((residual >> 24 & 15) == 0)
      Flag(rect.level, kLeaf);
    else
      Flag(rect.level, SplitAt(residual >> 16, 0) == Split::kVertical ? kSplitResidualVertical
                                                                      : kSplitResidualHorizontal);
    const uint32_t mode = choice >> 12 & 31;
    const uint32_t modes = Modes(rect);
    if ((modes >> mode & 1) == 0) return false;
    if (!std::has_single_bit(modes)) symbols_.push_back(mode);
    if (!Tree(rect, 0)) return false;
    MarkAvailable(canvas_, rect);
    return true;
  }

 private:
  static Split SplitAt(uint32_t path, uint32_t depth) {
    return (path >> depth & 1) == 0 ? Split::kVertical : Split::kHorizontal;
  }
  const PixelChoice& At(BlockRect rect) const {
    return output_.pixels[rect.y * kMacroblockSize + rect.x];
  }

  void Flag(int level, Partition flag) {
    if (!std::has_single_bit(AllowedPartitions(level, parameters_.prediction_level)))
      symbols_.push_back(flag);
  }

  uint32_t Modes(BlockRect rect) const {
    return AvailableModes(NeighboursOf(canvas_, rect), sources_, rect) & parameters_.modes;
  }

  // The residual tree of `rect`, at `depth` below the prediction node.
  bool Tree(BlockRect rect, uint32_t depth) {
    const uint32_t choice = At(rect).residual;
    const uint32_t length = choice >> 24 & 15;
    if (length < depth) return false;
    const bool split = length > depth;
    const Split how = SplitAt(choice >> 16, depth);
    if (split && HalfLevel(rect.level, how) < 0) return false;
    // The root's decision is in the partition.
    if (depth > 0 && !std::has_single_bit(AllowedResidualFlags(rect.level)))
      symbols_.push_back(!split                    ? kPattern
                         : how == Split::kVertical ? kSplitVertical
                                                   : kSplitHorizontal);
    if (split) return Tree(rect.Half(how, 0), depth + 1) && Tree(rect.Half(how, 1), depth + 1);
    const uint32_t index = choice & 0xffff;
    symbols_.push_back(index);
    return index < static_cast<uint32_t>(patterns_[rect.level]);
  }

  const MacroblockOutput& output_;
  Canvas canvas_;
  const BlockSources& sources_;
  const CodecParameters& parameters_;
  const std::span<const int32_t, kLevelCount> patterns_;
  MacroblockSymbols& symbols_;
};

}  // namespace

bool ReadSymbols(const MacroblockOutput& output, const Canvas& canvas, const BlockSources& sources,
                 const CodecParameters& parameters, std::span<const int32_t, kLevelCount> patterns,
                 MacroblockSymbols& symbols) {
  return Reader(output, canvas, sources, parameters, patterns, symbols)
      .Node({0, 0, kMacroblockLevel}, 0);
}

}  // namespace mmp::cuda
