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
  ConvolutionCase(Random& random, int inputs, int outputs, int width, OutputRule rule, Values kind)
      : width_(width),
        rule_(rule),
        level_(random.Between(1, kNetworkLevels)),
        layer_(RandomLayer(random, inputs, outputs, kind)),
        packed_(layer_, level_),
        result_(static_cast<size_t>(width) * packed_.outputs) {
    const int row_values = (width + 2) * inputs;
    for (int k = 0; k < 3 * row_values; ++k) from_.push_back(Value(random, kind, k));
    for (int k = 0; k < width * packed_.outputs; ++k)
      added_.push_back(Value(random, Values::kNoise, k));
    for (int k = 0; k < 3; ++k) row_.from[k] = from_.data() + k * row_values;
    row_.width = width;
    row_.rule = rule;
    row_.added = added_.data();
  }

  std::string Describe() const override {
    constexpr const char* kRules[] = {"plain", "rectified", "added"};
    return std::to_string(width_) + " positions, " + std::to_string(layer_.inputs) + " inputs, " +
           std::to_string(layer_.outputs) + " outputs, " + kRules[static_cast<int>(rule_)] +
           ", level " + std::to_string(level_);
  }
  double Work() const override { return 9.0 * width_ * layer_.inputs * layer_.outputs; }
  std::string Place(size_t index) const override {
    return "position " + std::to_string(index / packed_.outputs) + ", output " +
           std::to_string(index % packed_.outputs);
  }

  void RunKernel() override {
    row_.to = result_.data();
    ConvolveRow(packed_, row_);
  }
  void RunTwin() override {
    for (int x = 0; x < width_; ++x)
      for (int output = 0; output < packed_.outputs; ++output)
        result_.data()[x * packed_.outputs + output] = Plain(x, output);
  }
  std::vector<int64_t> TakeOutput() override { return result_.Take(); }

 private:
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
  int16_t Plain(int x, int output) const {
    int64_t value = 0;
    if (output < layer_.outputs) {
      int64_t sum = layer_.biases[output] + int64_t{layer_.slopes[output]} * (level_ - 10);
      const int8_t* weight = &layer_.weights[static_cast<size_t>(output) * 9 * layer_.inputs];
      for (const int16_t* row : row_.from)
        for (int k = 0; k < 3 * layer_.inputs; ++k) sum += *weight++ * row[x * layer_.inputs + k];
      const int shift = layer_.shifts[output];
      value = std::clamp<int64_t>((sum + (int64_t{1} << (shift - 1))) >> shift, -32768, 32767);
    }
    if (rule_ == OutputRule::kRelu) value = std::max<int64_t>(value, 0);
    if (rule_ == OutputRule::kAdded)
      value = std::clamp<int64_t>(value + row_.added[x * packed_.outputs + output], -32768, 32767);
    return static_cast<int16_t>(value);
  }

  const int width_;
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
       .size_name = "positions",
       .sizes = {8, 256},
       .make_sized = [](Random& random, int width) -> std::unique_ptr<Case> {
         constexpr int kChannels = ShapeOfNetwork(NetworkSize::kLarge).channels;
         return std::make_unique<ConvolutionCase>(random, kChannels, kChannels, width,
                                                  OutputRule::kAdded, Values::kNoise);
       }});
}

}  // namespace mmp::kernels
