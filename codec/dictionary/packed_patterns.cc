#include "codec/dictionary/packed_patterns.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace mmp {

void PackedPatternList::Reserve(size_t size) {
  const size_t most_groups = (size + kPatternGroup - 1) / kPatternGroup;
  data_.reserve(most_groups * group_lines());
  norms_.reserve(most_groups * kGroupNormLines);
}

void PackedPatternList::Append(const int16_t* vector, int factor, int32_t norm) {
  const size_t group = size_ / kPatternGroup, place = size_ % kPatternGroup;
  if (place == 0) {
    CacheLine<int32_t> padding;
    std::fill(std::begin(padding.numbers), std::end(padding.numbers), kNoMatch);
    data_.resize((group + 1) * group_lines());
    norms_.resize((group + 1) * kGroupNormLines, padding);
  }
  int16_t* to = Group(group) + 2 * place;
  for (int k = 0; k < values_; ++k)
    to[(k / 2) * kPatternGroup * 2 + k % 2] = static_cast<int16_t>(vector[k] * factor);
  Norm(size_++) = norm;
}

void PackedPatternList::CopyGroups(const PackedPatternList& other, size_t groups) {
  data_.assign(other.data_.begin(),
               other.data_.begin() + static_cast<ptrdiff_t>(groups * group_lines()));
  norms_.assign(other.norms_.begin(),
                other.norms_.begin() + static_cast<ptrdiff_t>(groups * kGroupNormLines));
  size_ = groups * kPatternGroup;
}

void PackedPatternList::Truncate(size_t size) {
  const size_t old_size = std::exchange(size_, size);
  data_.resize(groups() * group_lines());
  norms_.resize(groups() * kGroupNormLines);
  // Of the last group, what is left becomes padding.
  for (size_t place = size; place < std::min(old_size, groups() * kPatternGroup); ++place) {
    int16_t* to = Group(groups() - 1) + 2 * (place % kPatternGroup);
    for (int pair = 0; pair < pairs(); ++pair)
      std::fill_n(to + static_cast<size_t>(pair) * kPatternGroup * 2, 2, int16_t{0});
    Norm(place) = kNoMatch;
  }
}

}  // namespace mmp
