// Text in the test images.
#ifndef MMP_TESTIMAGES_FONT_H_
#define MMP_TESTIMAGES_FONT_H_

#include <cstdint>
#include <string_view>

#include "common/image_files/bitmap_font.h"
#include "mmp/image.h"

namespace mmp::testimages {

// The same as mmp::DrawText, in `gray`; what is outside of the image is left out.
void DrawText(int x, int y, std::string_view text, uint8_t gray, int scale, Image* image);

}  // namespace mmp::testimages

#endif  // MMP_TESTIMAGES_FONT_H_
