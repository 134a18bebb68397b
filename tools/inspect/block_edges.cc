#include "tools/inspect/block_edges.h"

#include <algorithm>

namespace mmp {

void DrawBlockEdges(const std::vector<BlockPlace>& blocks, int image_width, int image_height,
                    int scale, const RectangleDrawer& draw) {
  for (const BlockPlace& block : blocks) {
    const int width = std::min(block.width, image_width - block.x);
    const int height = std::min(block.height, image_height - block.y);
    if (width <= 0 || height <= 0) continue;
    draw(block.x * scale, block.y * scale, width * scale, 1);
    draw(block.x * scale, block.y * scale, 1, height * scale);
  }
}

}  // namespace mmp
