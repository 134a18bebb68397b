#include "testimages/font.h"

#include <algorithm>

namespace mmp::testimages {

void DrawText(int x, int y, std::string_view text, uint8_t gray, int scale, Image* image) {
  mmp::DrawText(x, y, text, scale, [&](int left, int top, int side) {
    for (int row = std::max(top, 0); row < std::min(top + side, image->height()); ++row)
      for (int column = std::max(left, 0); column < std::min(left + side, image->width()); ++column)
        image->Row(row)[column] = gray;
  });
}

}  // namespace mmp::testimages
