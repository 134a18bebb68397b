// Lines of a block that is predicted with SIMD: as long as a macroblock's, so that whole vectors
// can be written.
#ifndef MMP_CODEC_INTRA_BLOCK_LINES_H_
#define MMP_CODEC_INTRA_BLOCK_LINES_H_

#include <cstdint>
#include <cstring>

#include "codec/base/levels.h"

namespace mmp {

// One behind the other, kMacroblockSize pixels each.
using BlockLines = uint8_t[kMacroblockSize * kMacroblockSize];

template <int kWidth>
inline void CopyRowsOf(const BlockLines& rows, int height, uint8_t* prediction) {
  for (int i = 0; i < height; ++i)
    std::memcpy(prediction + i * kWidth, rows + i * kMacroblockSize, kWidth);
}

// prediction[i * width + j]: the first pixels of each of the first rows.
inline void CopyRows(const BlockLines& rows, LevelShape shape, uint8_t* prediction) {
  switch (shape.width()) {
    case 1:
      return CopyRowsOf<1>(rows, shape.height(), prediction);
    case 2:
      return CopyRowsOf<2>(rows, shape.height(), prediction);
    case 4:
      return CopyRowsOf<4>(rows, shape.height(), prediction);
    case 8:
      return CopyRowsOf<8>(rows, shape.height(), prediction);
    default:
      return CopyRowsOf<16>(rows, shape.height(), prediction);
  }
}

}  // namespace mmp

#endif  // MMP_CODEC_INTRA_BLOCK_LINES_H_
