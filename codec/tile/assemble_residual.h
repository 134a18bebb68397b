// From what the symbols of a macroblock say of its residual to the residual, and to the patterns
// that the dictionary is to learn, its concatenations. Normative: docs/format.md, "Macroblock".
#ifndef MMP_CODEC_TILE_ASSEMBLE_RESIDUAL_H_
#define MMP_CODEC_TILE_ASSEMBLE_RESIDUAL_H_

#include <algorithm>
#include <cstdint>

#include "codec/base/levels.h"
#include "codec/dictionary/dictionary.h"
#include "codec/tile/coded_front.h"

namespace mmp {

// Makes the residual of a macroblock whose symbols have been coded. `concatenations` is where the
// values of its concatenations are to be put, one behind the other in coding order; null: nowhere.
class ResidualAssembler {
 public:
  ResidualAssembler(const Dictionary& dictionary, CodedMacroblock& macroblock,
                    int16_t* concatenations)
      : dictionary_(dictionary),
        next_node_(macroblock.nodes().data()),
        next_concatenation_(concatenations) {
    int16_t* residual = macroblock.residual();
    for (const CodedMacroblock::Block block : macroblock.blocks()) {
      Assemble(block.level, residual);
      residual += kLevelShapes[block.level].pixels();
    }
  }

 private:
  // The block of the next node, row by row.
  void Assemble(int level, int16_t* residual) {
    const int32_t node = *next_node_++;
    if (node >= 0) return dictionary_.Copy(level, node, residual);
    const LevelShape shape = kLevelShapes[level];
    if (node == CodedMacroblock::NodeOf(Split::kHorizontal)) {
      const int half_level = HalfLevel(level, Split::kHorizontal);
      Assemble(half_level, residual);
      Assemble(half_level, residual + shape.pixels() / 2);
    } else {
      const int half_level = HalfLevel(level, Split::kVertical);
      const int width = shape.width() / 2;
      int16_t half[kMacroblockPixels / 2];
      for (int16_t* to : {residual, residual + width}) {
        Assemble(half_level, half);
        for (int i = 0; i < shape.height(); ++i)
          std::copy_n(half + i * width, width, to + i * shape.width());
      }
    }
    if (next_concatenation_ != nullptr)
      next_concatenation_ = std::copy_n(residual, shape.pixels(), next_concatenation_);
  }

  const Dictionary& dictionary_;
  const int32_t* next_node_;
  int16_t* next_concatenation_;
};

// Adds the concatenations of a macroblock, whose values follow, to those of its front: of each cut
// its whole, after those of its parts.
class ConcatenationLister {
 public:
  ConcatenationLister(const CodedMacroblock& macroblock, PatternList& concatenations)
      : next_node_(macroblock.nodes().data()), concatenations_(concatenations) {
    for (const CodedMacroblock::Block block : macroblock.blocks()) List(block.level);
  }

 private:
  // Those of the block of the next node.
  void List(int level) {
    const int32_t node = *next_node_++;
    if (node >= 0) return;
    const bool is_vertical = node == CodedMacroblock::NodeOf(Split::kVertical);
    const int half_level = HalfLevel(level, is_vertical ? Split::kVertical : Split::kHorizontal);
    List(half_level);
    List(half_level);
    concatenations_.Add(level);
  }

  const int32_t* next_node_;
  PatternList& concatenations_;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_ASSEMBLE_RESIDUAL_H_
