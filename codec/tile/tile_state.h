// Everything that encoder and decoder of a tile keep in step: reconstruction, dictionary, models.
#ifndef MMP_CODEC_TILE_TILE_STATE_H_
#define MMP_CODEC_TILE_TILE_STATE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "codec/base/levels.h"
#include "codec/base/parameters.h"
#include "codec/dictionary/dictionary.h"
#include "codec/intra/block_copy.h"
#include "codec/postfilter/predicted_tile.h"
#include "codec/tile/contexts.h"
#include "codec/tile/index_context.h"
#include "codec/tile/mode_model.h"
#include "codec/tile/network_flags.h"
#include "codec/tile/pattern_features.h"
#include "codec/tile/reconstruct.h"
#include "codec/tile/substreams.h"
#include "codec/tile/tile_models.h"
#include "codec/tile/tile_start.h"

namespace mmp {

struct TileState {
  // A tile before any macroblock.
  TileState(const CodecParameters& codec_parameters, int width_of_tile, int height_of_tile,
            const TileStart& start)
      : parameters(codec_parameters),
        tile_width(width_of_tile),
        tile_height(height_of_tile),
        width(PaddedToMacroblocks(tile_width)),
        height(PaddedToMacroblocks(tile_height)),
        plane(static_cast<size_t>(width) * height),
        prediction(codec_parameters.Uses(kFilterNetwork) ? plane.size() : 0),
        leaves(width, height),
        flag_maps(std::make_unique<FlagMaps>(width, height, parameters.pattern_scale)),
        modes(width, height),
        leaf_borders(width, height),
        dictionary(start.dictionary),
        models(start.models),
        pattern_features(start.pattern_features),
        work(start.tile_work) {
    BeginSubstreams();
  }
  // `trained` is needed if the parameters say that there are trained patterns.
  TileState(const CodecParameters& codec_parameters, int width_of_tile, int height_of_tile,
            const TrainedPatterns* trained = nullptr)
      : TileState(codec_parameters, width_of_tile, height_of_tile,
                  TileStart(codec_parameters, trained)) {}

  // Becomes another tile of the same file, in the memory of this one.
  void Restart(int width_of_tile, int height_of_tile, const TileStart& start) {
    tile_width = width_of_tile;
    tile_height = height_of_tile;
    width = PaddedToMacroblocks(tile_width);
    height = PaddedToMacroblocks(tile_height);
    plane.assign(static_cast<size_t>(width) * height, 0);
    if (parameters.Uses(kFilterNetwork)) prediction.assign(plane.size(), 0);
    leaves.Restart(width, height);
    flag_maps->Restart(width, height, parameters.pattern_scale);
    modes.Restart(width, height);
    leaf_borders.Restart(width, height);
    block_vectors = {};
    dictionary.Restart(start.dictionary);
    models = start.models;
    pattern_features = start.pattern_features;
    work = start.tile_work;
    BeginSubstreams();
  }

  TilePlane Plane() {
    return {plane.data(),
            width,
            height,
            parameters.order,
            parameters.Uses(kReversedResiduals),
            prediction.empty() ? nullptr : prediction.data()};
  }

  PlaneSize Size() const { return {width, height, tile_width, tile_height}; }

  // For filters; `prediction` must not be empty.
  PredictedTile Predicted() const { return {plane.data(), prediction.data(), width, height}; }

  // Gives each pattern that is new in the dictionary a symbol with this count.
  void AddSymbols(uint32_t count, PatternOrigin origin) {
    models.AddSymbols(dictionary, count, origin);
    if (!parameters.Uses(kNeighbourIndices)) return;
    pattern_features.AddNew(dictionary);
    for (int level = 1; level < kLevelCount; ++level) FollowCounts(level);
  }
  // Counts an index that has been coded.
  void CountIndex(int level, int index) {
    if (!parameters.Uses(kNeighbourIndices) || level == 0) {
      models.index[level].Count(index);
      return;
    }
    const int which = pattern_features.OfLevel(level).ClassOf(index);
    models.index_classes[level].Count(index, which, models.index[level]);
    FollowCounts(level);
  }
  SubstreamModels& SubstreamWith(MacroblockPlace place) {
    return substreams[SubstreamOf(place, static_cast<int>(substreams.size()))];
  }

  CodecParameters parameters;
  int tile_width, tile_height;          // pixels
  int width, height;                    // the same, padded to whole macroblocks
  std::vector<uint8_t> plane;           // the reconstruction, height rows of width samples
  std::vector<uint8_t> prediction;      // of the same samples; empty if no filter needs it
  LeafMap leaves;                       // without tool kFlagNetwork
  std::unique_ptr<FlagMaps> flag_maps;  // with it
  ModeMap modes;
  LeafBorders leaf_borders;  // with tool kNeighbourIndices
  BlockVectorList block_vectors;
  Dictionary dictionary;
  TileModels models;
  std::vector<SubstreamModels> substreams;
  PatternFeatures pattern_features;  // of the dictionary's, with the same tool
  uint64_t work;                     // so far, see decode_work.h

 private:
  void BeginSubstreams() {
    substreams.assign(SubstreamCount(parameters, width, height), SubstreamModels(*flag_maps));
  }
  void FollowCounts(int level) {
    models.index_classes[level].Follow(models.index[level], pattern_features.OfLevel(level));
  }
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_TILE_STATE_H_
