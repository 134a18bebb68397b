// Encoding of arbitrary pictures with arbitrary options: twice the same bytes, which decode to what
// the encoder says. The first bytes choose the options, the rest are samples (repeated as needed).
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/base/levels.h"
#include "codec/dictionary/trained_patterns.h"
#include "common/metrics.h"
#include "mmp/mmp.h"
#include "tests/fuzz/fuzz_input.h"

namespace mmp {
namespace {

// The bits of the first byte: what is not left to the preset or at its default.
enum : uint8_t {
  kSetDictionarySize = 1,
  kSetPredictionLevel = 2,
  kSetModes = 4,
  kSetTools = 8,
  kSetDictionaryFile = 16,
  kSetTiles = 32,
  kSetExactLambda = 64,
  kSetOrder = 128,
};

double TakeLambda(FuzzInput& input) {
  constexpr double kLambdas[] = {0, 0.004, 1, 10, 100, 3000, kMaxLambda, 30};
  const uint8_t choice = input.Byte();
  return choice < 128 ? kLambdas[choice % 8] : input.Number(choice < 192 ? 2 : 3) / 256.0;
}

int TakeTileSide(FuzzInput& input) {
  constexpr int kSides[] = {16, 32, 48, 64, 1 << 16, 1 << 25, 1 << 30, 0x7ffffff0};
  return kSides[input.Byte() % 8];
}

// A few patterns of each level.
std::vector<uint8_t> TakeDictionaryFile(FuzzInput& input) {
  TrainedPatterns patterns;
  const std::span<const uint8_t> values = input.Take(1 + input.Byte());
  size_t next = 0;
  for (int l = 1; l < kLevelCount; ++l) {
    TrainedPatterns::Level& level = patterns.levels[l];
    level.zero_count = static_cast<uint16_t>(1 + 16 * input.Byte());
    level.counts.assign(input.Byte() % 4, static_cast<uint16_t>(1 + 16 * input.Byte()));
    const size_t pixels = level.counts.size() * kLevelShapes[l].pixels();
    for (size_t k = 0; k < pixels; ++k)
      level.values.push_back(values.empty() ? 0
                                            : static_cast<int8_t>(values[next++ % values.size()]));
  }
  return WriteTrainedPatterns(patterns);
}

EncodeOptions TakeOptions(FuzzInput& input) {
  EncodeOptions options;
  const uint8_t set = input.Byte();
  options.preset = static_cast<Preset>(input.Byte() % 3);
  options.lambda = TakeLambda(input);
  options.exact_lambda = (set & kSetExactLambda) != 0;
  if (set & kSetDictionarySize) {
    constexpr uint32_t kSizes = kMaxDictionarySize - kMinDictionarySize + 1;
    options.dictionary_size = kMinDictionarySize + static_cast<int>(input.Number(2) % kSizes);
  }
  if (set & kSetPredictionLevel) options.prediction_level = input.Byte() % (kNoPredictionSplit + 1);
  if (set & kSetModes) options.modes = 1 + input.Number(4) % kAllModes;
  if (set & kSetTools) options.tools = input.Byte() & kAllTools;
  if (set & kSetDictionaryFile) options.dictionary_file = TakeDictionaryFile(input);
  if (set & kSetTiles) {
    options.tile_width = TakeTileSide(input);
    options.tile_height = TakeTileSide(input);
  }
  if (set & kSetOrder)
    options.order = input.Byte() % 2 ? MacroblockOrder::kWavefront : MacroblockOrder::kRaster;
  return options;
}

Image TakeImage(FuzzInput& input, const EncodeOptions& options) {
  // Few pixels where every path of a deep prediction tree is walked.
  const int most = options.prediction_level.value_or(8) < 8 ? 16 : 40;
  const int width = 1 + input.Byte() % most, height = 1 + input.Byte() % most;
  const std::span<const uint8_t> samples = input.Rest();
  Image image(width, height);
  if (samples.empty()) return image;
  for (size_t k = 0; k < image.pixels().size(); ++k)
    image.pixels()[k] = samples[k % samples.size()];
  return image;
}

void RoundTrip(FuzzInput input) {
  EncodeOptions options = TakeOptions(input);
  const Image image = TakeImage(input, options);
  options.threads = 1;
  EncodeStats stats;
  const auto file = Encode(image.View(), options, &stats);
  options.threads = 3;
  const auto again = Encode(image.View(), options);
  Promise(file.ok() && again.ok() && *file == *again);

  DecodeOptions decode_options;
  decode_options.dictionary_file = options.dictionary_file;
  decode_options.max_work = stats.decode_work;  // as much as the encoder says, and no more
  const auto decoded = Decode(*file, decode_options);
  Promise(decoded.ok());
  Promise(SumSquaredError(image.View(), decoded->image.View()) == stats.sum_squared_error);
  Promise(options.lambda > 0 || decoded->image == image);
}

}  // namespace
}  // namespace mmp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  mmp::RoundTrip({data, size});
  return 0;
}
