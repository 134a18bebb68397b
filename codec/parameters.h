// What a file's header fixes for its decoder.
#ifndef MMP_CODEC_PARAMETERS_H_
#define MMP_CODEC_PARAMETERS_H_

#include <cstdint>

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
};
inline constexpr int kPredictionModes = 10;
inline constexpr uint32_t kAllModes = (1u << kPredictionModes) - 1;

// What a file can use beyond the reference configuration, which uses none of it.
enum Tool : uint32_t {
  kMixedModels = 1u << 0,      // see IndexModel and ContextModel
  kTrainedPatterns = 1u << 1,  // see Dictionary::Append
  kOwnDictionary = 1u << 2,    // trained patterns of a file of the user's
};
inline constexpr int kTools = 3;
inline constexpr uint32_t kAllTools = (1u << kTools) - 1;

struct CodecParameters {
  int dictionary_size = 1024;         // most patterns a level
  int prediction_level = 8;           // see PredictionMaySplit
  uint32_t modes = kAllModes;         // bit m: mode m may be used; kMostFrequent always is
  uint32_t redundancy_threshold = 0;  // see Dictionary::Insert
  uint32_t tools = 0;                 // of enum Tool
  uint8_t pattern_scale = 0;          // code of EncodePatternScale; 0: no trained patterns
  uint32_t dictionary_hash = 0;       // with kOwnDictionary: TrainedPatterns::hash

  bool Uses(Tool tool) const { return (tools & tool) != 0; }

  friend bool operator==(const CodecParameters&, const CodecParameters&) = default;
};

}  // namespace mmp

#endif  // MMP_CODEC_PARAMETERS_H_
