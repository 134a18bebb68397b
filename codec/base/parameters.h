// What a file's header fixes for its decoder.
#ifndef MMP_CODEC_BASE_PARAMETERS_H_
#define MMP_CODEC_BASE_PARAMETERS_H_

#include <cstdint>

#include "codec/base/macroblock_order.h"

namespace mmp {

enum PredictionMode : uint8_t {
  kVertical = 0,
  kHorizontal = 1,
  kMostFrequent = 2,  // most frequent value of the neighbouring pixels
  kDownLeft = 3,      // at 16x16: plane
  kDownRight = 4,
  kVerticalRight = 5,
  kHorizontalDown = 6,
  kVerticalLeft = 7,
  kHorizontalUp = 8,
  kLeastSquares = 9,
  kPlanar = 10,
  kFirstAngle = 11,  // to 24: see AngleOf
  kLastAngle = 24,
  kBlockLeastSquares = 25,
  kTemplate = 26,
  kFirstBlockCopy = 27,  // to 30: see BlockCopies
};
inline constexpr int kPredictionModes = 31;
inline constexpr int kBlockCopyModes = kPredictionModes - kFirstBlockCopy;
inline constexpr uint32_t kAllModes = (1u << kPredictionModes) - 1;
// The modes of the reference configuration.
inline constexpr int kReferenceModes = 10;
inline constexpr uint32_t kAllReferenceModes = (1u << kReferenceModes) - 1;
// The modes of preset best: the newer ones in place of the directions and of kLeastSquares.
inline constexpr uint32_t kBestModes =
    kAllModes &
    ~(1u << kDownLeft | 1u << kDownRight | 1u << kVerticalRight | 1u << kHorizontalDown |
      1u << kVerticalLeft | 1u << kHorizontalUp | 1u << kLeastSquares);

inline constexpr uint32_t kAllBlockCopyModes = ((1u << kBlockCopyModes) - 1) << kFirstBlockCopy;

// The modes that read further than the nearest pixels: see NodeContext.
inline constexpr uint32_t kFarModes = 1u << kBlockLeastSquares | 1u << kTemplate;

// Coding tools beyond the reference configuration, which uses none of them.
enum Tool : uint32_t {
  kTrainedPatterns = 1u << 0,  // see Dictionary::AddTrained
  kOwnDictionary = 1u << 1,    // the trained patterns are those of a user's file
  kWiener = 1u << 2,           // see WienerFilter
  kMixedModels = 1u << 3,      // see IndexModel and ContextModel
  kCorrections = 1u << 4,      // see WienerCorrections; nothing without kWiener
  kFilterNetwork = 1u << 5,    // see NetworkFilter
  kFlagNetwork = 1u << 6,      // see FlagModels
  kSmallNetwork = 1u << 7,     // the filter has small networks; nothing without it
  kTwoNetworks = 1u << 8,  // blocks choose between two networks, see NetworksOf; nothing without it
  kNeighbourModes = 1u << 9,      // see ModeModel
  kNeighbourIndices = 1u << 10,   // see NeighbourIndices
  kLevelMaps = 1u << 11,          // see LevelMaps
  kSubstreams = 1u << 12,         // see LearnsByFronts; nothing without kFlagNetwork
  kReversedResiduals = 1u << 13,  // see ReverseWhereBright
  kJpegLattice = 1u << 14,        // see JpegLattice
  kExactBlocks = 1u << 15,        // see ExactBlocks
};
inline constexpr int kTools = 16;
inline constexpr uint32_t kAllTools = (1u << kTools) - 1;
inline constexpr uint32_t kToolsOfVersion6 = 0xff;  // of the format
// Those of presets fast and best; quick has small networks, as fast had in version 6 of the format.
inline constexpr uint32_t kPresetTools =
    kTrainedPatterns | kWiener | kMixedModels | kCorrections | kFilterNetwork | kFlagNetwork |
    kTwoNetworks | kNeighbourModes | kNeighbourIndices | kLevelMaps | kSubstreams |
    kReversedResiduals | kJpegLattice | kExactBlocks;

struct CodecParameters {
  int dictionary_size = 1024;           // most patterns a level
  int prediction_level = 8;             // see PredictionMaySplit
  uint32_t modes = kAllReferenceModes;  // bit m: mode m may be used; kMostFrequent always is
  uint32_t redundancy_threshold = 0;    // see Dictionary::Insert
  uint32_t tools = 0;                   // of enum Tool
  uint8_t pattern_scale = 0;            // a code, see PatternScaleOf; 0: no trained patterns
  MacroblockOrder order = MacroblockOrder::kRaster;
  uint32_t dictionary_hash = 0;  // with kOwnDictionary: TrainedPatterns::hash

  bool Uses(Tool tool) const { return (tools & tool) != 0; }
  bool HasFilter() const {
    return Uses(kWiener) || Uses(kFilterNetwork) || Uses(kJpegLattice) || Uses(kLevelMaps);
  }
  bool UsesBlockCopy() const { return (modes & kAllBlockCopyModes) != 0; }

  // Whether the models of a tile learn at the end of each front what its macroblocks say, which are
  // coded in Substreams of them.
  bool LearnsByFronts() const {
    return order == MacroblockOrder::kWavefront && Uses(kSubstreams) && Uses(kFlagNetwork);
  }

  friend bool operator==(const CodecParameters&, const CodecParameters&) = default;
};

}  // namespace mmp

#endif  // MMP_CODEC_BASE_PARAMETERS_H_
