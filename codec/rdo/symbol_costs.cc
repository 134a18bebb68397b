#include "codec/rdo/symbol_costs.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "codec/base/fixed_log2.h"
#include "codec/rdo/index_costs.h"

namespace mmp {

void SymbolCosts::Update(const TileState& tile, Lambda lambda, TaskPool& pool) {
  if (lambda.q8 != lambda_.q8) state_.fill(0);
  tile_ = &tile;
  lambda_ = lambda;
  pool.ForEach(kLevelCount, [this](int level, int /*member*/) { UpdateLevel(level); });
}

void SymbolCosts::UpdateLevel(int level) {
  UpdateFlags(level);
  const uint64_t state = tile_->models.index[level].state();
  if (state == state_[level]) return;
  state_[level] = 0;  // until all is done: there may be no memory
  UpdateIndices(level);
  if (level == 0) UpdatePixels();
  state_[level] = state;
}

void SymbolCosts::UpdateFlags(int level) {
  auto set_costs = [&](const auto& model, uint32_t allowed, auto& costs) {
    for (int flag = 0; flag < static_cast<int>(costs.size()); ++flag) {
      if ((allowed >> flag & 1) == 0)
        costs[flag] = kImpossible;
      else
        costs[flag] = std::has_single_bit(allowed) ? 0 : lambda_.Cost(model.RateQ12(flag, allowed));
    }
  };
  const TileModels& models = tile_->models;
  set_costs(models.partition[level].without_context(),
            AllowedPartitions(level, tile_->parameters.prediction_level), partition_costs_[level]);
  set_costs(models.residual_flag[level], AllowedResidualFlags(level), residual_flag_costs_[level]);
}

void SymbolCosts::UpdateIndices(int level) {
  const TileModels& models = tile_->models;
  const std::span<const int32_t> norms = tile_->dictionary.Norms(level);
  const int size = tile_->dictionary.size(level);
  AlignedVector<int32_t>& index = index_[level];
  AlignedVector<int32_t>& bias = bias_[level];
  index.resize(norms.size());
  bias.resize(norms.size());
  cheapest_other_index_[level] =
      IndexCosts(models.index[level].NearFrequencies().data(), Log2Q12(models.index[level].Total()),
                 lambda_, size, index.data());
  for (int i = 0; i < size; ++i) bias[i] = norms[i] + index[i];
  std::fill(index.begin() + size, index.end(), kImpossible);
  std::fill(bias.begin() + size, bias.end(), kNoMatch);
}

void SymbolCosts::UpdatePixels() {
  const int32_t* index = Index(0);
  // A pattern further off than this costs more in distortion than it can save in rate.
  int reach = 0;
  if (!lambda_.lossless()) {
    const auto [least, most] = std::minmax_element(index, index + kPixelPatterns);
    while (kDistortionScale * reach * reach <= *most - *least) ++reach;
  }
  for (int r = -255; r <= 255; ++r) {
    std::pair<int32_t, int> best(kImpossible, 0);
    for (int v = std::max(-255, r - reach); v <= std::min(255, r + reach); ++v) {
      const int i = PixelPatternIndex(v);
      best = std::min(best, {index[i] + kDistortionScale * (r - v) * (r - v), i});
    }
    pixel_[r + 255] = best.first;
    pixel_index_[r + 255] = static_cast<uint16_t>(best.second);
  }
}

std::array<int32_t, kPredictionModes> SymbolCosts::ModeRatesQ12(int level, uint32_t modes) const {
  std::array<int32_t, kPredictionModes> rates{};
  if (!std::has_single_bit(modes)) tile_->models.mode[level].counts().RatesQ12(modes, rates);
  return rates;
}

}  // namespace mmp
