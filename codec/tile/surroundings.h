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

// What has been coded last in each column and each row of a tile. Macroblocks of a front change
// different parts of it.
class SurroundingMap {
 public:
  // Of a tile whose sides are whole macroblocks. `pattern_scale`: CodecParameters::pattern_scale.
  SurroundingMap(int width, int height, uint8_t pattern_scale) {
    Restart(width, height, pattern_scale);
  }
  void Restart(int width, int height, uint8_t pattern_scale);

 private:
  friend class Surroundings;
  static constexpr uint8_t kNoLevel = kLevelCount;
  static constexpr int kModeGroups = 6;

  // Of a pixel: the levels of its blocks, or kNoLevel; the group of its mode, or kModeGroups.
  struct Cell {
    uint8_t prediction_level = kNoLevel;
    uint8_t leaf_level = kNoLevel;
    uint8_t mode_group = kModeGroups;
  };
  // Four numbers of sixteen bits side by side, which are added at once: of a pixel, or of some
  // whose sums do not exceed that. 0 where nothing is known.
  class Sums {
   public:
    Sums() = default;
    Sums(Cell cell, int energy);
    Sums operator+(Sums other) const { return Sums(packed_ + other.packed_); }

    int log2_height() const { return static_cast<int>(packed_ & 0xffff); }
    int log2_width() const { return static_cast<int>(packed_ >> 16 & 0xffff); }
    int cut() const { return static_cast<int>(packed_ >> 32 & 0xffff); }
    int energy() const { return static_cast<int>(packed_ >> 48); }

   private:
    explicit Sums(uint64_t packed) : packed_(packed) {}
    uint64_t packed_ = 0;
  };
  // What has been coded last along one side of blocks: the lowest pixel of each column, or the last
  // one of each row.
  struct Edge {
    void Restart(size_t pixels);
    // The next pixels of `count` columns or rows.
    void Add(int first, int count, Cell cell, Sums sums);
    Sums Sum(int first, int count) const;

    std::vector<Cell> cells;
    std::vector<Sums> sums;
  };
  // How many blocks a macroblock has; none: it has not been coded.
  struct Counts {
    int predictions = 0;
    int leaves = 0;
  };

  int width_ = 0;
  uint64_t scale_ = 1;
  int scale_feature_ = 0;
  Edge columns_, rows_;                                   // of pixels
  std::vector<Counts> counts_by_column_, counts_by_row_;  // of macroblocks
};

// Around the blocks of one macroblock after another.
class Surroundings {
 public:
  // `map` is that of the tile; others may follow other macroblocks of a front by it.
  explicit Surroundings(SurroundingMap& map) : map_(&map) {}
  // Another tile begins.
  void Restart() { *this = Surroundings(*map_); }

  // The next elements are of the macroblock at `place`; it is told of all of them, in their order.
  void BeginMacroblock(MacroblockPlace place);
  // All of the last macroblock has been coded.
  void EndMacroblock() { StoreCounts(); }
  void AddPartition(BlockRect rect, int partition);
  void AddMode(BlockRect rect, int mode);
  void AddResidualFlag(BlockRect rect, int flag);
  // `norm`: the sum of the pattern's squares.
  void AddLeaf(BlockRect rect, int64_t norm);

  // Of the next partition or residual flag, which is that of `rect`.
  FlagFeatures PartitionFeatures(BlockRect rect) const;
  FlagFeatures ResidualFlagFeatures(BlockRect rect) const;

 private:
  using Cell = SurroundingMap::Cell;
  using Sums = SurroundingMap::Sums;
  using Counts = SurroundingMap::Counts;
  static constexpr uint8_t kNoLevel = SurroundingMap::kNoLevel;
  static constexpr int kModeGroups = SurroundingMap::kModeGroups;

  // Both sides of a block.
  struct Border {
    Sums left, above;
  };
  class Writer;

  static constexpr int kSide = kMacroblockSize;

  void StoreCounts();
  void NoteCountsAround();
  // Those of the pixel right of the row above `rect`, and of that below the column left of it.
  Cell AboveRight(BlockRect rect) const;
  Cell BelowLeft(BlockRect rect) const;
  // Of a pixel whose leaf has not been coded.
  Cell WithoutLeaf(int y, int x) const;
  Border BorderOf(BlockRect rect) const;
  void AddCommon(BlockRect rect, const Border& border, Writer& to) const;

  SurroundingMap* map_;
  MacroblockPlace place_{};
  // How many pixels of its columns and of its rows have been coded.
  std::array<uint8_t, kSide> coded_of_column_{}, coded_of_row_{};
  Counts counts_;
  std::array<int16_t, 6> counts_around_{};  // as features
  OpenCuts prediction_cuts_, residual_cuts_;
  BlockRect block_{};  // of the last mode; outside the macroblock before its first one
  int block_mode_group_ = 0;
  int last_leaf_level_ = kMacroblockLevel, last_leaf_energy_ = 0;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_SURROUNDINGS_H_
