// Encoding of arbitrary pictures with arbitrary options: twice the same bytes, which decode to what
// the encoder says. The first bytes choose the options, the rest are samples (repeated as needed).
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "codec/mmp.h"
#include "common/metrics.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kOptionBytes = 7;
  if (size <= kOptionBytes) return 0;
  constexpr double kLambdas[] = {0, 0.004, 1, 10, 100, 3000, 65536, 30};
  mmp::EncodeOptions options;
  options.lambda = kLambdas[data[0] % 8];
  options.preset = data[0] & 8 ? mmp::Preset::kFast : mmp::Preset::kBest;
  if (data[6] & 2) options.preset = mmp::Preset::kBest;
  options.dictionary_size = mmp::kMinDictionarySize + data[1];
  // Few pixels where every path of a deep prediction tree is walked.
  options.prediction_level = data[2] % 26;
  options.modes = 1u + (data[3] | (data[0] >> 4 & 3) << 8) % 1023;  // of the reference's
  if (data[6] & 4) *options.modes |= (1u << mmp::kModes) - 1024;    // all that are newer
  const int most = *options.prediction_level < 8 ? 16 : 40;
  const int width = 1 + data[4] % most, height = 1 + data[5] % most;
  if (data[6] & 1) options.tile_width = options.tile_height = 16;
  const uint8_t* samples = data + kOptionBytes;
  const size_t count = size - kOptionBytes;
  mmp::Image image(width, height);
  for (size_t k = 0; k < image.pixels().size(); ++k) image.pixels()[k] = samples[k % count];

  options.threads = 1;
  mmp::EncodeStats stats;
  const auto file = mmp::Encode(image.View(), options, &stats);
  options.threads = 2;
  const auto again = mmp::Encode(image.View(), options);
  if (!file.ok() || !again.ok() || *file != *again) std::abort();
  const auto decoded = mmp::Decode(*file);
  if (!decoded.ok()) std::abort();
  if (mmp::SumSquaredError(image.View(), decoded->image.View()) != stats.sum_squared_error)
    std::abort();
  if (options.lambda == 0 && !(decoded->image == image)) std::abort();
  return 0;
}
