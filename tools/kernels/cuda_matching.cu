// Matching on the device, by integers and by tensor cores.
#include <string>
#include <utility>

#include "tests/cuda/match_problem.cuh"
#include "tools/kernels/cuda_kernels.h"

namespace mmp::kernels {
namespace {

using cuda::MatchContent;
using cuda::MatchProblem;

struct MatchInput {
  int patterns, most_blocks;
  MatchContent content;
  std::pair<int, int> grid;  // blocks, and threads of each

  std::string Describe() const {
    constexpr const char* kNames[] = {"random", "255 or -255", "255 or -255, a few 1 or -1",
                                      "equal",  "zeros",       "blocks that are patterns"};
    return std::to_string(patterns) + " patterns, up to " + std::to_string(most_blocks) +
           " blocks of each level, " + kNames[static_cast<int>(content)] + ", by " +
           std::to_string(grid.first) + " blocks of " + std::to_string(grid.second) + " threads";
  }
};

template <bool kTensor>
class MatchCase : public Case {
 public:
  MatchCase(Random& random, const MatchInput& input)
      : input_(input),
        problem_(cuda::MakeMatchProblem(random, input.patterns, input.most_blocks, input.content)),
        device_(problem_, input.patterns, input.grid.first, input.grid.second) {}

  std::string Describe() const override { return input_.Describe(); }
  double Work() const override {
    double sum = 0;
    for (int level = 1; level < kLevelCount; ++level)
      sum += 1.0 * problem_.block_count[level] * input_.patterns * kLevelShapes[level].pixels();
    return sum;
  }

  void RunKernel() override {
    device_.Run({3, 1});
    on_device_ = true;
  }
  void RunTwin() override {
    for (int level = 1; level < kLevelCount; ++level) {
      expected_[level].clear();
      for (int b = 0; b < problem_.block_count[level]; ++b)
        expected_[level].push_back(cuda::PlainMatch(problem_, level, b));
    }
    on_device_ = false;
  }

  std::vector<int64_t> TakeOutput() override {
    std::vector<int64_t> values;
    for (const auto& level : on_device_ ? device_.Take() : expected_)
      for (const unsigned long long best : level) {
        values.push_back(static_cast<int64_t>(best >> 32));
        values.push_back(static_cast<int64_t>(best & 0xffffffff));
      }
    return values;
  }
  std::string Place(size_t index) const override {
    size_t block = index / 2;
    int level = 1;
    for (; block >= static_cast<size_t>(problem_.block_count[level]); ++level)
      block -= problem_.block_count[level];
    return "level " + std::to_string(level) + ", block " + std::to_string(block) +
           (index % 2 == 0 ? ", cost" : ", index");
  }

 private:
  const MatchInput input_;
  const MatchProblem problem_;
  cuda::DeviceMatching<kTensor> device_;
  cuda::ByLevel<std::vector<unsigned long long>> expected_;
  bool on_device_ = false;
};

template <bool kTensor>
Kernel MatchKernel(const char* name, const CudaMachine& machine) {
  constexpr int kPatterns[] = {1, 2, 31, 32, 33, 63, 64, 65, 257, 513};
  constexpr int kBlocks[] = {0, 1, 7, 16, 17, 33, 49};
  constexpr std::pair<int, int> kGrids[] = {{3, 96}, {1, 32}, {16, 512}, {33, 64}};
  const std::pair<int, int> whole_device = {machine.multiprocessors, 512};
  return {.name = name,
          .targets = machine.targets,
          .skipped = machine.problem,
          .unit = "multiply-adds",
          .cases = 84,
          .make = [=](Random& random, int number) -> std::unique_ptr<Case> {
            return std::make_unique<MatchCase<kTensor>>(
                random, MatchInput{kPatterns[number % std::size(kPatterns)],
                                   kBlocks[number % std::size(kBlocks)],
                                   static_cast<MatchContent>(number % 6),
                                   kGrids[random.Below(static_cast<int>(std::size(kGrids)))]});
          },
          .size_name = "patterns",
          .sizes = {64, 512},
          .make_sized = [=](Random& random, int patterns) -> std::unique_ptr<Case> {
            return std::make_unique<MatchCase<kTensor>>(
                random, MatchInput{patterns, 100, MatchContent::kRandom, whole_device});
          }};
}

}  // namespace

void AddCudaMatchingKernels(const CudaMachine& machine, std::vector<Kernel>& table) {
  table.push_back(MatchKernel<false>("MatchPlanned/integers", machine));
  Kernel tensor = MatchKernel<true>("MatchPlanned/tensor_cores", machine);
  if (!tensor.targets.empty() && machine.compute_capability < 80) {
    tensor.targets.clear();
    tensor.skipped = "the device has no tensor cores of compute capability 8.0";
  }
  table.push_back(std::move(tensor));
}

}  // namespace mmp::kernels
