// What macroblocks are likely to cost, predicted or copied: what block vectors are chosen by.
#ifndef MMP_CODEC_RDO_COPY_COSTS_H_
#define MMP_CODEC_RDO_COPY_COSTS_H_

#include <array>
#include <cstdint>

#include "codec/base/lambda.h"
#include "codec/base/levels.h"
#include "codec/base/macroblock_order.h"
#include "codec/base/parameters.h"
#include "codec/intra/block_copy.h"
#include "codec/intra/canvas.h"
#include "codec/rdo/residual_cost.h"
#include "mmp/image.h"

namespace mmp {

// Of a macroblock's 4x4 cells, that of pixel (i, j) at 4 (i / 4) + j / 4; in 1/4096 bit.
using CellCosts = std::array<int32_t, 16>;

int64_t SumOf(const CellCosts& costs);

// Copies what is worth it of a macroblock that costs so much, each quarter as a whole or where its
// cells are equal. Returns what that saves.
int64_t Improve(const CellCosts& copy, CellCosts& costs);

// Of a tile's macroblocks, estimated from the tile's original.
class CopyCosts {
 public:
  // `image` and the parameters must live as long as this.
  CopyCosts(const ImageView& image, const CodecParameters& parameters, Lambda lambda);

  // Predicted by the best of all modes but copies, each quarter by one.
  CellCosts Predicted(MacroblockPlace place) const;

  // Copied at `vector`; kImpossible: a cell that cannot be, or in wave fronts one that is not
  // equal. False if that is all of them.
  bool Copied(BlockVector vector, MacroblockPlace place, CellCosts& costs) const;

 private:
  bool IsRaster() const { return parameters_.order == MacroblockOrder::kRaster; }
  // Whether all pixels of rows up to `bottom` and columns up to `right` are of earlier fronts than
  // the macroblock, or in raster order of what may be copied into it.
  bool IsEarlier(int bottom, int right, MacroblockPlace place) const;
  // Beyond the image's edge its last row and column are repeated.
  uint8_t Sample(int y, int x) const;
  // The surroundings of a macroblock.
  void LoadCanvas(MacroblockPlace place, Canvas& canvas) const;
  // A quarter of it, whose samples are original[i * kMacroblockSize + j].
  void CostQuarter(const uint8_t* original, BlockRect rect, const Canvas& canvas,
                   CellCosts& costs) const;

  const ImageView image_;
  const CodecParameters& parameters_;
  const ResidualCost residual_cost_;
};

}  // namespace mmp

#endif  // MMP_CODEC_RDO_COPY_COSTS_H_
