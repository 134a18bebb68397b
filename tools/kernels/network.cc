// The convolutions of the network filter.
#include <string>

#include "codec/postfilter/network_convolution.h"
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
}

}  // namespace mmp::kernels
