#include "codec/copies.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace mmp {

void CopyVectors::Add(CopyVector vector) {
  const auto end = vectors_.begin() + count_;
  auto place = std::find(vectors_.begin(), end, vector);
  if (place == end) {
    if (count_ < kCopyModes) ++count_;
    place = vectors_.begin() + count_ - 1;
    *place = vector;
  }
  std::rotate(vectors_.begin(), place, place + 1);
}

void CopyVectors::MoveToFront(uint32_t modes) {
  const std::array<CopyVector, kCopyModes> before = vectors_;
  int next = 0;
  for (const uint32_t used : {1u, 0u})
    for (int k = 0; k < count_; ++k)
      if ((modes >> (kFirstCopy + k) & 1) == used) vectors_[next++] = before[k];
}

void LoadCopies(const CopyVectors& vectors, const uint8_t* plane, int width, int y, int x,
                CopyBlocks& copies) {
  copies.count = vectors.count();
  copies.tile_width = width;
  for (int k = 0; k < copies.count; ++k) {
    const CopyVector vector = vectors[k];
    const CopyVector first = {y + vector.y, x + vector.x};
    copies.vectors[k] = vector;
    copies.first[k] = first;
    // The rows and columns of the macroblock that have something to be copied from; of that, what
    // is not reconstructed yet is not looked at.
    const int top = std::clamp(-first.y, 0, kMacroblockSize);
    const int left = std::clamp(-first.x, 0, kMacroblockSize);
    const int right = std::clamp(width - first.x, left, kMacroblockSize);
    std::memset(copies.pixels[k], 0, kMacroblockPixels);
    if (left == right) continue;
    for (int i = top; i < kMacroblockSize; ++i)
      std::memcpy(&copies.pixels[k][i * kMacroblockSize + left],
                  plane + static_cast<ptrdiff_t>(first.y + i) * width + first.x + left,
                  right - left);
  }
}

}  // namespace mmp
