// Comparing blocks with patterns.
#include <algorithm>
#include <string>

#include "codec/dictionary/matcher.h"
#include "codec/dictionary/packed_patterns.h"
#include "codec/dictionary/sketch.h"
#include "tools/kernels/inputs.h"
#include "tools/kernels/kernel_table.h"
#include "tools/kernels/output.h"

namespace mmp::kernels {
namespace {

constexpr int32_t kHighestCost = 1 << 26;  // of an index
constexpr int kPatternCounts[] = {1, 2, 31, 32, 33, 63, 64, 65, 100, 257};

int SquaredDistance(const int16_t* a, const int16_t* b, int pixels) {
  int sum = 0;
  for (int k = 0; k < pixels; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

// Patterns of a level, the first of them all zeros, and blocks.
struct Problem {
  // Costs of indices are in [0, highest_cost]; `same`: all patterns but the first are one.
  Problem(Random& random, int of_level, int patterns, int blocks, Residuals of_kind, bool same,
          int32_t highest_cost)
      : level(of_level),
        pixels(kLevelShapes[of_level].pixels()),
        kind(of_kind),
        pattern_count(patterns),
        block_count(blocks),
        pattern_values(pixels) {
    for (int p = 1; p < patterns; ++p) {
      // Now and then one that has been there before.
      const int earlier = same && p > 1 ? 1 : random.Below(4 * p);
      if (earlier < p) {
        const std::vector<int16_t> copy(Pattern(earlier), Pattern(earlier) + pixels);
        pattern_values.insert(pattern_values.end(), copy.begin(), copy.end());
      } else {
        AppendResidual(random, kind, pixels, pattern_values);
      }
    }
    for (int p = 0; p < patterns; ++p)
      costs.push_back(same || random.OneIn(2) ? 0 : random.Below(highest_cost + 1));
    // A block of one pixel has a second one, which counts for nothing.
    for (int b = 0; b < blocks; ++b) {
      AppendResidual(random, kind, pixels, block_values);
      if (pixels == 1) block_values.push_back(static_cast<int16_t>(random.Between(-255, 255)));
    }
  }

  const int16_t* Pattern(int p) const {
    return pattern_values.data() + static_cast<size_t>(p) * pixels;
  }
  const int16_t* Block(int b) const {
    return block_values.data() + static_cast<size_t>(b) * std::max(2, pixels);
  }
  // J less the norm of the block.
  int32_t Value(int p, int b) const {
    int64_t sum = costs[p];
    for (int k = 0; k < pixels; ++k)
      sum += kDistortionScale * (Pattern(p)[k] * Pattern(p)[k] - 2 * Pattern(p)[k] * Block(b)[k]);
    return static_cast<int32_t>(sum);
  }
  int32_t LeastValue(int b) const {
    int32_t least = Value(0, b);
    for (int p = 1; p < pattern_count; ++p) least = std::min(least, Value(p, b));
    return least;
  }
  // With bias in place of norms.
  PackedPatternList Pack() const {
    PackedPatternList packed(pixels);
    const std::vector<int16_t> zeros(pixels);
    for (int p = 0; p < pattern_count; ++p)
      packed.Append(
          Pattern(p), -2 * kDistortionScale,
          costs[p] + kDistortionScale * SquaredDistance(Pattern(p), zeros.data(), pixels));
    return packed;
  }
  std::string Describe() const {
    return "level " + std::to_string(level) + ", " + std::to_string(pattern_count) + " patterns, " +
           std::to_string(block_count) + " blocks, " + ResidualsName(kind);
  }
  double MultiplyAdds() const { return 1.0 * pixels * pattern_count * block_count; }

  const int level, pixels;
  const Residuals kind;
  const int pattern_count, block_count;
  std::vector<int16_t> pattern_values, block_values;
  std::vector<int32_t> costs;
};

Problem RandomProblem(Random& random, int number, int levels_from) {
  const int levels = kLevelCount - levels_from;
  return Problem(random, levels_from + number % levels,
                 kPatternCounts[random.Below(static_cast<int>(std::size(kPatternCounts)))],
                 random.Below(18), static_cast<Residuals>(number / levels % kResidualKinds),
                 random.OneIn(4), kHighestCost);
}

constexpr int kTimedPatterns = 1024, kTimedBlocks = 32;
Problem TimedProblem(Random& random, int level) {
  return Problem(random, level, kTimedPatterns, kTimedBlocks, Residuals::kRandom, false, 100000);
}

class MatchBlocksCase : public Case {
 public:
  explicit MatchBlocksCase(Problem problem)
      : problem_(std::move(problem)), packed_(problem_.Pack()), minimum_(problem_.block_count) {}

  std::string Describe() const override { return problem_.Describe(); }
  double Work() const override { return problem_.MultiplyAdds(); }
  std::string Place(size_t index) const override { return "block " + std::to_string(index); }
  void RunKernel() override {
    MatchBlocks(packed_.View(), packed_.norms().data(), problem_.block_values.data(),
                problem_.block_count, minimum_.data());
  }
  void RunTwin() override {
    for (int b = 0; b < problem_.block_count; ++b) minimum_.data()[b] = problem_.LeastValue(b);
  }
  std::vector<int64_t> TakeOutput() override { return minimum_.Take(); }

 private:
  const Problem problem_;
  const PackedPatternList packed_;
  Output<int32_t> minimum_;
};

// Looks for values that are there and for some that are not.
class FindMatchCase : public Case {
 public:
  FindMatchCase(Random& random, Problem problem)
      : problem_(std::move(problem)), packed_(problem_.Pack()), found_(problem_.block_count) {
    for (int b = 0; b < problem_.block_count; ++b) {
      const int32_t least = problem_.LeastValue(b);
      switch (random.Below(4)) {
        case 0:
          wanted_.push_back(least - 1);
          break;
        case 1:
          wanted_.push_back(least);
          break;
        case 2:
          wanted_.push_back(problem_.Value(problem_.pattern_count - 1, b));
          break;
        default:
          wanted_.push_back(problem_.Value(random.Below(problem_.pattern_count), b));
      }
    }
  }

  std::string Describe() const override { return problem_.Describe(); }
  double Work() const override { return problem_.MultiplyAdds(); }
  std::string Place(size_t index) const override { return "block " + std::to_string(index); }
  void RunKernel() override {
    for (int b = 0; b < problem_.block_count; ++b)
      found_.data()[b] =
          FindMatch(packed_.View(), packed_.norms().data(), problem_.Block(b), wanted_[b]);
  }
  void RunTwin() override {
    for (int b = 0; b < problem_.block_count; ++b) {
      int p = 0;
      while (p < problem_.pattern_count && problem_.Value(p, b) != wanted_[b]) ++p;
      found_.data()[b] = p < problem_.pattern_count ? p : -1;
    }
  }
  std::vector<int64_t> TakeOutput() override { return found_.Take(); }

 private:
  const Problem problem_;
  const PackedPatternList packed_;
  std::vector<int32_t> wanted_;
  Output<int32_t> found_;
};

// Blocks that are patterns, near to one or anything; thresholds around the least distance.
class HasNearCase : public Case {
 public:
  HasNearCase(Random& random, Problem problem)
      : problem_(std::move(problem)),
        sketches_(static_cast<int>(std::tuple_size_v<Sketch>)),
        near_(problem_.block_count) {
    for (int p = 0; p < problem_.pattern_count; ++p) {
      const SketchedBlock pattern = Sketched(problem_.Pattern(p));
      norms_.push_back(pattern.norm);
      sketches_.Append(pattern.sketch.data(), -2, SquaredNorm(pattern.sketch));
    }
    for (int b = 0; b < problem_.block_count; ++b) {
      const int way = random.Below(4);
      if (way < 2) {
        int16_t* block = &problem_.block_values[static_cast<size_t>(b) * problem_.pixels];
        std::copy_n(problem_.Pattern(random.Below(problem_.pattern_count)), problem_.pixels, block);
        for (int k = 0; way == 1 && k < problem_.pixels; ++k)
          block[k] = static_cast<int16_t>(std::clamp(block[k] + random.Between(-3, 3), -255, 255));
      }
      thresholds_.push_back(Threshold(random, LeastDistance(b)));
    }
    for (int b = 0; b < problem_.block_count; ++b) blocks_.push_back(Sketched(problem_.Block(b)));
  }

  std::string Describe() const override { return problem_.Describe(); }
  double Work() const override { return problem_.block_count; }
  std::string Place(size_t index) const override {
    if (index >= thresholds_.size()) return "behind the blocks";
    return "block " + std::to_string(index) + ", threshold " + std::to_string(thresholds_[index]);
  }
  void RunKernel() override {
    const SketchedPatterns all = {
        problem_.pixels, problem_.pattern_count, problem_.pattern_values.data(),
        norms_.data(),   sketches_.View(),       sketches_.norms().data()};
    for (int b = 0; b < problem_.block_count; ++b)
      near_.data()[b] = HasNear(all, blocks_[b], NearLimit(thresholds_[b])) ? 1 : 0;
  }
  void RunTwin() override {
    for (int b = 0; b < problem_.block_count; ++b)
      near_.data()[b] = LeastDistance(b) <= thresholds_[b] ? 1 : 0;
  }
  std::vector<int64_t> TakeOutput() override { return near_.Take(); }

 private:
  static int64_t Threshold(Random& random, int least_distance) {
    switch (random.Below(5)) {
      case 0:
        return least_distance;
      case 1:
        return std::max(0, least_distance - 1);
      case 2:
        return 0;
      case 3:
        return 0xffffffff;
      default:
        return random.Below(least_distance + 2);
    }
  }

  SketchedBlock Sketched(const int16_t* values) const {
    const int32_t norm = ScaledNorm(values, problem_.pixels) / kDistortionScale;
    return {values, norm, SketchOf(values, kLevelShapes[problem_.level], norm)};
  }
  int LeastDistance(int b) const {
    int least = SquaredDistance(problem_.Pattern(0), problem_.Block(b), problem_.pixels);
    for (int p = 1; p < problem_.pattern_count; ++p)
      least =
          std::min(least, SquaredDistance(problem_.Pattern(p), problem_.Block(b), problem_.pixels));
    return least;
  }

  Problem problem_;
  std::vector<int32_t> norms_;
  PackedPatternList sketches_;
  std::vector<int64_t> thresholds_;
  std::vector<SketchedBlock> blocks_;
  Output<uint8_t> near_;
};

}  // namespace

void AddMatchingKernels(std::vector<Kernel>& table) {
  constexpr int kRounds = 16;
  table.push_back({.name = "MatchBlocks",
                   .targets = SimdTargetList(),
                   .unit = "multiply-adds",
                   .cases = kRounds * kLevelCount,
                   .make = [](Random& random, int number) -> std::unique_ptr<Case> {
                     return std::make_unique<MatchBlocksCase>(RandomProblem(random, number, 0));
                   },
                   .size_name = "level",
                   .sizes = {1, 3, 8, 15, 24},
                   .make_sized = [](Random& random, int level) -> std::unique_ptr<Case> {
                     return std::make_unique<MatchBlocksCase>(TimedProblem(random, level));
                   }});
  table.push_back({.name = "FindMatch",
                   .targets = SimdTargetList(),
                   .unit = "multiply-adds if all are compared",
                   .cases = kRounds * kLevelCount,
                   .make = [](Random& random, int number) -> std::unique_ptr<Case> {
                     return std::make_unique<FindMatchCase>(random,
                                                            RandomProblem(random, number, 0));
                   },
                   .size_name = "level",
                   .sizes = {1, 8, 24},
                   .make_sized = [](Random& random, int level) -> std::unique_ptr<Case> {
                     return std::make_unique<FindMatchCase>(random, TimedProblem(random, level));
                   }});
  table.push_back({.name = "HasNear",
                   .targets = SimdTargetList(),
                   .unit = "blocks",
                   .cases = kRounds * (kLevelCount - 1),
                   .make = [](Random& random, int number) -> std::unique_ptr<Case> {
                     return std::make_unique<HasNearCase>(random, RandomProblem(random, number, 1));
                   },
                   .size_name = "level",
                   .sizes = {1, 8, 24},
                   .make_sized = [](Random& random, int level) -> std::unique_ptr<Case> {
                     return std::make_unique<HasNearCase>(random, TimedProblem(random, level));
                   }});
}

}  // namespace mmp::kernels
