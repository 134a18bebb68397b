// The syntax of a tile, written down once. Encoder and decoder both walk it: they differ only
// in the port that codes a symbol, which writes the one the search chose or reads the one in the
// file. No pixel is needed for it: what the symbols say is reconstructed after it, or beside it.
// Normative: docs/format.md, "Tiles" and "Macroblock".
#ifndef MMP_CODEC_TILE_FRONT_CODER_H_
#define MMP_CODEC_TILE_FRONT_CODER_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "codec/base/decode_work.h"
#include "codec/base/levels.h"
#include "codec/base/macroblock_order.h"
#include "codec/intra/availability_map.h"
#include "codec/intra/block_copy.h"
#include "codec/intra/predict.h"
#include "codec/postfilter/filter_blocks.h"
#include "codec/postfilter/tile_filter.h"
#include "codec/tile/assemble_residual.h"
#include "codec/tile/coded_front.h"
#include "codec/tile/filter_coder.h"
#include "codec/tile/tile_observer.h"
#include "codec/tile/tile_state.h"
#include "common/task_pool.h"

namespace mmp {

// Port: `int Prediction(rect, context, allowed)`, `int Residual(rect, allowed)`, `int Mode(rect,
// allowed)` and `int Index(rect)` code one symbol of a block of the macroblock, `int
// BlockVectorCount()`, `int BlockVectorClass(axis)` and `int BlockVectorBits(count)` one of the
// front's block vectors, `int Filter(element, allowed)` and `int FilterBits(count)` one of the
// tile's filter, and update its model, if it has one. They are called only where more than one
// symbol is allowed. With tool kFlagNetwork there are, in place of the first two, `int
// PartitionByNetwork(rect, allowed)` and `int ResidualByNetwork(rect, allowed)`, called also where
// one is, and `flags()`, which is told of the other elements: it has BeginMacroblock, AddMode and
// AddLeaf of NetworkFlags. Observer: has the functions of NullObserver, and is told of every
// symbol of a block after it has been coded, including those that are not coded because no other is
// allowed, of the block vectors and of the tile's filter; not of blocks.
template <typename Port, typename Observer = NullObserver>
class FrontCoder {
 public:
  FrontCoder(TileState& tile, Port& port, Observer& observer)
      : tile_(tile),
        port_(port),
        observer_(observer),
        uses_network_(tile.parameters.Uses(kFlagNetwork)) {}

  // A front is coded in three steps, each of which the one before hands out: what was not done, or
  // was done twice, does not compile or is warned of.
  class [[nodiscard]] Coded {
   public:
    Coded(Coded&& other) noexcept : coder_(std::exchange(other.coder_, nullptr)) {}
    // Enters what was coded into the tile's dictionary, models and block vectors. The pool shares
    // the work. goes_on(work), if there is one, is asked now and then whether the tile, which has
    // taken so much by then, is coded further; if not, nothing more may be coded. before_models(),
    // if there is one, is called when all but the models has learnt: until it returns, symbols may
    // be coded by these.
    void Learn(TaskPool& pool = TaskPool::Alone(),
               const std::function<bool(uint64_t work)>& goes_on = {},
               const std::function<void()>& before_models = {}) && {
      std::exchange(coder_, nullptr)->Learn(pool, goes_on, before_models);
    }
    // A bound on the work of that.
    uint64_t MostWork() const {
      return coder_->tile_.dictionary.MostInsertionWork(coder_->concatenations_.size());
    }

   private:
    friend class FrontCoder;
    explicit Coded(FrontCoder& coder) : coder_(&coder) {}
    FrontCoder* coder_;  // null once it has been used
  };
  class [[nodiscard]] Begun {
   public:
    Begun(Begun&& other) noexcept : coder_(std::exchange(other.coder_, nullptr)) {}
    // Codes the blocks of its macroblocks; `front` becomes what they say. Calls begin(place) before
    // each macroblock; if that returns false, ends there and returns nothing. The pool shares what
    // comes after the last symbol.
    template <typename Begin>
    std::optional<Coded> Code(CodedFront& front, Begin begin,
                              TaskPool& pool = TaskPool::Alone()) && {
      FrontCoder* coder = std::exchange(coder_, nullptr);
      if (!coder->CodeMacroblocks(front, begin)) return std::nullopt;
      coder->Assemble(front, pool);
      return Coded(*coder);
    }

   private:
    friend class FrontCoder;
    explicit Begun(FrontCoder& coder) : coder_(&coder) {}
    FrontCoder* coder_;  // null once it has been used
  };

  // Begins a front: codes the block vectors that are new for it. `places` must last until it is
  // coded.
  Begun Begin(std::span<const MacroblockPlace> places) {
    places_ = places;
    concatenations_.Clear();
    block_copies_used_ = 0;
    if (tile_.parameters.UsesBlockCopy()) CodeBlockVectors();
    return Begun(*this);
  }

  // Codes how the tile is filtered: what its stream begins with, though an encoder knows it last.
  FilterChoice CodeFilter() {
    if (!tile_.parameters.HasFilter()) return {};
    FilterChoice choice =
        CodeFilterChoice(port_, tile_.parameters, FilterBlocks(tile_.width, tile_.height));
    observer_.OnFilter(choice);
    if (choice.network.level > 0) {
      const bool is_small = choice.network.size == NetworkSize::kSmall;
      tile_.work += (is_small ? kSmallNetworkWork : kLargeNetworkWork) * tile_.plane.size();
    }
    if (choice.wiener.strength > 0) tile_.work += kFilterWork * tile_.plane.size();
    if (!choice.wiener.corrections.sets.empty()) tile_.work += kCorrectionsWork;
    return choice;
  }

 private:
  // The macroblock that is being coded.
  struct Current {
    Current(const TileState& tile, MacroblockPlace at, CodedMacroblock& to)
        : place(at),
          sources(FindBlockSources(tile.block_vectors, tile.parameters.order, tile.width, at)),
          available(at.y, at.x, tile.width),
          coded(to) {}

    const MacroblockPlace place;
    const BlockSources sources;
    AvailabilityMap available;
    CodedMacroblock& coded;
  };

  void CodeBlockVectors() {
    for (int count = port_.BlockVectorCount(); count > 0; --count) {
      const int32_t up = BlockVectorComponent(0), across = BlockVectorComponent(1);
      tile_.block_vectors.Add({-up, across});
    }
    observer_.OnBlockVectors(tile_.block_vectors);
  }

  template <typename Begin>
  bool CodeMacroblocks(CodedFront& front, Begin begin) {
    front.Clear(tile_.block_vectors);
    first_values_.clear();
    for (const MacroblockPlace place : places_) {
      if (!begin(place)) return false;
      first_values_.push_back(concatenations_.end());
      tile_.work += kMacroblockWork;
      if (uses_network_) port_.flags().BeginMacroblock(place);
      Current current(tile_, place, front.Add(place));
      CodePredictionNode(current, {0, 0, kMacroblockLevel});
    }
    return true;
  }

  // Makes the residuals of all macroblocks, and their concatenations if they can be learnt.
  void Assemble(CodedFront& front, TaskPool& pool) {
    int16_t* const values = tile_.dictionary.IsFull() ? nullptr : concatenations_.Values();
    pool.ForEach(front.size(), [&](int i, int /*member*/) {
      ResidualAssembler(tile_.dictionary, front[i],
                        values == nullptr ? nullptr : values + first_values_[i]);
    });
  }

  void Learn(TaskPool& pool, const std::function<bool(uint64_t work)>& goes_on,
             const std::function<void()>& before_models) {
    std::function<bool(uint64_t)> goes_on_with;
    if (goes_on) goes_on_with = [&](uint64_t more) { return goes_on(tile_.work + more); };
    tile_.work += tile_.dictionary.Insert(concatenations_, tile_.parameters.redundancy_threshold,
                                          pool, goes_on_with);
    tile_.block_vectors.MoveToFront(block_copies_used_);
    if (before_models) before_models();
    tile_.AddSymbols(IndexModel::kNewCount, PatternOrigin::kGrown);
  }

  void CodePredictionNode(Current& current, BlockRect rect) {
    const uint32_t allowed = AllowedPartitions(rect.level, tile_.parameters.prediction_level);
    const int flag = CodePartition(current.place, rect, allowed);
    observer_.OnElement(CodedElement::kPartition, rect, flag);
    if (flag == kSplitBothVertical || flag == kSplitBothHorizontal) {
      const Split split = flag == kSplitBothVertical ? Split::kVertical : Split::kHorizontal;
      CodePredictionNode(current, rect.Half(split, 0));
      CodePredictionNode(current, rect.Half(split, 1));
      return;
    }
    current.coded.Add(rect, CodeMode(current, rect));
    CodeResidual(current, rect, flag == kLeaf ? kPattern : flag - kSplitResidualVertical + 1);
    current.available.Mark(rect);
  }

  // Axis 1 has a sign.
  int32_t BlockVectorComponent(int axis) {
    const int bits = port_.BlockVectorClass(axis);
    if (bits == 0) return 0;
    const int32_t size = 1 << (bits - 1) | (bits > 1 ? port_.BlockVectorBits(bits - 1) : 0);
    return axis == 1 && port_.BlockVectorBits(1) != 0 ? -size : size;
  }

  int CodePartition(MacroblockPlace place, BlockRect rect, uint32_t allowed) {
    const bool is_known = std::has_single_bit(allowed);
    if (uses_network_) {
      if (!is_known) tile_.work += kNetworkFlagWork;
      return port_.PartitionByNetwork(rect, allowed);
    }
    if (is_known) return std::countr_zero(allowed);
    const int context = tile_.leaves.Context(place.y + rect.y, place.x + rect.x, rect.level);
    return port_.Prediction(rect, context, allowed);
  }

  int CodeResidualFlag(BlockRect rect, uint32_t allowed) {
    const bool is_known = std::has_single_bit(allowed);
    if (uses_network_) {
      if (!is_known) tile_.work += kNetworkFlagWork;
      return port_.ResidualByNetwork(rect, allowed);
    }
    return is_known ? std::countr_zero(allowed) : port_.Residual(rect, allowed);
  }

  int CodeMode(const Current& current, BlockRect rect) {
    const uint32_t modes =
        AvailableModes(NeighboursOf(current.available, rect), current.sources, rect) &
        tile_.parameters.modes;
    const int mode = std::has_single_bit(modes) ? std::countr_zero(modes) : port_.Mode(rect, modes);
    observer_.OnElement(CodedElement::kMode, rect, mode);
    if (uses_network_) port_.flags().AddMode(rect, mode);
    tile_.work += PredictionWork(mode, rect.height() * rect.width());
    block_copies_used_ |= 1u << mode & kAllBlockCopyModes;
    return mode;
  }

  // Codes a residual block whose root decision is `flag`.
  void CodeResidual(Current& current, BlockRect rect, int flag) {
    const MacroblockPlace place = current.place;
    if (flag == kPattern) {
      const int index = port_.Index(rect);
      observer_.OnElement(CodedElement::kIndex, rect, index);
      tile_.work += LeafWork(tile_.dictionary.size(rect.level));
      current.coded.AddNode(index);
      if (uses_network_)
        port_.flags().AddLeaf(rect, tile_.dictionary.Norm(rect.level, index));
      else
        tile_.leaves.Add(place.y + rect.y, place.x + rect.x, rect.level);
      return;
    }
    const Split split = flag == kSplitVertical ? Split::kVertical : Split::kHorizontal;
    current.coded.AddNode(CodedMacroblock::NodeOf(split));
    const uint32_t allowed = AllowedResidualFlags(HalfLevel(rect.level, split));
    for (int half = 0; half < 2; ++half) {
      const BlockRect part = rect.Half(split, half);
      const int half_flag = CodeResidualFlag(part, allowed);
      observer_.OnElement(CodedElement::kResidualFlag, part, half_flag);
      CodeResidual(current, part, half_flag);
    }
    concatenations_.Add(rect.level);
  }

  TileState& tile_;
  Port& port_;
  Observer& observer_;
  const bool uses_network_;                  // for partitions and residual flags
  std::span<const MacroblockPlace> places_;  // of the front
  uint32_t block_copies_used_ = 0;           // in the front
  PatternList concatenations_;               // of the front
  std::vector<int> first_values_;            // of each macroblock's concatenations
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_FRONT_CODER_H_
