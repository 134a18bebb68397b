#include "codec/dictionary/pattern_table.h"

namespace mmp {

PatternTable::PatternTable(const PatternTable& other, size_t room)
    : shape_(other.shape_),
      size_(other.size_),
      packed_(other.packed_, room),
      sketches_(other.sketches_, room) {
  values_.reserve(other.values_.size() + room * shape_.pixels());
  values_.insert(values_.end(), other.values_.begin(), other.values_.end());
}

SketchedBlock PatternTable::Describe(const int16_t* values) const {
  const int32_t norm = ScaledNorm(values, shape_.pixels()) / kDistortionScale;
  return {values, norm, shape_.pixels() > 1 ? SketchOf(values, shape_, norm) : Sketch{}};
}

void PatternTable::Append(const SketchedBlock& block) {
  values_.insert(values_.end(), block.values, block.values + shape_.pixels());
  packed_.Append(block.values, -2 * kDistortionScale, kDistortionScale * block.norm);
  sketches_.Append(block.sketch.data(), -2, SquaredNorm(block.sketch));
  ++size_;
}

bool PatternTable::HasNear(const SketchedBlock& block, int64_t threshold) const {
  const SketchedPatterns all = {packed_.View(), packed_.norms().data(), sketches_.View(),
                                sketches_.norms().data()};
  return mmp::HasNear(all, block, threshold);
}

void PatternTable::Truncate(int size) {
  values_.resize(static_cast<size_t>(size) * shape_.pixels());
  packed_.Truncate(size);
  sketches_.Truncate(size);
  size_ = size;
}

}  // namespace mmp
