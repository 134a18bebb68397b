#include "codec/encoder/filter/filter_symbols.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include "codec/base/fixed_log2.h"
#include "codec/tile/filter_coder.h"
#include "codec/tile/tile_models.h"

namespace mmp {
namespace {

void AppendSetsOfClasses(const WienerCorrections& corrections, MacroblockSymbols& symbols) {
  const size_t count = corrections.sets.size();
  if (count == 1) return;
  ForEachCorrectedClass([&](int which, int before) {
    if (before >= 0) {
      const bool is_same = corrections.set[which] == corrections.set[before];
      symbols.push_back(is_same);
      if (is_same || count == 2) return;
    }
    symbols.push_back(corrections.set[which]);
  });
}

// As CodeSized takes it.
void AppendSized(int number, MacroblockSymbols& symbols) {
  const uint32_t magnitude = static_cast<uint32_t>(std::abs(number));
  const int bits = std::bit_width(magnitude);
  symbols.push_back(bits);
  if (bits > 1) symbols.push_back(magnitude & ((1u << (bits - 1)) - 1));
  if (bits > 0) symbols.push_back(number < 0);
}

void AppendCorrections(const WienerCorrections& corrections, MacroblockSymbols& symbols) {
  symbols.push_back(static_cast<uint32_t>(corrections.sets.size()));
  if (corrections.sets.empty()) return;
  symbols.push_back(corrections.step);
  AppendSetsOfClasses(corrections, symbols);
  for (const WienerCorrections::Set& set : corrections.sets) {
    for (const int correction : set) AppendSized(correction, symbols);
  }
}

void AppendNetwork(const NetworkChoice& choice, const CodecParameters& parameters,
                   MacroblockSymbols& symbols) {
  symbols.push_back(choice.level);
  symbols.insert(symbols.end(), choice.blocks.begin(), choice.blocks.end());
  if (!SaysNetworkPair(choice, parameters)) return;
  const bool has_third = choice.networks[1] == NetworkKind::kThirdDeep;
  symbols.push_back(has_third);
  if (has_third)
    symbols.push_back(static_cast<uint32_t>(2 * choice.origin.row + choice.origin.column));
}

void AppendWiener(const WienerChoice& choice, bool has_corrections, MacroblockSymbols& symbols) {
  if (choice.base == WienerBase::kZeros && !has_corrections) return;
  symbols.push_back(choice.strength);
  if (choice.strength == 0) return;
  if (has_corrections) AppendCorrections(choice.corrections, symbols);
  for (const WienerBlock block : choice.blocks) symbols.push_back(static_cast<uint32_t>(block));
}

void AppendJpegLattice(const JpegLattice& lattice, MacroblockSymbols& symbols) {
  symbols.push_back(lattice.is_used);
  if (!lattice.is_used) return;
  for (const int number : {lattice.row, lattice.column, lattice.quality}) symbols.push_back(number);
  int before = 0, last = kFirstJpegStep;
  for (int i = 0; i < kCosinePixels; ++i) {
    const auto [pull, step] = lattice.frequencies[i];
    symbols.push_back((pull - std::exchange(before, pull) + kJpegPulls) % kJpegPulls);
    if (pull > 0)
      AppendSized(step - ToldJpegStep(lattice.quality, i, std::exchange(last, step)), symbols);
  }
}

void AppendLevelMap(const LevelMap& map, MacroblockSymbols& symbols) {
  int before = -1;
  for (const int level : map) {
    const int step = level - std::exchange(before, level), symbol = LevelStepSymbol(step);
    const int bits = BitsOfLevelStep(symbol);
    symbols.push_back(symbol);
    if (bits > 0) symbols.push_back(step - 1 - (1 << bits));
  }
}

void AppendLevelMaps(const LevelMaps& maps, MacroblockSymbols& symbols) {
  symbols.push_back(maps.kind);
  for (int i = 0; i < maps.count(); ++i) AppendLevelMap(maps.maps[i], symbols);
}

// A port that adds up what symbols cost.
class PricingPort {
 public:
  PricingPort(const MacroblockSymbols& symbols, FilterModels& models)
      : symbols_(symbols), models_(models) {}

  int Filter(FilterElement element, uint32_t allowed) {
    const int symbol = Next();
    rate_q12_ += models_.of[element].RateQ12(symbol, allowed);
    models_.of[element].Update(symbol);
    return symbol;
  }
  int FilterBits(int count) {
    rate_q12_ += int64_t{count} << kRateShift;
    return Next();
  }
  int64_t rate_q12() const { return rate_q12_; }

 private:
  int Next() { return static_cast<int>(symbols_[position_++]); }

  const MacroblockSymbols& symbols_;
  size_t position_ = 0;
  FilterModels& models_;
  int64_t rate_q12_ = 0;
};

}  // namespace

MacroblockSymbols FilterSymbols(const FilterChoice& choice, const CodecParameters& parameters) {
  MacroblockSymbols symbols;
  if (parameters.Uses(kFilterNetwork)) AppendNetwork(choice.network, parameters, symbols);
  if (parameters.Uses(kWiener)) AppendWiener(choice.wiener, parameters.Uses(kCorrections), symbols);
  if (parameters.Uses(kJpegLattice)) AppendJpegLattice(choice.jpeg_lattice, symbols);
  if (parameters.Uses(kLevelMaps)) AppendLevelMaps(choice.level_maps, symbols);
  return symbols;
}

int64_t FilterRateQ12(const FilterChoice& choice, const CodecParameters& parameters) {
  const MacroblockSymbols symbols = FilterSymbols(choice, parameters);
  FilterModels models;
  PricingPort port(symbols, models);
  CodeFilterChoice(
      port, parameters,
      static_cast<int>(std::max(choice.network.blocks.size(), choice.wiener.blocks.size())));
  return port.rate_q12();
}

int64_t CorrectionsRateQ12(const WienerCorrections& corrections, WienerBase base) {
  MacroblockSymbols symbols;
  AppendCorrections(corrections, symbols);
  FilterModels models;
  PricingPort port(symbols, models);
  CodeCorrections(port, base);
  return port.rate_q12();
}

int64_t JpegLatticeRateQ12(const JpegLattice& lattice) {
  MacroblockSymbols symbols;
  AppendJpegLattice(lattice, symbols);
  FilterModels models;
  PricingPort port(symbols, models);
  CodeJpegLattice(port);
  return port.rate_q12();
}

int64_t LevelMapRateQ12(const LevelMap& map, FilterModels& models) {
  MacroblockSymbols symbols;
  AppendLevelMap(map, symbols);
  PricingPort port(symbols, models);
  CodeLevelMap(port);
  return port.rate_q12();
}

}  // namespace mmp
