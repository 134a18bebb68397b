// Encoding of arbitrary pictures of all depths with arbitrary options, by both coders: twice the
// same bytes, which decode to what the encoder says. The first bytes choose the options, the rest
// are samples (repeated as needed).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
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

// From here on the second byte, which chooses the preset, also asks for a depth, a coder and a
// bound on the error.
constexpr uint8_t kSetCoder = 192;
// And from here on, below that, for metadata, and whether samples are signed.
constexpr uint8_t kSetExtras = 128;

struct FuzzOptions {
  EncodeOptions encode;
  int depth = 8;
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

// A bound of any size on the error of samples of `depth` bits, or none.
std::optional<int> TakeMaxError(FuzzInput& input, int depth) {
  const uint8_t choice = input.Byte();
  if (choice < 64) return std::nullopt;
  const int bound = choice < 192 ? choice % 16 : static_cast<int>(input.Number(2));
  return std::min(bound, LargestSample(depth));
}

void TakeCoder(FuzzInput& input, FuzzOptions& options) {
  options.depth = 1 + input.Byte() % kMaxDepth;
  options.encode.coder = static_cast<Coder>(input.Byte() % 3);
  options.encode.max_error = TakeMaxError(input, options.depth);
}

// Whether the encoder promises to refuse: patterns have no bound, and lose nothing of 8 bits only.
bool IsRefused(const FuzzOptions& options) {
  const EncodeOptions& encode = options.encode;
  if (encode.coder != Coder::kPatterns) return false;
  return encode.max_error.value_or(0) > 0 ||
         (options.depth > 8 && (encode.lambda == 0 || encode.max_error));
}

void TakeExtras(FuzzInput& input, EncodeOptions& options) {
  const uint8_t choice = input.Byte();
  options.is_signed = choice >= 128;
  for (int chunk = 0; chunk < choice % 4; ++chunk) {
    const auto kind = static_cast<uint8_t>(std::max<int>(1, input.Byte()));
    const std::span<const uint8_t> bytes = input.Take(input.Byte());
    options.metadata.push_back({kind, {bytes.begin(), bytes.end()}});
  }
}

FuzzOptions TakeOptions(FuzzInput& input) {
  FuzzOptions fuzz_options;
  EncodeOptions& options = fuzz_options.encode;
  const uint8_t set = input.Byte(), preset = input.Byte();
  options.preset = static_cast<Preset>(preset % 3);
  if (preset >= kSetCoder)
    TakeCoder(input, fuzz_options);
  else if (preset >= kSetExtras)
    TakeExtras(input, options);
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
  return fuzz_options;
}

Image TakeImage(FuzzInput& input, const FuzzOptions& options) {
  // Few pixels where every path of a deep prediction tree is walked.
  const int most = options.encode.prediction_level.value_or(8) < 8 ? 16 : 40;
  const int width = 1 + input.Byte() % most, height = 1 + input.Byte() % most;
  const std::span<const uint8_t> samples = input.Rest();
  Image image = Image::OfDepth(options.depth, width, height);
  if (samples.empty()) return image;
  size_t next = 0;
  const auto take = [&] { return samples[next++ % samples.size()]; };
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int low = take(), high = options.depth > 8 ? take() << 8 : 0;
      image.SetSample(y, x, (low | high) & LargestSample(options.depth));
    }
  }
  return image;
}

// What the header says is what was asked for and what was done.
void CheckInfo(std::span<const uint8_t> file, const Image& image, const EncodeStats& stats) {
  const auto info = ReadInfo(file);
  Promise(info.ok());
  Promise(info->width == image.width() && info->height == image.height());
  Promise(info->depth == image.depth());
  Promise(info->coder == stats.coder && info->max_error == stats.max_error);
  Promise(info->file_bytes == file.size());
}

void CheckDecoded(const Image& decoded, const Image& image, const EncodeOptions& options,
                  const EncodeStats& stats) {
  Promise(decoded.depth() == image.depth());
  Promise(SumSquaredError(image.View(), decoded.View()) == stats.sum_squared_error);
  if (options.max_error) {
    Promise(stats.max_error <= *options.max_error);
    Promise(MaxDifference(image.View(), decoded.View()) <= *options.max_error);
  } else if (options.lambda == 0) {
    Promise(decoded == image);
  }
  if (stats.coder == Coder::kPixels)
    Promise(MaxDifference(image.View(), decoded.View()) <= stats.max_error);
}

void RoundTrip(FuzzInput input) {
  const FuzzOptions fuzz_options = TakeOptions(input);
  EncodeOptions options = fuzz_options.encode;
  const Image image = TakeImage(input, fuzz_options);
  options.threads = 1;
  EncodeStats stats;
  const auto file = Encode(image.View(), options, &stats);
  if (IsRefused(fuzz_options)) {
    Promise(file.status().code() == StatusCode::kInvalidArgument);
    return;
  }
  options.threads = 3;
  const auto again = Encode(image.View(), options);
  Promise(file.ok() && again.ok() && *file == *again);
  CheckInfo(*file, image, stats);

  DecodeOptions decode_options;
  decode_options.dictionary_file = options.dictionary_file;
  decode_options.max_work = stats.decode_work;  // as much as the encoder says, and no more
  const auto decoded = Decode(*file, decode_options);
  Promise(decoded.ok());
  CheckDecoded(decoded->image, image, options, stats);
  Promise(decoded->metadata == options.metadata && decoded->damaged_metadata == 0);
  Promise(decoded->is_signed == options.is_signed);
}

}  // namespace
}  // namespace mmp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  mmp::RoundTrip({data, size});
  return 0;
}
