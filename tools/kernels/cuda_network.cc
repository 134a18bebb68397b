// The layers of the network filter on the device.
#include <cstddef>
#include <optional>
#include <string>

#include "cuda/kernels/network_kernel.h"
#include "tests/cuda/device_array.h"
#include "tools/kernels/cuda_kernels.h"
#include "tools/kernels/network_layers.h"

namespace mmp::kernels {
namespace {

using cuda::DeviceArray;
using cuda::NetworkStep;

struct LayerInput {
  NetworkKind network;
  int layer;
  NetworkArea computed;
  LayerValues kind;
};

NetworkLayer LayerOf(Random& random, const LayerInput& input) {
  const auto [channels, blocks] = ShapeOfNetwork(input.network);
  const int last = ShapeOfNetwork(input.network).layers() - 1;
  return RandomLayer(random, input.layer == 0 ? kNetworkInputs : channels,
                     input.layer == last ? kNetworkOutputs : channels, input.kind);
}

// The positions of a region, and some around it that nothing is known of.
class NetworkLayerCase : public Case {
 public:
  NetworkLayerCase(Random& random, const LayerInput& input)
      : input_(input),
        channels_(ShapeOfNetwork(input.network).channels),
        rule_(RuleOfLayer(input.layer, ShapeOfNetwork(input.network).layers())),
        is_first_(input.layer == 0),
        is_last_(rule_ == OutputRule::kPlain),
        level_(random.Between(1, kNetworkLevels)),
        layer_(LayerOf(random, input)),
        known_{.top = input.computed.top - random.Below(2),
               .bottom = input.computed.bottom + random.Below(2),
               .left = input.computed.left - random.Below(2),
               .right = input.computed.right + random.Below(2)},
        stride_(known_.right - kLeft + random.Below(3)) {
    const int positions = (known_.bottom - kTop) * stride_;
    for (int k = 0; k < positions * channels_; ++k) {
      from_.push_back(RandomLayerValue(random, input.kind, k));
      to_.push_back(RandomLayerValue(random, LayerValues::kNoise, k));
    }
    for (int k = 0; k < 4 * positions; ++k) {
      pixels_.push_back(Pixel(random));
      prediction_.push_back(Pixel(random));
    }
    filtered_.assign(size_t{4} * input.computed.rows() * input.computed.columns(), 0);
    for (int output = 0; output < layer_.outputs; ++output) {
      starts_.push_back(layer_.Start(output, level_));
      shifts_.push_back(layer_.shifts[output]);
    }
    weights_ = cuda::NetworkWords(layer_);
    on_device_.emplace(*this);
  }

  std::string Describe() const override {
    return "layer " + std::to_string(input_.layer) + " of " + std::to_string(channels_) +
           " channels, " + std::to_string(input_.computed.rows()) + "x" +
           std::to_string(input_.computed.columns()) + " positions, level " +
           std::to_string(level_);
  }
  double Work() const override {
    return 9.0 * input_.computed.rows() * input_.computed.columns() * layer_.inputs *
           layer_.outputs;
  }

  void RunKernel() override {
    const NetworkStep step = {.computed = input_.computed,
                              .known = known_,
                              .top = kTop,
                              .left = kLeft,
                              .stride = stride_,
                              .weights = on_device_->weights.data(),
                              .starts = on_device_->starts.data(),
                              .shifts = on_device_->shifts.data(),
                              .from = on_device_->from.data(),
                              .to = on_device_->to.data(),
                              .pixels = on_device_->pixels.data(),
                              .prediction = on_device_->prediction.data(),
                              .filtered = on_device_->filtered.data(),
                              .scale = kNetworkScales[level_ - 1]};
    cuda::Must(cuda::LaunchNetworkLayer(input_.network, input_.layer, step, nullptr));
    cuda::Finish();
    ran_on_device_ = true;
  }
  void RunTwin() override {
    made_to_ = to_;
    made_filtered_ = filtered_;
    for (int y = input_.computed.top; y < input_.computed.bottom; ++y)
      for (int x = input_.computed.left; x < input_.computed.right; ++x)
        for (int output = 0; output < layer_.outputs; ++output) MakeOutput(y, x, output);
    ran_on_device_ = false;
  }

  std::vector<int64_t> TakeOutput() override {
    if (ran_on_device_) {
      made_to_ = on_device_->to.Read();
      made_filtered_ = on_device_->filtered.Read();
      on_device_->to.Write(to_);
      on_device_->filtered.Write(filtered_);
    }
    std::vector<int64_t> values(made_to_.begin(), made_to_.end());
    values.insert(values.end(), made_filtered_.begin(), made_filtered_.end());
    return values;
  }
  std::string Place(size_t index) const override {
    if (index >= to_.size()) return "filtered pixel " + std::to_string(index - to_.size());
    const size_t position = index / channels_;
    return "position " + std::to_string(kTop + static_cast<int>(position) / stride_) + ", " +
           std::to_string(kLeft + static_cast<int>(position) % stride_) + ", value " +
           std::to_string(index % channels_);
  }

 private:
  // Where what there is of the tile begins.
  static constexpr int kTop = 3, kLeft = 5;

  struct OnDevice {
    explicit OnDevice(const NetworkLayerCase& c)
        : weights(c.weights_),
          starts(c.starts_),
          shifts(c.shifts_),
          from(c.from_),
          to(c.to_),
          pixels(c.pixels_),
          prediction(c.prediction_),
          filtered(c.filtered_) {}

    const DeviceArray<uint32_t> weights;
    const DeviceArray<int32_t> starts, shifts;
    const DeviceArray<int16_t> from;
    DeviceArray<int16_t> to;
    const DeviceArray<uint8_t> pixels, prediction;
    DeviceArray<uint8_t> filtered;
  };

  static uint8_t Pixel(Random& random) {
    return static_cast<uint8_t>(random.OneIn(3) ? 255 * random.Below(2) : random.Below(256));
  }

  size_t Position(int y, int x) const {
    return static_cast<size_t>(y - kTop) * stride_ + (x - kLeft);
  }
  // Of the four of a position.
  size_t PixelPlace(int y, int x, int k) const {
    return (size_t{2} * (y - kTop) + k / 2) * 2 * stride_ + 2 * (x - kLeft) + k % 2;
  }

  int InputAt(int y, int x, int k) const {
    if (y < known_.top || y >= known_.bottom || x < known_.left || x >= known_.right) return 0;
    if (!is_first_) return from_[Position(y, x) * channels_ + k];
    const size_t at = PixelPlace(y, x, k % 4);
    const int difference = k < 4 ? pixels_[at] - 128 : prediction_[at] - pixels_[at];
    return (difference * kNetworkScales[level_ - 1].input + 128) >> 8;
  }

  void MakeOutput(int y, int x, int output) {
    const size_t at = Position(y, x) * channels_ + output;
    const int16_t value = PlainOutput(
        layer_, level_, output, rule_, is_last_ ? int16_t{0} : to_[at],
        [&](int row, int column, int k) { return InputAt(y + row - 1, x + column - 1, k); });
    if (!is_last_) {
      made_to_[at] = value;
      return;
    }
    const int correction = (value * kNetworkScales[level_ - 1].output + (1 << 13)) >> 14;
    const size_t filtered_at =
        (size_t{2} * (y - input_.computed.top) + output / 2) * 2 * input_.computed.columns() +
        2 * (x - input_.computed.left) + output % 2;
    made_filtered_[filtered_at] =
        static_cast<uint8_t>(std::clamp(pixels_[PixelPlace(y, x, output)] + correction, 0, 255));
  }

  const LayerInput input_;
  const int channels_;
  const OutputRule rule_;
  const bool is_first_, is_last_;
  const int level_;
  const NetworkLayer layer_;
  const NetworkArea known_;
  const int stride_;
  std::vector<int16_t> from_, to_;
  std::vector<uint8_t> pixels_, prediction_, filtered_;
  std::vector<int32_t> starts_, shifts_;
  std::vector<uint32_t> weights_;
  std::optional<OnDevice> on_device_;
  bool ran_on_device_ = false;
  std::vector<int16_t> made_to_;
  std::vector<uint8_t> made_filtered_;
};

}  // namespace

void AddCudaNetworkKernels(const CudaMachine& machine, std::vector<Kernel>& table) {
  table.push_back({.name = "LaunchNetworkLayer",
                   .targets = machine.targets,
                   .skipped = machine.problem,
                   .unit = "multiply-adds",
                   .cases = 96,
                   .make = [](Random& random, int number) -> std::unique_ptr<Case> {
                     const auto kind = number % 2 == 0 ? NetworkKind::kLarge : NetworkKind::kSmall;
                     const int last = ShapeOfNetwork(kind).layers() - 1;
                     const int layers[] = {0, 1, 2, last};
                     const int top = 4 + random.Below(3), left = 6 + random.Below(3);
                     return std::make_unique<NetworkLayerCase>(
                         random,
                         LayerInput{.network = kind,
                                    .layer = layers[number / 2 % 4],
                                    .computed = {.top = top,
                                                 .bottom = top + random.Between(1, 20),
                                                 .left = left,
                                                 .right = left + random.Between(1, 70)},
                                    .kind = static_cast<LayerValues>(
                                        number / 8 % static_cast<int>(LayerValues::kCount))});
                   },
                   .size_name = "positions across",
                   .sizes = {32, 256},
                   .make_sized = [](Random& random, int across) -> std::unique_ptr<Case> {
                     return std::make_unique<NetworkLayerCase>(
                         random, LayerInput{.network = NetworkKind::kLarge,
                                            .layer = 2,
                                            .computed = {4, 4 + across, 6, 6 + across},
                                            .kind = LayerValues::kNoise});
                   }});
}

}  // namespace mmp::kernels
