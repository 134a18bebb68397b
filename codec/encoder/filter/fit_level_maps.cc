#include "codec/encoder/filter/fit_level_maps.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>

#include "codec/base/fixed_log2.h"
#include "codec/encoder/filter/filter_symbols.h"
#include "codec/tile/filter_coder.h"
#include "codec/tile/tile_models.h"

namespace mmp {
namespace {

// How many levels a map moves a level by, at most.
constexpr int kReach = 40, kHurriedReach = 16;
constexpr int kHurriedKind = 3;  // of two maps, the one that who is in a hurry tries
constexpr int kHurriedStep = 4;  // of the rows that who is in a hurry looks at first
constexpr int kRounds = 2;       // of fitting, each by the costs that the one before has led to

// By the level of the filtered plane: how many pixels have it, and the sum of the original's
// samples there.
struct LevelSums {
  std::array<int64_t, kGrayLevels> pixels{}, samples{};

  LevelSums& operator+=(const LevelSums& other) {
    for (int level = 0; level < kGrayLevels; ++level) {
      pixels[level] += other.pixels[level];
      samples[level] += other.samples[level];
    }
    return *this;
  }
  // The squared error of what has this level if it becomes `to`, but for the sum of the samples'
  // squares, which no map changes.
  int64_t Error(int level, int64_t to) const {
    return to * to * pixels[level] - 2 * to * samples[level];
  }
};

constexpr int kActivities = static_cast<int>(kActivityLimits.size()) + 1;
// Of pixels whose activity is above so many of kActivityLimits.
using SumsByActivity = std::array<LevelSums, kActivities>;

// Adds up the rows of a tile.
class LevelCounter {
 public:
  explicit LevelCounter(int width) : activity_(width), above_(width) {}

  // Row y of a plane of so many rows; `original` has the first `count` of its pixels.
  void Add(const uint8_t* plane, int height, int y, const uint8_t* original, int count) {
    const int width = static_cast<int>(activity_.size());
    ActivityOfRow(plane, width, height, y, activity_.data());
    const uint8_t* row = plane + static_cast<size_t>(y) * activity_.size();
    for (int x = 0; x < count; ++x) {
      int limits = 0;
      for (const int limit : kActivityLimits) limits += activity_[x] > limit ? 1 : 0;
      above_[x] = static_cast<uint8_t>(limits);
    }
    for (int x = 0; x < count; ++x)
      both_[x % kTables][above_[x]][row[x]] += uint64_t{1} << kPixelsShift | original[x];
    pixels_ += count;
    if (pixels_ >= kManyPixels) Flush();
  }
  SumsByActivity Sums() {
    Flush();
    return sums_;
  }

 private:
  static constexpr int kTables = 4;  // so that a pixel need not wait for the one before
  // Of the sums in the tables: what is below has room for 2^30 samples, what is above for 2^26
  // pixels, and a row has fewer.
  static constexpr int kPixelsShift = 38;
  static constexpr int kManyPixels = 1 << 22;

  void Flush() {
    for (auto& table : both_) {
      for (int above = 0; above < kActivities; ++above) {
        for (int level = 0; level < kGrayLevels; ++level) {
          const uint64_t both = std::exchange(table[above][level], 0);
          sums_[above].pixels[level] += static_cast<int64_t>(both >> kPixelsShift);
          sums_[above].samples[level] +=
              static_cast<int64_t>(both & ((uint64_t{1} << kPixelsShift) - 1));
        }
      }
    }
    pixels_ = 0;
  }

  std::vector<uint16_t> activity_;  // of a row
  std::vector<uint8_t> above_;      // of how many limits it is
  // The number of pixels above the sum of samples.
  std::array<std::array<std::array<uint64_t, kGrayLevels>, kActivities>, kTables> both_{};
  int pixels_ = 0;  // in these
  SumsByActivity sums_;
};

// Of every `step`-th row.
SumsByActivity SumLevels(const std::vector<uint8_t>& plane, int stride, const ImageView& image,
                         int step, TaskPool& pool) {
  constexpr int kLeastRows = 128;  // that are worth a thread's while
  const int height = static_cast<int>(plane.size() / static_cast<size_t>(stride));
  const int bands = std::clamp(image.height / kLeastRows, 1, pool.size());
  std::vector<SumsByActivity> of_bands(static_cast<size_t>(bands));
  pool.ForEach(bands, [&](int band, int /*member*/) {
    LevelCounter counter(stride);
    const auto first_row = [&](int of) {
      return static_cast<int>(int64_t{image.height} * of / bands);
    };
    for (int y = first_row(band); y < first_row(band + 1); ++y)
      if (y % step == 0) counter.Add(plane.data(), height, y, image.Row(y), image.width);
    of_bands[static_cast<size_t>(band)] = counter.Sums();
  });
  SumsByActivity sums;
  for (const SumsByActivity& of_band : of_bands)
    for (int above = 0; above < kActivities; ++above) sums[above] += of_band[above];
  return sums;
}

// Whether some levels stand for others so often that a map may pay, or, in a hurry, is likely to:
// seldom in photographs, whose levels stand for themselves. Sums of every `step`-th row say of all
// rows what is likely, and yes more often than all do.
bool MayPay(const SumsByActivity& sums, int step, Lambda lambda, bool is_hurried) {
  const int64_t least = Price(lambda, 6 << kRateShift) / step;  // of a level that counts
  int64_t gain = 0;
  for (const LevelSums& of : sums) {
    for (int level = 0; level < kGrayLevels; ++level) {
      if (of.pixels[level] == 0) continue;
      const int64_t mean = (2 * of.samples[level] + of.pixels[level]) / (2 * of.pixels[level]);
      gain += std::max<int64_t>(of.Error(level, level) - of.Error(level, mean) - least, 0);
    }
  }
  const int64_t enough = Price(lambda, (is_hurried ? 64 : 32) << kRateShift);
  return step > 1 ? 2 * step * gain > enough : gain > enough;
}

// The map of least cost by rates as they are in a state of the models, found level by level: what
// comes behind one depends only on what it becomes and on the symbol of its step.
class MapFitter {
 public:
  MapFitter(const LevelSums& sums, int reach, Lambda lambda, const FilterModels& models)
      : sums_(sums), reach_(reach), back_(kGrayLevels) {
    for (int last = 0; last < kLasts; ++last) {
      const auto element = static_cast<FilterElement>(kStepBehindNone + last);
      for (int symbol = 0; symbol < kLevelSteps; ++symbol)
        price_[last][symbol] =
            Price(lambda, models.of[element].RateQ12(symbol, AllFilterSymbols(element)) +
                              (BitsOfLevelStep(symbol) << kRateShift));
    }
  }

  LevelMap Fit() {
    Costs costs;
    Clear(costs);
    for (int to = 0; to <= reach_; ++to) {
      const int symbol = LevelStepSymbol(to + 1);
      costs[to][std::min(symbol, 2)] = price_[1][symbol] + sums_.Error(0, to);
    }
    for (int level = 1; level < kGrayLevels; ++level) costs = Next(level, costs);
    return Traced(costs);
  }

 private:
  static constexpr int kLasts = 3;  // kinds of symbols
  static constexpr int64_t kImpossible = std::numeric_limits<int64_t>::max() / 4;

  // By what a level becomes and by the kind of the symbol that says so.
  using Costs = std::array<std::array<int64_t, kLasts>, kGrayLevels>;
  // What the level before becomes, and the kind of its symbol.
  struct Before {
    uint8_t to, last;
  };

  static void Clear(Costs& costs) {
    for (auto& of : costs) of.fill(kImpossible);
  }

  // The costs up to a level, given those up to the one before.
  Costs Next(int level, const Costs& before) {
    // By what the level before becomes and the step's symbol, whatever its own symbol was.
    std::array<std::array<int64_t, kLevelSteps>, kGrayLevels> least;
    std::array<std::array<uint8_t, kLevelSteps>, kGrayLevels> least_last;
    const int first_before = std::max(level - 1 - reach_, 0);
    const int last_before = std::min(level - 1 + reach_, kGrayLevels - 1);
    for (int to = first_before; to <= last_before; ++to) {
      for (int symbol = 0; symbol < kLevelSteps; ++symbol) {
        int best = 0;
        for (int last = 1; last < kLasts; ++last)
          if (before[to][last] + price_[last][symbol] < before[to][best] + price_[best][symbol])
            best = last;
        least[to][symbol] = before[to][best] + price_[best][symbol];
        least_last[to][symbol] = static_cast<uint8_t>(best);
      }
    }
    Costs costs;
    Clear(costs);
    const int most = std::min(level + reach_, kGrayLevels - 1);
    for (int to = std::max(level - reach_, 0); to <= most; ++to) {
      const int64_t error = sums_.Error(level, to);
      for (int from = first_before; from <= std::min(to, last_before); ++from) {
        const int symbol = LevelStepSymbol(to - from), last = std::min(symbol, 2);
        const int64_t cost = std::min(least[from][symbol] + error, kImpossible);
        if (cost >= costs[to][last]) continue;
        costs[to][last] = cost;
        back_[level][to][last] = {static_cast<uint8_t>(from), least_last[from][symbol]};
      }
    }
    return costs;
  }

  LevelMap Traced(const Costs& costs) const {
    Before at = {0, 0};
    for (int to = 0; to < kGrayLevels; ++to)
      for (int last = 0; last < kLasts; ++last)
        if (costs[to][last] < costs[at.to][at.last])
          at = {static_cast<uint8_t>(to), static_cast<uint8_t>(last)};
    LevelMap map;
    for (int level = kGrayLevels - 1; level >= 0; --level) {
      map[level] = at.to;
      at = back_[level][at.to][at.last];
    }
    return map;
  }

  const LevelSums& sums_;
  const int reach_;
  std::array<std::array<int64_t, kLevelSteps>, kLasts> price_;
  std::vector<std::array<std::array<Before, kLasts>, kGrayLevels>> back_;  // by level
};

// The map of least cost that is found, and that cost. `models` are updated by the map's symbols.
int64_t FitMap(const LevelSums& sums, int reach, Lambda lambda, FilterModels& models,
               LevelMap& best) {
  const FilterModels before = models;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int round = 0; round < kRounds; ++round) {
    const LevelMap map = MapFitter(sums, reach, lambda, models).Fit();
    FilterModels after = before;
    int64_t cost = Price(lambda, LevelMapRateQ12(map, after));
    for (int level = 0; level < kGrayLevels; ++level) cost += sums.Error(level, map[level]);
    if (cost >= least) break;
    least = cost;
    best = map;
    models = after;
  }
  return least;
}

}  // namespace

LevelMaps FitLevelMaps(const std::vector<uint8_t>& plane, int stride, const ImageView& image,
                       Lambda lambda, bool is_hurried, TaskPool& pool) {
  const auto sum_levels = [&](int step) { return SumLevels(plane, stride, image, step, pool); };
  if (is_hurried && !MayPay(sum_levels(kHurriedStep), kHurriedStep, lambda, is_hurried)) return {};
  const SumsByActivity sums = sum_levels(1);
  if (!MayPay(sums, 1, lambda, is_hurried)) return {};
  const int reach = is_hurried ? kHurriedReach : kReach;
  LevelMaps best;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int kind = 0; kind < kLevelMapsKinds; ++kind) {
    if (is_hurried && kind > 1 && kind != kHurriedKind) continue;
    FilterModels models;
    int64_t cost =
        Price(lambda, models.of[kLevelMapsKind].RateQ12(kind, AllFilterSymbols(kLevelMapsKind)));
    LevelMaps maps = {.kind = kind};
    // Of pixels that each map is for; without maps, of all.
    std::array<LevelSums, 2> parts;
    for (int above = 0; above < static_cast<int>(sums.size()); ++above)
      parts[kind > 1 && above > kind - 2 ? 1 : 0] += sums[above];
    for (int i = 0; i < maps.count(); ++i)
      cost += FitMap(parts[i], reach, lambda, models, maps.maps[i]);
    if (kind == 0)
      for (int level = 0; level < kGrayLevels; ++level) cost += parts[0].Error(level, level);
    if (cost >= least) continue;
    least = cost;
    best = maps;
  }
  return best;
}

}  // namespace mmp
