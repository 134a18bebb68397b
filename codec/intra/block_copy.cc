#include "codec/intra/block_copy.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace mmp {

void BlockVectorList::Add(BlockVector vector) {
  const auto end = vectors_.begin() + count_;
  auto place = std::find(vectors_.begin(), end, vector);
  if (place == end) {
    if (count_ < kBlockCopyModes) ++count_;
    place = vectors_.begin() + count_ - 1;
    *place = vector;
  }
  std::rotate(vectors_.begin(), place, place + 1);
}

void BlockVectorList::MoveToFront(uint32_t modes) {
  const std::array<BlockVector, kBlockCopyModes> before = vectors_;
  int next = 0;
  for (const uint32_t used : {1u, 0u})
    for (int k = 0; k < count_; ++k)
      if ((modes >> (kFirstBlockCopy + k) & 1) == used) vectors_[next++] = before[k];
}

BlockSources FindBlockSources(const BlockVectorList& vectors, MacroblockOrder order, int width,
                              MacroblockPlace place) {
  BlockSources sources;
  sources.count = vectors.count();
  sources.tile_width = width;
  if (order == MacroblockOrder::kWavefront) sources.front = FrontOf(place.y, place.x);
  for (int k = 0; k < sources.count; ++k) {
    sources.vectors[k] = vectors[k];
    sources.first[k] = {place.y + vectors[k].y, place.x + vectors[k].x};
  }
  return sources;
}

void LoadBlockCopies(const BlockVectorList& vectors, MacroblockOrder order, const uint8_t* plane,
                     int width, MacroblockPlace place, BlockCopies& copies) {
  static_cast<BlockSources&>(copies) = FindBlockSources(vectors, order, width, place);
  for (int k = 0; k < copies.count; ++k) {
    const BlockVector first = copies.first[k];
    std::memset(copies.pixels[k], 0, kMacroblockPixels);
    for (int i = std::max(0, -first.y); i < kMacroblockSize; ++i) {
      const int row = first.y + i;
      // The columns that macroblocks of earlier fronts have of this row.
      int columns = width;
      if (copies.front >= 0)
        columns = std::min(width, (copies.front - 2 * (row / kMacroblockSize)) * kMacroblockSize);
      else if (row >= place.y)
        columns = place.x;
      const int left = std::clamp(-first.x, 0, kMacroblockSize);
      const int right = std::clamp(columns - first.x, left, kMacroblockSize);
      if (left < right)
        std::memcpy(&copies.pixels[k][i * kMacroblockSize + left],
                    plane + static_cast<ptrdiff_t>(row) * width + first.x + left, right - left);
    }
  }
}

}  // namespace mmp
