// Trains the networks that predict flags: mmp_train_flags OUT.inc FILE.mmp... [--test FILE.mmp...]
// The files, by patterns and of 8 bits a sample, are learnt from but for those behind --test: of
// them the cost of a decision is printed. OUT.inc replaces codec/tile/flag_weights.inc.
#include <array>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/levels.h"
#include "codec/bitstream/container.h"
#include "codec/decoder/decode_observed.h"
#include "codec/dictionary/dictionary.h"
#include "codec/tile/contexts.h"
#include "codec/tile/flag_models.h"
#include "codec/tile/surroundings.h"
#include "common/file_io.h"
#include "mmp/mmp.h"
#include "tools/train_flags/network_trainer.h"

namespace mmp {
namespace {

using Samples = std::array<std::vector<FlagSample>, kFlagDecisions>;

constexpr uint64_t kMostBytes = uint64_t{1} << 30;  // of a file
constexpr int kEpochs = 4;
constexpr float kFirstRate = 0.002f;
constexpr float kRateFactor = 0.35f;  // from epoch to epoch

// Takes down the decisions of a tile, and what the network is told of each.
class DecisionObserver : public TileObserver {
 public:
  DecisionObserver(const FileHeader& header, const TileInfo& tile, Samples& samples)
      : prediction_level_(header.parameters.prediction_level),
        leaves_(PaddedToMacroblocks(tile.width), PaddedToMacroblocks(tile.height)),
        surroundings_(PaddedToMacroblocks(tile.width), PaddedToMacroblocks(tile.height),
                      header.parameters.pattern_scale),
        samples_(samples) {}

  void OnStart(const Dictionary& dictionary) override { dictionary_ = &dictionary; }
  void OnMacroblock(MacroblockPlace place) override {
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
  Surroundings surroundings_;
  FlagModels models_;
  Samples& samples_;
  const Dictionary* dictionary_ = nullptr;
  MacroblockPlace place_{};
};

Status AddFile(const std::string& name, Samples& samples) {
  const Result<std::vector<uint8_t>> file = ReadFile(name, kMostBytes);
  if (!file.ok()) return file.status();
  const Result<FileHeader> header = ParseFileHeader(*file);
  if (!header.ok()) return header.status();
  DecodeOptions options;
  options.threads = 1;
  std::vector<DecisionObserver> observers;
  for (const TileInfo& tile :
       TileGrid(header->width, header->height, header->tile_width, header->tile_height))
    observers.emplace_back(*header, tile, samples);
  return DecodeObserved(*file, options, [&](int tile) -> TileObserver& { return observers[tile]; })
      .status();
}

int Fail(std::string_view what, const Status& status) {
  std::fprintf(stderr, "%s: %s\n", std::string(what).c_str(), status.message().c_str());
  return 1;
}

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

int Main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: mmp_train_flags OUT.inc FILE.mmp... [--test FILE.mmp...]\n");
    return 2;
  }
  Samples samples, tests;
  bool is_test = false;
  for (int k = 2; k < count; ++k) {
    if (std::string_view(arguments[k]) == "--test") {
      is_test = true;
      continue;
    }
    const Status status = AddFile(arguments[k], is_test ? tests : samples);
    if (!status.ok()) return Fail(arguments[k], status);
  }
  const std::string text = TrainAll(samples, tests);
  const Status status =
      WriteFile(arguments[1], {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  return status.ok() ? 0 : Fail(arguments[1], status);
}

}  // namespace
}  // namespace mmp

int main(int count, char** arguments) { return mmp::Main(count, arguments); }
