// A picture as a JPEG file has it.
#ifndef MMP_CODEC_PIXEL_JPEG_PICTURE_H_
#define MMP_CODEC_PIXEL_JPEG_PICTURE_H_

#include <cstddef>
#include <vector>

#include "codec/base/jpeg_blocks.h"

namespace mmp {

// The blocks that a rectangle has samples of, row by row.
struct JpegPicture {
  // Of a rectangle of width x height samples.
  JpegPicture(int width, int height, JpegGrid first)
      : grid(first),
        across(BlocksTo(width, left())),
        down(BlocksTo(height, top())),
        blocks(static_cast<size_t>(across) * down) {}

  // Where the first block begins, in the rectangle or before it.
  int left() const { return grid.column == 0 ? 0 : grid.column - kCosineSide; }
  int top() const { return grid.row == 0 ? 0 : grid.row - kCosineSide; }

  JpegGrid grid;
  int across, down;  // blocks
  int quality = 0;   // that steps are told from
  JpegSteps steps = {};
  std::vector<JpegMultiples> blocks;

 private:
  static int BlocksTo(int end, int begin) { return (end - begin + kCosineSide - 1) / kCosineSide; }
};

}  // namespace mmp

#endif  // MMP_CODEC_PIXEL_JPEG_PICTURE_H_
