// Trains the classes of patterns, the first half of an index: mmp_train_classes OUT.inc FILE.mmp...
// [--test FILE.mmp...]. The files, by patterns and of 8 bits a sample, are learnt from but for
// those behind --test: of them, too, what the classes leave open is printed. OUT.inc replaces
// codec/tile/index_classes.inc: what each feature weighs in each level, by the squares of the
// contexts that indices had there, and the centres of the classes, by k-means over the patterns
// that were coded.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "codec/base/levels.h"
#include "codec/bitstream/container.h"
#include "codec/tile/index_context.h"
#include "codec/tile/pattern_features.h"
#include "tools/train_models/coded_files.h"
#include "tools/train_models/leaf_observer.h"
#include "tools/train_models/random_bits.h"

namespace mmp {
namespace {

constexpr int kRounds = 25;
constexpr int kMostWeight = 255;  // of a feature in the distance of patterns

// The indices of a level.
struct LevelSamples {
  uint64_t indices = 0;
  std::array<uint64_t, kPatternFeatures> squares{};  // of their contexts, summed
  std::map<FeaturesOfPattern, uint64_t> times;       // that patterns like this were coded
};
using ClassSamples = std::array<LevelSamples, kLevelCount>;

// Takes down the indices of a tile.
class ClassObserver : public LeafObserver {
 public:
  ClassObserver(const FileHeader& header, const TileInfo& tile, ClassSamples& samples)
      : LeafObserver(header.parameters, tile), samples_(samples) {}

 protected:
  void OnIndex(int index) override {
    const int level = place().leaf.level;
    if (level == 0) return;
    LevelSamples& samples = samples_[level];
    ++samples.indices;
    ++samples.times[FeaturesOf(level, index)];
    const IndexContext context = StandardIndexWeights().ContextOf(level, place().mode, Inputs());
    for (int n = 0; n < kPatternFeatures; ++n) {
      const int64_t said = int64_t{context.factors[n]} * (1 << context.shift);
      samples.squares[n] += static_cast<uint64_t>(said * said);
    }
  }

 private:
  ClassSamples& samples_;
};

using FeatureWeights = std::array<int, kPatternFeatures>;
using Centre = std::array<double, kPatternFeatures>;

// Patterns of the same features.
struct Point {
  FeaturesOfPattern features;
  double times;
};

Centre CentreOf(const FeaturesOfPattern& features) {
  Centre centre;
  std::copy(features.begin(), features.end(), centre.begin());
  return centre;
}

std::vector<Point> PointsOf(const LevelSamples& samples) {
  std::vector<Point> points;
  for (const auto& [features, times] : samples.times)
    points.push_back({features, static_cast<double>(times)});
  return points;
}

// The largest is kMostWeight.
FeatureWeights WeightsOf(const LevelSamples& samples) {
  FeatureWeights weights;
  const auto most = static_cast<double>(*std::ranges::max_element(samples.squares));
  for (int n = 0; n < kPatternFeatures; ++n) {
    const auto square = static_cast<double>(samples.squares[n]);
    weights[n] = most > 0 ? static_cast<int>(kMostWeight * square / most + 0.5) : 1;
  }
  return weights;
}

// The centres of classes, and which class points are in.
class Centres {
 public:
  struct Nearest {
    int centre;
    double distance;
  };

  explicit Centres(const FeatureWeights& weights) : weights_(weights) {}

  void Set(int k, const Centre& centre) {
    for (int n = 0; n < kPatternFeatures; ++n) by_feature_[n][k] = centre[n];
  }
  Centre Get(int k) const {
    Centre centre;
    for (int n = 0; n < kPatternFeatures; ++n) centre[n] = by_feature_[n][k];
    return centre;
  }
  // Of several, the first.
  Nearest NearestOf(const FeaturesOfPattern& features) const {
    std::array<double, kPatternClasses> distances{};
    for (int n = 0; n < kPatternFeatures; ++n) {
      const double weight = weights_[n], feature = features[n];
      for (int k = 0; k < kPatternClasses; ++k) {
        const double difference = feature - by_feature_[n][k];
        distances[k] += weight * difference * difference;
      }
    }
    const auto least = std::ranges::min_element(distances);
    return {static_cast<int>(least - distances.begin()), *least};
  }
  // The sum over points of their distances.
  double Spread(const std::vector<Point>& points) const {
    double spread = 0;
    for (const Point& point : points) spread += point.times * NearestOf(point.features).distance;
    return spread;
  }

 private:
  FeatureWeights weights_;
  double by_feature_[kPatternFeatures][kPatternClasses] = {};
};

// The classes of a level by k-means, the most used first; without points, all centres are 0.
class ClassTrainer {
 public:
  ClassTrainer(const FeatureWeights& weights, const std::vector<Point>& points)
      : points_(points), centres_(weights) {}

  Centres Train() {
    if (points_.empty()) return centres_;
    Start();
    for (int round = 0; round < kRounds; ++round) Round();
    RoundAndSort();
    return centres_;
  }

 private:
  // k-means++: each centre is a point, which has the better chance the farther it is from those
  // before it. Where no point is far from all, the others are as the first.
  void Start() {
    std::vector<double> shares;  // of the chance
    for (const Point& point : points_) shares.push_back(point.times);
    for (int k = 0; k < kPatternClasses; ++k) {
      const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
      if (all == 0) break;
      const Centre centre = CentreOf(points_[Choose(shares, all)].features);
      for (int same = k; same < (k == 0 ? kPatternClasses : k + 1); ++same)
        centres_.Set(same, centre);
      for (size_t i = 0; i < points_.size(); ++i)
        shares[i] = points_[i].times * centres_.NearestOf(points_[i].features).distance;
    }
  }

  // One of `shares`, whose sum is `all`, by chance.
  size_t Choose(const std::vector<double>& shares, double all) {
    double left = all * (random_() / 4294967296.0);
    size_t chosen = 0;
    for (size_t i = 0; i < shares.size(); ++i) {
      if (shares[i] == 0) continue;
      chosen = i;
      if (left < shares[i]) break;
      left -= shares[i];
    }
    return chosen;
  }

  // Lloyd's: each centre becomes the mean of the points that are nearest to it, or, if there are
  // none, the point that is farthest from its own.
  void Round() {
    std::array<double, kPatternClasses> times{};
    std::array<Centre, kPatternClasses> sums{};
    std::vector<double> distances;
    for (const Point& point : points_) {
      const Centres::Nearest nearest = centres_.NearestOf(point.features);
      times[nearest.centre] += point.times;
      for (int n = 0; n < kPatternFeatures; ++n)
        sums[nearest.centre][n] += point.times * point.features[n];
      distances.push_back(point.times * nearest.distance);
    }
    for (int k = 0; k < kPatternClasses; ++k) {
      if (times[k] > 0) {
        for (double& sum : sums[k]) sum /= times[k];
        centres_.Set(k, sums[k]);
      } else {
        const auto farthest = std::ranges::max_element(distances);
        centres_.Set(k, CentreOf(points_[farthest - distances.begin()].features));
        *farthest = 0;
      }
    }
  }

  // To integers. Of those that no point is nearest to, all become as the first.
  void RoundAndSort() {
    struct Use {
      double times;
      Centre centre;
    };
    std::array<Use, kPatternClasses> uses;
    for (int k = 0; k < kPatternClasses; ++k) {
      uses[k] = {0, centres_.Get(k)};
      for (double& number : uses[k].centre)
        number = static_cast<double>(std::clamp(std::lround(number), -kMostNumber, kMostNumber));
      centres_.Set(k, uses[k].centre);
    }
    for (const Point& point : points_)
      uses[centres_.NearestOf(point.features).centre].times += point.times;
    std::ranges::sort(uses, [](const Use& a, const Use& b) {
      return a.times != b.times ? a.times > b.times : a.centre < b.centre;
    });
    for (int k = 0; k < kPatternClasses; ++k)
      centres_.Set(k, uses[uses[k].times > 0 ? k : 0].centre);
  }

  static constexpr long kMostNumber = kMostFeature;

  const std::vector<Point>& points_;
  Centres centres_;
  RandomBits random_{1};
};

// What part of the points' variance the classes leave, in percent; 0 if there is none.
double PercentLeft(const std::vector<Point>& points, const Centres& centres) {
  if (points.empty()) return 0;
  Centre mean{};
  double times = 0;
  for (const Point& point : points) {
    times += point.times;
    for (int n = 0; n < kPatternFeatures; ++n) mean[n] += point.times * point.features[n];
  }
  for (double& number : mean) number /= times;
  Centres one = centres;
  for (int k = 0; k < kPatternClasses; ++k) one.Set(k, mean);
  const double all = one.Spread(points);
  return all > 0 ? 100 * centres.Spread(points) / all : 0;
}

template <class Numbers>
std::string Row(const Numbers& numbers) {
  std::string row = "{";
  for (const auto number : numbers) row += std::to_string(std::lround(number)) + ",";
  return row + "},\n";
}

// Of all levels, as an initialiser of weights and of centres.
std::string TrainAll(const ClassSamples& samples, const ClassSamples& tests) {
  std::string weight_text, centre_text;
  for (int level = 1; level < kLevelCount; ++level) {
    const FeatureWeights weights = WeightsOf(samples[level]);
    const std::vector<Point> points = PointsOf(samples[level]);
    const Centres centres = ClassTrainer(weights, points).Train();
    std::printf(
        "level %d: %llu indices, %zu kinds of patterns, %.2f %% of the variance is left; "
        "test %.2f %%\n",
        level, static_cast<unsigned long long>(samples[level].indices), points.size(),
        PercentLeft(points, centres), PercentLeft(PointsOf(tests[level]), centres));
    std::fflush(stdout);
    weight_text += Row(weights);
    centre_text += "{";
    for (int k = 0; k < kPatternClasses; ++k) centre_text += Row(centres.Get(k));
    centre_text += "},\n";
  }
  return "{" + weight_text + "},\n{" + centre_text + "},\n";
}

}  // namespace
}  // namespace mmp

int main(int count, char** arguments) {
  return mmp::TrainByFiles<mmp::ClassObserver, mmp::ClassSamples>(
      {arguments, static_cast<size_t>(count)}, mmp::TrainAll);
}
