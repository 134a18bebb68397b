// Sums of absolute transformed differences.
#include "codec/rdo/satd.h"

#include <cstdlib>
#include <string>

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

class SatdCase : public Case {
 public:
  SatdCase(Random& random, int level, int count, Residuals kind)
      : level_(level), count_(count), kind_(kind), sums_(count) {
    AppendResidual(random, kind, count * kLevelShapes[level].pixels(), residuals_);
  }

  std::string Describe() const override {
    return std::to_string(count_) + " residuals of level " + std::to_string(level_) + ", " +
           ResidualsName(kind_);
  }
  double Work() const override { return static_cast<double>(residuals_.size()); }
  std::string Place(size_t index) const override { return "residual " + std::to_string(index); }

  void RunKernel() override {
    SatdOfBlocks(residuals_.data(), count_, kLevelShapes[level_], sums_.data());
  }
  void RunTwin() override {
    const LevelShape shape = kLevelShapes[level_];
    for (int k = 0; k < count_; ++k)
      sums_.data()[k] = PlainSatd(residuals_.data() + k * shape.pixels(), shape);
  }
  std::vector<int64_t> TakeOutput() override { return sums_.Take(); }

 private:
  const int level_, count_;
  const Residuals kind_;
  std::vector<int16_t> residuals_;
  Output<int32_t> sums_;
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
  table.push_back(
      {.name = "SatdOfBlocks",
       .targets = SimdTargetList(),
       .unit = "pixels",
       .cases = 16 * kLevelCount,
       .make = [](Random& random, int number) -> std::unique_ptr<Case> {
         const auto kind = static_cast<Residuals>(number / kLevelCount % kResidualKinds);
         return std::make_unique<SatdCase>(random, number % kLevelCount, random.Below(6), kind);
       },
       .size_name = "level",
       .sizes = {3, 8, 13, 24},
       .make_sized = [](Random& random, int level) -> std::unique_ptr<Case> {
         return std::make_unique<SatdCase>(random, level, 27, Residuals::kRandom);
       }});
}

}  // namespace mmp::kernels
