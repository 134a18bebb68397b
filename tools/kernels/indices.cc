// What the neighbours of a leaf make of the counts of indices.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "codec/tile/index_context.h"
#include "codec/tile/neighbour_indices.h"
#include "tools/kernels/kernel_table.h"
#include "tools/kernels/output.h"

namespace mmp::kernels {
namespace {

constexpr int kGroup = PatternFeatures::kGroup;

class WeighCase : public Case {
 public:
  WeighCase(Random& random, int groups, int most_feature, int most_factor, int most_shift)
      : groups_(groups),
        counts_(static_cast<size_t>(groups) * kGroup),
        features_(counts_.size() * kPatternFeatures),
        sums_(groups),
        result_(counts_.size()) {
    for (uint32_t& count : counts_) count = 1 + (random.Bits() >> (13 + random.Below(18)));
    for (uint8_t& feature : features_)
      feature = static_cast<uint8_t>(PatternFeatures::kOffset +
                                     random.Between(-most_feature, most_feature));
    for (int8_t& factor : context_.factors)
      factor = static_cast<int8_t>(random.Between(-most_factor, most_factor));
    context_.shift = static_cast<uint8_t>(random.Between(0, most_shift));
  }

  std::string Describe() const override { return std::to_string(counts_.size()) + " patterns"; }
  double Work() const override { return static_cast<double>(counts_.size()); }
  std::string Place(size_t index) const override { return "pattern " + std::to_string(index); }

  void RunKernel() override {
    Weigh(counts_.data(), features_.data(), context_, groups_, result_.data(), sums_.data());
  }
  void RunTwin() override {
    PlainWeigh(counts_.data(), features_.data(), context_, groups_, result_.data(), sums_.data());
  }
  std::vector<int64_t> TakeOutput() override { return result_.Take(); }

 private:
  int groups_;
  std::vector<uint32_t> counts_;
  std::vector<uint8_t> features_;
  IndexContext context_;
  std::vector<GroupSums> sums_;
  Output<uint32_t> result_;
};

class ContextCase : public Case {
 public:
  ContextCase(Random& random, int count, int most)
      : inputs_(count), result_(static_cast<size_t>(count) * kPatternFeatures) {
    for (ContextInputs& inputs : inputs_)
      for (int16_t& input : inputs) input = static_cast<int16_t>(random.Between(-most, most));
  }

  std::string Describe() const override { return std::to_string(inputs_.size()) + " contexts"; }
  double Work() const override { return static_cast<double>(inputs_.size()); }
  std::string Place(size_t index) const override {
    return "context " + std::to_string(index / kPatternFeatures) + ", factor " +
           std::to_string(index % kPatternFeatures);
  }

  void RunKernel() override { Run(&IndexWeights::ContextOf); }
  void RunTwin() override { Run(&IndexWeights::PlainContextOf); }
  std::vector<int64_t> TakeOutput() override { return result_.Take(); }

 private:
  void Run(IndexContext (IndexWeights::*of)(int, int, const ContextInputs&) const) {
    for (int i = 0; i < static_cast<int>(inputs_.size()); ++i) {
      const IndexContext context =
          (StandardIndexWeights().*of)(1 + i % (kLevelCount - 1), i % kPredictionModes, inputs_[i]);
      for (int k = 0; k < kPatternFeatures; ++k)
        result_.data()[i * kPatternFeatures + k] = context.factors[k] << context.shift;
    }
  }

  std::vector<ContextInputs> inputs_;
  Output<int32_t> result_;
};

}  // namespace

void AddIndexKernels(std::vector<Kernel>& table) {
  table.push_back({.name = "Weigh",
                   .targets = SimdTargetList(),
                   .unit = "patterns",
                   .cases = 60,
                   .make = [](Random& random, int number) -> std::unique_ptr<Case> {
                     return std::make_unique<WeighCase>(
                         random, 1 + number % 5, number % 3 == 0 ? 127 : 20,
                         number % 2 == 0 ? IndexContext::kMostFactor : 20,
                         number % 5 < 2 ? IndexContext::kMostShift : 3);
                   },
                   .size_name = "patterns",
                   .sizes = {512, 1024},
                   .make_sized = [](Random& random, int size) -> std::unique_ptr<Case> {
                     return std::make_unique<WeighCase>(random, size / kGroup, 40, 50, 2);
                   }});
  table.push_back({.name = "ContextOf",
                   .targets = SimdTargetList(),
                   .unit = "contexts",
                   .cases = 60,
                   .make = [](Random& random, int number) -> std::unique_ptr<Case> {
                     return std::make_unique<ContextCase>(random, 50, number % 3 == 0 ? 127 : 16);
                   },
                   .size_name = "contexts",
                   .sizes = {1000},
                   .make_sized = [](Random& random, int size) -> std::unique_ptr<Case> {
                     return std::make_unique<ContextCase>(random, size, 64);
                   }});
}

}  // namespace mmp::kernels
