// The work of decoding: what a decoder's limit is counted in.
//
// The unit is a multiply-add of comparing patterns, a 25th of a nanosecond or so. What a step takes
// follows from the symbols alone, by the tariffs below, so that the work of a file is the same on
// every machine, and its encoder knows it. A tariff is what the step takes at most, measured and
// rounded up; docs/performance.md has the measurements.
#ifndef MMP_CODEC_BASE_DECODE_WORK_H_
#define MMP_CODEC_BASE_DECODE_WORK_H_

#include <cstdint>

#include "codec/base/parameters.h"

namespace mmp {

// Of a file, for each value of its initial dictionary, which its tiles share.
inline constexpr uint64_t kStartValueWork = 1 << 8;
// Of a tile, beside that for each symbol of its models of indices.
inline constexpr uint64_t kTileWork = 1 << 18;
inline constexpr uint64_t kStartSymbolWork = 1 << 7;
// Of a macroblock, beside that of its blocks.
inline constexpr uint64_t kMacroblockWork = 1 << 15;
// Of a partition or a residual flag that a network predicts.
inline constexpr uint64_t kNetworkFlagWork = 1 << 14;
// Of the Wiener filter, a pixel.
inline constexpr uint64_t kFilterWork = 1 << 9;
// Of each of the network filter's networks that a tile chooses from, a pixel.
inline constexpr uint64_t kSmallNetworkWork = 1 << 11;  // and of the second small one
inline constexpr uint64_t kLargeNetworkWork = 1 << 13;
inline constexpr uint64_t kDeepNetworkWork = 1 << 14;  // and of the second deep one
// Of a JPEG file's lattice, a pixel.
inline constexpr uint64_t kJpegLatticeWork = 1 << 10;
// Of maps of gray levels, a pixel.
inline constexpr uint64_t kLevelMapsWork = 1 << 6;
// Of exact blocks: of a tile that has some, of its pixels, and of the samples that are exact.
inline constexpr uint64_t kExactTileWork = 1 << 22;
inline constexpr uint64_t kExactPixelWork = 1 << 9;
inline constexpr uint64_t kExactSampleWork = 1 << 16;
// Of the corrections of the Wiener filter's weights.
inline constexpr uint64_t kCorrectionsWork = 1 << 20;

// Of the pixel coder, a pixel: of the small model, or of repeats, and of the large one, or of a
// JPEG file's coefficients.
inline constexpr uint64_t kSmallPixelWork = 1 << 16;
inline constexpr uint64_t kLargePixelWork = 1 << 17;

// Of a prediction block: its symbols, its prediction and its reconstruction.
constexpr uint64_t PredictionWork(int mode, int pixels) {
  const uint64_t count = static_cast<uint64_t>(pixels);
  switch (mode) {
    case kLeastSquares:
      return (1 << 15) + (count << 10);
    case kBlockLeastSquares:
      return (1 << 15) + (count << 8);
    case kTemplate:
      return (1 << 17) + (count << 7);
    default:
      return (1 << 13) + (count << 7);
  }
}

// Of a residual leaf, whose level has so many patterns.
constexpr uint64_t LeafWork(int patterns) { return (1 << 13) + (uint64_t{1} * patterns << 4); }

// Beside that with tool kNeighbourIndices: of its neighbours, and of the members of its class,
// which all patterns may be.
constexpr uint64_t NeighbourIndexWork(int patterns) {
  return (1 << 13) + (uint64_t{1} * patterns << 4);
}

// Of a concatenation at a level of so many patterns of so many pixels that is not full: rescaling
// it, and comparing it and its sketch with each of them.
constexpr uint64_t InsertionWork(int patterns, int pixels) {
  const uint64_t count = static_cast<uint64_t>(pixels);
  return (1 << 11) + (count << 6) + static_cast<uint64_t>(patterns) * (count + 4);
}

}  // namespace mmp

#endif  // MMP_CODEC_BASE_DECODE_WORK_H_
