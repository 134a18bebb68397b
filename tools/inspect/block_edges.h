// Draws the borders of blocks.
#ifndef MMP_TOOLS_INSPECT_BLOCK_EDGES_H_
#define MMP_TOOLS_INSPECT_BLOCK_EDGES_H_

#include <functional>
#include <vector>

#include "tools/inspect/decoded_syntax.h"

namespace mmp {

// Fills a rectangle of a picture.
using RectangleDrawer = std::function<void(int x, int y, int width, int height)>;

// Draws of each block its top and left edge, one pixel of the picture thick, as the other two are
// edges of its neighbors. The picture shows an image of image_width x image_height pixels at
// scale x scale pixels a pixel; of blocks that reach beyond it the part inside is drawn.
void DrawBlockEdges(const std::vector<BlockPlace>& blocks, int image_width, int image_height,
                    int scale, const RectangleDrawer& draw);

}  // namespace mmp

#endif  // MMP_TOOLS_INSPECT_BLOCK_EDGES_H_
