// The syntax elements of a tile's filter. Normative: docs/format.md, "Network filter" and "Wiener
// filter".
#ifndef MMP_CODEC_TILE_FILTER_ELEMENTS_H_
#define MMP_CODEC_TILE_FILTER_ELEMENTS_H_

#include <array>
#include <cstdint>

#include "codec/postfilter/network_weights.h"
#include "codec/postfilter/wiener_filter.h"

namespace mmp {

enum FilterElement : uint8_t {
  kFilterStrength,
  kFilterBlock,     // a WienerBlock
  kCorrectionSets,  // the number of them
  kCorrectionStep,
  kSameSet,      // whether a class has the set of the class before
  kOtherSet,     // the one it has else
  kPlainSize,    // bits of the magnitude of a correction, in the first half of the terms
  kLimitedSize,  // the same in the second half
  kNetworkLevel,
  kNetworkBlock,    // as NetworkChoice::blocks, where there is one network
  kNetworkOfBlock,  // the same, where there are two
};
inline constexpr int kFilterElements = 11;

// By element: how many symbols there are.
inline constexpr std::array<int, kFilterElements> kFilterSymbols = {
    kWienerStrengths + 1,
    kWienerBlockKinds,
    kMostCorrectionSets + 1,
    kCorrectionSteps,
    2,
    kMostCorrectionSets,
    kCorrectionBits + 1,
    kCorrectionBits + 1,
    kNetworkLevels + 1,
    2,
    3,
};
inline constexpr int kMostFilterSymbols = kNetworkLevels + 1;
// First counts of kPlainSize and kLimitedSize.
inline constexpr std::array<uint16_t, kMostFilterSymbols> kFirstSizeCounts = {40, 36, 36, 28, 12,
                                                                              4,  1,  1,  1,  1};

constexpr uint32_t AllFilterSymbols(FilterElement element) {
  return (1u << kFilterSymbols[element]) - 1;
}

}  // namespace mmp

#endif  // MMP_CODEC_TILE_FILTER_ELEMENTS_H_
