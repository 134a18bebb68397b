// What the device does with residuals: SATD, and trees.
#include <algorithm>
#include <memory>
#include <string>

#include "cuda/kernels/satd.cuh"
#include "cuda/kernels/warp.cuh"
#include "tests/cuda/residual_trees.cuh"
#include "tools/kernels/cuda_kernels.h"
#include "tools/kernels/inputs.h"
#include "tools/kernels/plain_satd.h"

namespace mmp::kernels {
namespace {

using cuda::TreeResidual;

// --- SATD ---

// A warp a residual.
__global__ void SatdOfAll(const TreeResidual* residuals, int count, int32_t* sums) {
  const int k = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  if (k >= count) return;
  const TreeResidual& residual = residuals[k];
  const BlockRect rect = {0, 0, static_cast<uint8_t>(residual.level)};
  const cuda::SatdParts parts(rect);
  int32_t sum = 0;
  for (int part = threadIdx.x % 32; part < 1 << parts.log2_count; part += 32)
    sum += parts.Of(residual.values, part);
  sum = cuda::WarpSum(sum);
  // What any lane has is what all have.
  if (threadIdx.x % 32 == k % 32) sums[k] = sum;
}

class SatdCase : public Case {
 public:
  explicit SatdCase(std::vector<TreeResidual> residuals)
      : residuals_(std::move(residuals)),
        in_(residuals_),
        out_(residuals_.size()),
        sums_(residuals_.size()) {}

  std::string Describe() const override { return std::to_string(residuals_.size()) + " residuals"; }
  double Work() const override {
    double sum = 0;
    for (const TreeResidual& residual : residuals_) sum += kLevelShapes[residual.level].pixels();
    return sum;
  }
  std::string Place(size_t index) const override {
    return "residual " + std::to_string(index) + ", level " +
           std::to_string(residuals_[index].level);
  }
  void RunKernel() override {
    constexpr int kThreads = 128;
    const int count = static_cast<int>(residuals_.size());
    SatdOfAll<<<(32 * count + kThreads - 1) / kThreads, kThreads>>>(in_.data(), count, out_.data());
    cuda::Finish();
    on_device_ = true;
  }
  void RunTwin() override {
    for (size_t k = 0; k < residuals_.size(); ++k)
      sums_[k] = PlainSatd(residuals_[k].values, kLevelShapes[residuals_[k].level]);
    on_device_ = false;
  }
  std::vector<int64_t> TakeOutput() override {
    if (on_device_) sums_ = out_.Read();
    const std::vector<int64_t> values(sums_.begin(), sums_.end());
    std::fill(sums_.begin(), sums_.end(), -1);
    out_.Write(sums_);
    return values;
  }

 private:
  const std::vector<TreeResidual> residuals_;
  const cuda::DeviceArray<TreeResidual> in_;
  cuda::DeviceArray<int32_t> out_;
  std::vector<int32_t> sums_;
  bool on_device_ = false;
};

TreeResidual ResidualOf(Random& random, int level, Residuals kind) {
  TreeResidual residual{};
  residual.level = level;
  std::vector<int16_t> values;
  AppendResidual(random, kind, kMacroblockPixels, values);
  std::copy(values.begin(), values.end(), residual.values);
  return residual;
}

Kernel SatdKernel(const CudaMachine& machine) {
  return {
      .name = "SatdParts",
      .targets = machine.targets,
      .skipped = machine.problem,
      .unit = "pixels",
      .cases = 4,
      .make = [](Random& random, int) -> std::unique_ptr<Case> {
        std::vector<TreeResidual> residuals;
        for (int k = 0; k < 4 * kLevelCount * kResidualKinds; ++k)
          residuals.push_back(ResidualOf(random, k % kLevelCount,
                                         static_cast<Residuals>(k / kLevelCount % kResidualKinds)));
        return std::make_unique<SatdCase>(std::move(residuals));
      },
      .size_name = "level",
      .sizes = {3, 8, 24},
      .make_sized = [](Random& random, int level) -> std::unique_ptr<Case> {
        std::vector<TreeResidual> residuals;
        for (int k = 0; k < 4096; ++k)
          residuals.push_back(ResidualOf(random, level, Residuals::kRandom));
        return std::make_unique<SatdCase>(std::move(residuals));
      }};
}

// --- Trees ---

struct TreeInput {
  int32_t lambda_q8;
  int slack_q4;
  int threads;  // for a residual
};

// A tile after some coding, and what its symbols cost.
struct TileCosts {
  TileCosts(Random& random, Lambda lambda) : tile(RandomTileState(random, Parameters(), 16, 16)) {
    symbol_costs.Update(tile, lambda);
  }
  static CodecParameters Parameters() {
    CodecParameters parameters;
    parameters.dictionary_size = 150;
    return parameters;
  }

  const TileState tile;
  SymbolCosts symbol_costs;
};

// The costs at the root of each residual's tree, by decision, and the values that it stands for.
class TreeCase : public Case {
 public:
  TreeCase(Random& random, const TreeInput& input, int of_each_level)
      : input_(input),
        tile_(std::make_unique<TileCosts>(random, Lambda{input.lambda_q8})),
        costs_(tile_->symbol_costs),
        reference_costs_(tile_->symbol_costs),
        residuals_(cuda::RandomResiduals(random, of_each_level)),
        device_(residuals_, costs_, input.threads) {}

  std::string Describe() const override {
    return std::to_string(residuals_.size()) + " residuals, lambda " +
           std::to_string(input_.lambda_q8) + " / 256, slack " + std::to_string(input_.slack_q4) +
           " / 16, " + std::to_string(input_.threads) + " threads each";
  }
  double Work() const override {
    double sum = 0;
    for (const TreeResidual& residual : residuals_) sum += kLevelShapes[residual.level].pixels();
    return sum;
  }
  std::string Place(size_t index) const override {
    const size_t k = index / kOutputs, flag = index % kOutputs / (1 + kMacroblockPixels);
    const size_t value = index % (1 + kMacroblockPixels);
    return "residual " + std::to_string(k) + ", level " + std::to_string(residuals_[k].level) +
           ", decision " + std::to_string(flag) +
           (value == 0 ? ", cost" : ", value " + std::to_string(value - 1));
  }

  void RunKernel() override {
    device_.Prune(input_.slack_q4);
    on_device_ = true;
  }
  void RunTwin() override {
    expected_.clear();
    for (const TreeResidual& residual : residuals_) {
      const std::vector<int16_t> values(residual.values,
                                        residual.values + kLevelShapes[residual.level].pixels());
      const ReferenceResidual reference(reference_costs_, residual.level, values, input_.slack_q4);
      const RootCosts& costs = reference.costs();
      Append(
          {costs.pattern, costs.vertical, costs.horizontal},
          [&](int flag) { return reference.Values(static_cast<ResidualFlag>(flag)); }, expected_);
    }
    on_device_ = false;
  }
  std::vector<int64_t> TakeOutput() override {
    if (!on_device_) return std::move(expected_);
    const std::vector<cuda::ResidualTree> trees = device_.Read();
    std::vector<int64_t> output;
    for (size_t k = 0; k < trees.size(); ++k) {
      const auto& costs = trees[k].costs;
      Append(
          {costs.pattern, costs.vertical, costs.horizontal},
          [&](int flag) {
            return cuda::ValuesOf(trees[k], flag, residuals_[k].level, costs_.patterns);
          },
          output);
    }
    return output;
  }

 private:
  static constexpr size_t kOutputs = kResidualFlags * (1 + kMacroblockPixels);  // of a residual

  // Appends each decision's cost and, if it can be had, its values.
  template <typename ValuesFn>
  static void Append(const int32_t (&costs)[kResidualFlags], ValuesFn values_of,
                     std::vector<int64_t>& output) {
    for (int flag = 0; flag < kResidualFlags; ++flag) {
      output.push_back(std::min(costs[flag], kImpossible));
      const size_t end = output.size() + kMacroblockPixels;
      if (costs[flag] < kImpossible) {
        const std::vector<int16_t> values = values_of(flag);
        output.insert(output.end(), values.begin(), values.end());
      }
      output.resize(end);
    }
  }

  const TreeInput input_;
  const std::unique_ptr<TileCosts> tile_;
  const cuda::SearchCosts costs_;
  const ReferenceCosts reference_costs_;
  const std::vector<TreeResidual> residuals_;
  cuda::DeviceTrees<false> device_;
  std::vector<int64_t> expected_;
  bool on_device_ = false;
};

Kernel TreeKernel(const CudaMachine& machine) {
  constexpr int32_t kLambdas[] = {0, 1, 256, 2560, 76800, 16777216};
  constexpr int kSlacks[] = {0, 16, 20};
  constexpr int kLambdaCount = 6;
  return {.name = "ResidualTrees::Prune",
          .targets = machine.targets,
          .skipped = machine.problem,
          .unit = "pixels",
          .cases = kLambdaCount * 3,
          .make = [=](Random& random, int number) -> std::unique_ptr<Case> {
            const TreeInput input = {kLambdas[number % kLambdaCount],
                                     kSlacks[number / kLambdaCount % 3],
                                     random.OneIn(2) ? 32 : 128};
            return std::make_unique<TreeCase>(random, input, 3);
          },
          .size_name = "of each level",
          .sizes = {1, 20},
          .make_sized = [](Random& random, int of_each_level) -> std::unique_ptr<Case> {
            return std::make_unique<TreeCase>(random, TreeInput{2560, 0, 128}, of_each_level);
          }};
}

}  // namespace

void AddCudaResidualKernels(const CudaMachine& machine, std::vector<Kernel>& table) {
  table.push_back(SatdKernel(machine));
  table.push_back(TreeKernel(machine));
}

}  // namespace mmp::kernels
