// The syntax of a tile's filter, for encoder and decoder. Normative: docs/format.md, "Network
// filter", "Wiener filter", "JPEG lattice" and "Level maps".
#ifndef MMP_CODEC_TILE_FILTER_CODER_H_
#define MMP_CODEC_TILE_FILTER_CODER_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "codec/base/parameters.h"
#include "codec/postfilter/tile_filter.h"
#include "codec/tile/filter_elements.h"

namespace mmp {

// Calls body(which, before) for each class in the order in which their sets are coded; `before` is
// the class that `which` is likely to share its set with, -1 for the first.
template <typename Body>
void ForEachCorrectedClass(const Body& body) {
  for (int direction = 0; direction < kWienerDirections; ++direction) {
    for (int activity = 0; activity < kWienerActivities; ++activity) {
      const int which = activity * kWienerDirections + direction;
      body(which, activity > 0 ? which - kWienerDirections : direction - 1);
    }
  }
}

// Codes which class has which of `count` sets. Port: as that of FrontCoder, here and below.
template <typename Port>
void CodeSetsOfClasses(Port& port, uint32_t count, WienerCorrections& corrections) {
  if (count == 1) return;
  ForEachCorrectedClass([&](int which, int before) {
    uint32_t allowed = (1u << count) - 1;
    if (before >= 0) {
      corrections.set[which] = corrections.set[before];
      if (port.Filter(kSameSet, AllFilterSymbols(kSameSet)) != 0) return;
      allowed &= ~(1u << corrections.set[before]);
    }
    corrections.set[which] = static_cast<uint8_t>(
        std::has_single_bit(allowed) ? std::countr_zero(allowed) : port.Filter(kOtherSet, allowed));
  });
}

// A number by the size of its magnitude, which the element says.
template <typename Port>
int CodeSized(Port& port, FilterElement size) {
  const int bits = port.Filter(size, AllFilterSymbols(size));
  if (bits == 0) return 0;
  const int magnitude = 1 << (bits - 1) | (bits > 1 ? port.FilterBits(bits - 1) : 0);
  return port.FilterBits(1) != 0 ? -magnitude : magnitude;
}

template <typename Port>
int16_t CodeCorrection(Port& port, int term) {
  return static_cast<int16_t>(CodeSized(port, term < kWienerTaps ? kPlainSize : kLimitedSize));
}

// Without sets only where the trained weights are there to be used.
template <typename Port>
WienerCorrections CodeCorrections(Port& port, WienerBase base) {
  WienerCorrections corrections;
  const uint32_t none = base == WienerBase::kTrained ? 0 : 1;
  const int count = port.Filter(kCorrectionSets, AllFilterSymbols(kCorrectionSets) & ~none);
  if (count == 0) return corrections;
  corrections.step = port.Filter(kCorrectionStep, AllFilterSymbols(kCorrectionStep));
  CodeSetsOfClasses(port, static_cast<uint32_t>(count), corrections);
  corrections.sets.resize(count);
  for (WienerCorrections::Set& set : corrections.sets)
    for (int term = 0; term < kWienerTerms; ++term) set[term] = CodeCorrection(port, term);
  return corrections;
}

// Codes the Wiener filter of a tile of so many blocks, whose weights can be corrected or cannot.
template <typename Port>
WienerChoice CodeWienerChoice(Port& port, WienerBase base, bool has_corrections, int blocks) {
  WienerChoice choice = {.base = base};
  if (base == WienerBase::kZeros && !has_corrections) return choice;
  choice.strength = port.Filter(kFilterStrength, AllFilterSymbols(kFilterStrength));
  if (choice.strength == 0) return choice;
  if (has_corrections) choice.corrections = CodeCorrections(port, base);
  constexpr uint32_t kUnfiltered = 1, kTrained = 2, kCorrected = 4;
  const uint32_t allowed = kUnfiltered | (base == WienerBase::kTrained ? kTrained : 0) |
                           (choice.corrections.sets.empty() ? 0 : kCorrected);
  choice.blocks.resize(blocks);
  for (WienerBlock& block : choice.blocks)
    block = static_cast<WienerBlock>(port.Filter(kFilterBlock, allowed));
  return choice;
}

// The element that says which network a block has.
inline FilterElement BlockElementOf(std::span<const NetworkKind> networks) {
  return networks.size() == 1 ? kNetworkBlock : kNetworkOfBlock;
}

// Whether a choice says of which pair the networks are: only if a block has the one that differs.
inline bool SaysNetworkPair(const NetworkChoice& choice, const CodecParameters& parameters) {
  return HasNetworkPairs(parameters) &&
         std::find(choice.blocks.begin(), choice.blocks.end(), 2) != choice.blocks.end();
}

template <typename Port>
NetworkChoice CodeNetworkChoice(Port& port, const CodecParameters& parameters, int blocks) {
  NetworkChoice choice = {.networks = NetworksOf(parameters)};
  choice.level = port.Filter(kNetworkLevel, AllFilterSymbols(kNetworkLevel));
  if (choice.level == 0) return choice;
  choice.blocks.resize(blocks);
  const FilterElement element = BlockElementOf(choice.networks);
  for (uint8_t& block : choice.blocks)
    block = static_cast<uint8_t>(port.Filter(element, AllFilterSymbols(element)));
  if (SaysNetworkPair(choice, parameters)) {
    const auto pair =
        static_cast<NetworkPair>(port.Filter(kNetworkPair, AllFilterSymbols(kNetworkPair)));
    choice.networks = NetworksOf(parameters, pair);
    if (pair == NetworkPair::kThird) {
      const int origin = port.Filter(kNetworkOrigin, AllFilterSymbols(kNetworkOrigin));
      choice.origin = {origin / 2, origin % 2};
    }
  }
  return choice;
}

template <typename Port>
JpegLattice CodeJpegLattice(Port& port) {
  JpegLattice lattice;
  lattice.is_used = port.Filter(kHasJpegLattice, AllFilterSymbols(kHasJpegLattice)) != 0;
  if (!lattice.is_used) return lattice;
  lattice.row = port.FilterBits(3);
  lattice.column = port.FilterBits(3);
  lattice.quality = port.FilterBits(7);
  int pull = 0, step = kFirstJpegStep;
  for (int i = 0; i < kCosinePixels; ++i) {
    pull = (pull + port.Filter(kJpegPull, AllFilterSymbols(kJpegPull))) % kJpegPulls;
    if (pull == 0) continue;
    step = std::clamp(ToldJpegStep(lattice.quality, i, step) + CodeSized(port, kJpegStepSize), 1,
                      kLargestJpegStep);
    lattice.frequencies[i] = {static_cast<uint8_t>(pull), static_cast<uint8_t>(step)};
  }
  return lattice;
}

// The symbol of a step of a level map. 0 and 1 have one each; others have one for each power of
// two, and so many bits.
inline int LevelStepSymbol(int step) {
  if (step < 2) return step;
  return 1 + static_cast<int>(std::bit_width(static_cast<unsigned>(step - 1)));
}
constexpr int BitsOfLevelStep(int symbol) { return std::max(symbol - 2, 0); }

template <typename Port>
LevelMap CodeLevelMap(Port& port) {
  LevelMap map;
  int level = -1, last = 1;  // symbol
  for (uint8_t& to : map) {
    const auto element = static_cast<FilterElement>(kStepBehindNone + std::min(last, 2));
    last = port.Filter(element, AllFilterSymbols(element));
    const int bits = BitsOfLevelStep(last);
    level += last < 2 ? last : (1 << bits) + 1 + (bits > 0 ? port.FilterBits(bits) : 0);
    to = static_cast<uint8_t>(std::clamp(level, 0, kGrayLevels - 1));
  }
  return map;
}

template <typename Port>
LevelMaps CodeLevelMaps(Port& port) {
  LevelMaps maps;
  maps.kind = port.Filter(kLevelMapsKind, AllFilterSymbols(kLevelMapsKind));
  for (int i = 0; i < maps.count(); ++i) maps.maps[i] = CodeLevelMap(port);
  return maps;
}

// Codes the filter of a tile of so many blocks, of those that the tools have, but for exact blocks.
template <typename Port>
FilterChoice CodeFilterChoice(Port& port, const CodecParameters& parameters, int blocks) {
  FilterChoice choice;
  if (parameters.Uses(kFilterNetwork)) choice.network = CodeNetworkChoice(port, parameters, blocks);
  choice.wiener.base = choice.network.level > 0 ? WienerBase::kZeros : WienerBase::kTrained;
  if (parameters.Uses(kWiener))
    choice.wiener =
        CodeWienerChoice(port, choice.wiener.base, parameters.Uses(kCorrections), blocks);
  if (parameters.Uses(kJpegLattice)) choice.jpeg_lattice = CodeJpegLattice(port);
  if (parameters.Uses(kLevelMaps)) choice.level_maps = CodeLevelMaps(port);
  return choice;
}

}  // namespace mmp

#endif  // MMP_CODEC_TILE_FILTER_CODER_H_
