#include "cuda/schedule/prediction_schedule.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <map>
#include <numeric>

#include "codec/rdo/decision_rules.h"

namespace mmp::cuda {
namespace {

struct Draft {
  ScheduleNode node;
  int depth;
  int begin, end;  // steps [begin, end)
};

class Builder {
 public:
  Builder(int prediction_level, int thinnest)
      : prediction_level_(prediction_level), thinnest_(thinnest) {
    // Halves have lower levels than the whole.
    for (int level = 0; level < kLevelCount; ++level) {
      duration_[level] = 1;
      for (const Split split : {Split::kVertical, Split::kHorizontal})
        if (MaySplit(level, split))
          duration_[level] = std::max(duration_[level], 2 * duration_[HalfLevel(level, split)]);
    }
  }

  std::vector<Draft> Build() {
    Add({0, 0, kMacroblockLevel}, -1, 0, 0);
    return std::move(drafts_);
  }

 private:
  bool MaySplit(int level, Split split) const {
    return SearchMaySplit(level, split, prediction_level_, thinnest_);
  }

  // What precedes a node, and its place, say which it is.
  using Key = std::array<int, 4>;

  int Add(BlockRect rect, int before, int depth, int begin) {
    const Key key = {rect.y, rect.x, rect.level, before};
    const auto [known, is_new] = ids_.try_emplace(key, static_cast<int>(drafts_.size()));
    const int id = known->second;
    if (!is_new) {
      assert(drafts_[id].begin == begin && drafts_[id].depth == depth);
      return id;
    }
    drafts_.push_back({{rect.y,
                        rect.x,
                        static_cast<uint8_t>(rect.y + rect.height()),
                        static_cast<uint8_t>(rect.x + rect.width()),
                        rect.level,
                        false,
                        {-1, -1},
                        {{-1, -1}, {-1, -1}},
                        0,
                        static_cast<int16_t>(before)},
                       depth,
                       begin,
                       begin + duration_[rect.level]});
    for (const Split split : {Split::kVertical, Split::kHorizontal})
      if (MaySplit(rect.level, split)) AddHalves(id, rect, split);
    return id;
  }

  void AddHalves(int id, BlockRect rect, Split split) {
    const auto [whole, depth, begin, end] = drafts_[id];
    const int s = static_cast<int>(split);
    const int first = Add(rect.Half(split, 0), whole.before, depth + 1, begin);
    // The second half ends with its parent.
    const int second =
        Add(rect.Half(split, 1), first, depth + 1, end - duration_[HalfLevel(rect.level, split)]);
    drafts_[id].node.half[s][0] = static_cast<int16_t>(first);
    drafts_[id].node.half[s][1] = static_cast<int16_t>(second);
    for (const int half : {first, second}) drafts_[half].node.parent[s] = static_cast<int16_t>(id);
    drafts_[second].node.is_second = true;
  }

  const int prediction_level_;
  const int thinnest_;
  std::array<int, kLevelCount> duration_;
  std::vector<Draft> drafts_;
  std::map<Key, int> ids_;
};

}  // namespace

PredictionSchedule MakePredictionSchedule(int prediction_level, int thinnest) {
  const std::vector<Draft> drafts = Builder(prediction_level, thinnest).Build();
  const int count = static_cast<int>(drafts.size());
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    if (drafts[a].begin != drafts[b].begin) return drafts[a].begin < drafts[b].begin;
    return drafts[a].depth < drafts[b].depth;
  });
  std::vector<int> place(count);
  for (int k = 0; k < count; ++k) place[order[k]] = k;
  auto moved = [&](int id) { return static_cast<int16_t>(id < 0 ? -1 : place[id]); };

  PredictionSchedule schedule;
  schedule.steps = drafts[0].end;
  schedule.first_node.assign(schedule.steps + 1, 0);
  for (const int id : order) {
    ScheduleNode node = drafts[id].node;
    for (int16_t& parent : node.parent) parent = moved(parent);
    node.before = moved(node.before);
    for (auto& halves : node.half)
      for (int16_t& half : halves) half = moved(half);
    node.first_pixel = static_cast<uint16_t>(schedule.pixels);
    schedule.pixels += kLevelShapes[node.level].pixels();
    schedule.nodes.push_back(node);
    ++schedule.first_node[drafts[id].begin + 1];
  }
  std::partial_sum(schedule.first_node.begin(), schedule.first_node.end(),
                   schedule.first_node.begin());
  for (int t = 0; t < schedule.steps; ++t) {
    const int first = schedule.first_node[t], last = schedule.first_node[t + 1];
    schedule.most_step_nodes = std::max(schedule.most_step_nodes, last - first);
    const int end = last < count ? schedule.nodes[last].first_pixel : schedule.pixels;
    schedule.most_step_pixels =
        std::max(schedule.most_step_pixels, end - schedule.nodes[first].first_pixel);
  }
  constexpr int kRounds = PredictionSchedule::kRounds;
  std::vector<std::vector<uint16_t>> rounds(static_cast<size_t>(schedule.steps) * kRounds);
  for (int k = 0; k < count; ++k) {
    const Draft& draft = drafts[order[k]];
    rounds[(draft.end - 1) * kRounds + kRounds - 1 - draft.depth].push_back(
        static_cast<uint16_t>(k));
  }
  schedule.first_ending.push_back(0);
  for (const std::vector<uint16_t>& round : rounds) {
    schedule.ending.insert(schedule.ending.end(), round.begin(), round.end());
    schedule.first_ending.push_back(static_cast<uint16_t>(schedule.ending.size()));
  }
  return schedule;
}

}  // namespace mmp::cuda
