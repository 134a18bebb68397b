// Finds the patterns that dictionaries start with, from images.
#ifndef MMP_CODEC_TRAINING_TRAINING_H_
#define MMP_CODEC_TRAINING_TRAINING_H_

#include <cstdint>
#include <vector>

#include "mmp/image.h"
#include "mmp/mmp.h"
#include "mmp/status.h"
#include "mmp/types.h"

namespace mmp {

struct TrainingOptions {
  int patterns = 512;        // most a level, in [1, 4096]
  int rounds = 4;            // at least 1
  int effort = kBestEffort;  // of the encodings, from kFastEffort + 1 to kMostEffort
  int threads = 0;           // 0: one a core
  bool blurred = false;      // every second image, from the first, is used a second time, blurred
  ProgressCallback progress = {};
};

// The bytes of a dictionary file. Each round encodes all images at several lambdas, starting with
// the patterns of the round before, and takes from the leaves of the files what was left to be
// coded there, in units of the square root of lambda; an entropy-constrained vector quantiser is
// then fitted to the blocks of each level. All lambdas have equal weight. The result depends on the
// images, their order, patterns, rounds, effort and blurred only. Errors: kInvalidArgument,
// kOutOfMemory, kCancelled.
Result<std::vector<uint8_t>> TrainDictionary(const std::vector<Image>& images,
                                             const TrainingOptions& options);

}  // namespace mmp

#endif  // MMP_CODEC_TRAINING_TRAINING_H_
