// The network that predicts partitions and residual flags.
#include <cstdint>
#include <string>
#include <vector>

#include "codec/tile/flag_network.h"
#include "tools/kernels/kernel_table.h"
#include "tools/kernels/output.h"

namespace mmp::kernels {
namespace {

// Weights and biases as large as they may be, of one sign or the other.
FlagNetwork ExtremeNetwork(Random& random) {
  const auto extreme = [&] {
    return static_cast<int16_t>(random.OneIn(2) ? FlagNetwork::kMostWeight
                                                : -FlagNetwork::kMostWeight);
  };
  FlagNetwork network;
  for (auto& pair : network.hidden)
    for (auto& unit : pair)
      for (int16_t& weight : unit) weight = extreme();
  for (auto& level : network.hidden_bias)
    for (int16_t& bias : level) bias = extreme();
  for (int16_t& weight : network.output) weight = extreme();
  for (int16_t& weight : network.direct) weight = extreme();
  for (int16_t& bias : network.bias) bias = extreme();
  return network;
}

class LogitCase : public Case {
 public:
  LogitCase(const FlagNetwork& network, Random& random, int count, int most)
      : network_(network), inputs_(count), levels_(count), result_(count) {
    for (FlagInputs& inputs : inputs_)
      for (int16_t& input : inputs) input = static_cast<int16_t>(random.Between(-most, most));
    for (int& level : levels_) level = random.Below(kLevelCount);
  }

  std::string Describe() const override { return std::to_string(inputs_.size()) + " decisions"; }
  double Work() const override { return static_cast<double>(inputs_.size()); }
  std::string Place(size_t index) const override { return "decision " + std::to_string(index); }

  void RunKernel() override {
    for (size_t k = 0; k < inputs_.size(); ++k)
      result_.data()[k] = network_.Logit(levels_[k], inputs_[k]);
  }
  void RunTwin() override {
    for (size_t k = 0; k < inputs_.size(); ++k)
      result_.data()[k] = network_.PlainLogit(levels_[k], inputs_[k]);
  }
  std::vector<int64_t> TakeOutput() override { return result_.Take(); }

 private:
  const FlagNetwork network_;
  std::vector<FlagInputs> inputs_;
  std::vector<int> levels_;
  Output<int32_t> result_;
};

}  // namespace

void AddFlagKernels(std::vector<Kernel>& table) {
  table.push_back(
      {.name = "Logit",
       .targets = SimdTargetList(),
       .unit = "decisions",
       .cases = 70,
       .make = [](Random& random, int number) -> std::unique_ptr<Case> {
         const FlagNetwork& trained = NetworkOf(static_cast<FlagDecision>(number % kFlagDecisions));
         const int most = number % 3 == 0 ? 127 : 16;
         return std::make_unique<LogitCase>(number % 7 == 6 ? ExtremeNetwork(random) : trained,
                                            random, 50, most);
       },
       .size_name = "decisions",
       .sizes = {1000},
       .make_sized = [](Random& random, int size) -> std::unique_ptr<Case> {
         return std::make_unique<LogitCase>(NetworkOf(FlagDecision::kCutBoth), random, size, 64);
       }});
}

}  // namespace mmp::kernels
