// The syntax of a macroblock, written down once. Encoder and decoder both walk it: they differ only
// in the port that codes a symbol, which writes the one the search chose or reads the one in the
// file. No pixel is needed for it, and nothing that other macroblocks of its front say. Normative:
// docs/format.md, "Macroblock".
#ifndef MMP_CODEC_TILE_MACROBLOCK_CODER_H_
#define MMP_CODEC_TILE_MACROBLOCK_CODER_H_

#include <array>
#include <bit>
#include <cstdint>

#include "codec/base/decode_work.h"
#include "codec/base/levels.h"
#include "codec/base/macroblock_order.h"
#include "codec/intra/availability_map.h"
#include "codec/intra/block_copy.h"
#include "codec/intra/predict.h"
#include "codec/tile/coded_front.h"
#include "codec/tile/index_context.h"
#include "codec/tile/pattern_features.h"
#include "codec/tile/syntax_elements.h"
#include "codec/tile/tile_observer.h"
#include "codec/tile/tile_state.h"

namespace mmp {

// Port: `int Prediction(rect, context, allowed)`, `int Residual(rect, allowed)`, `int Mode(rect,
// neighbours, allowed)` and `int Index(rect, context)` code one symbol of a block and update its
// model. They are called only where more than one symbol is allowed. The context of an index is
// null but with tool kNeighbourIndices, and for 1x1. With tool kFlagNetwork there are, in place of
// the first two, `int PartitionByNetwork(rect, allowed)` and `int
// ResidualByNetwork(rect, allowed)`, called also where one is, and `flags()`, which is told of the
// other elements: it has BeginMacroblock, EndMacroblock, AddMode and AddLeaf of NetworkFlags.
// Observer: is told of every symbol after it has been coded, including those that are not coded
// because no other is allowed.
//
// Of the tile, macroblocks of one front change different parts: they may be coded side by side.
template <typename Port, typename Observer>
class MacroblockCoder {
 public:
  // `coded` has been cleared for its place, and becomes what the symbols say.
  MacroblockCoder(TileState& tile, Port& port, Observer& observer, CodedMacroblock& coded)
      : tile_(tile),
        port_(port),
        observer_(observer),
        uses_network_(tile.parameters.Uses(kFlagNetwork)),
        uses_leaf_borders_(tile.parameters.Uses(kNeighbourIndices)),
        place_(coded.place()),
        sources_(FindBlockSources(tile.block_vectors, tile.parameters.order, tile.width, place_)),
        available_(place_.y, place_.x, tile.width),
        coded_(coded) {}

  void Code() {
    if (uses_network_) port_.flags().BeginMacroblock(place_);
    CodePredictionNode({0, 0, kMacroblockLevel});
    if (uses_network_) port_.flags().EndMacroblock();
  }
  // So far.
  uint64_t work() const { return work_; }
  uint32_t block_copies_used() const { return block_copies_used_; }

 private:
  void CodePredictionNode(BlockRect rect) {
    const uint32_t allowed = AllowedPartitions(rect.level, tile_.parameters.prediction_level);
    const int flag = CodePartition(rect, allowed);
    observer_.OnElement(CodedElement::kPartition, rect, flag);
    if (flag == kSplitBothVertical || flag == kSplitBothHorizontal) {
      const Split split = flag == kSplitBothVertical ? Split::kVertical : Split::kHorizontal;
      CodePredictionNode(rect.Half(split, 0));
      CodePredictionNode(rect.Half(split, 1));
      return;
    }
    coded_.Add(rect, CodeMode(rect));
    CodeResidual(rect, flag == kLeaf ? kPattern : flag - kSplitResidualVertical + 1);
    available_.Mark(rect);
  }

  int CodePartition(BlockRect rect, uint32_t allowed) {
    const bool is_known = std::has_single_bit(allowed);
    if (uses_network_) {
      if (!is_known) work_ += kNetworkFlagWork;
      return port_.PartitionByNetwork(rect, allowed);
    }
    if (is_known) return std::countr_zero(allowed);
    const int context = tile_.leaves.Context(place_.y + rect.y, place_.x + rect.x, rect.level);
    return port_.Prediction(rect, context, allowed);
  }

  int CodeResidualFlag(BlockRect rect, uint32_t allowed) {
    const bool is_known = std::has_single_bit(allowed);
    if (uses_network_) {
      if (!is_known) work_ += kNetworkFlagWork;
      return port_.ResidualByNetwork(rect, allowed);
    }
    return is_known ? std::countr_zero(allowed) : port_.Residual(rect, allowed);
  }

  int CodeMode(BlockRect rect) {
    const uint32_t modes =
        AvailableModes(NeighboursOf(available_, rect), sources_, rect) & tile_.parameters.modes;
    const int y = place_.y + rect.y, x = place_.x + rect.x;
    const int mode = std::has_single_bit(modes) ? std::countr_zero(modes)
                                                : port_.Mode(rect, tile_.modes.Of(y, x), modes);
    tile_.modes.Add(y, x, rect.level, mode);
    observer_.OnElement(CodedElement::kMode, rect, mode);
    if (uses_network_) port_.flags().AddMode(rect, mode);
    work_ += PredictionWork(mode, rect.height() * rect.width());
    block_copies_used_ |= 1u << mode & kAllBlockCopyModes;
    return mode;
  }

  // Codes a residual block whose root decision is `flag`.
  void CodeResidual(BlockRect rect, int flag) {
    if (flag == kPattern) {
      const int index = CodeIndex(rect);
      observer_.OnElement(CodedElement::kIndex, rect, index);
      work_ += LeafWork(tile_.dictionary.size(rect.level));
      coded_.AddNode(index);
      if (uses_network_)
        port_.flags().AddLeaf(rect, tile_.dictionary.Norm(rect.level, index));
      else
        tile_.leaves.Add(place_.y + rect.y, place_.x + rect.x, rect.level);
      return;
    }
    const Split split = flag == kSplitVertical ? Split::kVertical : Split::kHorizontal;
    coded_.AddNode(CodedMacroblock::NodeOf(split));
    const uint32_t allowed = AllowedResidualFlags(HalfLevel(rect.level, split));
    for (int half = 0; half < 2; ++half) {
      const BlockRect part = rect.Half(split, half);
      const int half_flag = CodeResidualFlag(part, allowed);
      observer_.OnElement(CodedElement::kResidualFlag, part, half_flag);
      CodeResidual(part, half_flag);
    }
  }

  int CodeIndex(BlockRect rect) {
    if (!uses_leaf_borders_) return port_.Index(rect, nullptr);
    const CodedMacroblock::Block block = coded_.blocks().back();
    const LeafPlace place = {place_, rect, block.rect(), block.mode};
    const PatternFeatures& features = tile_.pattern_features;
    IndexContext context;
    const bool has_context = rect.level > 0;
    if (has_context) {
      context = StandardIndexWeights().ContextOf(
          rect.level, block.mode, tile_.leaf_borders.InputsOf(place, features.scale()));
      work_ += NeighbourIndexWork(tile_.dictionary.size(rect.level));
    }
    const int index = port_.Index(rect, has_context ? &context : nullptr);
    std::array<int16_t, kMacroblockPixels> values;
    tile_.dictionary.Copy(rect.level, index, values.data());
    tile_.leaf_borders.Add(place, values.data(), features.Of(rect.level, index));
    return index;
  }

  TileState& tile_;
  Port& port_;
  Observer& observer_;
  const bool uses_network_;       // for partitions and residual flags
  const bool uses_leaf_borders_;  // for indices
  const MacroblockPlace place_;
  const BlockSources sources_;
  AvailabilityMap available_;
  CodedMacroblock& coded_;
  uint64_t work_ = kMacroblockWork;  // see decode_work.h
  uint32_t block_copies_used_ = 0;   // a bit each
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_MACROBLOCK_CODER_H_
