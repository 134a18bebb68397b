// Classes of patterns, and what the neighbours of a leaf make of the counts of indices.
#include "tests/support/indices.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "codec/tile/index_classes.h"
#include "codec/tile/index_context.h"
#include "codec/tile/neighbour_indices.h"
#include "tools/kernels/kernel_table.h"
#include "tools/kernels/output.h"

namespace mmp::kernels {
namespace {

// Counts of patterns in classes.
class IndexCase : public Case {
 public:
  IndexCase(Random& random, bool is_mixed, int patterns, int most_feature, int most_factor,
            int most_shift) {
    std::vector<FeaturesOfPattern> centres(kPatternClasses);
    for (FeaturesOfPattern& centre : centres) centre = RandomFeatures(random, most_feature);
    centres_.resize(size_t{kPatternClasses} * kPatternFeatures);
    for (int k = 0; k < kPatternClasses; ++k)
      for (int n = 0; n < kPatternFeatures; ++n)
        centres_[PatternGroup::Place(k, n)] = PatternGroup::Stored(centres[k][n]);
    for (std::vector<uint32_t>& of : counts_)
      for (int i = 0; i < patterns; ++i)
        of.push_back(1 + (random.Bits() >> (14 + random.Below(16))));
    for (int i = 0; i < patterns; ++i) {
      const int which = random.Below(kPatternClasses) * random.Below(2);
      patterns_.Add(RandomFeatures(random, most_feature), which);
      for (int e = 0; e < IndexModel::kEstimators; ++e) class_counts_[e][which] += counts_[e][i];
    }
    mixture_ = {{counts_[0].data(), counts_[1].data(), counts_[2].data()}, {1, 0, 0}, 0, 0};
    if (is_mixed) {
      for (uint32_t& factor : mixture_.factors) factor = random.Bits() >> (14 + random.Below(8));
      mixture_.each = 1;
      mixture_.shift = 11;
    }
    context_ = RandomContext(random, most_factor, most_shift);
  }

 protected:
  std::vector<uint8_t> centres_;
  std::array<std::vector<uint32_t>, IndexModel::kEstimators> counts_;
  ClassedPatterns patterns_;
  ClassCounts class_counts_{};
  IndexModel::Mixture mixture_;
  IndexContext context_;
};

class ClassesCase : public IndexCase {
 public:
  using IndexCase::IndexCase;

  std::string Describe() const override { return "the classes"; }
  double Work() const override { return kPatternClasses; }
  std::string Place(size_t index) const override { return "class " + std::to_string(index); }
  void RunKernel() override { Run(WeighClasses); }
  void RunTwin() override { Run(PlainWeighClasses); }
  std::vector<int64_t> TakeOutput() override { return result_.Take(); }

 private:
  void Run(decltype(WeighClasses) weigh) {
    std::array<uint32_t, kPatternClasses> counted;
    weigh(mixture_, class_counts_, patterns_.Members().data(), centres_.data(), context_,
          counted.data(), result_.data());
  }

  Output<uint32_t> result_{kPatternClasses};
};

class MembersCase : public IndexCase {
 public:
  MembersCase(Random& random, bool is_mixed, int patterns, int most_feature, int most_factor,
              int most_shift)
      : IndexCase(random, is_mixed, patterns, most_feature, most_factor, most_shift),
        result_(static_cast<size_t>(patterns_.Members()[0] + PatternGroup::kMost)) {}

  std::string Describe() const override {
    return std::to_string(patterns_.Members()[0]) + " members";
  }
  double Work() const override { return patterns_.Members()[0]; }
  std::string Place(size_t index) const override { return "member " + std::to_string(index); }
  void RunKernel() override { Run(WeighMembers); }
  void RunTwin() override { Run(PlainWeighMembers); }
  std::vector<int64_t> TakeOutput() override { return result_.Take(); }

 private:
  void Run(decltype(WeighMembers) weigh) {
    uint32_t* weighed = result_.data();
    patterns_.ForGroups(0, [&](const PatternGroup& group, int count) {
      weigh(mixture_, group, count, context_, weighed);
      weighed += PatternGroup::kMost;
    });
  }

  Output<uint32_t> result_;
};

class ClassCase : public Case {
 public:
  ClassCase(Random& random, int count, int most) : result_(static_cast<size_t>(count)) {
    for (int i = 0; i < count; ++i) features_.push_back(RandomFeatures(random, most));
  }

  std::string Describe() const override { return std::to_string(features_.size()) + " patterns"; }
  double Work() const override { return static_cast<double>(features_.size()); }
  std::string Place(size_t index) const override { return "pattern " + std::to_string(index); }
  void RunKernel() override { Run(&IndexClasses::Of); }
  void RunTwin() override { Run(&IndexClasses::PlainOf); }
  std::vector<int64_t> TakeOutput() override { return result_.Take(); }

 private:
  void Run(int (IndexClasses::*of)(const FeaturesOfPattern&) const) {
    for (size_t i = 0; i < features_.size(); ++i)
      result_.data()[i] =
          (StandardIndexClasses(1 + static_cast<int>(i) % (kLevelCount - 1)).*of)(features_[i]);
  }

  std::vector<FeaturesOfPattern> features_;
  Output<int32_t> result_;
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

// Of cases of counts in classes.
template <typename CaseOfIndices>
Kernel IndexKernel(const char* name, const char* unit, std::vector<int> sizes) {
  return {.name = name,
          .targets = SimdTargetList(),
          .unit = unit,
          .cases = 60,
          .make = [](Random& random, int number) -> std::unique_ptr<Case> {
            return std::make_unique<CaseOfIndices>(random, number % 4 > 0, 1 + 9 * (number % 7),
                                                   number % 3 == 0 ? 127 : 20,
                                                   number % 2 == 0 ? IndexContext::kMostFactor : 20,
                                                   number % 5 < 2 ? IndexContext::kMostShift : 3);
          },
          .size_name = "patterns",
          .sizes = std::move(sizes),
          .make_sized = [](Random& random, int size) -> std::unique_ptr<Case> {
            return std::make_unique<CaseOfIndices>(random, true, size, 40, 50, 2);
          }};
}

}  // namespace

void AddIndexKernels(std::vector<Kernel>& table) {
  table.push_back(IndexKernel<ClassesCase>("WeighClasses", "classes", {1024}));
  table.push_back(IndexKernel<MembersCase>("WeighMembers", "members", {64, 1024}));
  table.push_back({.name = "SumClassProducts",
                   .targets = SimdTargetList(),
                   .unit = "patterns",
                   .cases = 60,
                   .make = [](Random& random, int number) -> std::unique_ptr<Case> {
                     return std::make_unique<ClassCase>(random, 50, number % 3 == 0 ? 127 : 16);
                   },
                   .size_name = "patterns",
                   .sizes = {1000},
                   .make_sized = [](Random& random, int size) -> std::unique_ptr<Case> {
                     return std::make_unique<ClassCase>(random, size, 64);
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
