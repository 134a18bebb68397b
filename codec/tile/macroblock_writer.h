// The port of a MacroblockCoder that keeps what the search chose: of a macroblock by itself, so
// that those of a front can be written side by side.
#ifndef MMP_CODEC_TILE_MACROBLOCK_WRITER_H_
#define MMP_CODEC_TILE_MACROBLOCK_WRITER_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/base/levels.h"
#include "codec/bitstream/context_models.h"
#include "codec/tile/index_context.h"
#include "codec/tile/kept_flags.h"
#include "codec/tile/mode_model.h"
#include "codec/tile/syntax_elements.h"

namespace mmp {

// The symbols of a macroblock in coding order; those that are the only one allowed are left out.
using MacroblockSymbols = std::vector<uint32_t>;

// They are taken one after the other.
class SymbolReader {
 public:
  // `symbols` must last until all are taken.
  void Begin(const MacroblockSymbols& symbols) {
    symbols_ = &symbols;
    position_ = 0;
  }
  int Next() { return static_cast<int>((*symbols_)[position_++]); }
  bool AllTaken() const { return position_ == symbols_->size(); }

 private:
  const MacroblockSymbols* symbols_ = nullptr;
  size_t position_ = 0;
};

class MacroblockWriter {
 public:
  // A symbol of a block.
  struct Kept {
    uint32_t allowed;
    uint16_t number;  // among those of the macroblock that the coder is given; or kBehind
    uint16_t symbol;
    CodedElement element;
    uint8_t context;            // of a partition
    ModeNeighbours neighbours;  // of a mode
  };
  // What is coded behind the others: the plain model, which prices it, only counts it.
  static constexpr uint16_t kBehind = UINT16_MAX;
  // An index that is coded by its neighbours, behind the others, as two symbols of the coder.
  struct KeptIndex {
    IndexContext context;
    uint16_t number, symbol;
  };

  // Begins another macroblock, in the memory of this one. `symbols` must last until it is written.
  void Begin(const MacroblockSymbols& symbols) {
    symbols_.Begin(symbols);
    size_ = 0;
    for (std::vector<Kept>& of_level : kept_) of_level.clear();
    for (std::vector<KeptIndex>& of_level : indices_) of_level.clear();
    flags_.Clear();
  }
  bool AllTaken() const { return symbols_.AllTaken(); }

  int Prediction(BlockRect rect, int context, uint32_t allowed) {
    return Keep(CodedElement::kPartition, rect, allowed, context);
  }
  int Residual(BlockRect rect, uint32_t allowed) {
    return Keep(CodedElement::kResidualFlag, rect, allowed);
  }
  KeptFlags& flags() { return flags_; }
  const KeptFlags& flags() const { return flags_; }
  int PartitionByNetwork(BlockRect rect, uint32_t allowed) {
    const int flag = TakeFlag(CodedElement::kPartition, rect, allowed);
    flags_.AddPartition(rect, allowed, flag, size_);
    return flag;
  }
  int ResidualByNetwork(BlockRect rect, uint32_t allowed) {
    const int flag = TakeFlag(CodedElement::kResidualFlag, rect, allowed);
    flags_.AddResidualFlag(rect, allowed, flag, size_);
    return flag;
  }
  int Mode(BlockRect rect, ModeNeighbours neighbours, uint32_t allowed) {
    return Keep(CodedElement::kMode, rect, allowed, 0, neighbours);
  }
  int Index(BlockRect rect, const IndexContext* context) {
    if (context == nullptr) return Keep(CodedElement::kIndex, rect);
    const int symbol = TakeBehind(CodedElement::kIndex, rect);
    indices_[rect.level].push_back({*context, size_, static_cast<uint16_t>(symbol)});
    size_ = static_cast<uint16_t>(size_ + 2);
    return symbol;
  }

  // Of the macroblock, so far: the symbols of blocks of a level, in order, and how many of all the
  // coder is to be given.
  std::span<const Kept> OfLevel(int level) const { return kept_[level]; }
  // The indices of such blocks that are coded by their neighbours.
  std::span<const KeptIndex> IndicesOfLevel(int level) const { return indices_[level]; }
  size_t size() const { return size_; }

 private:
  // A prediction block and its partition, a leaf of two symbols and its flag: at most so many each.
  static_assert(5 * kMacroblockPixels < kBehind);
  static_assert(IndexModel::kMostSymbols <= 1 << 16);

  int Keep(CodedElement element, BlockRect rect, uint32_t allowed = 0, int context = 0,
           ModeNeighbours neighbours = {}) {
    const int symbol = symbols_.Next();
    kept_[rect.level].push_back({allowed, size_++, static_cast<uint16_t>(symbol), element,
                                 static_cast<uint8_t>(context), neighbours});
    return symbol;
  }
  int TakeFlag(CodedElement element, BlockRect rect, uint32_t allowed) {
    if (std::has_single_bit(allowed)) return std::countr_zero(allowed);
    return TakeBehind(element, rect);
  }
  int TakeBehind(CodedElement element, BlockRect rect) {
    const int symbol = symbols_.Next();
    kept_[rect.level].push_back({0, kBehind, static_cast<uint16_t>(symbol), element, 0, {}});
    return symbol;
  }

  SymbolReader symbols_;
  uint16_t size_ = 0;
  std::array<std::vector<Kept>, kLevelCount> kept_;
  std::array<std::vector<KeptIndex>, kLevelCount> indices_;
  KeptFlags flags_;
};

// A macroblock that has been written; apart from others, as several threads write.
struct alignas(64) WrittenMacroblock {
  MacroblockWriter writer;
  int substream = 0;
  size_t first_symbol = 0;  // the number that its first symbol has for the coder of that
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_MACROBLOCK_WRITER_H_
