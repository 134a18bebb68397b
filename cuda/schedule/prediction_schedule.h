// The static schedule of a macroblock's search: the nodes of the prediction tree on all paths, and
// the step at which each can be searched.
//
// A node needs the reconstruction of what precedes it on its path. A node and the first halves
// within it need the same; a second half must wait for the first. So the nodes fall into steps: all
// nodes of a step are searched side by side, and after each step the nodes that end there are
// decided.
//
// The first quarter of a block is the same node whichever way the block is cut first: nothing else
// precedes it. With P = 8, 541 nodes on 661 paths take 32 steps.
#ifndef MMP_CUDA_SCHEDULE_PREDICTION_SCHEDULE_H_
#define MMP_CUDA_SCHEDULE_PREDICTION_SCHEDULE_H_

#include <cstdint>
#include <vector>

#include "codec/base/levels.h"

namespace mmp::cuda {

struct ScheduleNode {
  uint8_t y, x, bottom, right;  // the rectangle: rows [y, bottom), columns [x, right)
  uint8_t level;
  bool is_second;  // half of its parent, which is one then
  // By split: the node of which this is a half, -1 where there is none. The root has none.
  int16_t parent[2];
  int16_t half[2][2];    // nodes of the halves by [split][half], -1 where it may not be split
  uint16_t first_pixel;  // of this node in arrays that hold all pixels of all nodes
  // The last of the first halves that precede this node on its path, -1 if there is none. Of a
  // second half it is the first half of the same cut; those before it are its `before` and so on.
  int16_t before;
};

struct PredictionSchedule {
  // In order of their steps, larger nodes first within a step.
  std::vector<ScheduleNode> nodes;
  int steps = 0;
  // Nodes of step t: first_node[t] .. first_node[t + 1] - 1.
  std::vector<uint16_t> first_node;
  // The nodes that end with step t, deepest first, in rounds: round r of step t is ending[k] for k
  // from first_ending[t * kRounds + r] up to the next. A node depends on nodes of earlier rounds.
  static constexpr int kRounds = 9;
  std::vector<uint16_t> ending;
  std::vector<uint16_t> first_ending;
  int pixels = 0;            // of all nodes
  int most_step_nodes = 0;   // in a step
  int most_step_pixels = 0;  // in a step
};

// For prediction trees down to `prediction_level`, whose nodes' shorter side is at least `thinnest`
// pixels.
PredictionSchedule MakePredictionSchedule(int prediction_level, int thinnest);

}  // namespace mmp::cuda

#endif  // MMP_CUDA_SCHEDULE_PREDICTION_SCHEDULE_H_
