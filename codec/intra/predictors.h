// The intra prediction modes that read only a block's border: what each needs and what it predicts.
// One body for host and device. Normative: docs/format.md, "Prediction".
#ifndef MMP_CODEC_INTRA_PREDICTORS_H_
#define MMP_CODEC_INTRA_PREDICTORS_H_

#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "codec/base/levels.h"
#include "codec/base/parameters.h"
#include "codec/intra/canvas.h"
#include "codec/intra/neighbours.h"
#include "common/host_device.h"

namespace mmp {

// The reconstructed pixels beside a block, as one line: line[kOrigin] is the pixel above and left
// of the block, line[kOrigin + 1 + j] the pixel above column j, line[kOrigin - 1 - i] the pixel
// left of row i. Pixels further than the last available one repeat it, on both ends.
struct BlockBorder : BlockNeighbours {
  static constexpr int kReach = 2 * kMacroblockSize + 2;  // entries either side of the origin
  static constexpr int kOrigin = kReach;

  uint8_t line[2 * kReach + 1];
  uint8_t average2[2 * kReach + 1];  // [k]: rounded mean of line[k] and line[k + 1]
  uint8_t average3[2 * kReach + 1];  // [k]: (line[k - 1] + 2 line[k] + line[k + 1] + 2) >> 2

  MMP_HOST_DEVICE int Top(int j) const { return line[kOrigin + 1 + j]; }
  MMP_HOST_DEVICE int Left(int i) const { return line[kOrigin - 1 - i]; }
};

// Reads the border of `rect` from the canvas.
MMP_HOST_DEVICE inline void LoadBorder(const Canvas& canvas, BlockRect rect, BlockBorder& border) {
  constexpr int o = BlockBorder::kOrigin;
  const int h = rect.height(), w = rect.width();
  const int y = rect.y, x = rect.x;
  static_cast<BlockNeighbours&>(border) = NeighboursOf(canvas, rect);
  border.line[o] = border.has_top && border.has_left ? canvas.Pixel(y - 1, x - 1) : 0;
  // Top, with as much of the row beyond the block as is there, up to w + h pixels in all.
  int last = 0;
  if (border.has_top) {
    for (int j = 0; j < w; ++j) border.line[o + 1 + j] = canvas.Pixel(y - 1, x + j);
    int j = w;
    for (; j < w + h && HasBeyond(canvas, rect, 1, j - w); ++j)
      border.line[o + 1 + j] = canvas.Pixel(y - 1, x + j);
    last = j;
  }
  for (int j = last; j < BlockBorder::kReach; ++j)
    border.line[o + 1 + j] = last > 0 ? border.line[o + last] : 0;
  if (border.has_left)
    for (int i = 0; i < h; ++i) border.line[o - 1 - i] = canvas.Pixel(y + i, x - 1);
  last = border.has_left ? h : 0;
  for (int i = last; i < BlockBorder::kReach; ++i)
    border.line[o - 1 - i] = last > 0 ? border.line[o - last] : 0;
  for (int k = 0; k < 2 * BlockBorder::kReach; ++k)
    border.average2[k] = static_cast<uint8_t>((border.line[k] + border.line[k + 1] + 1) >> 1);
  for (int k = 1; k < 2 * BlockBorder::kReach; ++k)
    border.average3[k] = static_cast<uint8_t>(
        (border.line[k - 1] + 2 * border.line[k] + border.line[k + 1] + 2) >> 2);
}

// The direction of an angular mode: from a line of pixels to the next, which lies further from the
// border, the prediction moves on by `offset` / 32 pixels. Lines are rows and the border is the one
// above, or lines are columns and the border is the one on the left.
struct Angle {
  int offset;
  int inverse;  // 8192 / |offset|
  bool columns;
};

// Small numbers in one, the first one lowest.
template <typename T>
constexpr uint64_t Pack(std::initializer_list<T> values) {
  uint64_t packed = 0;
  int shift = 0;
  for (const T value : values) {
    packed |= uint64_t{static_cast<std::make_unsigned_t<T>>(value)} << shift;
    shift += 8 * static_cast<int>(sizeof(T));
  }
  return packed;
}

MMP_HOST_DEVICE constexpr Angle AngleOf(int mode) {
  // A table would be in slow memory on a device, and divisions are slow there.
  constexpr uint64_t kRowOffsets = Pack<int8_t>({32, 22, 14, 7, -7, -14, -22, -32});
  constexpr uint64_t kColumnOffsets = Pack<int8_t>({-22, -14, -7, 7, 14, 22});
  constexpr uint64_t kInverses = Pack<int16_t>({8192 / 7, 8192 / 14, 8192 / 22, 8192 / 32});
  const int k = mode - kFirstAngle;
  const uint64_t offsets = k < 8 ? kRowOffsets : kColumnOffsets;
  const int byte = static_cast<int>(offsets >> 8 * (k & 7) & 255);
  const int offset = byte < 128 ? byte : byte - 256;
  const int size = offset < 0 ? -offset : offset;
  const int place = (size >> 3) - (size >> 5);  // of 7, 14, 22 and 32: 0 to 3
  return {offset, static_cast<int>(kInverses >> 16 * place & 0xffff), k >= 8};
}
constexpr bool InversesAreRight() {
  for (int mode = kFirstAngle; mode <= kLastAngle; ++mode) {
    const Angle angle = AngleOf(mode);
    if (angle.inverse != 8192 / (angle.offset < 0 ? -angle.offset : angle.offset)) return false;
  }
  return true;
}
static_assert(InversesAreRight());

// True of the modes that are defined here.
MMP_HOST_DEVICE constexpr bool IsBorderMode(int mode) {
  return mode != kLeastSquares && mode <= kLastAngle;
}

// The modes whose neighbours exist, as a bit mask.
MMP_HOST_DEVICE inline uint32_t AvailableModes(const BlockNeighbours& neighbours, int level) {
  const bool top = neighbours.has_top, left = neighbours.has_left;
  const bool both = top && left;
  uint32_t modes = 1u << kMostFrequent;
  if (top) modes |= 1u << kVertical;
  if (left) modes |= 1u << kHorizontal;
  if (both) modes |= 1u << kPlanar;
  if (both && neighbours.has_two) modes |= 1u << kTemplate;
  if (level == kMacroblockLevel) return both ? modes | 1u << kDownLeft : modes;
  if (top && neighbours.has_top_right) modes |= 1u << kDownLeft | 1u << kVerticalLeft;
  if (left) modes |= 1u << kHorizontalUp;
  if (both)
    modes |= 1u << kDownRight | 1u << kVerticalRight | 1u << kHorizontalDown | 1u << kLeastSquares;
  if (both && neighbours.has_two) modes |= 1u << kBlockLeastSquares;
  for (int mode = kFirstAngle; mode <= kLastAngle; ++mode) {
    const Angle angle = AngleOf(mode);
    if (angle.offset < 0 ? both : angle.columns ? left : top) modes |= 1u << mode;
  }
  return modes;
}

// The rounded mean of `count` values of sum `sum`.
MMP_HOST_DEVICE constexpr int RoundedMean(int sum, int count) {
  return (2 * sum + count) / (2 * count);
}
// The value of the largest key is the most frequent one; of equally frequent ones the one nearest
// to the mean, of two equally near the smaller.
MMP_HOST_DEVICE constexpr int FrequencyKey(int value, int frequency, int mean) {
  const int distance = value < mean ? mean - value : value - mean;
  return frequency << 16 | (255 - distance) << 8 | (255 - value);
}
MMP_HOST_DEVICE constexpr int ValueOfFrequencyKey(int key) { return 255 - (key & 255); }
inline constexpr int kValueOfNone = 128;  // the most frequent value where there are no neighbours

// The most frequent value among the pixels above and left of the block; of equally frequent ones
// the one nearest to their rounded mean, of two equally near the smaller. 128 without neighbours.
MMP_HOST_DEVICE inline int MostFrequentValue(const BlockBorder& border, int height, int width) {
  constexpr int o = BlockBorder::kOrigin;
  uint8_t values[2 * kMacroblockSize] = {};
  int count = 0, sum = 0;
  if (border.has_top)
    for (int j = 0; j < width; ++j) values[count++] = border.line[o + 1 + j];
  if (border.has_left)
    for (int i = 0; i < height; ++i) values[count++] = border.line[o - 1 - i];
  if (count == 0) return kValueOfNone;
  for (int k = 0; k < count; ++k) sum += values[k];
  const int mean = RoundedMean(sum, count);
  // All entries at once, in whole SIMD vectors: frequency[m] counts the values equal to values[m].
  constexpr int kTogether = 16;
  uint8_t frequency[2 * kMacroblockSize] = {};
  for (int start = 0; start < count; start += kTogether)
    for (int k = 0; k < count; ++k)
      for (int m = start; m < start + kTogether; ++m) frequency[m] += values[m] == values[k];
  int best = -1;
  for (int k = 0; k < count; ++k) {
    const int key = FrequencyKey(values[k], frequency[k], mean);
    if (key > best) best = key;
  }
  return ValueOfFrequencyKey(best);
}

// The plane of H.264's 16x16 prediction: value at (i, j) is clip((a + b (j - 7) + c (i - 7) + 16)
// >> 5).
struct Plane {
  int a, b, c;

  MMP_HOST_DEVICE uint8_t At(int i, int j) const {
    const int v = (a + b * (j - 7) + c * (i - 7) + 16) >> 5;
    return static_cast<uint8_t>(v < 0 ? 0 : v > 255 ? 255 : v);
  }
};

MMP_HOST_DEVICE inline Plane FitPlane(const BlockBorder& border) {
  constexpr int o = BlockBorder::kOrigin;
  int slope_x = 0, slope_y = 0;
  for (int k = 1; k <= 8; ++k) {
    slope_x += k * (border.line[o + 8 + k] - border.line[o + 8 - k]);
    slope_y += k * (border.line[o - 8 - k] - border.line[o - 8 + k]);
  }
  return {16 * (border.Top(15) + border.Left(15)), (5 * slope_x + 32) >> 6,
          (5 * slope_y + 32) >> 6};
}

// The directional modes read a block's lines of pixels (rows, or for kHorizontalDown and
// kHorizontalUp columns) straight out of a border line.
MMP_HOST_DEVICE constexpr bool IsColumnMode(int mode) {
  return mode == kHorizontalDown || mode == kHorizontalUp;
}

// Pixel (major, minor) of directional mode `mode`: (row, column), or (column, row) of a column
// mode.
MMP_HOST_DEVICE inline uint8_t DirectionalPixel(const BlockBorder& border, int mode, int major,
                                                int minor) {
  constexpr int o = BlockBorder::kOrigin;
  switch (mode) {
    case kDownLeft:
      return border.average3[o + 2 + major + minor];
    case kDownRight:
      return border.average3[o + minor - major];
    case kVerticalRight: {
      // Twice the distance along the top border from the corner, less the rows.
      const int z = 2 * minor - major;
      if (z >= 0)
        return (z & 1) == 0 ? border.average2[o + (z >> 1)] : border.average3[o + (z >> 1) + 1];
      return border.average3[o + z + 1];
    }
    case kHorizontalDown: {
      const int z = 2 * minor - major;
      if (z >= 0)
        return (z & 1) == 0 ? border.average2[o - 1 - (z >> 1)] : border.average3[o - 1 - (z >> 1)];
      return border.average3[o - z - 1];
    }
    case kVerticalLeft:
      return (major & 1) == 0 ? border.average2[o + 1 + minor + (major >> 1)]
                              : border.average3[o + 2 + minor + (major >> 1)];
    default:  // kHorizontalUp
      return (major & 1) == 0 ? border.average2[o - 2 - minor - (major >> 1)]
                              : border.average3[o - 2 - minor - (major >> 1)];
  }
}

template <int kMode>
MMP_HOST_DEVICE inline void PredictDirection(const BlockBorder& border, int height, int width,
                                             uint8_t* prediction) {
  if constexpr (IsColumnMode(kMode)) {
    for (int j = 0; j < width; ++j)
      for (int i = 0; i < height; ++i)
        prediction[i * width + j] = DirectionalPixel(border, kMode, j, i);
  } else {
    for (int i = 0; i < height; ++i)
      for (int j = 0; j < width; ++j)
        prediction[i * width + j] = DirectionalPixel(border, kMode, i, j);
  }
}

// Position-dependent prediction combination (PDPC, as in VVC): the weight of a border pixel in the
// prediction of a pixel at `distance` from it, counted from 0, in 1/64. It halves every few pixels,
// the slower the larger the block.
MMP_HOST_DEVICE constexpr int PdpcWeight(int distance, int slowness) {
  const int halvings = 2 * distance >> slowness;
  return halvings < 6 ? 32 >> halvings : 0;
}

// How slowly these weights fall in a planar block.
MMP_HOST_DEVICE constexpr int PlanarSlowness(LevelShape shape) {
  return shape.log2_pixels() > 2 ? (shape.log2_pixels() - 2) >> 2 : 0;
}

// A smooth surface between the borders, blended with them near them by position-dependent weights
// (as PDPC in VVC).
MMP_HOST_DEVICE inline uint8_t PlanarPixel(const BlockBorder& border, LevelShape shape, int i,
                                           int j) {
  const int h = shape.height(), w = shape.width();
  const int log2_pixels = shape.log2_pixels();
  const int right = border.Top(border.has_top_right ? w : w - 1), below = border.Left(h - 1);
  const int across = (w - 1 - j) * border.Left(i) + (j + 1) * right;
  const int down = (h - 1 - i) * border.Top(j) + (i + 1) * below;
  const int surface =
      ((across << shape.log2_height) + (down << shape.log2_width) + h * w) >> (log2_pixels + 1);
  const int slowness = PlanarSlowness(shape);
  const int of_left = PdpcWeight(j, slowness), of_top = PdpcWeight(i, slowness);
  return static_cast<uint8_t>((of_left * border.Left(i) + of_top * border.Top(j) +
                               (64 - of_left - of_top) * surface + 32) >>
                              6);
}

// The border of an angular mode as one straight line: value[k] for k in [-kBefore, kAfter], 0 being
// the corner and what is above it the border that the lines begin at. The other border is projected
// on the entries below 0.
struct AngleBorder {
  static constexpr int kBefore = kMacroblockSize + 1;
  static constexpr int kAfter = BlockBorder::kReach;

  MMP_HOST_DEVICE static int Entry(const BlockBorder& border, Angle angle, int k) {
    if (k == 0 && !(border.has_top && border.has_left)) k = 1;
    if (k < 0) {
      // The distance along the other border is 32 / -offset of that along this one.
      const int along = (-k * angle.inverse + 128) >> 8;
      k = -(along < kAfter - 1 ? along : kAfter - 1);
    }
    return border.line[BlockBorder::kOrigin + (angle.columns ? -k : k)];
  }
};

// Pixel `minor` of line `major` for an angle. `entry(k)`: AngleBorder::Entry(border, angle, k).
template <typename EntryFn>
MMP_HOST_DEVICE inline uint8_t AnglePixel(const BlockBorder& border, Angle angle, LevelShape shape,
                                          int major, int minor, EntryFn entry) {
  // Cubic interpolation between two entries, from these and their neighbours.
  const int position = (major + 1) * angle.offset;
  const int k = minor + 1 + (position >> 5), f = position & 31;
  const int sum = (-f * f * f + 64 * f * f - 1024 * f) * entry(k - 1) +
                  (3 * f * f * f - 160 * f * f + 65536) * entry(k) +
                  (-3 * f * f * f + 128 * f * f + 1024 * f) * entry(k + 1) +
                  (f * f * f - 32 * f * f) * entry(k + 2) + 32768;
  const int value = sum < 0 ? 0 : sum >> 16 > 255 ? 255 : sum >> 16;
  if (angle.offset < 0) return static_cast<uint8_t>(value);
  // Near the other border, blended with its pixel where the direction meets it, if that is beside
  // the block.
  const bool has_other = angle.columns ? border.has_top : border.has_left;
  const int other = major + 1 + (((minor + 1) * angle.inverse + 128) >> 8);
  if (!has_other || other > (angle.columns ? shape.width() : shape.height()))
    return static_cast<uint8_t>(value);
  const int weight = PdpcWeight(minor, 2);
  return static_cast<uint8_t>(
      ((64 - weight) * value +
       weight * border.line[BlockBorder::kOrigin + (angle.columns ? other : -other)] + 32) >>
      6);
}

MMP_HOST_DEVICE inline void PredictAngle(const BlockBorder& border, int mode, LevelShape shape,
                                         uint8_t* prediction) {
  const Angle angle = AngleOf(mode);
  const int h = shape.height(), w = shape.width();
  constexpr int kBefore = AngleBorder::kBefore, kAfter = AngleBorder::kAfter;
  int line[kBefore + kAfter + 1];
  for (int k = angle.offset < 0 ? -kBefore : 0; k <= kAfter; ++k)
    line[k + kBefore] = AngleBorder::Entry(border, angle, k);
  auto entry = [&](int k) { return line[k + kBefore]; };
  for (int i = 0; i < h; ++i)
    for (int j = 0; j < w; ++j)
      prediction[i * w + j] = angle.columns ? AnglePixel(border, angle, shape, j, i, entry)
                                            : AnglePixel(border, angle, shape, i, j, entry);
}

// Predicts a whole block with any mode that IsBorderMode: prediction[i * width + j].
MMP_HOST_DEVICE inline void PredictBlock(const BlockBorder& border, int mode, int level,
                                         uint8_t* prediction) {
  const LevelShape shape = ShapeOfLevel(level);
  const int h = shape.height(), w = shape.width();
  switch (mode) {
    case kVertical:
      for (int i = 0; i < h; ++i)
        for (int j = 0; j < w; ++j) prediction[i * w + j] = static_cast<uint8_t>(border.Top(j));
      return;
    case kHorizontal:
      for (int i = 0; i < h; ++i)
        for (int j = 0; j < w; ++j) prediction[i * w + j] = static_cast<uint8_t>(border.Left(i));
      return;
    case kMostFrequent: {
      const uint8_t value = static_cast<uint8_t>(MostFrequentValue(border, h, w));
      for (int k = 0; k < h * w; ++k) prediction[k] = value;
      return;
    }
    case kDownLeft: {
      if (level != kMacroblockLevel) return PredictDirection<kDownLeft>(border, h, w, prediction);
      const Plane plane = FitPlane(border);
      for (int i = 0; i < h; ++i)
        for (int j = 0; j < w; ++j) prediction[i * w + j] = plane.At(i, j);
      return;
    }
    case kDownRight:
      return PredictDirection<kDownRight>(border, h, w, prediction);
    case kVerticalRight:
      return PredictDirection<kVerticalRight>(border, h, w, prediction);
    case kHorizontalDown:
      return PredictDirection<kHorizontalDown>(border, h, w, prediction);
    case kVerticalLeft:
      return PredictDirection<kVerticalLeft>(border, h, w, prediction);
    case kHorizontalUp:
      return PredictDirection<kHorizontalUp>(border, h, w, prediction);
    case kPlanar:
      for (int i = 0; i < h; ++i)
        for (int j = 0; j < w; ++j) prediction[i * w + j] = PlanarPixel(border, shape, i, j);
      return;
    default:
      return PredictAngle(border, mode, shape, prediction);
  }
}

}  // namespace mmp

#endif  // MMP_CODEC_INTRA_PREDICTORS_H_
