#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/tile/index_classes.cc"
#include "hwy/foreach_target.h"
// clang-format off: the order matters
#include "hwy/highway.h"
// clang-format on

#include <algorithm>
#include <array>
#include <vector>

#include "codec/base/pair_dot-inl.h"
#include "codec/tile/index_classes.h"

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The products of pairs of factors with those of each class, summed: sums[k] over the pairs p of
// factors[2 p] pairs[p][k][0] + factors[2 p + 1] pairs[p][k][1].
void SumClassProducts(const int16_t* factors, const int16_t* pairs, int32_t* sums) {
  const hn::CappedTag<int32_t, 16> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int k = 0; k < kPatternClasses; k += lanes)
    hn::StoreU(
        SumPairProducts(d, factors, kPatternFeatures / 2, pairs + 2 * k, 2 * kPatternClasses), d,
        sums + k);
}

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {
namespace {

HWY_EXPORT(SumClassProducts);

constexpr int kLevels = kLevelCount - 1;

// As they are trained, from level 1 on.
struct TrainedClasses {
  uint8_t weights[kLevels][kPatternFeatures];
  int8_t centres[kLevels][kPatternClasses][kPatternFeatures];
};
constexpr TrainedClasses kTrained = {
#include "codec/tile/index_classes.inc"
};

std::vector<IndexClasses> AllStandardClasses() {
  std::vector<IndexClasses> classes;
  for (int level = 0; level < kLevels; ++level) {
    std::array<FeaturesOfPattern, kPatternClasses> centres;
    for (int k = 0; k < kPatternClasses; ++k)
      centres[k] = std::to_array(kTrained.centres[level][k]);
    classes.emplace_back(std::to_array(kTrained.weights[level]), centres);
  }
  return classes;
}

}  // namespace

IndexClasses::IndexClasses(const std::array<uint8_t, kPatternFeatures>& weights,
                           const std::array<FeaturesOfPattern, kPatternClasses>& centres)
    : weights_(weights), squares_{} {
  for (int k = 0; k < kPatternClasses; ++k) {
    for (int n = 0; n < kPatternFeatures; ++n) {
      centres_[PatternGroup::Place(k, n)] = PatternGroup::Stored(centres[k][n]);
      const int centre = PatternGroup::Feature(centres_.data(), k, n);
      pairs_[n / 2][k][n % 2] = static_cast<int16_t>(centre);
      squares_[k] += weights[n] * centre * centre;
    }
  }
}

int IndexClasses::Of(const FeaturesOfPattern& features) const {
  std::array<int16_t, kPatternFeatures> weighted;
  for (int n = 0; n < kPatternFeatures; ++n)
    weighted[n] = static_cast<int16_t>(weights_[n] * features[n]);
  std::array<int32_t, kPatternClasses> products;
  HWY_DYNAMIC_DISPATCH(SumClassProducts)(weighted.data(), &pairs_[0][0][0], products.data());
  int nearest = 0;
  for (int k = 0; k < kPatternClasses; ++k) {
    products[k] = squares_[k] - 2 * products[k];
    if (products[k] < products[nearest]) nearest = k;
  }
  return nearest;
}

int IndexClasses::PlainOf(const FeaturesOfPattern& features) const {
  std::array<int, kPatternClasses> distances{};
  for (int k = 0; k < kPatternClasses; ++k) {
    for (int n = 0; n < kPatternFeatures; ++n) {
      const int difference = features[n] - PatternGroup::Feature(centres_.data(), k, n);
      distances[k] += weights_[n] * difference * difference;
    }
  }
  return static_cast<int>(std::min_element(distances.begin(), distances.end()) - distances.begin());
}

const IndexClasses& StandardIndexClasses(int level) {
  static const std::vector<IndexClasses> classes = AllStandardClasses();
  return classes[static_cast<size_t>(level - 1)];
}

}  // namespace mmp
#endif  // HWY_ONCE
