// Lines of a block that is predicted with SIMD: as long as a macroblock's, so that whole vectors
// can be written.
#ifndef MMP_CODEC_INTRA_BLOCK_LINES_H_
#define MMP_CODEC_INTRA_BLOCK_LINES_H_

#include <cstdint>
#include <cstring>

#include "codec/base/known_size.h"
#include "codec/base/levels.h"

namespace mmp {

// One behind the other, kMacroblockSize pixels each.
using BlockLines = uint8_t[kMacroblockSize * kMacroblockSize];

// prediction[i * width + j]: the first pixels of each of the first rows.
inline void CopyRows(const BlockLines& rows, LevelShape shape, uint8_t* prediction) {
  WithPowerOfTwo<kMacroblockSize>(shape.width(), [&]<int kWidth>() {
    for (int i = 0; i < shape.height(); ++i)
      std::memcpy(prediction + i * kWidth, rows + i * kMacroblockSize, kWidth);
  });
}

// The row above the block in each of its rows.
inline void RepeatRow(const uint8_t* row, LevelShape shape, uint8_t* prediction) {
  WithPowerOfTwo<kMacroblockSize>(shape.width(), [&]<int kWidth>() {
    for (int i = 0; i < shape.height(); ++i) std::memcpy(prediction + i * kWidth, row, kWidth);
  });
}

// The column on the block's left, whose pixel in row i is bottom_up[-i], in each of its columns.
inline void RepeatColumn(const uint8_t* bottom_up, LevelShape shape, uint8_t* prediction) {
  WithPowerOfTwo<kMacroblockSize>(shape.width(), [&]<int kWidth>() {
    for (int i = 0; i < shape.height(); ++i)
      std::memset(prediction + i * kWidth, bottom_up[-i], kWidth);
  });
}

}  // namespace mmp

#endif  // MMP_CODEC_INTRA_BLOCK_LINES_H_
