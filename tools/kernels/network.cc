// The convolutions of the network filter, and what it does to rows of pixels.
#include <string>
#include <utility>

#include "codec/postfilter/network_arithmetic.h"
#include "codec/postfilter/network_convolution.h"
#include "codec/postfilter/network_rows.h"
#include "tools/kernels/kernel_table.h"
#include "tools/kernels/network_layers.h"
#include "tools/kernels/output.h"

namespace mmp::kernels {
namespace {

class ConvolutionCase : public Case {
 public:
  ConvolutionCase(Random& random, int inputs, int outputs, int columns, OutputRule rule,
                  LayerValues kind)
      : columns_(columns),
        rule_(rule),
        level_(random.Between(1, kNetworkLevels)),
        layer_(RandomLayer(random, inputs, outputs, kind)),
        packed_(layer_, level_),
        result_(static_cast<size_t>(columns) * kHalves * packed_.outputs) {
    const int row_values = (columns + 2) * kHalves * inputs;
    for (int k = 0; k < 3 * row_values; ++k) from_.push_back(RandomLayerValue(random, kind, k));
    for (int k = 0; k < columns * kHalves * packed_.outputs; ++k)
      added_.push_back(RandomLayerValue(random, LayerValues::kNoise, k));
    for (int k = 0; k < 3; ++k) row_.from[k] = from_.data() + k * row_values;
    row_.columns = columns;
    row_.rule = rule;
    row_.added = added_.data();
  }

  std::string Describe() const override {
    constexpr const char* kRules[] = {"plain", "rectified", "added"};
    return std::to_string(columns_) + " columns, " + std::to_string(layer_.inputs) + " inputs, " +
           std::to_string(layer_.outputs) + " outputs, " + kRules[static_cast<int>(rule_)] +
           ", level " + std::to_string(level_);
  }
  double Work() const override { return 9.0 * kHalves * columns_ * layer_.inputs * layer_.outputs; }
  std::string Place(size_t index) const override {
    const size_t column_values = size_t{kHalves} * packed_.outputs;
    return "column " + std::to_string(index / column_values) + ", value " +
           std::to_string(index % column_values);
  }

  void RunKernel() override {
    row_.to = result_.data();
    ConvolveRow(packed_, row_);
  }
  void RunTwin() override {
    for (int column = 0; column < columns_; ++column)
      for (int output = 0; output < packed_.outputs; ++output)
        for (int half = 0; half < kHalves; ++half) {
          const int at = Index(column, packed_.outputs, output, half);
          result_.data()[at] = Plain(column, output, half, row_.added[at]);
        }
  }
  std::vector<int64_t> TakeOutput() override { return result_.Take(); }

 private:
  static constexpr int kHalves = FoldedRow::kHalves;

  // Of a value of a column's position, `values` a position.
  static int Index(int column, int values, int value, int half) {
    return column * kHalves * values + FoldedRow::Index(value, half);
  }

  // Outputs that fill up a group are of zeros. Right positions have their neighbours on the left in
  // the next column.
  int16_t Plain(int column, int output, int half, int16_t added) const {
    if (output >= layer_.outputs) return rule_ == OutputRule::kAdded ? added : 0;
    return PlainOutput(layer_, level_, output, rule_, added, [&](int row, int k, int input) {
      return row_.from[row][Index(column + (half == 0 ? k : 2 - k), layer_.inputs, input, half)];
    });
  }

  const int columns_;
  const OutputRule rule_;
  const int level_;
  const NetworkLayer layer_;
  const PackedLayer packed_;
  std::vector<int16_t> from_, added_;
  ConvolvedRow row_;
  Output<int16_t> result_;
};

// Pixels side by side, some of them black or white, and what was predicted of them or what the last
// layer makes of them.
class RowCase : public Case {
 public:
  RowCase(Random& random, int pixels) : level_(random.Between(1, kNetworkLevels)) {
    const auto pixel = [&] {
      return static_cast<uint8_t>(random.OneIn(4) ? 255 * random.Below(2) : random.Below(256));
    };
    for (int x = 0; x < pixels; ++x) {
      pixels_.push_back(pixel());
      prediction_.push_back(pixel());
      outputs_.push_back(RandomLayerValue(random, LayerValues::kNoise, x));
    }
    if (pixels > 0) outputs_.front() = -32768;
    if (pixels > 1) outputs_.back() = 32767;
  }

  std::string Describe() const override {
    return std::to_string(pixels_.size()) + " pixels, level " + std::to_string(level_);
  }
  double Work() const override { return static_cast<double>(pixels_.size()); }

 protected:
  int pixels() const { return static_cast<int>(pixels_.size()); }
  NetworkScale scale() const { return kNetworkScales[level_ - 1]; }

  std::vector<uint8_t> pixels_, prediction_;
  std::vector<int16_t> outputs_;

 private:
  const int level_;
};

class InputsCase : public RowCase {
 public:
  InputsCase(Random& random, int pixels)
      : RowCase(random, pixels), of_pixels_(pixels_.size()), of_prediction_(pixels_.size()) {}

  void RunKernel() override {
    InputsOfRow(pixels_.data(), prediction_.data(), pixels(), scale().input, of_pixels_.data(),
                of_prediction_.data());
  }
  void RunTwin() override {
    for (int x = 0; x < pixels(); ++x) {
      const PixelInputs inputs = InputsOf(pixels_[x], prediction_[x], scale().input);
      of_pixels_.data()[x] = inputs.pixel;
      of_prediction_.data()[x] = inputs.prediction;
    }
  }
  std::vector<int64_t> TakeOutput() override {
    std::vector<int64_t> values = of_pixels_.Take();
    of_prediction_.Take(values);
    return values;
  }

 private:
  Output<int16_t> of_pixels_, of_prediction_;
};

class CorrectionCase : public RowCase {
 public:
  CorrectionCase(Random& random, int pixels) : RowCase(random, pixels), result_(pixels_.size()) {}

  void RunKernel() override {
    CorrectRow(pixels_.data(), outputs_.data(), pixels(), scale().output, result_.data());
  }
  void RunTwin() override {
    for (int x = 0; x < pixels(); ++x)
      result_.data()[x] = CorrectedPixel(pixels_[x], outputs_[x], scale().output);
  }
  std::vector<int64_t> TakeOutput() override { return result_.Take(); }

 private:
  Output<uint8_t> result_;
};

template <typename OneCase>
Kernel RowKernel(std::string name) {
  return {.name = std::move(name),
          .targets = SimdTargetList(),
          .unit = "pixels",
          .cases = 300,
          .make = [](Random& random, int number) -> std::unique_ptr<Case> {
            return std::make_unique<OneCase>(random, number % 100);
          },
          .size_name = "pixels",
          .sizes = {64, 512},
          .make_sized = [](Random& random, int pixels) -> std::unique_ptr<Case> {
            return std::make_unique<OneCase>(random, pixels);
          }};
}

}  // namespace

void AddNetworkKernels(std::vector<Kernel>& table) {
  table.push_back(
      {.name = "ConvolveRow",
       .targets = SimdTargetList(),
       .unit = "multiply-adds",
       .cases = 288,
       .make = [](Random& random, int number) -> std::unique_ptr<Case> {
         constexpr int kSizes[][2] = {{8, 24}, {24, 24}, {24, 4}, {32, 32}, {8, 16}, {16, 16}};
         const auto& size = kSizes[number % 6];
         const auto rule = static_cast<OutputRule>(number / 6 % 3);
         const auto kind =
             static_cast<LayerValues>(number / 18 % static_cast<int>(LayerValues::kCount));
         return std::make_unique<ConvolutionCase>(random, size[0], size[1], random.Below(20), rule,
                                                  kind);
       },
       .size_name = "columns",
       .sizes = {8, 128},
       .make_sized = [](Random& random, int columns) -> std::unique_ptr<Case> {
         constexpr int kChannels = ShapeOfNetwork(NetworkKind::kLarge).channels;
         return std::make_unique<ConvolutionCase>(random, kChannels, kChannels, columns,
                                                  OutputRule::kAdded, LayerValues::kNoise);
       }});
  table.push_back(RowKernel<InputsCase>("InputsOfRow"));
  table.push_back(RowKernel<CorrectionCase>("CorrectRow"));
}

}  // namespace mmp::kernels
