#include "codec/intra/angle_block.h"

#include <algorithm>

#include "codec/intra/block_lines.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/intra/angle_block.cc"
#include "hwy/foreach_target.h"
// clang-format off: the order matters
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The border of an angle as one straight line, value[kBefore + k] being AngleBorder::Entry of k, as
// far as a block of `majors` lines of `minors` pixels needs it; 0 beyond.
struct StraightBorder {
  static constexpr int kBefore = AngleBorder::kBefore;

  StraightBorder(const BlockBorder& border, Angle angle, int majors, int minors) {
    const int furthest = (majors * angle.offset) >> 5;
    const int last = minors + 2 + std::max(furthest, -1);
    for (int k = std::min(furthest, 0); k <= 0; ++k)
      value[kBefore + k] = AngleBorder::Entry(border, angle, k);
    const uint8_t* corner = border.line + BlockBorder::kOrigin;
    if (angle.columns)
      for (int k = 1; k <= last; ++k) value[kBefore + k] = corner[-k];
    else
      for (int k = 1; k <= last; ++k) value[kBefore + k] = corner[k];
  }

  int32_t value[kBefore + AngleBorder::kAfter + 1] = {};
};

// Pixels of a line between entries, the one before the first pixel at `from`, at a distance of
// fraction / 32 from it: cubic interpolation, as in AnglePixel. `pixels` has room for a whole line.
HWY_INLINE void Interpolate(const int32_t* HWY_RESTRICT from, int fraction, int count,
                            uint8_t* HWY_RESTRICT pixels) {
  const hn::CappedTag<int32_t, kMacroblockSize> d;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  const int f = fraction;
  const auto w0 = hn::Set(d, -f * f * f + 64 * f * f - 1024 * f);
  const auto w1 = hn::Set(d, 3 * f * f * f - 160 * f * f + 65536);
  const auto w2 = hn::Set(d, -3 * f * f * f + 128 * f * f + 1024 * f);
  const auto w3 = hn::Set(d, f * f * f - 32 * f * f);
  for (int m = 0; m < count; m += static_cast<int>(hn::Lanes(d))) {
    const auto near =
        hn::Add(hn::Mul(w1, hn::LoadU(d, from + m)), hn::Mul(w2, hn::LoadU(d, from + m + 1)));
    const auto far =
        hn::Add(hn::Mul(w0, hn::LoadU(d, from + m - 1)), hn::Mul(w3, hn::LoadU(d, from + m + 2)));
    const auto sum = hn::Add(hn::Add(near, far), hn::Set(d, 32768));
    hn::StoreU(hn::DemoteTo(d8, hn::ShiftRight<16>(sum)), d8, pixels + m);
  }
}

// Blends the first pixels of each line with the other border, as AnglePixel does.
void BlendWithOther(const BlockBorder& border, Angle angle, int majors, int minors,
                    BlockLines& lines) {
  const uint8_t* corner = border.line + BlockBorder::kOrigin;
  for (int minor = 0; minor < minors; ++minor) {
    const int weight = PdpcWeight(minor, 2);
    if (weight == 0) return;
    const int step = 1 + (((minor + 1) * angle.inverse + 128) >> 8);
    for (int major = 0; major + step <= majors; ++major) {
      uint8_t& pixel = lines[major * kMacroblockSize + minor];
      const int other = corner[angle.columns ? major + step : -(major + step)];
      pixel = static_cast<uint8_t>(((64 - weight) * pixel + weight * other + 32) >> 6);
    }
  }
}

void PredictAngleBlock(const BlockBorder& border, int mode, LevelShape shape, uint8_t* prediction) {
  const Angle angle = AngleOf(mode);
  const int h = shape.height(), w = shape.width();
  const int majors = angle.columns ? w : h, minors = angle.columns ? h : w;
  const StraightBorder straight(border, angle, majors, minors);
  BlockLines lines;
  for (int major = 0; major < majors; ++major) {
    const int position = (major + 1) * angle.offset;
    Interpolate(straight.value + StraightBorder::kBefore + 1 + (position >> 5), position & 31,
                minors, lines + major * kMacroblockSize);
  }
  if (angle.offset > 0 && (angle.columns ? border.has_top : border.has_left))
    BlendWithOther(border, angle, majors, minors, lines);
  if (!angle.columns) return CopyRows(lines, shape, prediction);
  for (int i = 0; i < h; ++i)
    for (int j = 0; j < w; ++j) prediction[i * w + j] = lines[j * kMacroblockSize + i];
}

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {

HWY_EXPORT(PredictAngleBlock);

void PredictAngleBlock(const BlockBorder& border, int mode, LevelShape shape, uint8_t* prediction) {
  HWY_DYNAMIC_DISPATCH(PredictAngleBlock)(border, mode, shape, prediction);
}

}  // namespace mmp
#endif  // HWY_ONCE
