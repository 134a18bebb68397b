#include "codec/dictionary.h"

#include <algorithm>

#include "codec/rescale.h"

namespace mmp {
namespace {

// Magnitudes of the initial homogeneous patterns: dense near zero, where residuals are.
constexpr int kInitialMagnitudes[(kInitialPatterns - 1) / 2] = {
    1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 12, 14,  16,  18,  20,  22,  25,
    28, 32, 36, 40, 45, 50, 56, 63, 71, 80, 90, 102, 116, 134, 160, 200, 255};

}  // namespace

int InitialPatternValue(int index) {
  if (index == 0) return 0;
  const int magnitude = kInitialMagnitudes[(index - 1) / 2];
  return index % 2 == 1 ? magnitude : -magnitude;
}

void PatternTable::PackedVectors::Append(int index, const int16_t* vector, int factor,
                                         int32_t norm) {
  if (index % kPatternGroup == 0) {
    data.resize(data.size() + static_cast<size_t>(pairs()) * kPatternGroup * 2, 0);
    norms.resize(norms.size() + kPatternGroup, kNoMatch);
  }
  int16_t* to = data.data() + Offset(index);
  for (int k = 0; k < values; ++k)
    to[(k / 2) * kPatternGroup * 2 + k % 2] = static_cast<int16_t>(vector[k] * factor);
  norms[index] = norm;
}

SketchedBlock PatternTable::Describe(const int16_t* values) const {
  const int32_t norm = ScaledNorm(values, shape_.pixels()) / kDistortionScale;
  return {values, norm, shape_.pixels() > 1 ? SketchOf(values, shape_, norm) : Sketch{}};
}

void PatternTable::Append(const SketchedBlock& block) {
  patterns_.Append(size_, block.values, -2 * kDistortionScale, kDistortionScale * block.norm);
  sketches_.Append(size_, block.sketch.data(), -2, SquaredNorm(block.sketch));
  ++size_;
}

bool PatternTable::AppendUnlessNear(const int16_t* values, int64_t threshold) {
  const SketchedBlock block = Describe(values);
  const SketchedPatterns all = {patterns_.View(), patterns_.norms.data(), sketches_.View(),
                                sketches_.norms.data()};
  if (HasNear(all, block, threshold)) return false;
  Append(block);
  return true;
}

void PatternTable::Copy(int index, int16_t* values) const {
  const int16_t* from = patterns_.data.data() + patterns_.Offset(index);
  for (int k = 0; k < patterns_.values; ++k)
    values[k] =
        static_cast<int16_t>(from[(k / 2) * kPatternGroup * 2 + k % 2] / (-2 * kDistortionScale));
}

Dictionary::Dictionary(int capacity) : capacity_(capacity) {
  int16_t values[kMacroblockPixels];
  for (int level = 0; level < kLevelCount; ++level) {
    const int pixels = kLevelShapes[level].pixels();
    const int count = level == 0 ? kPixelPatterns : kInitialPatterns;
    levels_.emplace_back(kLevelShapes[level]);
    for (int index = 0; index < count; ++index) {
      const int value = level == 0 ? PixelPatternValue(index) : InitialPatternValue(index);
      std::fill_n(values, pixels, static_cast<int16_t>(value));
      levels_[level].Append(values);
    }
  }
}

void Dictionary::AddTrained(const TrainedPatterns& trained, uint8_t scale) {
  int16_t values[kMacroblockPixels];
  for (int level = 1; level < kLevelCount; ++level) {
    const int pixels = kLevelShapes[level].pixels();
    const std::vector<int8_t>& from = trained.levels[level].values;
    for (size_t at = 0; at < from.size() && size(level) < capacity_; at += pixels) {
      for (int k = 0; k < pixels; ++k) values[k] = ScaleTrainedValue(from[at + k], scale);
      levels_[level].Append(values);
    }
  }
}

void Dictionary::Insert(const PatternList& patterns, uint32_t threshold) {
  for (int level = 1; level < kLevelCount; ++level) InsertAtLevel(patterns, level, threshold);
}

void Dictionary::InsertAtLevel(const PatternList& patterns, int level, int64_t threshold) {
  PatternTable& table = levels_[level];
  if (table.size() >= capacity_) return;
  const int pixels = kLevelShapes[level].pixels();
  multiply_adds_ += static_cast<uint64_t>(patterns.size()) * table.size() * pixels;
  int16_t candidate[kMacroblockPixels];
  for (int i = 0; i < patterns.size() && table.size() < capacity_; ++i) {
    RescalePattern(patterns.values(i), patterns.level(i), level, candidate);
    table.AppendUnlessNear(candidate, threshold);
  }
}

}  // namespace mmp
