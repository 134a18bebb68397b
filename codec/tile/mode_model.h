// The models of prediction modes, and what of the coded surroundings they look at.
// Normative: docs/format.md, "Models".
#ifndef MMP_CODEC_TILE_MODE_MODEL_H_
#define MMP_CODEC_TILE_MODE_MODEL_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/base/levels.h"
#include "codec/base/parameters.h"
#include "codec/bitstream/context_models.h"
#include "codec/bitstream/estimate_mixer.h"
#include "codec/bitstream/range_coder.h"

namespace mmp {

// The modes of the prediction blocks that lie left of the top left pixel of a block, and above it.
struct ModeNeighbours {
  static constexpr uint8_t kNone = kPredictionModes;

  uint8_t left = kNone, above = kNone;
};

// The modes that have been coded last in each column and in each row of a tile.
class ModeMap {
 public:
  ModeMap(int width, int height) { Restart(width, height); }

  // No modes, in a tile of this size.
  void Restart(int width, int height) {
    of_columns_.assign(static_cast<size_t>(width), ModeNeighbours::kNone);
    of_rows_.assign(static_cast<size_t>(height), ModeNeighbours::kNone);
  }

  // The next prediction block is that of `level` whose top left pixel is (y, x).
  void Add(int y, int x, int level, int mode) {
    const LevelShape shape = kLevelShapes[level];
    std::fill_n(&of_columns_[x], shape.width(), static_cast<uint8_t>(mode));
    std::fill_n(&of_rows_[y], shape.height(), static_cast<uint8_t>(mode));
  }
  ModeNeighbours Of(int y, int x) const { return {of_rows_[y], of_columns_[x]}; }

 private:
  std::vector<uint8_t> of_columns_, of_rows_;
};

// The model of the modes of a level: adaptive counts; with tool kNeighbourModes these and their
// power of 3/4, which trusts the latest modes less, both times trained weights of the neighbours'
// modes, are mixed by how well each has predicted so far.
class ModeModel {
 public:
  // Of the first `symbols` modes.
  explicit ModeModel(int symbols = kPredictionModes, bool has_neighbours = false)
      : counts_(symbols), has_neighbours_(has_neighbours) {}

  struct Mixer : EstimateMixer<kPredictionModes, 24> {
    Mixer() : EstimateMixer(kWeightUnit / 4 * 3) {}
  };

  // `allowed`: bit m is set if mode m can occur; `mode` is one of them. The mixer learns it, the
  // counts by Count alone.
  SymbolInterval Encode(Mixer& mixer, int mode, ModeNeighbours neighbours, uint32_t allowed) const;
  int Decode(RangeDecoder& coder, Mixer& mixer, ModeNeighbours neighbours, uint32_t allowed) const;
  void Count(int mode) { counts_.Update(mode); }
  // The counts alone. The search uses them, as neighbours are not known before blocks are coded.
  const SymbolModel<kPredictionModes>& counts() const { return counts_; }

 private:
  Mixer::Mixture Mix(const Mixer& mixer, ModeNeighbours neighbours, uint32_t allowed) const;

  SymbolModel<kPredictionModes> counts_;
  bool has_neighbours_;
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_MODE_MODEL_H_
