// Trains what the modes of neighbours say of a block's: mmp_train_modes OUT.inc FILE.mmp...
// [--test FILE.mmp...]. The files, by patterns and of 8 bits a sample, are learnt from but for
// those behind --test: of them the cost of a mode is printed. OUT.inc replaces
// codec/tile/mode_weights.inc.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "codec/base/levels.h"
#include "codec/base/parameters.h"
#include "codec/bitstream/container.h"
#include "codec/bitstream/context_models.h"
#include "codec/decoder/decode_observed.h"
#include "codec/intra/availability_map.h"
#include "codec/intra/neighbours.h"
#include "codec/intra/predictors.h"
#include "codec/tile/mode_model.h"
#include "tools/train_models/coded_files.h"
#include "tools/train_models/random_bits.h"

namespace mmp {
namespace {

constexpr int kEpochs = 6;
constexpr float kFirstRate = 0.02f;
constexpr float kRateFactor = 0.5f;  // from epoch to epoch
constexpr float kPower = 0.75f;      // of the counts, as in ModeModel
constexpr int kLargest = 255;        // weight in the file, in sixteenths

using PerMode = std::array<float, kPredictionModes>;

// A mode that was coded, and what was known then.
struct ModeSample {
  PerMode counts;
  uint32_t allowed;
  ModeNeighbours neighbours;
  uint8_t mode;
};

// Takes down the modes of a tile.
class ModeObserver : public TileObserver {
 public:
  ModeObserver(const FileHeader& header, const TileInfo& tile, std::vector<ModeSample>& samples)
      : modes_(header.parameters.modes),
        width_(PaddedToMacroblocks(tile.width)),
        map_(width_, PaddedToMacroblocks(tile.height)),
        samples_(samples) {}

  void OnMacroblock(MacroblockPlace place) override {
    place_ = place;
    available_ = AvailabilityMap(place.y, place.x, width_);
  }
  void OnElement(CodedElement element, BlockRect rect, int value, double bits) override {
    if (element != CodedElement::kMode) return;
    const int y = place_.y + rect.y, x = place_.x + rect.x;
    // Without block copies, whose vectors are the picture's own.
    const uint32_t allowed = AvailableModes(NeighboursOf(available_, rect), rect.level) & modes_;
    available_.Mark(rect);  // its elements are over when the next mode comes
    if (bits > 0) {         // the only mode is not coded, nor counted
      if ((allowed >> value & 1) != 0) TakeDown(rect.level, map_.Of(y, x), allowed, value);
      counts_[rect.level].Update(value);
    }
    map_.Add(y, x, rect.level, value);
  }

 private:
  void TakeDown(int level, ModeNeighbours neighbours, uint32_t allowed, int mode) {
    ModeSample sample{{}, allowed, neighbours, static_cast<uint8_t>(mode)};
    const auto counts = counts_[level].Frequencies(allowed);
    std::copy(counts.begin(), counts.end(), sample.counts.begin());
    samples_.push_back(sample);
  }

  uint32_t modes_;
  int width_;
  ModeMap map_;
  AvailabilityMap available_{0, 0, 0};
  std::array<SymbolModel<kPredictionModes>, kLevelCount> counts_;
  std::vector<ModeSample>& samples_;
  MacroblockPlace place_{};
};

// The logarithms of the weights: a mode's probability is proportional to the power of its count
// times those of its neighbours.
class WeightTrainer {
 public:
  // Learns each of the samples once, in a random order; returns their mean cost in bits.
  double Epoch(std::vector<ModeSample>& samples, float rate) {
    for (size_t k = samples.size(); k > 1; --k)
      std::swap(samples[k - 1], samples[(random_() >> 4) % k]);
    double bits = 0;
    for (const ModeSample& sample : samples) {
      const PerMode probabilities = Predict(sample);
      bits -= std::log2(probabilities[sample.mode]);
      for (int m = 0; m < kPredictionModes; ++m) {
        const float step = rate * (static_cast<float>(m == sample.mode ? 1 : 0) - probabilities[m]);
        left_[sample.neighbours.left][m] += step;
        above_[sample.neighbours.above][m] += step;
      }
    }
    return bits / static_cast<double>(std::max(samples.size(), size_t{1}));
  }

  // The mean cost of samples in bits, nothing being learnt.
  double Cost(const std::vector<ModeSample>& samples) const {
    double bits = 0;
    for (const ModeSample& sample : samples) bits -= std::log2(Predict(sample)[sample.mode]);
    return bits / static_cast<double>(std::max(samples.size(), size_t{1}));
  }

  // As an initialiser of the weights, in sixteenths.
  std::string Text() const {
    std::string text;
    for (const Weights* weights : {&left_, &above_}) {
      text += "{{\n";
      for (const PerMode& row : *weights) {
        text += "{";
        for (int m = 0; m < kPredictionModes; ++m) {
          const long weight = std::lround(16 * std::exp(row[m]));
          text += std::to_string(std::clamp(weight, 1L, long{kLargest}));
          text += m + 1 < kPredictionModes ? "," : "},\n";
        }
      }
      text += "}},\n";
    }
    return text;
  }

 private:
  using Weights = std::array<PerMode, kPredictionModes + 1>;

  PerMode Predict(const ModeSample& sample) const {
    PerMode values{};
    float sum = 0;
    for (int m = 0; m < kPredictionModes; ++m) {
      if ((sample.allowed >> m & 1) == 0) continue;
      values[m] = std::pow(sample.counts[m], kPower) *
                  std::exp(left_[sample.neighbours.left][m] + above_[sample.neighbours.above][m]);
      sum += values[m];
    }
    for (float& value : values) value /= sum;
    return values;
  }

  Weights left_{}, above_{};
  RandomBits random_{777};
};

std::string Train(std::vector<ModeSample>& samples, const std::vector<ModeSample>& tests) {
  WeightTrainer trainer;
  float rate = kFirstRate;
  for (int epoch = 0; epoch < kEpochs; ++epoch, rate *= kRateFactor) {
    const double bits = trainer.Epoch(samples, rate);
    std::printf("epoch %d: %zu samples, %.4f bits; test %.4f bits\n", epoch, samples.size(), bits,
                trainer.Cost(tests));
    std::fflush(stdout);
  }
  return trainer.Text();
}

}  // namespace
}  // namespace mmp

int main(int count, char** arguments) {
  return mmp::TrainByFiles<mmp::ModeObserver, std::vector<mmp::ModeSample>>(
      {arguments, static_cast<size_t>(count)}, mmp::Train);
}
