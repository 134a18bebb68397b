#include "codec/tile/mode_model.h"

namespace mmp {
namespace {

// By a neighbour's mode, or none, and a mode: how much likelier that makes it, in sixteenths.
// tools/train_models makes them.
using NeighbourWeights = std::array<std::array<uint8_t, kPredictionModes>, kPredictionModes + 1>;
constexpr std::array<NeighbourWeights, 2> kNeighbourWeights = {{
#include "codec/tile/mode_weights.inc"
}};

constexpr uint32_t kMostCount = SymbolModel<kPredictionModes>::kLimit;

// 16 count^(3/4), rounded down: the largest r with r^4 <= 2^16 count^3.
constexpr auto kPowers = [] {
  std::array<uint16_t, kMostCount + 1> powers{};
  uint64_t root = 0;
  for (uint64_t count = 0; count <= kMostCount; ++count) {
    const uint64_t power = count * count * count << 16;
    while ((root + 1) * (root + 1) * (root + 1) * (root + 1) <= power) ++root;
    powers[count] = static_cast<uint16_t>(root);
  }
  return powers;
}();

}  // namespace

SymbolInterval ModeModel::Encode(Mixer& mixer, int mode, ModeNeighbours neighbours,
                                 uint32_t allowed) const {
  if (!has_neighbours_) return EncodeSymbol(counts_.Frequencies(allowed), mode);
  const Mixer::Mixture mixture = Mix(mixer, neighbours, allowed);
  mixer.Update(mode, mixture);
  return EncodeSymbol(mixture.frequencies, mode);
}

int ModeModel::Decode(RangeDecoder& coder, Mixer& mixer, ModeNeighbours neighbours,
                      uint32_t allowed) const {
  if (!has_neighbours_) return DecodeSymbol(coder, counts_.Frequencies(allowed));
  const Mixer::Mixture mixture = Mix(mixer, neighbours, allowed);
  const int mode = DecodeSymbol(coder, mixture.frequencies);
  mixer.Update(mode, mixture);
  return mode;
}

ModeModel::Mixer::Mixture ModeModel::Mix(const Mixer& mixer, ModeNeighbours neighbours,
                                         uint32_t allowed) const {
  const auto& by_left = kNeighbourWeights[0][neighbours.left];
  const auto& by_above = kNeighbourWeights[1][neighbours.above];
  const auto counts = counts_.Frequencies(allowed);
  Mixer::Estimates estimates;
  for (int m = 0; m < kPredictionModes; ++m) {
    const uint64_t weight = by_left[m] * by_above[m];
    estimates[0][m] = counts[m] * weight;
    estimates[1][m] = kPowers[counts[m]] * weight;
  }
  return mixer.Mix(estimates, allowed);
}

}  // namespace mmp
