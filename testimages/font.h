// A small bitmap font.
#ifndef MMP_TESTIMAGES_FONT_H_
#define MMP_TESTIMAGES_FONT_H_

#include <cstdint>
#include <string_view>

#include "common/image.h"

namespace mmp::testimages {

// Pixels a character and a line of text at scale 1, spacing included.
inline constexpr int kCharacterWidth = 6;
inline constexpr int kLineHeight = 10;

// Writes one line of letters, digits, spaces and . , - : ( ) % in `gray`, the top left corner of
// the first character at (x, y), a font pixel being scale x scale pixels. What is outside is left
// out.
void DrawText(int x, int y, std::string_view text, uint8_t gray, int scale, Image* image);

}  // namespace mmp::testimages

#endif  // MMP_TESTIMAGES_FONT_H_
