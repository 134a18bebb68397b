// The syntax of a tile's filter, for encoder and decoder. Normative: docs/format.md, "Wiener
// filter".
#ifndef MMP_CODEC_TILE_FILTER_CODER_H_
#define MMP_CODEC_TILE_FILTER_CODER_H_

#include <bit>
#include <cstdint>

#include "codec/postfilter/wiener_filter.h"
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

template <typename Port>
int16_t CodeCorrection(Port& port, int term) {
  const FilterElement size = term < kWienerTaps ? kPlainSize : kLimitedSize;
  const int bits = port.Filter(size, AllFilterSymbols(size));
  if (bits == 0) return 0;
  const int magnitude = 1 << (bits - 1) | (bits > 1 ? port.FilterBits(bits - 1) : 0);
  return static_cast<int16_t>(port.FilterBits(1) != 0 ? -magnitude : magnitude);
}

template <typename Port>
WienerCorrections CodeCorrections(Port& port) {
  WienerCorrections corrections;
  const int count = port.Filter(kCorrectionSets, AllFilterSymbols(kCorrectionSets));
  if (count == 0) return corrections;
  corrections.step = port.Filter(kCorrectionStep, AllFilterSymbols(kCorrectionStep));
  CodeSetsOfClasses(port, static_cast<uint32_t>(count), corrections);
  corrections.sets.resize(count);
  for (WienerCorrections::Set& set : corrections.sets)
    for (int term = 0; term < kWienerTerms; ++term) set[term] = CodeCorrection(port, term);
  return corrections;
}

// Codes the filter of a tile of so many blocks, whose weights can be corrected or cannot.
template <typename Port>
WienerChoice CodeWienerChoice(Port& port, bool has_corrections, int blocks) {
  WienerChoice choice;
  choice.strength = port.Filter(kFilterStrength, AllFilterSymbols(kFilterStrength));
  if (choice.strength == 0) return choice;
  if (has_corrections) choice.corrections = CodeCorrections(port);
  const uint32_t allowed = choice.corrections.sets.empty() ? 3 : 7;
  choice.blocks.resize(blocks);
  for (WienerBlock& block : choice.blocks)
    block = static_cast<WienerBlock>(port.Filter(kFilterBlock, allowed));
  return choice;
}

}  // namespace mmp

#endif  // MMP_CODEC_TILE_FILTER_CODER_H_
