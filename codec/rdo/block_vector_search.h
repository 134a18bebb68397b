// Finds what repeats in a picture: the block vectors that a front should have.
// The encoder's own choice; a file can have any.
#ifndef MMP_CODEC_RDO_BLOCK_VECTOR_SEARCH_H_
#define MMP_CODEC_RDO_BLOCK_VECTOR_SEARCH_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "codec/base/macroblock_order.h"
#include "codec/intra/block_copy.h"
#include "common/task_pool.h"
#include "mmp/image.h"

namespace mmp {

// Follows a tile's fronts in their order.
class BlockVectorSearch {
 public:
  // `image` is the tile's original, which must live as long as this. The pool shares what is to be
  // done at once.
  BlockVectorSearch(const ImageView& image, MacroblockOrder order, TaskPool& pool);

  // At most kMostNewBlockVectors vectors for the front, each of which copies exactly much of it
  // that those of `known` do not copy.
  std::vector<BlockVector> FindNew(const BlockVectorList& known,
                                   std::span<const MacroblockPlace> front);

  // The front has been coded: what follows may be copied from it.
  void Add(std::span<const MacroblockPlace> front);

 private:
  // The places whose blocks have one hash, the latest first.
  // Numbers of pixels: a tile has at most kMaxTilePixels.
  struct Places {
    std::vector<int32_t> latest;         // by hash; -1: none
    std::unique_ptr<int32_t[]> earlier;  // by place that was added: the one before with its hash
  };
  // Bit 4 (i / 4) + j / 4 is set for the 4x4 cell at (i, j) of a macroblock.
  using Cells = uint32_t;

  // Those of blocks that begin in rows [first, last).
  void HashRows(int first, int last);
  Cells RichCells(MacroblockPlace place) const;
  Cells CellsCopied(BlockVector vector, MacroblockPlace place) const;
  // Whether all pixels of rows up to `bottom` and columns up to `right` are of earlier fronts than
  // the macroblock, or in raster order of what may be copied into it.
  bool IsEarlier(int bottom, int right, MacroblockPlace place) const;
  void CollectCandidates(MacroblockPlace place, std::vector<BlockVector>& candidates) const;
  void Add(MacroblockPlace place);

  const ImageView image_;
  const MacroblockOrder order_;
  // Of the block at each place; 0: flat, or not inside the picture.
  std::unique_ptr<uint32_t[]> hashes_;
  Places places_;
};

}  // namespace mmp

#endif  // MMP_CODEC_RDO_BLOCK_VECTOR_SEARCH_H_
