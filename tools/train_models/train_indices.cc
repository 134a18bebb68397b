// Trains what the neighbours of a leaf say of its pattern: mmp_train_indices OUT.inc FILE.mmp...
// [--test FILE.mmp...]. The files, by patterns and of 8 bits a sample, are learnt from but for
// those behind --test: of them the cost of an index is printed. OUT.inc replaces
// codec/tile/index_weights.inc. What is learnt weighs all patterns of a level, where the coder
// weighs classes of them and the members of one.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "codec/base/levels.h"
#include "codec/bitstream/container.h"
#include "codec/bitstream/context_models.h"
#include "codec/dictionary/dictionary.h"
#include "codec/dictionary/trained_patterns.h"
#include "codec/tile/index_context.h"
#include "codec/tile/pattern_features.h"
#include "codec/tile/tile_start.h"
#include "tools/train_models/coded_files.h"
#include "tools/train_models/leaf_observer.h"
#include "tools/train_models/random_bits.h"

namespace mmp {
namespace {

constexpr int kEpochs = 6;
constexpr float kFirstRate = 0.001f;
constexpr float kRateFactor = 0.5f;  // from epoch to epoch
constexpr int kOneIn = 5;            // indices that are learnt from
constexpr float kInputUnit = 16;     // of inputs and features
constexpr float kInputWeightUnit = 1 << IndexWeights::kInputBits;
constexpr float kModeWeightUnit = 1 << IndexWeights::kModeBits;
constexpr float kLogUnit = 256;  // of logarithms to base 2
constexpr float kMostSaid = 4;   // by a context, of a logarithm

// Of the patterns of a level, feature by feature.
using LevelFeatures = std::vector<std::vector<int8_t>>;

// An index that was coded, and what was known then.
struct IndexSample {
  const LevelFeatures* features;
  size_t first_log;  // of its patterns' logarithms, see IndexSamples
  uint16_t patterns;
  uint16_t index;
  uint8_t level, mode;
  std::array<int8_t, kContextInputs> inputs;
};

struct IndexSamples {
  std::vector<IndexSample> samples;
  std::vector<uint16_t> logs;  // of the power of each pattern's count
  std::deque<std::array<LevelFeatures, kLevelCount>> features;  // of tiles
};

// 7/8 of the piecewise linear logarithm to base 2.
uint16_t PowerLog(uint32_t count) {
  const int exponent = std::bit_width(count) - 1;
  const int log = 256 * exponent + static_cast<int>((uint64_t{count} << 8 >> exponent) & 255);
  return static_cast<uint16_t>(7 * log >> 3);
}

// Takes down the indices of a tile.
class IndexObserver : public LeafObserver {
 public:
  IndexObserver(const FileHeader& header, const TileInfo& tile, IndexSamples& samples)
      : LeafObserver(header.parameters, tile),
        models_(TileStart(header.parameters, FindPatterns(header.parameters, {}).value().get())
                    .models.index),
        samples_(samples) {}

  void OnStart(const Dictionary& start) override {
    LeafObserver::OnStart(start);
    samples_.features.emplace_back();
  }
  void OnEnd(const Dictionary& end) override {
    for (int level = 1; level < kLevelCount; ++level) {
      LevelFeatures& of_level = samples_.features.back()[level];
      of_level.resize(kPatternFeatures);
      for (int i = 0; i < end.size(level); ++i) {
        const FeaturesOfPattern& features = FeaturesOf(level, i);
        for (int k = 0; k < kPatternFeatures; ++k) of_level[k].push_back(features[k]);
      }
    }
  }

 protected:
  void OnIndex(int index) override {
    const int level = place().leaf.level;
    IndexModel& model = models_[level];
    const int grown = dictionary().size(level) - model.size();
    if (grown > 0) model.Add(grown, IndexModel::kNewCount, PatternOrigin::kGrown);
    const bool is_taken = (random_() >> 16) % kOneIn == 0;
    if (level > 0 && is_taken) TakeDown(index);
    model.Count(index);
  }

 private:
  void TakeDown(int index) {
    const int level = place().leaf.level;
    IndexSample sample{&samples_.features.back()[level],
                       samples_.logs.size(),
                       static_cast<uint16_t>(models_[level].size()),
                       static_cast<uint16_t>(index),
                       static_cast<uint8_t>(level),
                       static_cast<uint8_t>(place().mode),
                       {}};
    const ContextInputs inputs = Inputs();
    for (int i = 0; i < kContextInputs; ++i) sample.inputs[i] = static_cast<int8_t>(inputs[i]);
    for (const uint32_t count : models_[level].NearFrequencies())
      samples_.logs.push_back(PowerLog(count));
    samples_.samples.push_back(sample);
  }

  std::array<IndexModel, kLevelCount> models_;
  IndexSamples& samples_;
  RandomBits random_{1};
};

// Each step moves a weight by its gradient over the root mean square of it.
struct Weight {
  float value = 0, square = 0;

  void Move(float gradient, float rate) {
    constexpr float kMemory = 0.9999f, kShare = 0.01f;
    square = square * kMemory + gradient * gradient * kShare;
    value += rate * gradient / std::sqrt(square + 1e-8f);
  }
};

class WeightTrainer {
 public:
  // Learns from each of the samples once, in a random order; returns their mean cost in bits.
  double Epoch(const IndexSamples& of, float rate) {
    std::vector<uint32_t> order(of.samples.size());
    std::iota(order.begin(), order.end(), 0u);
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[uint64_t{random_()} * i >> 32]);
    double bits = 0;
    for (const uint32_t number : order) {
      const IndexSample& sample = of.samples[number];
      bits += Predict(sample, of.logs.data() + sample.first_log);
      Learn(sample, rate);
    }
    return bits / static_cast<double>(std::max(of.samples.size(), size_t{1}));
  }

  // The mean cost of samples in bits, nothing being learnt.
  double Cost(const IndexSamples& of) {
    double bits = 0;
    for (const IndexSample& sample : of.samples)
      bits += Predict(sample, of.logs.data() + sample.first_log);
    return bits / static_cast<double>(std::max(of.samples.size(), size_t{1}));
  }

  // As an initialiser of IndexWeights.
  std::string Text() const {
    const auto list = [](int count, auto of) {
      std::string text = "{";
      for (int i = 0; i < count; ++i) text += of(i);
      return text + "},\n";
    };
    const auto number = [](float value, float unit, long most) {
      return std::to_string(std::clamp(std::lround(value * unit), -most, most)) + ",";
    };
    return list(kLevelCount - 1,
                [&](int level) {
                  return list(kContextInputs / 2, [&](int pair) {
                    std::string row = "{";
                    for (int k = 0; k < kPatternFeatures; ++k) {
                      row += "{";
                      for (int i : {2 * pair, 2 * pair + 1})
                        row +=
                            number(inputs_[level][i][k].value, kInputWeightUnit, kMostInputWeight);
                      row += "},";
                    }
                    return row + "},\n";
                  });
                }) +
           list(kPredictionModes, [&](int mode) {
             return list(kPatternFeatures, [&](int k) {
               return number(modes_[mode][k].value, kModeWeightUnit, INT16_MAX);
             });
           });
  }

 private:
  static constexpr long kMostInputWeight = (1 << 13) - 1;
  static constexpr int kMostPatterns = 1024;  // of files that are learnt from

  // The cost of a sample in bits; probabilities_ and steps_ are those of its patterns then.
  float Predict(const IndexSample& sample, const uint16_t* logs) {
    const auto& weights = inputs_[sample.level - 1];
    float context[kPatternFeatures];
    for (int k = 0; k < kPatternFeatures; ++k) context[k] = modes_[sample.mode][k].value;
    for (int i = 0; i < kContextInputs; ++i) {
      if (sample.inputs[i] == 0) continue;
      const float input = sample.inputs[i] / kInputUnit;
      for (int k = 0; k < kPatternFeatures; ++k) context[k] += weights[i][k].value * input;
    }
    const int n = sample.patterns;
    std::fill_n(said_, n, 0.0f);
    for (int k = 0; k < kPatternFeatures; ++k) {
      const int8_t* features = (*sample.features)[k].data();
      const float factor = context[k] / kInputUnit;
      for (int i = 0; i < n; ++i) said_[i] += factor * static_cast<float>(features[i]);
    }
    float sum = 0;
    for (int i = 0; i < n; ++i) {
      const float log =
          logs[i] / kLogUnit + std::clamp(said_[i], -kMostSaid, kMostSaid) + kMostSaid;
      const int exponent = static_cast<int>(log);
      const float mantissa = 1 + log - static_cast<float>(exponent);
      probabilities_[i] = mantissa * static_cast<float>(1 << exponent);
      steps_[i] = std::fabs(said_[i]) < kMostSaid ? 1 / mantissa : 0;
      sum += probabilities_[i];
    }
    for (int i = 0; i < n; ++i) probabilities_[i] /= sum;
    return -std::log2(probabilities_[sample.index]);
  }

  // From a sample that has just been predicted.
  void Learn(const IndexSample& sample, float rate) {
    const int n = sample.patterns;
    for (int i = 0; i < n; ++i) steps_[i] *= (i == sample.index ? 1.0f : 0.0f) - probabilities_[i];
    auto& weights = inputs_[sample.level - 1];
    float gradient[kPatternFeatures];
    for (int k = 0; k < kPatternFeatures; ++k) {
      const int8_t* features = (*sample.features)[k].data();
      float sums[8] = {};
      int i = 0;
      for (; i + 8 <= n; i += 8)
        for (int lane = 0; lane < 8; ++lane)
          sums[lane] += steps_[i + lane] * static_cast<float>(features[i + lane]);
      for (; i < n; ++i) sums[0] += steps_[i] * static_cast<float>(features[i]);
      gradient[k] = std::accumulate(sums, sums + 8, 0.0f) / kInputUnit;
    }
    for (int k = 0; k < kPatternFeatures; ++k) modes_[sample.mode][k].Move(gradient[k], rate);
    for (int i = 0; i < kContextInputs; ++i) {
      if (sample.inputs[i] == 0) continue;
      const float input = sample.inputs[i] / kInputUnit;
      for (int k = 0; k < kPatternFeatures; ++k) weights[i][k].Move(gradient[k] * input, rate);
    }
  }

  Weight inputs_[kLevelCount - 1][kContextInputs][kPatternFeatures];
  Weight modes_[kPredictionModes][kPatternFeatures];
  RandomBits random_{1};
  // By pattern:
  float said_[kMostPatterns], probabilities_[kMostPatterns], steps_[kMostPatterns];
};

std::string TrainAll(const IndexSamples& samples, const IndexSamples& tests) {
  static WeightTrainer trainer;
  float rate = kFirstRate;
  std::printf("%zu indices; test %.4f bits\n", samples.samples.size(), trainer.Cost(tests));
  for (int epoch = 0; epoch < kEpochs; ++epoch, rate *= kRateFactor) {
    const double bits = trainer.Epoch(samples, rate);
    std::printf("epoch %d: %.4f bits; test %.4f bits\n", epoch, bits, trainer.Cost(tests));
    std::fflush(stdout);
  }
  return trainer.Text();
}

}  // namespace
}  // namespace mmp

int main(int count, char** arguments) {
  return mmp::TrainByFiles<mmp::IndexObserver, mmp::IndexSamples>(
      {arguments, static_cast<size_t>(count)}, mmp::TrainAll);
}
