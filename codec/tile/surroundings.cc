#include "codec/tile/surroundings.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <span>

#include "codec/base/fixed_log2.h"
#include "codec/base/parameters.h"
#include "codec/bitstream/container.h"

namespace mmp {
namespace {

constexpr int kOne = 16;  // of a feature

// The logarithm to base 2 in eighths.
int Log2InEighths(uint32_t value) { return Log2Q12(value) >> (kRateShift - 3); }

// Modes that predict alike.
int ModeGroup(int mode) {
  if (mode >= kFirstBlockCopy) return 5;
  if (mode == kTemplate) return 4;
  if (mode == kBlockLeastSquares) return 3;
  if (mode == kMostFrequent || mode == kPlanar) return 0;
  constexpr int kLastFromAbove = 18;
  return mode == kVertical || (mode >= kFirstAngle && mode <= kLastFromAbove) ? 1 : 2;
}

// By two levels, the first being kLevelCount where there is none: the features of Size.
using SizeFeatures = std::array<int16_t, 2>;
constexpr std::array<std::array<SizeFeatures, kLevelCount>, kLevelCount + 1> MakeSizes() {
  std::array<std::array<SizeFeatures, kLevelCount>, kLevelCount + 1> sizes{};
  for (int level = 0; level < kLevelCount; ++level) {
    for (int than = 0; than < kLevelCount; ++than) {
      const LevelShape a = kLevelShapes[level], b = kLevelShapes[than];
      sizes[level][than] = {static_cast<int16_t>((a.log2_height - b.log2_height) * (kOne / 2)),
                            static_cast<int16_t>((a.log2_width - b.log2_width) * (kOne / 2))};
    }
  }
  return sizes;
}
constexpr auto kSizes = MakeSizes();

}  // namespace

void OpenCuts::Add(int symbol, bool is_cut) {
  if (depth_ > 0) {
    Cut& cut = cuts_[depth_ - 1];
    if (--cut.parts_to_come == 1) cut.first_symbol = static_cast<uint8_t>(symbol);
  }
  if (is_cut)
    cuts_[depth_++] = {static_cast<uint8_t>(symbol), 2, 0};
  else
    while (depth_ > 0 && cuts_[depth_ - 1].parts_to_come == 0) --depth_;
}

// Puts features one behind the other.
class Surroundings::Writer {
 public:
  explicit Writer(FlagFeatures& features) : next_(features.data()), end_(next_ + kFlagFeatures) {}

  void Number(int value) { *next_++ = static_cast<int16_t>(value); }
  void Condition(bool value) { Number(value ? kOne : 0); }
  // A feature for each number from 0 to `count` - 1: whether `value` is that.
  void OneOf(int value, int count) {
    for (int k = 0; k < count; ++k) Condition(value == k);
  }
  // How much taller and wider blocks of `level` are than those of `than`; 0 if there is no level.
  void Size(int level, int than) { next_ = std::copy_n(kSizes[level][than].data(), 2, next_); }
  void Numbers(std::span<const int16_t> values) {
    next_ = std::copy(values.begin(), values.end(), next_);
  }
  bool IsFull() const { return next_ == end_; }

 private:
  int16_t* next_;
  const int16_t* end_;
};

// Sums over the pixels left of a block and above it. The sums are side by side in one number,
// none exceeding its sixteen bits.
struct Surroundings::Border {
  uint64_t left = 0, above = 0;

  static uint64_t Of(const Cell& cell) {
    const LevelShape shape = kLevelShapes[cell.prediction_level];
    const uint64_t is_cut = cell.leaf_level != cell.prediction_level ? 1 : 0;
    return shape.log2_height | uint64_t{shape.log2_width} << 16 | is_cut << 32 |
           uint64_t{cell.energy} << 48;
  }
  static int Energy(uint64_t sums) { return static_cast<int>(sums >> 48); }
  int log2_height() const { return static_cast<int>((left + above) & 0xffff); }
  int log2_width() const { return static_cast<int>((left + above) >> 16 & 0xffff); }
  int cut() const { return static_cast<int>((left + above) >> 32 & 0xffff); }
};

void Surroundings::Restart(int width, int height, uint8_t pattern_scale) {
  // Without trained patterns the scale is not in the file: it is as for lambda 1.
  constexpr uint32_t kUnknownScale = 16;
  constexpr int kMiddle = 56;
  const uint32_t scale = pattern_scale == 0 ? kUnknownScale : DecodeThreshold(pattern_scale);
  width_ = width;
  scale_ = scale;
  scale_feature_ = Log2InEighths(scale) - kMiddle;
  const size_t columns = static_cast<size_t>(width) / kSide;
  const size_t rows = static_cast<size_t>(height) / kSide;
  lowest_row_.assign(static_cast<size_t>(width), Cell());
  last_column_.assign(rows, {});
  counts_by_column_.assign(columns, Counts());
  counts_by_row_.assign(rows, Counts());
  has_macroblock_ = false;
  last_leaf_level_ = kMacroblockLevel;
  last_leaf_energy_ = 0;
}

void Surroundings::StoreMacroblock() {
  const int row = place_.y / kSide;
  for (int i = 0; i < kSide; ++i) {
    lowest_row_[place_.x + i] = At(kSide - 1, i);
    last_column_[row][i] = At(i, kSide - 1);
  }
  counts_by_column_[place_.x / kSide] = counts_by_row_[row] = counts_;
}

// Of the macroblocks on the left, above, and above and right.
void Surroundings::NoteCountsAround() {
  const int column = place_.x / kSide, row = place_.y / kSide;
  const bool has_above = place_.y > 0;
  const bool has_above_right = has_above && place_.x + kSide < width_;
  const std::array<Counts, 3> around = {place_.x > 0 ? counts_by_row_[row] : Counts(),
                                        has_above ? counts_by_column_[column] : Counts(),
                                        has_above_right ? counts_by_column_[column + 1] : Counts()};
  const auto feature = [](int blocks) {
    return static_cast<int16_t>(blocks == 0 ? 0
                                            : Log2InEighths(static_cast<uint32_t>(blocks)) - kOne);
  };
  for (size_t k = 0; k < around.size(); ++k) {
    counts_around_[k] = feature(around[k].predictions);
    counts_around_[around.size() + k] = feature(around[k].leaves);
  }
}

void Surroundings::BeginMacroblock(MacroblockPlace place) {
  if (has_macroblock_) StoreMacroblock();
  has_macroblock_ = true;
  place_ = place;
  counts_ = {};
  NoteCountsAround();
  prediction_cuts_.Clear();
  map_.fill(Cell());
  if (place.y > 0) {
    const int behind = std::min(place.x + kSide + 1, width_);
    std::copy(&lowest_row_[place.x], lowest_row_.data() + behind, &At(-1, 0));
  }
  if (place.x > 0)
    for (int i = 0; i < kSide; ++i) At(i, -1) = last_column_[place.y / kSide][i];
}

template <typename Change>
void Surroundings::ForEachCell(BlockRect rect, Change change) {
  for (int i = 0; i < rect.height(); ++i)
    for (int j = 0; j < rect.width(); ++j) change(At(rect.y + i, rect.x + j));
}

void Surroundings::AddPartition(BlockRect /*rect*/, int partition) {
  prediction_cuts_.Add(partition,
                       partition == kSplitBothVertical || partition == kSplitBothHorizontal);
  residual_cuts_.Clear();
  const int cut = partition - kSplitResidualVertical + kSplitVertical;
  if (cut >= kSplitVertical) residual_cuts_.Add(cut, true);
}

void Surroundings::AddMode(BlockRect rect, int mode) {
  block_ = rect;
  block_mode_group_ = ModeGroup(mode);
  ++counts_.predictions;
  ForEachCell(rect, [&](Cell& cell) {
    cell.prediction_level = rect.level;
    cell.mode_group = static_cast<uint8_t>(block_mode_group_);
  });
}

void Surroundings::AddResidualFlag(BlockRect /*rect*/, int flag) {
  residual_cuts_.Add(flag, flag != kPattern);
}

void Surroundings::AddLeaf(BlockRect rect, int64_t norm) {
  constexpr int kMostEnergy = 15;
  const uint64_t unit = static_cast<uint64_t>(rect.pixels()) * scale_ * scale_;
  last_leaf_level_ = rect.level;
  last_leaf_energy_ =
      std::min<int>(std::bit_width((static_cast<uint64_t>(norm) << 14) / unit), kMostEnergy);
  ++counts_.leaves;
  ForEachCell(rect, [&](Cell& cell) {
    cell.leaf_level = rect.level;
    cell.energy = static_cast<uint8_t>(last_leaf_energy_);
  });
}

Surroundings::Border Surroundings::BorderOf(BlockRect rect) const {
  Border border;
  if (place_.y + rect.y > 0)
    for (int j = 0; j < rect.width(); ++j) border.above += Border::Of(At(rect.y - 1, rect.x + j));
  if (place_.x + rect.x > 0)
    for (int i = 0; i < rect.height(); ++i) border.left += Border::Of(At(rect.y + i, rect.x - 1));
  return border;
}

// The features that both kinds of flags have.
void Surroundings::AddCommon(BlockRect rect, Writer& to) const {
  const int y = rect.y, x = rect.x, h = rect.height(), w = rect.width();
  to.Condition(place_.x + x > 0);
  to.Condition(place_.y + y > 0);
  const Cell &left = At(y, x - 1), &low_left = At(y + h - 1, x - 1);
  const Cell &above = At(y - 1, x), &right_above = At(y - 1, x + w - 1);
  const Cell& above_right = At(y - 1, x + w);
  const Cell below_left = y + h < kSide ? At(y + h, x - 1) : Cell();
  for (const Cell& cell : {left, low_left, above, right_above})
    to.Size(cell.prediction_level, rect.level);
  for (const Cell& cell : {above_right, below_left}) {
    to.Size(cell.prediction_level, rect.level);
    to.Condition(cell.prediction_level != kNoLevel);
  }
  for (const Cell& cell : {left, low_left, above, right_above, above_right})
    to.Size(cell.leaf_level, rect.level);

  const Border border = BorderOf(rect);
  to.Number(Border::Energy(border.left) * 8 / h);
  to.Number(Border::Energy(border.above) * 8 / w);
  const int pixels = (place_.x + x > 0 ? h : 0) + (place_.y + y > 0 ? w : 0);
  const int n = std::max(pixels, 1);
  const int height = border.log2_height() * 8 / n, width = border.log2_width() * 8 / n;
  to.Number(pixels > 0 ? height + width - kOne : 0);
  to.Number(width - height);
  to.Number(pixels > 0 ? border.cut() * 32 / n - kOne : 0);

  to.Number((y >> 2) * 8 - 12);
  to.Number((x >> 2) * 8 - 12);
  to.Number(scale_feature_);

  to.Numbers(counts_around_);
}

FlagFeatures Surroundings::PartitionFeatures(BlockRect rect) const {
  FlagFeatures features;
  Writer to(features);
  AddCommon(rect, to);
  to.OneOf(At(rect.y, rect.x - 1).mode_group, kModeGroups);
  to.OneOf(At(rect.y - 1, rect.x).mode_group, kModeGroups);
  const OpenCuts::Cut cut = prediction_cuts_.Innermost();
  const bool is_second = prediction_cuts_.IsSecondPart();
  to.Condition(cut.symbol == kSplitBothVertical);
  to.Condition(cut.symbol == kSplitBothHorizontal);
  to.Condition(is_second);
  to.OneOf(is_second ? cut.first_symbol : kPartitions, kPartitions);
  assert(to.IsFull());
  return features;
}

FlagFeatures Surroundings::ResidualFlagFeatures(BlockRect rect) const {
  FlagFeatures features;
  Writer to(features);
  AddCommon(rect, to);
  to.Number((rect.y - block_.y) * 4);
  to.Number((rect.x - block_.x) * 4);
  to.Size(last_leaf_level_, rect.level);
  const OpenCuts::Cut cut = residual_cuts_.Innermost();
  const bool is_second = residual_cuts_.IsSecondPart();
  to.Condition(cut.symbol == kSplitVertical);
  to.Condition(is_second);
  to.OneOf(is_second ? cut.first_symbol : kResidualFlags, kResidualFlags);
  to.Number(std::min(residual_cuts_.depth(), 7) * 4 - 8);
  to.Size(block_.level, rect.level);
  to.OneOf(block_mode_group_, kModeGroups - 1);

  // The mean energy of the pixels of the same prediction block that are left of it and above.
  int energy = 0, pixels = 0;
  if (rect.y > block_.y) {
    for (int j = 0; j < rect.width(); ++j) energy += At(rect.y - 1, rect.x + j).energy;
    pixels += rect.width();
  }
  if (rect.x > block_.x) {
    for (int i = 0; i < rect.height(); ++i) energy += At(rect.y + i, rect.x - 1).energy;
    pixels += rect.height();
  }
  to.Number(pixels > 0 ? energy * 8 / pixels : 0);
  to.Condition(pixels > 0);
  to.Number(last_leaf_energy_ * 8);
  assert(to.IsFull());
  return features;
}

}  // namespace mmp
