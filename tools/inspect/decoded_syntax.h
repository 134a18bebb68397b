// All syntax elements of a file and what is decoded from them, collected while it is decoded.
#ifndef MMP_TOOLS_INSPECT_DECODED_SYNTAX_H_
#define MMP_TOOLS_INSPECT_DECODED_SYNTAX_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/base/levels.h"
#include "codec/intra/block_copy.h"
#include "codec/postfilter/tile_filter.h"
#include "codec/tile/tile_observer.h"
#include "mmp/image.h"
#include "mmp/mmp.h"
#include "mmp/status.h"

namespace mmp {

struct SyntaxElement {
  CodedElement kind;
  BlockRect rect;  // in its macroblock
  int32_t value;   // see CodedElement
  float bits;      // 0 if it is not in the file
};

struct MacroblockSyntax {
  int x = 0, y = 0;                             // of its top left pixel in the image
  int front = 0;                                // in the tile
  std::vector<BlockVector> block_vectors = {};  // that its blocks can be copied by
  // Of those that are new. They are coded once for a front: its first macroblock has the bits.
  float block_vector_bits = 0;
  std::vector<SyntaxElement> elements = {};  // in the order of the file

  double Bits() const;
};

// The patterns of a level, row by row, one after another.
struct LevelPatterns {
  int initial = 0;  // number of those that were there before the first macroblock
  std::vector<int16_t> values;
  std::vector<int> uses;  // by pattern: how often its index was coded

  int size() const { return static_cast<int>(uses.size()); }
};

struct TileSyntax {
  TileInfo info;
  std::vector<MacroblockSyntax> macroblocks = {};          // in the order of the file
  std::array<LevelPatterns, kLevelCount> dictionary = {};  // as it is at the end
  FilterChoice filter = {};  // level and strength 0 also if the file has no filter
  double filter_bits = 0;
  ExactBlocks exact_blocks = {};
  double exact_block_bits = 0;
};

struct DecodedSyntax {
  FileInfo info;
  Image decoded;
  Image prediction;
  std::vector<int16_t> residual;  // in the order of the samples
  Image reconstruction;           // clip(prediction + residual): decoded, but for the filter
  std::vector<TileSyntax> tiles;
};

// How many fronts of the tile have macroblocks.
int CountFronts(const TileSyntax& tile);

// Whether the file says how its tiles are filtered, and which vectors its macroblocks have.
bool HasFilter(const FileInfo& info);
bool HasBlockCopies(const FileInfo& info);

// Errors: those of Decode.
Result<DecodedSyntax> DecodeSyntax(std::span<const uint8_t> file,
                                   const DecodeOptions& options = {});

// A block's place in the image, pixels; it may reach beyond the image.
struct BlockPlace {
  int x = 0, y = 0, width = 0, height = 0;
};

// The blocks that have an element of this kind: kMode gives those that are predicted at once,
// kIndex those that are one pattern.
std::vector<BlockPlace> BlocksWith(const DecodedSyntax& syntax, CodedElement kind);

}  // namespace mmp

#endif  // MMP_TOOLS_INSPECT_DECODED_SYNTAX_H_
