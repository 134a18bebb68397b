#include "codec/tile/pattern_features.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "codec/base/fixed_log2.h"
#include "codec/bitstream/file_header.h"
#include "codec/tile/index_classes.h"

namespace mmp {
namespace {

constexpr int kFeatureBits = 4;  // behind the point

}  // namespace

ResidualScale::ResidualScale(const CodecParameters& parameters) {
  const uint8_t code = parameters.pattern_scale > 0
                           ? parameters.pattern_scale
                           : PatternScaleOf(parameters.redundancy_threshold);
  scale_ = std::max(DecodeThreshold(code), 1u);
  reciprocal_ = (1 << 24) / static_cast<int64_t>(scale_);
}

int ResidualScale::Mean(int64_t sum, int log2_count) const {
  const int shift = 16 + log2_count;
  const int64_t mean = (sum * reciprocal_ + (int64_t{1} << (shift - 1))) >> shift;
  return static_cast<int>(std::clamp<int64_t>(mean, -kMostFeature, kMostFeature));
}

std::array<int, 4> ResidualScale::Quarters(const int16_t* line, int log2_count, int step) const {
  std::array<int, 4> means;
  const int log2_part = std::max(log2_count - 2, 0);
  for (int quarter = 0; quarter < 4; ++quarter) {
    const int16_t* part = line + (quarter << log2_count >> 2) * step;
    int sum = 0;
    for (int i = 0; i < 1 << log2_part; ++i) sum += part[i * step];
    means[quarter] = Mean(sum, log2_part);
  }
  return means;
}

FeaturesOfPattern ResidualScale::Features(const int16_t* values, LevelShape shape) const {
  const int height = shape.height(), width = shape.width();
  int32_t sum = 0, energy = 0, norm = 0, across = 0, down = 0, left = 0, top = 0;
  for (int i = 0; i < height; ++i) {
    const int16_t* row = values + i * width;
    for (int j = 0; j < width; ++j) {
      sum += row[j];
      energy += std::abs(row[j]);
      norm += row[j] * row[j];
    }
    for (int j = 1; j < width; ++j) across += std::abs(row[j] - row[j - 1]);
    if (i > 0)
      for (int j = 0; j < width; ++j) down += std::abs(row[j] - row[j - width]);
    left += std::abs(row[0]);
  }
  for (int j = 0; j < width; ++j) top += std::abs(values[j]);

  FeaturesOfPattern features;
  const auto set = [&features](int k, int value) { features[k] = static_cast<int8_t>(value); };
  const auto set_quarters = [&](int first, const int16_t* line, int log2_count, int step) {
    const std::array<int, 4> quarters = Quarters(line, log2_count, step);
    for (int k = 0; k < 4; ++k) set(first + k, quarters[k]);
  };
  set_quarters(kLeftColumn, values, shape.log2_height, width);
  set_quarters(kTopRow, values, shape.log2_width, 1);
  const int pixels = shape.log2_pixels();
  set(kMean, Mean(sum, pixels));
  set(kEnergy, Mean(energy, pixels));
  constexpr int kToEighths = kRateShift - 3, kLogOf64 = 48;
  const uint64_t mean_square =
      (static_cast<uint64_t>(norm) << 14) / ((scale_ * scale_) << pixels) + 1;
  const int log = (Log2Q12(static_cast<uint32_t>(mean_square)) >> kToEighths) - kLogOf64;
  set(kLogEnergy, std::min(log, kMostFeature));
  set(kStepsAcross, Mean(across, pixels));
  set(kStepsDown, Mean(down, pixels));
  set(kLeftEnergy, Mean(left, shape.log2_height));
  set(kTopEnergy, Mean(top, shape.log2_width));
  set(kIsZero, norm == 0 ? 1 << kFeatureBits : 0);
  return features;
}

void ClassedPatterns::Add(const FeaturesOfPattern& features, int which) {
  const int index = size();
  features_.push_back(features);
  class_of_.push_back(static_cast<uint8_t>(which));
  GroupsOfClass& of = groups_of_[static_cast<size_t>(which)];
  const auto place = static_cast<int>(members_[static_cast<size_t>(which)]++ % PatternGroup::kMost);
  if (place == 0) {
    const auto number = static_cast<int16_t>(groups_.size());
    groups_.emplace_back();
    if (of.last == PatternGroup::kNone)
      of.first = number;
    else
      groups_[static_cast<size_t>(of.last)].next = number;
    of.last = number;
  }
  PatternGroup& group = groups_[static_cast<size_t>(of.last)];
  group.members[static_cast<size_t>(place)] = static_cast<uint16_t>(index);
  for (int k = 0; k < kPatternFeatures; ++k)
    group.features[static_cast<size_t>(PatternGroup::Place(place, k))] =
        PatternGroup::Stored(features[static_cast<size_t>(k)]);
}

void PatternFeatures::AddNew(const Dictionary& dictionary) {
  std::array<int16_t, kMacroblockPixels> values;
  for (int level = 0; level < kLevelCount; ++level) {
    for (int index = levels_[level].size(); index < dictionary.size(level); ++index) {
      dictionary.Copy(level, index, values.data());
      const FeaturesOfPattern features = scale_.Features(values.data(), kLevelShapes[level]);
      levels_[level].Add(features, level == 0 ? 0 : StandardIndexClasses(level).Of(features));
    }
  }
}

}  // namespace mmp
