// Intra block copy (modes 27 to 30): a block is predicted by pixels of earlier macroblocks, at the
// displacement that a block vector gives. A tile keeps the vectors used last; new ones are coded
// before a macroblock. Normative: docs/format.md, "Intra block copy".
#ifndef MMP_CODEC_INTRA_BLOCK_COPY_H_
#define MMP_CODEC_INTRA_BLOCK_COPY_H_

#include <array>
#include <bit>
#include <cstdint>

#include "codec/base/levels.h"
#include "codec/base/macroblock_order.h"
#include "codec/base/parameters.h"
#include "common/host_device.h"

namespace mmp {

// A block vector: the displacement from a pixel to the one that it is copied from, in rows and
// columns, up to 65535 either way; no vector points down.
struct BlockVector {
  int32_t y, x;
  friend bool operator==(const BlockVector&, const BlockVector&) = default;
};
inline constexpr int kBlockVectorBits = 16;     // of a component's size
inline constexpr int kMostNewBlockVectors = 2;  // before a macroblock
// All symbols of their models.
inline constexpr uint32_t kAnyBlockVectorCount = (1u << (kMostNewBlockVectors + 1)) - 1;
inline constexpr uint32_t kAnyBlockVectorClass = (1u << (kBlockVectorBits + 1)) - 1;

// The vectors of a tile, the one used last first.
class BlockVectorList {
 public:
  int count() const { return count_; }
  BlockVector operator[](int k) const { return vectors_[k]; }

  // Makes `vector` the first; if it is new and the list is full, the last one is removed.
  void Add(BlockVector vector);
  // Brings those of the block copy modes in the mask `modes` to the front, both parts in their
  // order.
  void MoveToFront(uint32_t modes);

 private:
  int count_ = 0;
  std::array<BlockVector, kBlockCopyModes> vectors_{};
};

// Where the vectors point from one macroblock.
struct BlockSources {
  int32_t count = 0;
  BlockVector vectors[kBlockCopyModes];
  // Where the macroblock's first pixel is copied from, in the tile.
  BlockVector first[kBlockCopyModes];
  int32_t tile_width = 0;
  int32_t front = -1;  // of a tile that is coded in wave fronts: the macroblock's

  // The modes that `rect` can be predicted by: all that it is copied from lies in the tile, and in
  // macroblocks of earlier fronts; in raster order either above the row of macroblocks or left of
  // the macroblock.
  MMP_HOST_DEVICE uint32_t AvailableModes(BlockRect rect) const {
    const int bottom = rect.y + rect.height(), right = rect.x + rect.width();
    uint32_t modes = 0;
    for (int k = 0; k < count; ++k) {
      const bool inside =
          first[k].y + rect.y >= 0 && first[k].x + rect.x >= 0 && first[k].x + right <= tile_width;
      const bool earlier = front < 0
                               ? vectors[k].y + bottom <= 0 || vectors[k].x + right <= 0
                               : FrontOf(first[k].y + bottom - 1, first[k].x + right - 1) < front;
      modes |= static_cast<uint32_t>(inside && earlier) << (kFirstBlockCopy + k);
    }
    return modes;
  }
};

// The same, and what they point at: mode kFirstBlockCopy + k predicts pixel (i, j) of the
// macroblock as pixels[k][16 i + j].
struct BlockCopies : BlockSources {
  // 0 where there is nothing to copy
  alignas(16) uint8_t pixels[kBlockCopyModes][kMacroblockPixels];

  // Predicts `rect` by a mode that is available: prediction[i * width + j].
  MMP_HOST_DEVICE void Predict(BlockRect rect, int mode, uint8_t* prediction) const {
    const int width = rect.width();
    for (int i = 0; i < rect.height(); ++i)
      for (int j = 0; j < width; ++j)
        prediction[i * width + j] =
            pixels[mode - kFirstBlockCopy][(rect.y + i) * kMacroblockSize + rect.x + j];
  }
};

// For the macroblock at `place` of a tile of `width` columns.
BlockSources FindBlockSources(const BlockVectorList& vectors, MacroblockOrder order, int width,
                              MacroblockPlace place);
// The same; the tile's reconstruction is `plane`, `width` samples a row. Reads samples of earlier
// fronts only.
void LoadBlockCopies(const BlockVectorList& vectors, MacroblockOrder order, const uint8_t* plane,
                     int width, MacroblockPlace place, BlockCopies& copies);

// A vector in symbols. Its size down and across have each a class, the number of its bits.
inline int BlockVectorClass(int32_t component) {
  return std::bit_width(static_cast<uint32_t>(component < 0 ? -component : component));
}

}  // namespace mmp

#endif  // MMP_CODEC_INTRA_BLOCK_COPY_H_
