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

// The prediction blocks of a macroblock in coding order, and what is added to their predictions.
class CodedMacroblock {
 public:
  struct Block {
    uint8_t y, x, level, mode;

    BlockRect rect() const { return {y, x, level}; }
  };

  void Clear(MacroblockPlace place) {
    place_ = place;
    blocks_ = 0;
    pixels_ = 0;
  }
  // Adds a block; returns where its residual is to be put, row by row.
  int16_t* Add(BlockRect rect, int mode) {
    block_[blocks_++] = {static_cast<uint8_t>(rect.y), static_cast<uint8_t>(rect.x),
                         static_cast<uint8_t>(rect.level), static_cast<uint8_t>(mode)};
    int16_t* residual = residual_.data() + pixels_;
    pixels_ += rect.pixels();
    return residual;
  }

  MacroblockPlace place() const { return place_; }
  std::span<const Block> blocks() const { return {block_.data(), static_cast<size_t>(blocks_)}; }
  // One block behind the other.
  const int16_t* residual() const { return residual_.data(); }

 private:
  MacroblockPlace place_;
  int blocks_, pixels_;
  std::array<Block, kMacroblockPixels> block_;
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
  // Those of all its macroblocks.
  const BlockVectorList& vectors() const { return vectors_; }

 private:
  std::vector<CodedMacroblock> macroblocks_;  // the first count_ are in use
  size_t count_ = 0;
  BlockVectorList vectors_;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_CODED_FRONT_H_
