// Finds what repeats in a picture: the block vectors that a front should have.
// The encoder's own choice; a file can have any.
#ifndef MMP_CODEC_RDO_BLOCK_VECTOR_SEARCH_H_
#define MMP_CODEC_RDO_BLOCK_VECTOR_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "codec/base/lambda.h"
#include "codec/base/macroblock_order.h"
#include "codec/base/parameters.h"
#include "codec/intra/block_copy.h"
#include "codec/rdo/copy_costs.h"
#include "codec/rdo/equal_blocks.h"
#include "codec/rdo/similar_blocks.h"
#include "common/task_pool.h"
#include "mmp/image.h"

namespace mmp {

// Follows a tile's fronts in their order.
class BlockVectorSearch {
 public:
  // `image` is the tile's original; it and the parameters must live as long as this. The pool
  // shares what is to be done at once.
  BlockVectorSearch(const ImageView& image, const CodecParameters& parameters, Lambda lambda,
                    TaskPool& pool);

  // At most kMostNewBlockVectors vectors for the front. Each saves more bits than it costs beyond
  // what those of `known` save, by an estimate. In wave fronts, whose macroblocks share their
  // vectors, they copy what repeats exactly; in raster order also what is similar.
  std::vector<BlockVector> FindNew(const BlockVectorList& known,
                                   std::span<const MacroblockPlace> front) const {
    return Choose(known, front).vectors;
  }

  // The front has been coded: what follows may be copied from it.
  void Add(std::span<const MacroblockPlace> front);

  // Whether vectors save so much of a picture in raster order, a vector or two for each macroblock,
  // that it should have this order; estimated from a part of the picture.
  static bool PayInRasterOrder(const ImageView& image, const CodecParameters& parameters,
                               Lambda lambda);

 private:
  struct Choice {
    std::vector<BlockVector> vectors;
    int64_t saved = 0;  // beyond their own cost, in 1/4096 bit
  };

  // What a vector copies of a front.
  struct Copy {
    size_t macroblock;  // in the front
    CellCosts costs;
  };
  struct Candidate {
    BlockVector vector;
    std::vector<Copy> copies;
  };

  Choice Choose(const BlockVectorList& known, std::span<const MacroblockPlace> front) const;
  // Of a macroblock that has these vectors.
  CellCosts CostWith(const BlockVectorList& vectors, MacroblockPlace place) const;
  void CollectVectors(MacroblockPlace place, std::vector<BlockVector>& vectors) const;
  std::vector<Candidate> CostCandidates(const std::vector<BlockVector>& vectors,
                                        std::span<const MacroblockPlace> front) const;

  const ImageView image_;
  const CopyCosts costs_;
  EqualBlocks equal_;
  std::optional<SimilarBlocks> similar_;  // in raster order
};

}  // namespace mmp

#endif  // MMP_CODEC_RDO_BLOCK_VECTOR_SEARCH_H_
