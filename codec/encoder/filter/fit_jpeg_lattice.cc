#include "codec/encoder/filter/fit_jpeg_lattice.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <vector>

#include "codec/base/fixed_log2.h"
#include "codec/encoder/filter/filter_symbols.h"
#include "codec/encoder/jpeg/jpeg_steps.h"
#include "codec/tile/filter_elements.h"
#include "codec/tile/tile_models.h"

namespace mmp {
namespace {

constexpr int64_t kMostBlocks = 16384;

// Of a frequency, block by block.
struct Coefficients {
  std::vector<int16_t> original, filtered;
};

// By the place in a block, row by row.
class CoefficientsOfTile {
 public:
  CoefficientsOfTile(const uint8_t* plane, int stride, const ImageView& image, JpegGrid grid,
                     TaskPool& pool) {
    const int64_t across = std::max((image.width - grid.column) / kCosineSide, 0);
    const int64_t all = across * std::max((image.height - grid.row) / kCosineSide, 0);
    const int64_t count = std::min(all, kMostBlocks);
    if (count == 0) return;
    for (Coefficients& coefficients : of) {
      coefficients.original.resize(count);
      coefficients.filtered.resize(count);
    }
    constexpr int64_t kAtOnce = 256;
    const auto add = [&](int part, int /*member*/) {
      for (int64_t i = part * kAtOnce; i < std::min((part + 1) * kAtOnce, count); ++i) {
        const int64_t block = i * all / count;
        const int y = static_cast<int>(grid.row + block / across * kCosineSide);
        const int x = static_cast<int>(grid.column + block % across * kCosineSide);
        const CosineBlock original =
            JpegCoefficients(image.Row(y) + x, static_cast<int>(image.stride));
        const CosineBlock filtered =
            JpegCoefficients(plane + static_cast<size_t>(y) * stride + x, stride);
        for (int place = 0; place < kCosinePixels; ++place) {
          of[place].original[i] = InShort(original[place]);
          of[place].filtered[i] = InShort(filtered[place]);
        }
      }
    };
    pool.ForEach(static_cast<int>((count + kAtOnce - 1) / kAtOnce), add);
    all_blocks = all;
  }

  int64_t count() const { return static_cast<int64_t>(of[0].original.size()); }

  std::array<Coefficients, kCosinePixels> of;
  int64_t all_blocks = 0;  // of the tile, of which these are some
};

// By how much the squared error of a frequency grows with each pull.
using Changes = std::array<int64_t, kJpegPulls>;

Changes ChangesOf(const Coefficients& coefficients, int step) {
  struct Sums {
    int64_t count = 0, error = 0;  // towards the multiple
  };
  constexpr int kDistances = 257;
  std::array<std::array<Sums, kDistances>, 2> sums{};  // by whether the multiple is nought
  for (size_t i = 0; i < coefficients.original.size(); ++i) {
    const int filtered = coefficients.filtered[i];
    const JpegPlace place = PlaceOnLattice(std::abs(filtered), step);
    const int error = filtered - coefficients.original[i];
    Sums& at = sums[place.multiple > 0 ? 1 : 0][place.distance];
    ++at.count;
    at.error += place.is_below == (filtered < 0) ? -error : error;
  }
  Changes changes{};
  for (int pull = 1; pull < kJpegPulls; ++pull) {
    for (int multiple = 0; multiple < 2; ++multiple) {
      for (int distance = 0; distance < kDistances; ++distance) {
        const Sums& at = sums[multiple][distance];
        if (at.count == 0) continue;
        const int64_t by = PullOf(pull, {multiple, distance, false}, step);
        changes[pull] += by * (2 * at.error + by * at.count);
      }
    }
  }
  return changes;
}

// What symbols of the lattice cost, q12, as models are at first.
class Rates {
 public:
  int64_t OfPull(int pull, int before) const {
    return Of(kJpegPull, (pull - before + kJpegPulls) % kJpegPulls);
  }
  int64_t OfStep(int step, int told) const {
    const int bits = std::bit_width(static_cast<unsigned>(std::abs(step - told)));
    return Of(kJpegStepSize, bits) + (int64_t{bits} << kRateShift);
  }

 private:
  int64_t Of(FilterElement element, int symbol) const {
    return models_.of[element].RateQ12(symbol, AllFilterSymbols(element));
  }
  const FilterModels models_;
};

// Steps in JPEG's order, 0 where none is known.
using Steps = std::array<int, kCosinePixels>;

// The quality from which the known steps are told with least bits.
int QualityOf(const Steps& steps, const Rates& rates) {
  int best = 0;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int quality = kBestJpegQuality; quality >= 0; --quality) {
    int64_t rate = 0;
    int last = kFirstJpegStep;
    for (int i = 0; i < kCosinePixels; ++i) {
      if (steps[i] == 0) continue;
      rate += rates.OfStep(steps[i], ToldJpegStep(quality, i, last));
      last = steps[i];
    }
    if (rate < least) least = rate, best = quality;
  }
  return best;
}

// What a frequency can become.
struct Choice {
  int step;
  int64_t price;  // of the step's bits
  Changes changes;

  int64_t Least() const { return std::ranges::min(changes) + price; }
};

// What pulls, each told from the one before, cost least: sets those of the lattice, and returns
// how much the error changes.
int64_t ChoosePulls(const std::vector<Choice>& choices, const Rates& rates, Lambda lambda,
                    JpegLattice& lattice) {
  std::array<int64_t, kJpegPulls> costs;
  costs.fill(std::numeric_limits<int64_t>::max() / 2);
  costs[0] = 0;
  std::array<std::array<uint8_t, kJpegPulls>, kCosinePixels> before;
  for (int i = 0; i < kCosinePixels; ++i) {
    std::array<int64_t, kJpegPulls> next;
    for (int pull = 0; pull < kJpegPulls; ++pull) {
      const int64_t change = choices[i].changes[pull] + (pull > 0 ? choices[i].price : 0);
      next[pull] = std::numeric_limits<int64_t>::max();
      for (int from = 0; from < kJpegPulls; ++from) {
        const int64_t cost = costs[from] + change + Price(lambda, rates.OfPull(pull, from));
        if (cost < next[pull]) next[pull] = cost, before[i][pull] = static_cast<uint8_t>(from);
      }
    }
    costs = next;
  }
  int64_t change = 0;
  int pull = static_cast<int>(std::ranges::min_element(costs) - costs.begin());
  for (int i = kCosinePixels; i-- > 0; pull = before[i][pull]) {
    change += choices[i].changes[pull];
    if (pull > 0)
      lattice.frequencies[i] = {static_cast<uint8_t>(pull), static_cast<uint8_t>(choices[i].step)};
  }
  return change;
}

}  // namespace

JpegLattice FitJpegLattice(const uint8_t* plane, int stride, const ImageView& image, JpegGrid grid,
                           Lambda lambda, TaskPool& pool) {
  const CoefficientsOfTile coefficients(plane, stride, image, grid, pool);
  if (coefficients.all_blocks == 0) return {};
  const Rates rates;
  const auto choose = [&](int i, int step) {
    Choice choice = {.step = step, .price = 0, .changes = {}};
    if (step == 0) return choice;
    choice.changes = ChangesOf(coefficients.of[kJpegOrder[i]], step);
    for (int64_t& change : choice.changes)
      change = (change >> (2 * kCosineFraction)) * coefficients.all_blocks / coefficients.count();
    return choice;
  };
  Steps steps;
  std::vector<Choice> choices(kCosinePixels);
  pool.ForEach(kCosinePixels, [&](int i, int /*member*/) {
    steps[i] = FindJpegStep(coefficients.of[kJpegOrder[i]].original);
    choices[i] = choose(i, steps[i]);
  });

  JpegLattice lattice = {.is_used = true, .row = grid.row, .column = grid.column};
  lattice.quality = QualityOf(steps, rates);
  int last = kFirstJpegStep;
  for (int i = 0; i < kCosinePixels; ++i) {
    const int told = ToldJpegStep(lattice.quality, i, last);
    choices[i].price = Price(lambda, rates.OfStep(choices[i].step, told));
    if (steps[i] != told) {
      Choice as_told = choose(i, told);
      as_told.price = Price(lambda, rates.OfStep(told, told));
      if (steps[i] == 0 || as_told.Least() < choices[i].Least()) choices[i] = as_told;
    }
    last = choices[i].step;
  }
  const int64_t change = ChoosePulls(choices, rates, lambda, lattice);
  if (change + Price(lambda, JpegLatticeRateQ12(lattice)) >= 0) return {};
  return lattice;
}

}  // namespace mmp
