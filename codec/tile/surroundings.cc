#include "codec/tile/surroundings.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>
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

// sum / pixels, of a sum over so many pixels next to a block, at most 120 each; 0 if there are
// none.
int Mean(int sum, int pixels) {
  constexpr int kMostPixels = 2 * kMacroblockSize, kShift = 18;
  static_assert(120 * kMostPixels * kMostPixels < 1 << kShift);
  static constexpr auto kReciprocals = [] {
    std::array<int32_t, kMostPixels + 1> reciprocals{};
    for (int n = 1; n <= kMostPixels; ++n) reciprocals[n] = ((1 << kShift) + n - 1) / n;
    return reciprocals;
  }();
  return sum * kReciprocals[pixels] >> kShift;
}

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

SurroundingMap::Sums::Sums(Cell cell, int energy) {
  const LevelShape shape = kLevelShapes[cell.prediction_level];
  const uint64_t is_cut = cell.leaf_level != cell.prediction_level ? 1 : 0;
  packed_ = shape.log2_height | uint64_t{shape.log2_width} << 16 | is_cut << 32 |
            static_cast<uint64_t>(energy) << 48;
}

void SurroundingMap::Edge::Restart(size_t pixels) {
  cells.assign(pixels, Cell());
  sums.assign(pixels, Sums());
}

void SurroundingMap::Edge::Add(int first, int count, Cell cell, Sums sums_of_pixel) {
  std::fill_n(cells.begin() + first, count, cell);
  std::fill_n(sums.begin() + first, count, sums_of_pixel);
}

SurroundingMap::Sums SurroundingMap::Edge::Sum(int first, int count) const {
  return std::accumulate(sums.begin() + first, sums.begin() + first + count, Sums());
}

void SurroundingMap::Restart(int width, int height, uint8_t pattern_scale) {
  // Without trained patterns the scale is not in the file: it is as for lambda 1.
  constexpr uint32_t kUnknownScale = 16;
  constexpr int kMiddle = 56;
  const uint32_t scale = pattern_scale == 0 ? kUnknownScale : DecodeThreshold(pattern_scale);
  width_ = width;
  scale_ = scale;
  scale_feature_ = Log2InEighths(scale) - kMiddle;
  const size_t columns = static_cast<size_t>(width) / kMacroblockSize;
  const size_t rows = static_cast<size_t>(height) / kMacroblockSize;
  columns_.Restart(static_cast<size_t>(width));
  rows_.Restart(static_cast<size_t>(height));
  counts_by_column_.assign(columns, Counts());
  counts_by_row_.assign(rows, Counts());
}

void Surroundings::StoreCounts() {
  map_->counts_by_column_[place_.x / kSide] = map_->counts_by_row_[place_.y / kSide] = counts_;
}

// Of the macroblocks on the left, above, and above and right.
void Surroundings::NoteCountsAround() {
  const int column = place_.x / kSide, row = place_.y / kSide;
  const bool has_above = place_.y > 0;
  const bool has_above_right = has_above && place_.x + kSide < map_->width_;
  const std::array<Counts, 3> around = {
      place_.x > 0 ? map_->counts_by_row_[row] : Counts(),
      has_above ? map_->counts_by_column_[column] : Counts(),
      has_above_right ? map_->counts_by_column_[column + 1] : Counts()};
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
  place_ = place;
  counts_ = {};
  NoteCountsAround();
  prediction_cuts_.Clear();
  coded_of_column_.fill(0);
  coded_of_row_.fill(0);
  block_ = {kSide, kSide, 0};
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
}

void Surroundings::AddResidualFlag(BlockRect /*rect*/, int flag) {
  residual_cuts_.Add(flag, flag != kPattern);
}

void Surroundings::AddLeaf(BlockRect rect, int64_t norm) {
  constexpr int kMostEnergy = 15;
  const uint64_t unit = static_cast<uint64_t>(rect.pixels()) * map_->scale_ * map_->scale_;
  last_leaf_level_ = rect.level;
  last_leaf_energy_ =
      std::min<int>(std::bit_width((static_cast<uint64_t>(norm) << 14) / unit), kMostEnergy);
  ++counts_.leaves;
  const Cell cell = {static_cast<uint8_t>(block_.level), static_cast<uint8_t>(rect.level),
                     static_cast<uint8_t>(block_mode_group_)};
  const Sums sums(cell, last_leaf_energy_);
  const int height = rect.height(), width = rect.width();
  map_->columns_.Add(place_.x + rect.x, width, cell, sums);
  map_->rows_.Add(place_.y + rect.y, height, cell, sums);
  std::fill_n(&coded_of_column_[rect.x], width, static_cast<uint8_t>(rect.y + height));
  std::fill_n(&coded_of_row_[rect.y], height, static_cast<uint8_t>(rect.x + width));
}

Surroundings::Border Surroundings::BorderOf(BlockRect rect) const {
  return {map_->rows_.Sum(place_.y + rect.y, rect.height()),
          map_->columns_.Sum(place_.x + rect.x, rect.width())};
}

Surroundings::Cell Surroundings::WithoutLeaf(int y, int x) const {
  const bool is_in_block = y >= block_.y && y < block_.y + block_.height() && x >= block_.x &&
                           x < block_.x + block_.width();
  if (!is_in_block) return {};
  return {static_cast<uint8_t>(block_.level), kNoLevel, static_cast<uint8_t>(block_mode_group_)};
}

Surroundings::Cell Surroundings::AboveRight(BlockRect rect) const {
  const int y = rect.y, x = rect.x + rect.width();
  if (x == kSide)
    return y == 0 && place_.x + kSide < map_->width_ ? map_->columns_.cells[place_.x + kSide]
                                                     : Cell();
  if (coded_of_column_[x] == y) return map_->columns_.cells[place_.x + x];
  return WithoutLeaf(y - 1, x);
}

Surroundings::Cell Surroundings::BelowLeft(BlockRect rect) const {
  const int y = rect.y + rect.height(), x = rect.x;
  if (y == kSide) return {};
  if (coded_of_row_[y] == x) return map_->rows_.cells[place_.y + y];
  return WithoutLeaf(y, x - 1);
}

// The features that both kinds of flags have.
void Surroundings::AddCommon(BlockRect rect, const Border& border, Writer& to) const {
  const int y = rect.y, x = rect.x, h = rect.height(), w = rect.width();
  to.Condition(place_.x + x > 0);
  to.Condition(place_.y + y > 0);
  const Cell *left = &map_->rows_.cells[place_.y + y], *above = &map_->columns_.cells[place_.x + x];
  const Cell above_right = AboveRight(rect), below_left = BelowLeft(rect);
  for (const Cell& cell : {left[0], left[h - 1], above[0], above[w - 1]})
    to.Size(cell.prediction_level, rect.level);
  for (const Cell& cell : {above_right, below_left}) {
    to.Size(cell.prediction_level, rect.level);
    to.Condition(cell.prediction_level != kNoLevel);
  }
  for (const Cell& cell : {left[0], left[h - 1], above[0], above[w - 1], above_right})
    to.Size(cell.leaf_level, rect.level);

  const LevelShape shape = kLevelShapes[rect.level];
  to.Number(border.left.energy() * 8 >> shape.log2_height);
  to.Number(border.above.energy() * 8 >> shape.log2_width);
  const Sums sums = border.left + border.above;
  const int pixels = (place_.x + x > 0 ? h : 0) + (place_.y + y > 0 ? w : 0);
  const int height = Mean(sums.log2_height() * 8, pixels);
  const int width = Mean(sums.log2_width() * 8, pixels);
  to.Number(pixels > 0 ? height + width - kOne : 0);
  to.Number(width - height);
  to.Number(pixels > 0 ? Mean(sums.cut() * 32, pixels) - kOne : 0);

  to.Number((y >> 2) * 8 - 12);
  to.Number((x >> 2) * 8 - 12);
  to.Number(map_->scale_feature_);

  to.Numbers(counts_around_);
}

FlagFeatures Surroundings::PartitionFeatures(BlockRect rect) const {
  FlagFeatures features;
  Writer to(features);
  AddCommon(rect, BorderOf(rect), to);
  to.OneOf(map_->rows_.cells[place_.y + rect.y].mode_group, kModeGroups);
  to.OneOf(map_->columns_.cells[place_.x + rect.x].mode_group, kModeGroups);
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
  const Border border = BorderOf(rect);
  AddCommon(rect, border, to);
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
    energy += border.above.energy();
    pixels += rect.width();
  }
  if (rect.x > block_.x) {
    energy += border.left.energy();
    pixels += rect.height();
  }
  to.Number(Mean(energy * 8, pixels));
  to.Condition(pixels > 0);
  to.Number(last_leaf_energy_ * 8);
  assert(to.IsFull());
  return features;
}

}  // namespace mmp
