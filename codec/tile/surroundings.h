// What has been coded around a block, as numbers for the networks that predict its flags. No pixel
// has a part in it. Normative: docs/format-flags.md, "Features".
#ifndef MMP_CODEC_TILE_SURROUNDINGS_H_
#define MMP_CODEC_TILE_SURROUNDINGS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "codec/base/levels.h"
#include "codec/base/macroblock_order.h"
#include "codec/tile/flag_network.h"
#include "codec/tile/syntax_elements.h"

namespace mmp {

// The cuts of a tree whose parts have not all been coded yet.
class OpenCuts {
 public:
  struct Cut {
    uint8_t symbol;         // 0: there is none
    uint8_t parts_to_come;  // 1 or 2
    uint8_t first_symbol;   // of its first part, once that has been coded
  };

  void Clear() { depth_ = 0; }
  // The next node has this symbol, and if `is_cut`, two parts.
  void Add(int symbol, bool is_cut);
  int depth() const { return depth_; }
  // The cut that the next node is a part of.
  Cut Innermost() const { return depth_ > 0 ? cuts_[depth_ - 1] : Cut{0, 2, 0}; }
  bool IsSecondPart() const { return Innermost().parts_to_come == 1; }

 private:
  std::array<Cut, 9> cuts_;  // a macroblock has eight, one in the other
  int depth_ = 0;
};

class Surroundings {
 public:
  // Of a tile whose sides are whole macroblocks. `pattern_scale`: CodecParameters::pattern_scale.
  Surroundings(int width, int height, uint8_t pattern_scale) {
    Restart(width, height, pattern_scale);
  }
  void Restart(int width, int height, uint8_t pattern_scale);

  // The next elements are of the macroblock at `place`; it is told of all of them, in their order.
  void BeginMacroblock(MacroblockPlace place);
  void AddPartition(BlockRect rect, int partition);
  void AddMode(BlockRect rect, int mode);
  void AddResidualFlag(BlockRect rect, int flag);
  // `norm`: the sum of the pattern's squares.
  void AddLeaf(BlockRect rect, int64_t norm);

  // Of the next partition or residual flag, which is that of `rect`.
  FlagFeatures PartitionFeatures(BlockRect rect) const;
  FlagFeatures ResidualFlagFeatures(BlockRect rect) const;

 private:
  static constexpr uint8_t kNoLevel = kLevelCount;
  static constexpr int kModeGroups = 6;

  // Of a pixel: the levels of its blocks, or kNoLevel; the group of its mode, or kModeGroups; the
  // energy of its residual.
  struct Cell {
    uint8_t prediction_level = kNoLevel;
    uint8_t leaf_level = kNoLevel;
    uint8_t mode_group = kModeGroups;
    uint8_t energy = 0;
  };
  // How many blocks a macroblock has; none: it has not been coded.
  struct Counts {
    int predictions = 0;
    int leaves = 0;
  };
  class Writer;
  struct Border;

  static constexpr int kSide = kMacroblockSize;
  // The macroblock's pixels, and the row above and the column left of it, with both corners.
  static constexpr int kMapWidth = kSide + 2;

  Cell& At(int y, int x) { return map_[(y + 1) * kMapWidth + x + 1]; }
  const Cell& At(int y, int x) const { return map_[(y + 1) * kMapWidth + x + 1]; }
  void StoreMacroblock();
  void NoteCountsAround();
  void AddCommon(BlockRect rect, Writer& to) const;
  Border BorderOf(BlockRect rect) const;
  template <typename Change>
  void ForEachCell(BlockRect rect, Change change);

  int width_ = 0;
  uint64_t scale_ = 1;
  int scale_feature_ = 0;

  // Of the macroblocks coded last in each column and in each row: their lowest rows, their last
  // columns, their counts.
  std::vector<Cell> lowest_row_;
  std::vector<std::array<Cell, kSide>> last_column_;
  std::vector<Counts> counts_by_column_, counts_by_row_;

  bool has_macroblock_ = false;  // `place_` is coded, but not stored yet
  MacroblockPlace place_{};
  std::array<Cell, (kSide + 1) * kMapWidth> map_;
  Counts counts_;
  std::array<int16_t, 6> counts_around_{};  // as features
  OpenCuts prediction_cuts_, residual_cuts_;
  BlockRect block_{};  // of the last mode
  int block_mode_group_ = 0;
  int last_leaf_level_ = kMacroblockLevel, last_leaf_energy_ = 0;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_SURROUNDINGS_H_
