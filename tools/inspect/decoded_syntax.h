// Everything that a file says and what becomes of it, as its decoder goes through it.
#ifndef MMP_TOOLS_INSPECT_DECODED_SYNTAX_H_
#define MMP_TOOLS_INSPECT_DECODED_SYNTAX_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/copies.h"
#include "codec/decode_observer.h"
#include "codec/levels.h"
#include "codec/mmp.h"
#include "codec/wiener_filter.h"
#include "common/image.h"
#include "common/status.h"

namespace mmp {

struct SyntaxElement {
  CodedElement kind;
  BlockRect rect;  // in its macroblock
  int32_t value;   // see CodedElement
  float bits;      // 0 if it is not in the file
};

struct MacroblockSyntax {
  int x = 0, y = 0;                           // of its top left pixel in the image
  std::vector<CopyVector> copy_vectors = {};  // that its blocks can be copied by
  float copy_bits = 0;                        // of those that are new
  std::vector<SyntaxElement> elements = {};   // in the order of the file

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
  std::vector<MacroblockSyntax> macroblocks = {};
  std::array<LevelPatterns, kLevelCount> dictionary = {};  // as it is at the end
  WienerChoice filter = {};  // strength 0 also if the file has no filter
  double filter_bits = 0;
};

struct DecodedSyntax {
  FileInfo info;
  Image decoded;
  Image prediction;
  std::vector<int16_t> residual;  // in the order of the samples
  Image reconstruction;           // clip(prediction + residual): decoded, but for the filter
  std::vector<TileSyntax> tiles;
};

// Whether the file says how its tiles are filtered, and which vectors its macroblocks have.
bool HasFilter(const FileInfo& info);
bool HasCopies(const FileInfo& info);

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
