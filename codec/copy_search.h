// Finds what repeats in a picture: the vectors that copy prediction should have for a macroblock.
// The encoder's own choice; a file can have any.
#ifndef MMP_CODEC_COPY_SEARCH_H_
#define MMP_CODEC_COPY_SEARCH_H_

#include <cstdint>
#include <vector>

#include "codec/copies.h"
#include "codec/mmp.h"

namespace mmp {

// Follows a tile's macroblocks in raster order.
class CopySearch {
 public:
  // `image` is the tile's original, which must live as long as this.
  explicit CopySearch(const ImageView& image);

  // At most kMostNewCopyVectors vectors for the macroblock at (y, x) that copy much of it exactly
  // which those of `known` do not.
  std::vector<CopyVector> FindNew(const CopyVectors& known, int y, int x);

  // The macroblock at (y, x) has been coded: what follows may be copied from it.
  void Add(int y, int x);

 private:
  // The places whose blocks have one hash, the latest first.
  struct Places {
    std::vector<int32_t> latest;   // by hash; -1: none
    std::vector<int32_t> earlier;  // by place: the one before with its hash
  };
  // Bit 4 (i / 4) + j / 4 is set for the 4x4 cell at (i, j) of a macroblock.
  using Cells = uint32_t;

  Cells RichCells(int y, int x) const;
  Cells CellsCopied(CopyVector vector, int y, int x) const;
  void CollectCandidates(int y, int x, std::vector<CopyVector>& candidates) const;

  const ImageView image_;
  std::vector<uint32_t> hashes_;  // of the block at each place; 0: flat, or not inside the picture
  Places places_;
};

}  // namespace mmp

#endif  // MMP_CODEC_COPY_SEARCH_H_
