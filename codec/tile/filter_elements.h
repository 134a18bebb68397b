// The syntax elements of a tile's filter. Normative: docs/format.md, "Network filter", "Wiener
// filter", "JPEG lattice" and "Level maps".
#ifndef MMP_CODEC_TILE_FILTER_ELEMENTS_H_
#define MMP_CODEC_TILE_FILTER_ELEMENTS_H_

#include <array>
#include <cstdint>

#include "codec/postfilter/jpeg_lattice.h"
#include "codec/postfilter/level_maps.h"
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
  kNetworkPair,     // a NetworkPair
  kNetworkOrigin,   // twice the row and the column of a NetworkOrigin
  kHasJpegLattice,
  kJpegPull,  // by how much a frequency's pull is above that of the one before, modulo kJpegPulls
  kJpegStepSize,  // bits of the magnitude of what a step is beside what it is told from
  kLevelMapsKind,
  // How much higher a level becomes than the one before, see CodeLevelMap: where that one was at
  // the same level as the one before it, one higher, or more.
  kStepBehindNone,
  kStepBehindOne,
  kStepBehindMore,
  kHasExactBlocks,  // codec/pixel/exact_blocks.h codes which and what they are
};
inline constexpr int kFilterElements = 21;

inline constexpr int kLevelSteps = 10;
inline constexpr int kJpegStepBits = 8;

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
    2,
    4,
    2,
    kJpegPulls,
    kJpegStepBits + 1,
    kLevelMapsKinds,
    kLevelSteps,
    kLevelSteps,
    kLevelSteps,
    2,
};
inline constexpr int kMostFilterSymbols = kNetworkLevels + 1;
// First counts of kPlainSize and kLimitedSize.
inline constexpr std::array<uint16_t, kMostFilterSymbols> kFirstSizeCounts = {40, 36, 36, 28, 12,
                                                                              4,  1,  1,  1,  1};

// The same of others; rare are a JPEG lattice and exact blocks.
inline constexpr std::array<uint16_t, kMostFilterSymbols> kFirstRareCounts = {255, 1};
inline constexpr std::array<uint16_t, kMostFilterSymbols> kFirstPullCounts = {
    128, 48, 16, 6, 4, 4, 4, 4, 4, 4, 6, 16, 48};
inline constexpr std::array<uint16_t, kMostFilterSymbols> kFirstStepSizeCounts = {64, 16, 8, 8, 8,
                                                                                  4,  4,  4, 4};
inline constexpr std::array<uint16_t, kMostFilterSymbols> kFirstKindCounts = {64, 16, 8, 8, 8};
inline constexpr std::array<std::array<uint16_t, kMostFilterSymbols>, 3> kFirstStepCounts = {
    {{48, 16, 6, 6, 6, 3, 1, 1, 1, 1},
     {4, 192, 3, 2, 1, 1, 1, 1, 1, 1},
     {32, 16, 6, 4, 3, 2, 1, 1, 1, 1}}};

constexpr uint32_t AllFilterSymbols(FilterElement element) {
  return (1u << kFilterSymbols[element]) - 1;
}

}  // namespace mmp

#endif  // MMP_CODEC_TILE_FILTER_ELEMENTS_H_
