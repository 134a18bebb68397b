// Trains the networks that predict flags: mmp_train_flags OUT.inc FILE.mmp... [--test FILE.mmp...]
// The files, by patterns and of 8 bits a sample, are learnt from but for those behind --test: of
// them the cost of a decision is printed. OUT.inc replaces codec/tile/flag_weights.inc.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "codec/base/levels.h"
#include "codec/bitstream/container.h"
#include "codec/decoder/decode_observed.h"
#include "codec/dictionary/dictionary.h"
#include "codec/tile/contexts.h"
#include "codec/tile/flag_models.h"
#include "codec/tile/surroundings.h"
#include "tools/train_models/coded_files.h"
#include "tools/train_models/network_trainer.h"

namespace mmp {
namespace {

using Samples = std::array<std::vector<FlagSample>, kFlagDecisions>;

constexpr int kEpochs = 4;
constexpr float kFirstRate = 0.002f;
constexpr float kRateFactor = 0.35f;  // from epoch to epoch

// Takes down the decisions of a tile, and what the network is told of each.
class DecisionObserver : public TileObserver {
 public:
  DecisionObserver(const FileHeader& header, const TileInfo& tile, Samples& samples)
      : prediction_level_(header.parameters.prediction_level),
        leaves_(PaddedToMacroblocks(tile.width), PaddedToMacroblocks(tile.height)),
        map_(PaddedToMacroblocks(tile.width), PaddedToMacroblocks(tile.height),
             header.parameters.pattern_scale),
        samples_(samples) {}

  void OnStart(const Dictionary& dictionary) override { dictionary_ = &dictionary; }
  void OnMacroblock(MacroblockPlace place) override {
    if (std::exchange(has_macroblock_, true)) surroundings_.EndMacroblock();
    place_ = place;
    surroundings_.BeginMacroblock(place);
  }
  void OnElement(CodedElement element, BlockRect rect, int value, double /*bits*/) override {
    switch (element) {
      case CodedElement::kPartition: {
        const FlagFeatures features = surroundings_.PartitionFeatures(rect);
        models_.CodePartition({rect.level, LeafContext(rect), features},
                              AllowedPartitions(rect.level, prediction_level_),
                              TakeDown(rect, features, value));
        return surroundings_.AddPartition(rect, value);
      }
      case CodedElement::kMode:
        return surroundings_.AddMode(rect, value);
      case CodedElement::kResidualFlag: {
        const FlagFeatures features = surroundings_.ResidualFlagFeatures(rect);
        models_.CodeResidualFlag({rect.level, LeafContext(rect), features},
                                 AllowedResidualFlags(rect.level), TakeDown(rect, features, value));
        return surroundings_.AddResidualFlag(rect, value);
      }
      case CodedElement::kIndex:
        leaves_.Add(place_.y + rect.y, place_.x + rect.x, rect.level);
        return surroundings_.AddLeaf(rect, dictionary_->Norm(rect.level, value));
    }
  }

 private:
  int LeafContext(BlockRect rect) const {
    return leaves_.Context(place_.y + rect.y, place_.x + rect.x, rect.level);
  }
  // What codes the decisions that tell `flag`. Their estimates are asked for before they are
  // counted, as bits are coded before.
  std::function<int(FlagDecision, int)> TakeDown(BlockRect rect, const FlagFeatures& features,
                                                 int flag) {
    return [this, rect, &features, flag](FlagDecision decision, int /*probability*/) {
      FlagSample sample;
      const FlagInputs inputs =
          models_.Of(decision).Inputs({rect.level, LeafContext(rect), features});
      for (int i = 0; i < kFlagInputs; ++i) sample.inputs[i] = static_cast<int8_t>(inputs[i]);
      sample.level = rect.level;
      sample.bit = static_cast<uint8_t>(FlagBit(decision, flag));
      samples_[static_cast<int>(decision)].push_back(sample);
      return int{sample.bit};
    };
  }

  int prediction_level_;
  LeafMap leaves_;
  SurroundingMap map_;
  Surroundings surroundings_{map_};
  bool has_macroblock_ = false;
  FlagModels models_;
  Samples& samples_;
  const Dictionary* dictionary_ = nullptr;
  MacroblockPlace place_{};
};

std::string TrainAll(const Samples& samples, const Samples& tests) {
  std::string text;
  for (int decision = 0; decision < kFlagDecisions; ++decision) {
    NetworkTrainer trainer;
    float rate = kFirstRate;
    for (int epoch = 0; epoch < kEpochs; ++epoch, rate *= kRateFactor) {
      const double bits = trainer.Epoch(samples[decision], rate);
      std::printf("decision %d, epoch %d: %zu samples, %.4f bits; test %.4f bits\n", decision,
                  epoch, samples[decision].size(), bits, trainer.Cost(tests[decision]));
      std::fflush(stdout);
    }
    text += trainer.Text();
  }
  return text;
}

}  // namespace
}  // namespace mmp

int main(int count, char** arguments) {
  return mmp::TrainByFiles<mmp::DecisionObserver, mmp::Samples>(
      {arguments, static_cast<size_t>(count)}, mmp::TrainAll);
}
