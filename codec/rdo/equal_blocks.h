// Finds the blocks of a picture that are equal to one, by hashes of them.
#ifndef MMP_CODEC_RDO_EQUAL_BLOCKS_H_
#define MMP_CODEC_RDO_EQUAL_BLOCKS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "codec/rdo/place_lists.h"
#include "common/task_pool.h"
#include "mmp/image.h"

namespace mmp {

// Of 8x8 pixels, with more than one gray level.
class EqualBlocks {
 public:
  static constexpr int kSide = 8;

  struct Place {
    int y, x;
  };

  // `image` must live as long as this. The pool shares what is to be done at once.
  EqualBlocks(const ImageView& image, TaskPool& pool);

  // The block at (y, x), which lies in the picture, can be found from now on. Flat ones never are.
  void Add(int y, int x);

  // Those that are most likely equal to the block at (y, x), which lies in the picture: of those
  // added last, in rows up to `y`.
  std::vector<Place> Find(int y, int x) const;

 private:
  // Those of blocks that begin in rows [first, last).
  void HashRows(int first, int last);

  const ImageView image_;
  // Of the block at each place; 0: flat, or not inside the picture.
  std::unique_ptr<uint32_t[]> hashes_;
  PlaceLists places_;  // by the first bits of hashes
};

}  // namespace mmp

#endif  // MMP_CODEC_RDO_EQUAL_BLOCKS_H_
