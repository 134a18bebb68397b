// Patterns that a dictionary can start with, found by training on other images. They are kept for
// lambda 1 and scaled to a file's own. Normative: docs/format.md, "Dictionary".
#ifndef MMP_CODEC_DICTIONARY_TRAINED_PATTERNS_H_
#define MMP_CODEC_DICTIONARY_TRAINED_PATTERNS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "codec/base/levels.h"
#include "codec/base/parameters.h"
#include "mmp/status.h"

namespace mmp {

struct TrainedPatterns {
  struct Level {
    uint16_t zero_count = 0;       // first count of the zero pattern's index
    std::vector<uint16_t> counts;  // that of each trained pattern, most frequent first
    std::vector<int8_t> values;    // the patterns' values one behind the other, row by row
  };
  std::array<Level, kLevelCount> levels;  // level 0 has none
};

// Conversion from and to the bytes of a dictionary file. Errors: kCorrupt, kUnsupported.
Result<TrainedPatterns> ParseTrainedPatterns(std::span<const uint8_t> file);
std::vector<uint8_t> WriteTrainedPatterns(const TrainedPatterns& patterns);

// The dictionary file that is part of the format.
inline constexpr size_t kStandardPatternsBytes = 515334;
inline constexpr uint32_t kStandardPatternsHash = 0x9b805114;

// The trained patterns that a file with these parameters starts with; null if it has none. They are
// the standard ones, which are part of the format, or those of the dictionary file that the
// parameters name; then `file` must be its bytes. Errors: kUnsupported if it is another file, and
// those of ParseTrainedPatterns.
Result<std::shared_ptr<const TrainedPatterns>> FindPatterns(const CodecParameters& parameters,
                                                            std::span<const uint8_t> file);

}  // namespace mmp

#endif  // MMP_CODEC_DICTIONARY_TRAINED_PATTERNS_H_
