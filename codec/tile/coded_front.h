// What the symbols of a front say, without any pixel: enough to reconstruct its macroblocks.
#ifndef MMP_CODEC_TILE_CODED_FRONT_H_
#define MMP_CODEC_TILE_CODED_FRONT_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/base/levels.h"
#include "codec/base/macroblock_order.h"
#include "codec/intra/block_copy.h"

namespace mmp {

// The prediction blocks of a macroblock in coding order, the trees of their residuals, and what
// these say is added to the predictions.
class CodedMacroblock {
 public:
  struct Block {
    uint8_t y, x, level, mode;

    BlockRect rect() const { return {y, x, level}; }
  };

  // The node of a residual's tree that is cut so. That of a leaf is the index of its pattern.
  static constexpr int32_t NodeOf(Split split) { return split == Split::kVertical ? -1 : -2; }

  void Clear(MacroblockPlace place) {
    place_ = place;
    blocks_ = 0;
    nodes_ = 0;
  }
  // Adds a block. The nodes of its residual's tree come next: of each cut, those of its first part
  // before those of its second.
  void Add(BlockRect rect, int mode) {
    block_[blocks_++] = {static_cast<uint8_t>(rect.y), static_cast<uint8_t>(rect.x),
                         static_cast<uint8_t>(rect.level), static_cast<uint8_t>(mode)};
  }
  void AddNode(int32_t node) { node_[nodes_++] = node; }

  MacroblockPlace place() const { return place_; }
  std::span<const Block> blocks() const { return {block_.data(), static_cast<size_t>(blocks_)}; }
  std::span<const int32_t> nodes() const { return {node_.data(), static_cast<size_t>(nodes_)}; }
  // Of one block behind the other, each row by row: see ResidualAssembler.
  const int16_t* residual() const { return residual_.data(); }
  int16_t* residual() { return residual_.data(); }

 private:
  static constexpr int kMostNodes = 2 * kMacroblockPixels - 1;

  MacroblockPlace place_;
  int blocks_, nodes_;
  std::array<Block, kMacroblockPixels> block_;
  std::array<int32_t, kMostNodes> node_;
  std::array<int16_t, kMacroblockPixels> residual_;
};

class CodedFront {
 public:
  // Begins another front, in the memory of this one.
  void Clear(const BlockVectorList& vectors) {
    vectors_ = vectors;
    count_ = 0;
  }
  CodedMacroblock& Add(MacroblockPlace place) {
    if (count_ == macroblocks_.size()) macroblocks_.emplace_back();
    CodedMacroblock& macroblock = macroblocks_[count_++];
    macroblock.Clear(place);
    return macroblock;
  }

  int size() const { return static_cast<int>(count_); }
  const CodedMacroblock& operator[](int i) const { return macroblocks_[i]; }
  CodedMacroblock& operator[](int i) { return macroblocks_[i]; }
  // Those of all its macroblocks.
  const BlockVectorList& vectors() const { return vectors_; }

 private:
  std::vector<CodedMacroblock> macroblocks_;  // the first count_ are in use
  size_t count_ = 0;
  BlockVectorList vectors_;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_CODED_FRONT_H_
