// Finds the blocks of a picture that differ least from one, as words of a scanned page do.
#ifndef MMP_CODEC_RDO_SIMILAR_BLOCKS_H_
#define MMP_CODEC_RDO_SIMILAR_BLOCKS_H_

#include <cstdint>
#include <memory>

#include "codec/rdo/place_lists.h"
#include "common/task_pool.h"
#include "mmp/image.h"

namespace mmp {

// Of 8x8 pixels. Each has a signature: which of its sixteen 2x2 cells are brighter than the block.
// Similar blocks mostly have one signature, or two that differ in the cells nearest to the mean.
class SimilarBlocks {
 public:
  static constexpr int kSide = 8;
  static constexpr int kMostFound = 4;

  struct Found {
    int32_t squared_error;
    int y, x;
  };
  struct Matches {
    int count = 0;
    Found found[kMostFound];  // the one of least error first
  };

  // `image` must live as long as this. The pool shares what is to be done at once.
  SimilarBlocks(const ImageView& image, TaskPool& pool);

  // The block at (y, x), which lies in the picture, can be found from now on. Flat ones never are.
  void Add(int y, int x);

  // Those like the block at (y, x), which lies in the picture, in rows up to `y`: among the last
  // added of each signature.
  Matches Find(int y, int x) const;

 private:
  // Those of blocks that begin in rows [first, last).
  void SignRows(int first, int last);
  int32_t SquaredError(int y, int x, int other_y, int other_x) const;

  const ImageView image_;
  // Of the block at each place, cell (i, j) at bit 4 i + j; 0: flat, or not inside the picture.
  std::unique_ptr<uint16_t[]> signatures_;
  PlaceLists places_;  // by signature
};

}  // namespace mmp

#endif  // MMP_CODEC_RDO_SIMILAR_BLOCKS_H_
