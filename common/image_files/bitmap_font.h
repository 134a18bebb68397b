// A small bitmap font.
#ifndef MMP_COMMON_IMAGE_FILES_BITMAP_FONT_H_
#define MMP_COMMON_IMAGE_FILES_BITMAP_FONT_H_

#include <functional>
#include <string_view>

namespace mmp {

// Pixels a character and a line of text at scale 1, spacing included.
inline constexpr int kCharacterWidth = 6;
inline constexpr int kLineHeight = 10;

// Draws a dot: the square of side x side pixels whose top left pixel is (x, y).
using DotDrawer = std::function<void(int x, int y, int side)>;

// Writes one line of letters, digits, spaces and . , + - : ( ) %, the top left corner of the first
// character at (x, y), a dot being scale x scale pixels.
void DrawText(int x, int y, std::string_view text, int scale, const DotDrawer& draw_dot);

}  // namespace mmp

#endif  // MMP_COMMON_IMAGE_FILES_BITMAP_FONT_H_
