#include "codec/intra/planar_block.h"

#include <array>

#include "codec/intra/block_lines.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/intra/planar_block.cc"
#include "hwy/foreach_target.h"
// clang-format off: the order matters
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// PdpcWeight by slowness and distance.
constexpr auto kBorderWeights = [] {
  std::array<std::array<int32_t, kMacroblockSize>, 2> weights{};
  for (int slowness = 0; slowness < 2; ++slowness)
    for (int distance = 0; distance < kMacroblockSize; ++distance)
      weights[slowness][distance] = PdpcWeight(distance, slowness);
  return weights;
}();

void PredictPlanarBlock(const BlockBorder& border, LevelShape shape,
                        uint8_t* HWY_RESTRICT prediction) {
  const hn::CappedTag<int32_t, kMacroblockSize> d;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  using V = hn::Vec<decltype(d)>;
  const int h = shape.height(), w = shape.width();
  const int log2_height = shape.log2_height, log2_width = shape.log2_width;
  const auto& weights = kBorderWeights[PlanarSlowness(shape)];
  const int right = border.Top(border.has_top_right ? w : w - 1), below = border.Left(h - 1);
  BlockLines rows;
  for (int begin = 0; begin < w; begin += static_cast<int>(hn::Lanes(d))) {
    const V top = hn::PromoteTo(d, hn::LoadU(d8, border.line + BlockBorder::kOrigin + 1 + begin));
    const V of_left = hn::LoadU(d, weights.data() + begin);
    const V column = hn::Iota(d, begin);
    const V to_right = hn::Sub(hn::Set(d, w - 1), column);
    const V of_surface = hn::Sub(hn::Set(d, 64), of_left);
    // What no row changes.
    const V across_right = hn::Mul(hn::Add(column, hn::Set(d, 1)), hn::Set(d, right));
    for (int i = 0; i < h; ++i) {
      const V left = hn::Set(d, border.Left(i)), of_top = hn::Set(d, weights[i]);
      const V across = hn::Add(hn::Mul(to_right, left), across_right);
      const V down = hn::Add(hn::Mul(top, hn::Set(d, h - 1 - i)), hn::Set(d, (i + 1) * below));
      const V twice =
          hn::Add(hn::ShiftLeftSame(across, log2_height), hn::ShiftLeftSame(down, log2_width));
      const V surface =
          hn::ShiftRightSame(hn::Add(twice, hn::Set(d, h * w)), log2_height + log2_width + 1);
      const V borders = hn::Add(hn::Mul(of_left, left), hn::Mul(of_top, top));
      const V sum =
          hn::Add(hn::Add(borders, hn::Mul(hn::Sub(of_surface, of_top), surface)), hn::Set(d, 32));
      hn::StoreU(hn::DemoteTo(d8, hn::ShiftRight<6>(sum)), d8, rows + i * kMacroblockSize + begin);
    }
  }
  CopyRows(rows, shape, prediction);
}

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {

HWY_EXPORT(PredictPlanarBlock);

void PredictPlanarBlock(const BlockBorder& border, LevelShape shape, uint8_t* prediction) {
  HWY_DYNAMIC_DISPATCH(PredictPlanarBlock)(border, shape, prediction);
}

}  // namespace mmp
#endif  // HWY_ONCE
