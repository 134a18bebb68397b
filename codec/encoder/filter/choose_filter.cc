#include "codec/encoder/filter/choose_filter.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "codec/encoder/filter/correction_sums.h"
#include "codec/encoder/filter/filter_symbols.h"
#include "codec/encoder/filter/fit_corrections.h"
#include "codec/postfilter/wiener_filter.h"
#include "codec/tile/filter_elements.h"
#include "codec/tile/tile_models.h"
#include "common/metrics.h"

namespace mmp {
namespace {

int64_t Price(Lambda lambda, int64_t rate_q12) { return lambda.q8 * rate_q12 >> (8 + kRateShift); }

class FilterChooser {
 public:
  FilterChooser(const TileState& tile, const ImageView& image, Lambda lambda, TaskPool& pool)
      : tile_(tile),
        image_(image),
        lambda_(lambda),
        pool_(pool),
        has_corrections_(tile.parameters.Uses(kCorrections)),
        filter_(tile.plane, tile.width, tile.height, pool),
        unfiltered_(BlockErrors(tile.plane)) {
    for (const int64_t error : unfiltered_) best_cost_ += error;
    best_cost_ += Price(lambda_, FilterRateQ12(best_, has_corrections_));
  }

  // The strength that was trained for about this lambda, and its neighbours as long as they are
  // better.
  void TryTrained() {
    int first = 1;
    while (first < kWienerStrengths &&
           kWienerLimits[first - 1] * kWienerLimits[first] < lambda_.q8 >> 8)
      ++first;
    TryStrength(first);
    int strength = first - 1;
    while (strength >= 1 && TryStrength(strength)) --strength;
    if (strength < first - 1) return;
    strength = first + 1;
    while (strength <= kWienerStrengths && TryStrength(strength)) ++strength;
  }

  // With the best strength.
  void TryCorrected() {
    if (best_.strength == 0 || !has_corrections_) return;
    const int strength = best_.strength;
    const WienerCorrections corrections = FitCorrections(
        SumCorrections(filter_, best_, image_, tile_.plane.data(), tile_.width, pool_), strength,
        lambda_);
    if (corrections.sets.empty()) return;
    const Errors corrected = BlockErrors(filter_.Filter(strength, corrections, pool_));
    Try({.strength = strength, .corrections = corrections}, {&unfiltered_, &trained_, &corrected});
  }

  MacroblockSymbols Symbols() const { return FilterSymbols(best_, has_corrections_); }

 private:
  using Errors = std::vector<int64_t>;  // squared, by block

  Errors BlockErrors(const std::vector<uint8_t>& plane) const {
    const int columns = (tile_.width + kWienerBlockSize - 1) / kWienerBlockSize;
    Errors errors(WienerBlocks(tile_.width, tile_.height));
    const size_t stride = static_cast<size_t>(tile_.width);
    pool_.ForEach(static_cast<int>(errors.size()) / columns, [&](int row, int /*member*/) {
      for (int column = 0; column < columns; ++column) {
        const int x = column * kWienerBlockSize, y = row * kWienerBlockSize;
        const int width = std::min(kWienerBlockSize, image_.width - x);
        const int height = std::min(kWienerBlockSize, image_.height - y);
        if (width <= 0 || height <= 0) continue;  // all beyond the image's edge
        errors[static_cast<size_t>(row) * columns + column] = static_cast<int64_t>(SumSquaredError(
            image_.Crop(x, y, width, height), {&plane[y * stride + x], width, height, stride}));
      }
    });
    return errors;
  }

  // Whether it is better than what was tried before.
  bool TryStrength(int strength) {
    Errors trained = BlockErrors(filter_.Filter(strength, {}, pool_));
    if (!Try({.strength = strength}, {&unfiltered_, &trained})) return false;
    trained_ = std::move(trained);
    return true;
  }

  // Chooses the blocks, given the errors of each WienerBlock that they can be, and keeps the choice
  // if it is better.
  bool Try(WienerChoice choice, const std::vector<const Errors*>& errors) {
    SymbolModel<kMostFilterSymbols> model = FilterModels().of[kFilterBlock];
    const int kinds = static_cast<int>(errors.size());
    const uint32_t allowed = (1u << kinds) - 1;
    int64_t cost = 0;
    for (size_t block = 0; block < unfiltered_.size(); ++block) {
      auto price = [&](int kind) {
        return (*errors[kind])[block] + Price(lambda_, model.RateQ12(kind, allowed));
      };
      int best = 0;
      for (int kind = 1; kind < kinds; ++kind)
        if (price(kind) < price(best)) best = kind;
      model.Update(best);
      cost += (*errors[best])[block];
      choice.blocks.push_back(static_cast<WienerBlock>(best));
    }
    cost += Price(lambda_, FilterRateQ12(choice, has_corrections_));
    if (cost >= best_cost_) return false;
    best_cost_ = cost;
    best_ = std::move(choice);
    return true;
  }

  const TileState& tile_;
  const ImageView& image_;
  const Lambda lambda_;
  TaskPool& pool_;
  const bool has_corrections_;
  const WienerFilter filter_;
  const Errors unfiltered_;
  Errors trained_;  // with the best strength
  WienerChoice best_;
  int64_t best_cost_ = 0;
};

}  // namespace

MacroblockSymbols ChooseFilter(const TileState& tile, const ImageView& image, Lambda lambda,
                               TaskPool& pool) {
  if (!tile.parameters.Uses(kWiener)) return {};
  FilterChooser chooser(tile, image, lambda, pool);
  chooser.TryTrained();
  chooser.TryCorrected();
  return chooser.Symbols();
}

}  // namespace mmp
