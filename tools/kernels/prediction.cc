// Predictions of a block from the pixels around it.
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "codec/intra/angle_block.h"
#include "codec/intra/block_lsp.h"
#include "codec/intra/lsp.h"
#include "codec/intra/planar_block.h"
#include "codec/intra/predictors.h"
#include "codec/intra/template_match.h"
#include "tools/kernels/inputs.h"
#include "tools/kernels/kernel_table.h"
#include "tools/kernels/output.h"
#include "tools/kernels/plain_prediction.h"

namespace mmp::kernels {
namespace {

using PredictFunction = void (*)(const Canvas&, BlockRect, uint8_t*);

class PredictionCase : public Case {
 public:
  PredictionCase(Surroundings around, PredictFunction kernel, PredictFunction twin)
      : around_(std::move(around)),
        kernel_(kernel),
        twin_(twin),
        prediction_(around_.position.rect.pixels()) {}

  std::string Describe() const override { return around_.name; }
  double Work() const override { return around_.position.rect.pixels(); }
  std::string Place(size_t index) const override {
    const BlockRect rect = around_.position.rect;
    if (index >= static_cast<size_t>(rect.pixels())) return "behind the block";
    const size_t width = rect.width();
    return "row " + std::to_string(index / width) + ", column " + std::to_string(index % width);
  }
  void RunKernel() override {
    kernel_(around_.position.canvas, around_.position.rect, prediction_.data());
  }
  void RunTwin() override {
    twin_(around_.position.canvas, around_.position.rect, prediction_.data());
  }
  std::vector<int64_t> TakeOutput() override { return prediction_.Take(); }

 private:
  const Surroundings around_;
  const PredictFunction kernel_, twin_;
  Output<uint8_t> prediction_;
};

Kernel PredictionKernel(std::string name, PredictFunction kernel, PredictFunction twin, Needs needs,
                        int levels) {
  return {.name = std::move(name),
          .targets = SimdTargetList(),
          .unit = "pixels",
          .cases = 18 * levels,
          .make = [=](Random& random, int number) -> std::unique_ptr<Case> {
            return std::make_unique<PredictionCase>(
                RandomSurroundings(random, number % levels, needs, number / levels), kernel, twin);
          },
          .size_name = "level",
          .sizes = {9, 8, 15, 22},
          .make_sized = [=](Random& random, int level) -> std::unique_ptr<Case> {
            return std::make_unique<PredictionCase>(FullSurroundings(random, level), kernel, twin);
          }};
}

using AngleFunction = void (*)(const BlockBorder&, int, LevelShape, uint8_t*);

template <AngleFunction kPredict, int kMode>
void PredictOneAngle(const Canvas& canvas, BlockRect rect, uint8_t* prediction) {
  BlockBorder border;
  LoadBorder(canvas, rect, border);
  kPredict(border, kMode, kLevelShapes[rect.level], prediction);
}

// Of one angle each. Macroblocks have none, but what is predicted for them is defined.
template <int... kOffsets>
void AddAngleKernels(std::integer_sequence<int, kOffsets...> /*offsets*/,
                     std::vector<Kernel>& table) {
  (table.push_back(PredictionKernel("PredictAngleBlock/" + std::to_string(kFirstAngle + kOffsets),
                                    PredictOneAngle<PredictAngleBlock, kFirstAngle + kOffsets>,
                                    PredictOneAngle<PredictAngle, kFirstAngle + kOffsets>,
                                    Needs::kNothing, kLevelCount)),
   ...);
}

void PredictPlanar(const Canvas& canvas, BlockRect rect, uint8_t* prediction) {
  BlockBorder border;
  LoadBorder(canvas, rect, border);
  PredictPlanarBlock(border, kLevelShapes[rect.level], prediction);
}

void PlainPlanar(const Canvas& canvas, BlockRect rect, uint8_t* prediction) {
  BlockBorder border;
  LoadBorder(canvas, rect, border);
  PredictBlock(border, kPlanar, rect.level, prediction);
}

// The most frequent value, made a prediction of one pixel.
void PredictMostFrequent(const Canvas& canvas, BlockRect rect, uint8_t* prediction) {
  BlockBorder border;
  LoadBorder(canvas, rect, border);
  *prediction = static_cast<uint8_t>(MostFrequentValue(border, rect.height(), rect.width()));
}

// docs/format.md, "Prediction".
void PlainMostFrequent(const Canvas& canvas, BlockRect rect, uint8_t* prediction) {
  std::vector<int> values;
  for (int j = 0; j < rect.width(); ++j)
    if (canvas.Available(rect.y - 1, rect.x))
      values.push_back(canvas.Pixel(rect.y - 1, rect.x + j));
  for (int i = 0; i < rect.height(); ++i)
    if (canvas.Available(rect.y, rect.x - 1))
      values.push_back(canvas.Pixel(rect.y + i, rect.x - 1));
  int sum = 0, best = 128, best_times = 0;
  for (const int v : values) sum += v;
  const int count = static_cast<int>(values.size());
  const int mean = count == 0 ? 0 : (2 * sum + count) / (2 * count);
  for (int v = 0; v < 256; ++v) {
    int times = 0;
    for (const int other : values) times += other == v ? 1 : 0;
    if (times == 0 || times < best_times) continue;
    if (times == best_times && std::abs(v - mean) >= std::abs(best - mean)) continue;
    best = v;
    best_times = times;
  }
  *prediction = static_cast<uint8_t>(best);
}

}  // namespace

void AddPredictionKernels(std::vector<Kernel>& table) {
  table.push_back(PredictionKernel("PredictLsp", PredictLsp, PlainLsp, Needs::kOne, kLevelCount));
  table.push_back(PredictionKernel("PredictBlockLsp", PredictBlockLsp, PlainBlockLsp, Needs::kTwo,
                                   kMacroblockLevel));
  table.push_back(PredictionKernel("PredictTemplate", PredictTemplate, PlainTemplate, Needs::kTwo,
                                   kLevelCount));
  AddAngleKernels(std::make_integer_sequence<int, kLastAngle - kFirstAngle + 1>(), table);
  table.push_back(PredictionKernel("PredictPlanarBlock", PredictPlanar, PlainPlanar,
                                   Needs::kNothing, kLevelCount));
  Kernel most_frequent = PredictionKernel("MostFrequentValue", PredictMostFrequent,
                                          PlainMostFrequent, Needs::kNothing, kLevelCount);
  most_frequent.targets = PortableTarget();
  table.push_back(std::move(most_frequent));
}

}  // namespace mmp::kernels
