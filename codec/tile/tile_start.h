// What all tiles of a file begin with: the initial dictionary and the initial models.
// Normative: docs/format.md, "Dictionary" and "Models".
#ifndef MMP_CODEC_TILE_TILE_START_H_
#define MMP_CODEC_TILE_TILE_START_H_

#include <cstdint>
#include <memory>

#include "codec/base/parameters.h"
#include "codec/dictionary/dictionary.h"
#include "codec/dictionary/trained_patterns.h"
#include "codec/tile/tile_models.h"

namespace mmp {

struct TileStart {
  // `trained` is needed if the parameters say that there are trained patterns.
  explicit TileStart(const CodecParameters& parameters, const TrainedPatterns* trained = nullptr);

  Dictionary dictionary;  // shared: the tiles begin with its patterns, not with copies of them
  TileModels models;
  PatternFeatures pattern_features;  // of the dictionary's, with tool kNeighbourIndices
  // See decode_work.h: of making this, which is done once a file, and of beginning a tile with it.
  uint64_t file_work = 0, tile_work = 0;
};

// The start of a file with these parameters; `trained` is what FindPatterns finds for them. Where
// that is part of the format, the starts that were asked for last are kept, so that many small
// files are decoded quickly.
std::shared_ptr<const TileStart> FindTileStart(const CodecParameters& parameters,
                                               const TrainedPatterns* trained);

}  // namespace mmp

#endif  // MMP_CODEC_TILE_TILE_START_H_
