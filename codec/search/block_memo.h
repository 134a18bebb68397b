// The distinct blocks of a level that a macroblock's search has met: a hash table of their
// contents.
#ifndef MMP_CODEC_SEARCH_BLOCK_MEMO_H_
#define MMP_CODEC_SEARCH_BLOCK_MEMO_H_

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "common/aligned_vector.h"

namespace mmp {

namespace internal {

inline uint64_t LoadWord(const int16_t* values) {
  uint64_t word;
  std::memcpy(&word, values, sizeof(word));
  return word;
}

template <int kPixels>
uint32_t Hash(const int16_t* content) {
  static_assert(kPixels % 4 == 0);
  constexpr uint64_t kMultiplier = 0x9e3779b97f4a7c15u;
  uint64_t h = 0;
  if constexpr (kPixels < 16) {
    for (int k = 0; k < kPixels; k += 4)
      h = (std::rotl(h, 23) ^ LoadWord(content + k)) * kMultiplier;
  } else {
    // Four independent chains, as the multiplications within one wait for each other.
    uint64_t chain[4] = {1, 2, 3, 4};
    for (int k = 0; k < kPixels; k += 16)
      for (int c = 0; c < 4; ++c)
        chain[c] = (std::rotl(chain[c], 23) ^ LoadWord(content + k + 4 * c)) * kMultiplier;
    for (const uint64_t part : chain) h = (std::rotl(h, 31) ^ part) * kMultiplier;
  }
  return static_cast<uint32_t>((h ^ h >> 29) >> 32);
}

template <int kPixels>
bool SameContent(const int16_t* a, const int16_t* b) {
  for (int k = 0; k < kPixels; k += 4)
    if (LoadWord(a + k) != LoadWord(b + k)) return false;
  return true;
}

}  // namespace internal

// Hash of a block's content.
template <int kPixels>
uint32_t HashOfBlock(const int16_t* content) {
  return internal::Hash<kPixels>(content);
}

// Blocks of four pixels or more; Entry is what is known of each. Ids are given in order from 0.
template <typename Entry>
class BlockMemo {
 public:
  using Id = uint32_t;

  // Forgets all blocks.
  void Clear() {
    if (hashes_.size() * kFewOfSlots < slots_.size())
      ClearSlots();
    else
      std::fill(slots_.begin(), slots_.end(), kEmpty);
    entries_.clear();
    hashes_.clear();
  }

  size_t size() const { return entries_.size(); }
  Entry& entry(size_t id) { return entries_[id]; }
  const Entry& entry(size_t id) const { return entries_[id]; }
  // Of block `id`, and behind it of those that follow, until the next one is added.
  const int16_t* Contents(size_t id, int pixels) const { return &contents_[id * pixels]; }

  // Lets the memory that FindOrAdd will read be fetched.
  void Prefetch(uint32_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }

  // The id of the block, whose hash is given; adds it if it is new.
  template <int kPixels>
  Id FindOrAdd(const int16_t* content, uint32_t hash, bool* found) {
    if (entries_.size() * 2 >= slots_.size()) Grow();
    const size_t mask = slots_.size() - 1;
    size_t at = hash & mask;
    for (; slots_[at] != kEmpty; at = (at + 1) & mask) {
      if (((slots_[at] ^ hash) & ~kIdMask) != 0) continue;
      const Id id = slots_[at] & kIdMask;
      if (internal::SameContent<kPixels>(&contents_[size_t{id} * kPixels], content)) {
        *found = true;
        return id;
      }
    }
    const Id id = static_cast<Id>(entries_.size());
    assert(id < kIdMask);
    entries_.emplace_back();
    const size_t from = size_t{id} * kPixels;
    if (from == contents_.size()) contents_.resize(std::max(2 * from, kFirstContents * kPixels));
    std::memcpy(&contents_[from], content, kPixels * sizeof(*content));
    hashes_.push_back(hash);
    slots_[at] = (hash & ~kIdMask) | id;
    *found = false;
    return id;
  }

 private:
  static constexpr uint32_t kEmpty = ~0u;
  static constexpr uint32_t kIdMask = 0xffffff;
  static constexpr size_t kFirstSlots = 1024;
  static constexpr size_t kFirstContents = 16;  // blocks

  // Of entries fewer than a kFewOfSlots-th of the slots, each slot is cleared on its own.
  static constexpr size_t kFewOfSlots = 16;

  // The last entry first, so that on the way to each those are still there that were when it was
  // added.
  void ClearSlots() {
    const size_t mask = slots_.size() - 1;
    for (size_t id = hashes_.size(); id-- > 0;) {
      size_t at = hashes_[id] & mask;
      while ((slots_[at] & kIdMask) != id) at = (at + 1) & mask;
      slots_[at] = kEmpty;
    }
  }

  void Grow() {
    slots_.assign(2 * slots_.size(), kEmpty);
    const size_t mask = slots_.size() - 1;
    for (size_t id = 0; id < hashes_.size(); ++id) {
      const uint32_t hash = hashes_[id];
      size_t at = hash & mask;
      while (slots_[at] != kEmpty) at = (at + 1) & mask;
      slots_[at] = (hash & ~kIdMask) | static_cast<uint32_t>(id);
    }
  }

  // Of the blocks, one behind the other, and room for more.
  AlignedVector<int16_t> contents_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> hashes_;
  // Part of the hash << 24 | id, or kEmpty.
  std::vector<uint32_t> slots_ = std::vector<uint32_t>(kFirstSlots, kEmpty);
};

}  // namespace mmp

#endif  // MMP_CODEC_SEARCH_BLOCK_MEMO_H_
