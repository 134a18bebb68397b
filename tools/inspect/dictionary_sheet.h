// A contact sheet of a tile's dictionary.
#ifndef MMP_TOOLS_INSPECT_DICTIONARY_SHEET_H_
#define MMP_TOOLS_INSPECT_DICTIONARY_SHEET_H_

#include "common/image_files/rgb_image.h"
#include "tools/inspect/decoded_syntax.h"

namespace mmp {

// For each level above 1x1, from large to small blocks: initial patterns, patterns grown while
// decoding, and those most used, with the number of their uses. Where there are more than fit, they
// are an even choice, in their order. The value 0 is middle gray; small values are stretched, as
// the square root of their magnitude.
RgbImage DictionarySheet(const TileSyntax& tile);

}  // namespace mmp

#endif  // MMP_TOOLS_INSPECT_DICTIONARY_SHEET_H_
