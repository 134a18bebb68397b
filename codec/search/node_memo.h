// Memoisation of the prediction nodes that were searched already in the present macroblock.
//
// What a node costs depends on its rectangle and on the reconstructed pixels that the predictors of
// the node and of all nodes below it read. Different paths through the prediction tree often lead
// to the same rectangle in the same surroundings; the second time the stored result is used.
#ifndef MMP_CODEC_SEARCH_NODE_MEMO_H_
#define MMP_CODEC_SEARCH_NODE_MEMO_H_

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "codec/base/levels.h"
#include "codec/intra/canvas.h"

namespace mmp {

// The pixels, with their availability, that the prediction of a node and of all nodes in it reads.
// `far`: it reads further than kReach, but outside the macroblock nothing changes.
struct NodeContext {
  static constexpr int kReach = 8;  // pixels above and to the left: LSP's window and neighbours
  static constexpr int kAboveWidth = kReach + kMacroblockSize + kReach;
  static constexpr int kSize =
      2 * (kReach * kAboveWidth + kMacroblockSize + kReach * (kMacroblockSize + kReach));

  NodeContext(const Canvas& canvas, BlockRect rect, bool far);

  uint64_t hash;
  int size;  // bytes used
  alignas(8) uint8_t bytes[kSize];

 private:
  void Finish(const uint8_t* end);
};

// `Choice` is the type in which a searcher describes the best way to code a node.
template <typename Choice>
class NodeMemo {
 public:
  struct Answer {
    bool known = false;
    Choice* choice = nullptr;  // null: no way costs less than the budget asked about
  };

  void Clear() {
    for (const int bucket : used_) buckets_[bucket].clear();
    used_.clear();
    bytes_.clear();
  }

  // Looks up whether the node's cost is known, or that it is at least `budget`.
  Answer Find(const NodeContext& context, BlockRect rect, int32_t budget) {
    const Entry* entry = FindEntry(context, rect);
    if (entry == nullptr) return {};
    if (entry->choice != nullptr)
      return {true, entry->choice->cost < budget ? entry->choice : nullptr};
    return {budget <= entry->at_least, nullptr};
  }

  // Stores the result of a search with `budget`.
  void Add(const NodeContext& context, BlockRect rect, int32_t budget, Choice* choice) {
    Entry* entry = FindEntry(context, rect);
    if (entry == nullptr) {
      std::vector<Entry>& bucket = buckets_[Bucket(rect)];
      if (bucket.empty()) used_.push_back(Bucket(rect));
      bucket.push_back({context.hash, bytes_.size(), budget, choice});
      bytes_.insert(bytes_.end(), context.bytes, context.bytes + context.size);
    } else if (entry->choice == nullptr) {
      entry->at_least = entry->at_least < budget ? budget : entry->at_least;
      entry->choice = choice;
    }
  }

 private:
  struct Entry {
    uint64_t hash;
    size_t offset;     // of the context's bytes
    int32_t at_least;  // lower bound on the cost if `choice` is null
    Choice* choice;
  };

  static int Bucket(BlockRect rect) {
    return (rect.level * kMacroblockSize + rect.y) * kMacroblockSize + rect.x;
  }
  Entry* FindEntry(const NodeContext& context, BlockRect rect);

  std::array<std::vector<Entry>, kLevelCount * kMacroblockPixels> buckets_;
  std::vector<int> used_;  // the buckets that are not empty
  std::vector<uint8_t> bytes_;
};

template <typename Choice>
typename NodeMemo<Choice>::Entry* NodeMemo<Choice>::FindEntry(const NodeContext& context,
                                                              BlockRect rect) {
  for (Entry& entry : buckets_[Bucket(rect)]) {
    if (entry.hash == context.hash &&
        std::memcmp(bytes_.data() + entry.offset, context.bytes, context.size) == 0)
      return &entry;
  }
  return nullptr;
}

}  // namespace mmp

#endif  // MMP_CODEC_SEARCH_NODE_MEMO_H_
