// Sums of absolute transformed differences.
#include "codec/rdo/satd.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/kernels/inputs.h"
#include "tools/kernels/kernel_table.h"
#include "tools/kernels/output.h"
#include "tools/kernels/plain_satd.h"

namespace mmp::kernels {
namespace {

constexpr int kHadamard[4][4] = {{1, 1, 1, 1}, {1, -1, 1, -1}, {1, 1, -1, -1}, {1, -1, -1, 1}};

// The coefficient (u, v) of the 4x4 values whose rows are `stride` apart.
int Coefficient(const int16_t* residual, int stride, int u, int v) {
  int sum = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) sum += kHadamard[u][i] * kHadamard[v][j] * residual[i * stride + j];
  return sum;
}

// Samples of a macroblock, and predictions of a block of it; of some the samples are black or
// white.
struct Predicted {
  Predicted(Random& random, int block_level, int predictions, bool extreme)
      : level(block_level),
        count(predictions),
        is_extreme(extreme),
        samples(size_t{1} * count * shape().pixels()) {
    const auto fill = [&](auto& values) {
      for (uint8_t& v : values)
        v = static_cast<uint8_t>(extreme ? 255 * random.Below(2) : random.Below(256));
    };
    fill(original);
    fill(samples);
  }

  LevelShape shape() const { return kLevelShapes[level]; }
  // What prediction number k leaves.
  void Residual(int k, int16_t* residual) const {
    ResidualOf(original, samples.data() + size_t{1} * k * shape().pixels(), shape(), residual);
  }

  int level, count;
  bool is_extreme;
  uint8_t original[kMacroblockPixels];
  std::vector<uint8_t> samples;
};

class SatdCase : public Case {
 public:
  SatdCase(Predicted predicted, int sums_of_each)
      : predicted_(std::move(predicted)), sums_(predicted_.count * sums_of_each) {}

  std::string Describe() const override {
    return std::to_string(predicted_.count) + " predictions of level " +
           std::to_string(predicted_.level) +
           (predicted_.is_extreme ? ", black and white" : ", random");
  }
  double Work() const override { return static_cast<double>(predicted_.samples.size()); }
  std::string Place(size_t index) const override { return "sum " + std::to_string(index); }
  std::vector<int64_t> TakeOutput() override { return sums_.Take(); }

 protected:
  const Predicted predicted_;
  Output<int32_t> sums_;
};

class WholeCase : public SatdCase {
 public:
  explicit WholeCase(Predicted predicted) : SatdCase(std::move(predicted), 1) {}

  void RunKernel() override {
    SatdOfPredictions(predicted_.original, predicted_.samples.data(), predicted_.count,
                      predicted_.shape(), sums_.data());
  }
  void RunTwin() override {
    int16_t residual[kMacroblockPixels];
    for (int k = 0; k < predicted_.count; ++k) {
      predicted_.Residual(k, residual);
      sums_.data()[k] = PlainSatd(residual, predicted_.shape());
    }
  }
};

class QuadrantCase : public SatdCase {
 public:
  explicit QuadrantCase(Predicted predicted) : SatdCase(std::move(predicted), 4) {}

  void RunKernel() override {
    std::vector<QuadrantSatd> sums(predicted_.count);
    SatdOfQuadrants(predicted_.original, predicted_.samples.data(), predicted_.count, sums.data());
    for (int k = 0; k < predicted_.count; ++k) std::ranges::copy(sums[k], sums_.data() + 4 * k);
  }
  void RunTwin() override {
    constexpr int kHalf = kMacroblockSize / 2;
    int16_t residual[kMacroblockPixels], quadrant[kHalf * kHalf];
    for (int k = 0; k < 4 * predicted_.count; ++k) {
      predicted_.Residual(k / 4, residual);
      const int top = k % 4 / 2 * kHalf, left = k % 2 * kHalf;
      for (int i = 0; i < kHalf; ++i)
        std::copy_n(residual + (top + i) * kMacroblockSize + left, kHalf, quadrant + i * kHalf);
      sums_.data()[k] = PlainSatd(quadrant, {3, 3});
    }
  }
};

}  // namespace

int32_t PlainSatd(const int16_t* residual, LevelShape shape) {
  const int h = shape.height(), w = shape.width();
  int32_t sum = 0;
  if (h < 4 || w < 4) {
    for (int k = 0; k < h * w; ++k) sum += std::abs(residual[k]);
    return sum;
  }
  for (int y = 0; y < h; y += 4)
    for (int x = 0; x < w; x += 4)
      for (int u = 0; u < 4; ++u)
        for (int v = 0; v < 4; ++v) sum += std::abs(Coefficient(residual + y * w + x, w, u, v));
  return sum / 2;
}

void AddSatdKernels(std::vector<Kernel>& table) {
  table.push_back({.name = "SatdOfPredictions",
                   .targets = SimdTargetList(),
                   .unit = "pixels",
                   .cases = 16 * kLevelCount,
                   .make = [](Random& random, int number) -> std::unique_ptr<Case> {
                     const bool is_extreme = number / kLevelCount % 4 == 3;
                     return std::make_unique<WholeCase>(
                         Predicted(random, number % kLevelCount, random.Below(6), is_extreme));
                   },
                   .size_name = "level",
                   .sizes = {3, 8, 13, 24},
                   .make_sized = [](Random& random, int level) -> std::unique_ptr<Case> {
                     return std::make_unique<WholeCase>(Predicted(random, level, 27, false));
                   }});
  table.push_back({.name = "SatdOfQuadrants",
                   .targets = SimdTargetList(),
                   .unit = "pixels",
                   .cases = 40,
                   .make = [](Random& random, int number) -> std::unique_ptr<Case> {
                     return std::make_unique<QuadrantCase>(
                         Predicted(random, kMacroblockLevel, random.Below(6), number % 4 == 3));
                   },
                   .size_name = "predictions",
                   .sizes = {1, 5},
                   .make_sized = [](Random& random, int predictions) -> std::unique_ptr<Case> {
                     return std::make_unique<QuadrantCase>(
                         Predicted(random, kMacroblockLevel, predictions, false));
                   }});
}

}  // namespace mmp::kernels
