#include "codec/dictionary/pattern_table.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace mmp {

PatternTable::PatternTable(std::shared_ptr<const PatternTable> start)
    : shape_(start->shape_),
      start_(std::move(start)),
      common_(start_->size() / kPatternGroup * kPatternGroup),
      packed_(shape_.pixels()) {
  constexpr int kRoom = 2 * kPatternGroup;  // that many do not have to be moved when it grows
  values_.reserve(static_cast<size_t>(kRoom) * shape_.pixels());
  norms_.reserve(kRoom);
  sketches_.Reserve(kRoom);
  for (int i = common_; i < start_->size(); ++i) Append(start_->Values(i));
}

SketchedBlock PatternTable::Describe(const int16_t* values) const {
  const int32_t norm = SquaredNorm(values, shape_.pixels());
  return {values, norm, shape_.pixels() > 1 ? SketchOf(values, shape_, norm) : Sketch{}};
}

void PatternTable::Append(const SketchedBlock& block) {
  values_.insert(values_.end(), block.values, block.values + shape_.pixels());
  AppendDerived(block);
}

void PatternTable::AppendDerived(const int16_t* values, int count) {
  const ptrdiff_t pixels = shape_.pixels();
  norms_.reserve(norms_.size() + count);
  sketches_.Reserve(sketches_.size() + count);
  for (int i = 0; i < count; ++i) AppendDerived(Describe(values + i * pixels));
}

void PatternTable::AppendDerived(const SketchedBlock& block) {
  norms_.push_back(block.norm);
  sketches_.Append(block.sketch.data(), -2, SquaredNorm(block.sketch));
}

bool PatternTable::HasNear(int count, const SketchedBlock& block, const NearLimit& limit) const {
  if (common_ > 0 && start_->HasNear(std::min(count, common_), block, limit)) return true;
  if (count <= common_) return false;
  assert(static_cast<size_t>(count - common_) <= norms_.size());
  assert(values_.size() == norms_.size() * shape_.pixels() && sketches_.size() == norms_.size());
  const SketchedPatterns others = {shape_.pixels(), count - common_,  values_.data(),
                                   norms_.data(),   sketches_.View(), sketches_.norms().data()};
  return mmp::HasNear(others, block, limit);
}

void PatternTable::Pack(PackedPatternList& list) const {
  if (list.size() == 0) {
    list.Reserve(static_cast<size_t>(size()));
    if (common_ > 0)
      list.CopyGroups(start_->Matching(), static_cast<size_t>(common_ / kPatternGroup));
  }
  for (int i = static_cast<int>(list.size()); i < size(); ++i)
    list.Append(Values(i), -2 * kDistortionScale, kDistortionScale * Norm(i));
}

void PatternTable::Truncate(int size) {
  const size_t own = static_cast<size_t>(size - common_);
  values_.resize(own * shape_.pixels());
  norms_.resize(own);
  sketches_.Truncate(own);
  packed_.Truncate(size);
}

}  // namespace mmp
