// Copy prediction (modes 27 to 30): a block is predicted by pixels of earlier macroblocks that lie
// where a vector points. A tile keeps the vectors used last; new ones are coded before a
// macroblock. Normative: docs/format.md, "Copies".
#ifndef MMP_CODEC_COPIES_H_
#define MMP_CODEC_COPIES_H_

#include <array>
#include <bit>
#include <cstdint>

#include "codec/levels.h"
#include "codec/parameters.h"
#include "common/host_device.h"

namespace mmp {

// From a pixel to the one that it is copied from: rows and columns, up to 65535 either way; no
// vector points down.
struct CopyVector {
  int32_t y, x;
  friend bool operator==(const CopyVector&, const CopyVector&) = default;
};
inline constexpr int kCopyVectorBits = 16;     // of a component's size
inline constexpr int kMostNewCopyVectors = 2;  // before a macroblock
// All symbols of their models.
inline constexpr uint32_t kAnyCopyCount = (1u << (kMostNewCopyVectors + 1)) - 1;
inline constexpr uint32_t kAnyCopyClass = (1u << (kCopyVectorBits + 1)) - 1;

// The vectors of a tile, the one used last first.
class CopyVectors {
 public:
  int count() const { return count_; }
  CopyVector operator[](int k) const { return vectors_[k]; }

  // Makes `vector` the first; if it is new and the list is full, the last one falls out.
  void Add(CopyVector vector);
  // Brings those of the copy modes in the mask `modes` to the front, both parts in their order.
  void MoveToFront(uint32_t modes);

 private:
  int count_ = 0;
  std::array<CopyVector, kCopyModes> vectors_{};
};

// What the vectors point at from one macroblock: mode kFirstCopy + k predicts pixel (i, j) of the
// macroblock as pixels[k][16 i + j].
struct CopyBlocks {
  int32_t count = 0;
  CopyVector vectors[kCopyModes];
  CopyVector first[kCopyModes];  // where the macroblock's first pixel is copied from, in the tile
  int32_t tile_width = 0;
  alignas(16) uint8_t pixels[kCopyModes][kMacroblockPixels];  // 0 where there is nothing to copy

  // The modes that `rect` can be predicted by: all that it is copied from lies in the tile, and
  // either above the row of macroblocks or left of the macroblock.
  MMP_HOST_DEVICE uint32_t AvailableModes(BlockRect rect) const {
    const int bottom = rect.y + rect.height(), right = rect.x + rect.width();
    uint32_t modes = 0;
    for (int k = 0; k < count; ++k) {
      const bool inside =
          first[k].y + rect.y >= 0 && first[k].x + rect.x >= 0 && first[k].x + right <= tile_width;
      const bool earlier = vectors[k].y + bottom <= 0 || vectors[k].x + right <= 0;
      modes |= static_cast<uint32_t>(inside && earlier) << (kFirstCopy + k);
    }
    return modes;
  }

  // Predicts `rect` by a mode that is available: prediction[i * width + j].
  MMP_HOST_DEVICE void Predict(BlockRect rect, int mode, uint8_t* prediction) const {
    const int width = rect.width();
    for (int i = 0; i < rect.height(); ++i)
      for (int j = 0; j < width; ++j)
        prediction[i * width + j] =
            pixels[mode - kFirstCopy][(rect.y + i) * kMacroblockSize + rect.x + j];
  }
};

// Copies for the macroblock at (y, x) of the tile whose reconstruction is `plane`, `width` samples
// a row.
void LoadCopies(const CopyVectors& vectors, const uint8_t* plane, int width, int y, int x,
                CopyBlocks& copies);

// A vector in symbols. Its size down and across have each a class, the number of its bits.
inline int CopyClass(int32_t component) {
  return std::bit_width(static_cast<uint32_t>(component < 0 ? -component : component));
}

}  // namespace mmp

#endif  // MMP_CODEC_COPIES_H_
