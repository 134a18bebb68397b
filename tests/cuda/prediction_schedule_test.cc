#include "cuda/schedule/prediction_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

#include "codec/encoder/effort.h"
#include "codec/rdo/search_census.h"
#include "codec/search/cpu_search.h"

namespace mmp::cuda {
namespace {

constexpr int kStepRounds = PredictionSchedule::kRounds;

// When each node begins and ends, from the schedule's lists.
struct Times {
  std::vector<int> begin, end;  // steps
  std::vector<int> round;       // of the end, counted from the first step on

  explicit Times(const PredictionSchedule& s)
      : begin(s.nodes.size(), -1), end(s.nodes.size(), -1), round(s.nodes.size(), -1) {
    for (int t = 0; t < s.steps; ++t)
      for (int k = s.first_node[t]; k < s.first_node[t + 1]; ++k) begin[k] = t;
    for (int r = 0; r < s.steps * kStepRounds; ++r) {
      for (int k = s.first_ending[r]; k < s.first_ending[r + 1]; ++k) {
        EXPECT_EQ(round[s.ending[k]], -1) << "node " << s.ending[k] << " ends twice";
        round[s.ending[k]] = r;
        end[s.ending[k]] = r / kStepRounds;
      }
    }
  }
};

BlockRect Rect(const ScheduleNode& node) { return {node.y, node.x, node.level}; }

bool operator==(const BlockRect& a, const BlockRect& b) {
  return a.y == b.y && a.x == b.x && a.level == b.level;
}

bool MaySplit(int level, Split split, int prediction_level, int thinnest) {
  if (!PredictionMaySplit(level, split, prediction_level)) return false;
  const LevelShape half = kLevelShapes[HalfLevel(level, split)];
  return std::min(half.height(), half.width()) >= thinnest;
}

// What a node is: its place, and what precedes it.
std::array<int, 4> Identity(const ScheduleNode& node) {
  return {node.y, node.x, node.level, node.before};
}

void CheckTree(const PredictionSchedule& s, int prediction_level, int thinnest) {
  const int count = static_cast<int>(s.nodes.size());
  std::set<std::array<int, 4>> identities;
  for (int n = 0; n < count; ++n) {
    const ScheduleNode& node = s.nodes[n];
    EXPECT_EQ(node.bottom - node.y, kLevelShapes[node.level].height());
    EXPECT_EQ(node.right - node.x, kLevelShapes[node.level].width());
    EXPECT_TRUE(identities.insert(Identity(node)).second) << "node " << n << " is there twice";
    for (const Split split : {Split::kVertical, Split::kHorizontal}) {
      const int cut = static_cast<int>(split);
      for (int half = 0; half < 2; ++half) {
        const int child = node.half[cut][half];
        ASSERT_EQ(child >= 0, MaySplit(node.level, split, prediction_level, thinnest));
        if (child < 0) continue;
        EXPECT_TRUE(Rect(s.nodes[child]) == Rect(node).Half(split, half));
        EXPECT_EQ(s.nodes[child].parent[cut], n);
        EXPECT_EQ(s.nodes[child].is_second, half == 1);
        EXPECT_EQ(s.nodes[child].before, half == 0 ? node.before : node.half[cut][0]);
      }
    }
  }
  for (int n = 0; n < count; ++n) {
    const ScheduleNode& node = s.nodes[n];
    int parents = 0;
    for (const int cut : {0, 1}) {
      if (node.parent[cut] < 0) continue;
      ++parents;
      EXPECT_EQ(s.nodes[node.parent[cut]].half[cut][node.is_second ? 1 : 0], n);
    }
    ASSERT_EQ(parents == 0, n == 0);
    ASSERT_LE(parents, node.is_second ? 1 : 2);
  }
  EXPECT_EQ(s.nodes[0].before, -1);
}

// The paths that lead to nodes, one to the root.
int64_t CountPaths(const PredictionSchedule& s) {
  std::vector<int64_t> paths(s.nodes.size(), 0);
  paths[0] = 1;
  // Halves begin with their parent or later, and are smaller.
  for (size_t n = 0; n < paths.size(); ++n)
    for (const auto& halves : s.nodes[n].half)
      for (const int child : halves)
        if (child >= 0) paths[child] += paths[n];
  return std::accumulate(paths.begin(), paths.end(), int64_t{0});
}

void CheckTimes(const PredictionSchedule& s) {
  const Times times(s);
  const int count = static_cast<int>(s.nodes.size());
  for (int n = 0; n < count; ++n) {
    SCOPED_TRACE(testing::Message() << "node " << n);
    const ScheduleNode& node = s.nodes[n];
    ASSERT_GE(times.begin[n], 0);
    ASSERT_GE(times.end[n], times.begin[n]);
    for (const int parent : node.parent) {
      if (parent < 0) continue;
      // Who begins with a parent begins where it does.
      ASSERT_EQ(times.begin[parent] == times.begin[n], !node.is_second);
      if (node.is_second) continue;
      ASSERT_EQ(s.nodes[parent].y, node.y);
      ASSERT_EQ(s.nodes[parent].x, node.x);
    }
    for (const auto& half : node.half) {
      if (half[0] < 0) continue;
      // The first half sees what the node sees; the second needs the first decided. Both are
      // decided before the node.
      ASSERT_EQ(times.begin[half[0]], times.begin[n]);
      ASSERT_GT(times.begin[half[1]], times.end[half[0]]);
      for (const int child : half) {
        ASSERT_LE(times.end[child], times.end[n]);
        ASSERT_LT(times.round[child], times.round[n]);
      }
    }
  }
}

void CheckPlaces(const PredictionSchedule& s) {
  int pixels = 0, most_nodes = 0, most_pixels = 0;
  ASSERT_EQ(s.first_node.size(), static_cast<size_t>(s.steps) + 1);
  ASSERT_EQ(s.first_ending.size(), static_cast<size_t>(s.steps) * kStepRounds + 1);
  for (int t = 0; t < s.steps; ++t) {
    int step_pixels = 0, level = kMacroblockLevel;
    for (int n = s.first_node[t]; n < s.first_node[t + 1]; ++n) {
      ASSERT_EQ(s.nodes[n].first_pixel, pixels);
      const int size = kLevelShapes[s.nodes[n].level].pixels();
      ASSERT_LE(size, kLevelShapes[level].pixels()) << "larger nodes come first";
      level = s.nodes[n].level;
      pixels += size;
      step_pixels += size;
    }
    most_nodes = std::max(most_nodes, s.first_node[t + 1] - s.first_node[t]);
    most_pixels = std::max(most_pixels, step_pixels);
  }
  EXPECT_EQ(s.pixels, pixels);
  EXPECT_EQ(s.most_step_nodes, most_nodes);
  EXPECT_EQ(s.most_step_pixels, most_pixels);
  EXPECT_EQ(s.first_node.front(), 0);
  EXPECT_EQ(s.first_node.back(), static_cast<int>(s.nodes.size()));
  EXPECT_EQ(s.first_ending.front(), 0);
  EXPECT_EQ(s.first_ending.back(), static_cast<int>(s.nodes.size()));
}

void Check(int prediction_level, int thinnest) {
  SCOPED_TRACE(testing::Message() << "prediction level " << prediction_level << ", thinnest "
                                  << thinnest);
  const PredictionSchedule s = MakePredictionSchedule(prediction_level, thinnest);
  CheckTree(s, prediction_level, thinnest);
  CheckTimes(s);
  CheckPlaces(s);
  if (thinnest > 1) return;
  CodecParameters parameters;
  parameters.prediction_level = prediction_level;
  EXPECT_EQ(CountPaths(s), TakeCensus(parameters, 16, 16).nodes);
}

TEST(PredictionScheduleTest, EveryPredictionLevel) {
  for (int level = 0; level <= kNoPredictionSplit; ++level) Check(level, 1);
}

TEST(PredictionScheduleTest, ThinnestNodes) {
  for (const int thinnest : {2, 4, 8, 16})
    for (const int level : {0, 3, 8, 15, kNoPredictionSplit}) Check(level, thinnest);
}

size_t CountNodes(int prediction_level, int thinnest) {
  return MakePredictionSchedule(prediction_level, thinnest).nodes.size();
}

TEST(PredictionScheduleTest, KnownSizes) {
  const int fast = PresetSpeedFeatures(Preset::kFast).thinnest_prediction;
  EXPECT_EQ(CountPaths(MakePredictionSchedule(8, 1)), 661);
  EXPECT_EQ(CountPaths(MakePredictionSchedule(3, 1)), 4501);
  EXPECT_EQ(CountPaths(MakePredictionSchedule(0, 1)), 31381);
  EXPECT_EQ(CountPaths(MakePredictionSchedule(8, fast)), 165);
  EXPECT_EQ(CountPaths(MakePredictionSchedule(15, 1)), 69);
  EXPECT_EQ(CountPaths(MakePredictionSchedule(kNoPredictionSplit, 1)), 1);
  EXPECT_EQ(CountNodes(8, 1), 541u);
  EXPECT_EQ(CountNodes(0, 1), 19081u);
  EXPECT_EQ(CountNodes(8, fast), 133u);
  EXPECT_EQ(CountNodes(kNoPredictionSplit, 1), 1u);
  EXPECT_EQ(MakePredictionSchedule(8, 1).steps, 32);
  EXPECT_EQ(MakePredictionSchedule(kNoPredictionSplit, 1).steps, 1);
}

}  // namespace
}  // namespace mmp::cuda
