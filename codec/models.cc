#include "codec/models.h"

#include <bit>

namespace mmp {

void IndexModel::Add(uint32_t count) {
  if (tree_.empty()) tree_.push_back(0);
  counts_.push_back(count);
  total_ += count;
  // Entry i of a Fenwick tree covers the lowbit(i) symbols that end with number i.
  const uint32_t i = static_cast<uint32_t>(counts_.size());
  uint32_t sum = count;
  for (uint32_t step = 1; step < (i & -i); step <<= 1) sum += tree_[i - step];
  tree_.push_back(sum);
}

// Unsigned arithmetic wraps around: "amounts" may be negative.
void IndexModel::Increase(int symbol, uint32_t amount) {
  counts_[symbol] += amount;
  total_ += amount;
  for (uint32_t i = static_cast<uint32_t>(symbol) + 1; i < tree_.size(); i += i & -i)
    tree_[i] += amount;
}

uint32_t IndexModel::Below(int symbol) const {
  uint32_t sum = 0;
  for (uint32_t i = static_cast<uint32_t>(symbol); i > 0; i -= i & -i) sum += tree_[i];
  return sum;
}

void IndexModel::SetCount(int symbol, uint32_t count) { Increase(symbol, count - counts_[symbol]); }

void IndexModel::RebuildTree() {
  total_ = 0;
  for (size_t i = 1; i < tree_.size(); ++i) {
    tree_[i] = counts_[i - 1];
    total_ += counts_[i - 1];
  }
  for (uint32_t i = 1; i < tree_.size(); ++i)
    if (const uint32_t parent = i + (i & -i); parent < tree_.size()) tree_[parent] += tree_[i];
}

void IndexModel::Update(int symbol) {
  Increase(symbol, kIncrement);
  if (total_ > Limit()) {
    for (uint32_t& c : counts_) c = (c + 1) / 2;
    RebuildTree();
  }
}

void IndexModel::Encode(RangeEncoder& coder, int symbol) {
  coder.Encode(Below(symbol), counts_[symbol], total_);
  Update(symbol);
}

int IndexModel::Decode(RangeDecoder& coder) {
  const uint32_t target = coder.Target(total_);
  // The last symbol whose cumulative count is at most the target.
  uint32_t position = 0;
  uint32_t below = 0;
  for (uint32_t step = std::bit_floor(static_cast<uint32_t>(counts_.size())); step > 0;
       step >>= 1) {
    if (position + step < tree_.size() && below + tree_[position + step] <= target) {
      position += step;
      below += tree_[position];
    }
  }
  const int symbol = static_cast<int>(position);
  coder.Consume(below, counts_[symbol]);
  Update(symbol);
  return symbol;
}

}  // namespace mmp
