// The convolutions of the network filter.
#include <algorithm>
#include <string>

#include "codec/postfilter/network_convolution.h"
#include "tools/kernels/kernel_table.h"
#include "tools/kernels/output.h"

namespace mmp::kernels {
namespace {

enum class Values { kNoise, kSmall, kLeast, kAlternating, kCount };

// A layer's values: of any kind, or so that sums are the greatest that there can be.
NetworkLayer RandomLayer(Random& random, int inputs, int outputs, Values kind) {
  constexpr int kMostBias = (1 << 28) - 1, kMostSlope = kMostBias / 12;
  NetworkLayer layer = {.inputs = inputs, .outputs = outputs};
  const bool is_extreme = kind == Values::kLeast || kind == Values::kAlternating;
  for (int output = 0; output < outputs; ++output) {
    const int sign = random.OneIn(2) ? 1 : -1;
    layer.shifts.push_back(static_cast<uint8_t>(random.Between(1, 24)));
    layer.biases.push_back(is_extreme ? sign * kMostBias : random.Between(-100000, 100000));
    layer.slopes.push_back(is_extreme ? sign * kMostSlope : random.Between(-1000, 1000));
    for (int k = 0; k < 9 * inputs; ++k) {
      const int weight = kind == Values::kLeast ? (sign > 0 ? -128 : 127)
                         : is_extreme           ? (k % 2 == 0 ? -128 : 127)
                                                : random.Between(-128, 127);
      layer.weights.push_back(static_cast<int8_t>(weight));
    }
  }
  return layer;
}

class ConvolutionCase : public Case {
 public:
  ConvolutionCase(Random& random, int inputs, int outputs, int columns, OutputRule rule,
                  Values kind)
      : columns_(columns),
        rule_(rule),
        level_(random.Between(1, kNetworkLevels)),
        layer_(RandomLayer(random, inputs, outputs, kind)),
        packed_(layer_, level_),
        result_(static_cast<size_t>(columns) * kHalves * packed_.outputs) {
    const int row_values = (columns + 2) * kHalves * inputs;
    for (int k = 0; k < 3 * row_values; ++k) from_.push_back(Value(random, kind, k));
    for (int k = 0; k < columns * kHalves * packed_.outputs; ++k)
      added_.push_back(Value(random, Values::kNoise, k));
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

  static int16_t Value(Random& random, Values kind, int k) {
    switch (kind) {
      case Values::kNoise:
        return static_cast<int16_t>(random.Between(-32768, 32767));
      case Values::kSmall:
        return static_cast<int16_t>(random.Between(-100, 100));
      case Values::kLeast:
        return -32768;
      default:
        return k % 2 == 0 ? -32768 : 32767;
    }
  }

  // docs/format.md, "Network filter". Outputs that fill up a group are of zeros.
  // Right positions have their neighbours on the left in the next column.
  int16_t Plain(int column, int output, int half, int16_t added) const {
    const int inputs = layer_.inputs;
    int64_t value = 0;
    if (output < layer_.outputs) {
      int64_t sum = layer_.biases[output] + int64_t{layer_.slopes[output]} * (level_ - 10);
      const int8_t* weight = &layer_.weights[static_cast<size_t>(output) * 9 * inputs];
      for (const int16_t* row : row_.from)
        for (int k = 0; k < 3; ++k)
          for (int input = 0; input < inputs; ++input)
            sum += *weight++ * row[Index(column + (half == 0 ? k : 2 - k), inputs, input, half)];
      const int shift = layer_.shifts[output];
      value = std::clamp<int64_t>((sum + (int64_t{1} << (shift - 1))) >> shift, -32768, 32767);
    }
    if (rule_ == OutputRule::kRelu) value = std::max<int64_t>(value, 0);
    if (rule_ == OutputRule::kAdded) value = std::clamp<int64_t>(value + added, -32768, 32767);
    return static_cast<int16_t>(value);
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
         const auto kind = static_cast<Values>(number / 18 % static_cast<int>(Values::kCount));
         return std::make_unique<ConvolutionCase>(random, size[0], size[1], random.Below(20), rule,
                                                  kind);
       },
       .size_name = "columns",
       .sizes = {8, 128},
       .make_sized = [](Random& random, int columns) -> std::unique_ptr<Case> {
         constexpr int kChannels = ShapeOfNetwork(NetworkSize::kLarge).channels;
         return std::make_unique<ConvolutionCase>(random, kChannels, kChannels, columns,
                                                  OutputRule::kAdded, Values::kNoise);
       }});
}

}  // namespace mmp::kernels
