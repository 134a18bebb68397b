// The coding of one tile: for each front asks a search for the symbols of its macroblocks, writes
// them, reconstructs them, and adds their concatenations to the dictionary.
#ifndef MMP_CODEC_ENCODER_ENCODE_TILE_H_
#define MMP_CODEC_ENCODER_ENCODE_TILE_H_

#include <array>
#include <cstdint>
#include <functional>

#include "codec/base/lambda.h"
#include "codec/base/parameters.h"
#include "codec/base/sample_map.h"
#include "codec/bitstream/container.h"
#include "codec/encoder/filter/filter_effort.h"
#include "codec/encoder/step_weights.h"
#include "codec/pixel/exact_blocks.h"
#include "codec/rdo/macroblock_search.h"
#include "codec/rdo/search_stats.h"
#include "codec/tile/symbol_stats.h"
#include "codec/tile/tile_start.h"
#include "mmp/image.h"
#include "mmp/status.h"

namespace mmp {

struct TileJob {
  ImageView image;           // the tile's samples, as patterns code them: of 8 bits
  ExactBlocks exact_blocks;  // what takes the place of some of them, if the parameters say so
  ImageView original;        // as they are in the image to encode
  SampleMap map;             // from coded samples to these
  const CodecParameters& parameters;
  const TileStart& start;
  Lambda lambda;
  const StepWeights& weights;
  FilterEffort filter_effort;
  bool finds_block_vectors;  // if not, it has none
  bool timing;               // take the time of coding and learning
  // Called after so many more macroblocks, and with 0 now and then, by any member of the pool;
  // false cancels, and stays so.
  std::function<bool(int)> step;
};

// What was coded, and what the search counted for it.
struct TileStats {
  int64_t macroblocks = 0;
  SymbolStats symbols;
  SearchStats search;
  std::array<int64_t, kLevelCount> dictionary_size{};  // patterns at the end
  uint64_t sum_squared_error = 0;
  uint64_t decode_work = 0;   // see decode_work.h
  double seconds_coding = 0;  // thread time, if it is taken
  double seconds_dictionary = 0;
};

// Encodes a tile, as member 0 of the pool, which shares the work; `stats` must be new. Errors, with
// only stats.macroblocks of any use: those of `search`; kCancelled.
Result<EncodedTile> EncodeTile(const TileJob& job, MacroblockSearch& search, TaskPool& pool,
                               TileStats& stats);

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_ENCODE_TILE_H_
