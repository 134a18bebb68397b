#include "codec/encoder/check_options.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "codec/base/failures.h"
#include "codec/base/levels.h"
#include "codec/base/parameters.h"
#include "codec/base/sample_map.h"
#include "codec/bitstream/metadata_section.h"
#include "codec/encoder/effort.h"

namespace mmp {
namespace {

// Values that no name stands for.
Status CheckEnumerations(const EncodeOptions& options) {
  if (options.preset > Preset::kQuick)
    return InvalidArgument("there is no preset number " +
                           std::to_string(static_cast<int>(options.preset)));
  if (options.backend > Backend::kCuda)
    return InvalidArgument("there is no backend number " +
                           std::to_string(static_cast<int>(options.backend)));
  if (options.coder > Coder::kPixels)
    return InvalidArgument("there is no coder number " +
                           std::to_string(static_cast<int>(options.coder)));
  if (options.order > MacroblockOrder::kWavefront)
    return InvalidArgument("there is no order number " +
                           std::to_string(static_cast<int>(options.order)));
  return {};
}

Status CheckEffort(const EncodeOptions& options) {
  if (options.effort && (*options.effort < kLeastEffort || *options.effort > kMostEffort))
    return InvalidArgument("the effort must be between " + std::to_string(kLeastEffort) + " and " +
                           std::to_string(kMostEffort));
  if (options.effort && options.preset == Preset::kThesis)
    return InvalidArgument(
        "preset thesis tries everything and has no effort; leave out one of the two");
  if (options.backend == Backend::kCuda && !SuitsDevices(options))
    return InvalidArgument((options.effort ? "effort " + std::to_string(*options.effort)
                                           : "preset " + std::string(PresetName(options.preset))) +
                           " is searched on the CPU only; take another or leave out the backend");
  return {};
}

Status CheckParameters(const EncodeOptions& options) {
  if (options.dictionary_size && (*options.dictionary_size < kMinDictionarySize ||
                                  *options.dictionary_size > kMaxDictionarySize))
    return InvalidArgument("the dictionary size must be between 69 and 65536 patterns a level");
  if (options.prediction_level &&
      (*options.prediction_level < 0 || *options.prediction_level > kNoPredictionSplit))
    return InvalidArgument("the prediction level must be between 0 and 25");
  if (options.modes && (*options.modes == 0 || *options.modes > kAllModes))
    return InvalidArgument("prediction modes are numbered 0 to 30");
  if (options.tools && *options.tools > kAllTools)
    return InvalidArgument("there are no such tools");
  return {};
}

Status CheckTiles(const EncodeOptions& options) {
  const int width = options.tile_width, height = options.tile_height;
  if (width < 0 || height < 0 || width % kMacroblockSize != 0 || height % kMacroblockSize != 0 ||
      (width == 0) != (height == 0))
    return InvalidArgument("tile sides must be multiples of 16");
  return {};
}

Status CheckCoder(const EncodeOptions& options, int depth) {
  if (options.max_error && (*options.max_error < 0 || *options.max_error > LargestSample(depth)))
    return InvalidArgument("the bound on the error must be between 0 and " +
                           std::to_string(LargestSample(depth)) + " for samples of " +
                           std::to_string(depth) + (depth == 1 ? " bit" : " bits"));
  if (options.coder != Coder::kPatterns) return {};
  if (options.max_error && *options.max_error > 0)
    return InvalidArgument("patterns cannot keep to a bound on the error; the pixel coder can");
  if (depth > 8 && (options.lambda == 0 || options.max_error))
    return InvalidArgument(
        "patterns are lossless for samples of at most 8 bits; the pixel coder for all");
  return {};
}

// Aligned as their type asks for, and none beyond the depth.
Status CheckSamples(const ImageView& image) {
  const int bytes = SampleBytes(image.depth);
  if (reinterpret_cast<uintptr_t>(image.data) % bytes != 0 || image.stride % bytes != 0)
    return InvalidArgument(
        "samples of two bytes must be at even addresses: the image's data or stride is odd");
  if (image.depth == 8 * bytes) return {};
  if (const int most = RangeOf(image).high; most > LargestSample(image.depth))
    return InvalidArgument("a sample is " + std::to_string(most) + ", more than its " +
                           std::to_string(image.depth) + " bits can be");
  return {};
}

}  // namespace

Status CheckImage(const ImageView& image) {
  if (image.width < 1 || image.height < 1 || image.width > kMaxImageSide ||
      image.height > kMaxImageSide)
    return InvalidArgument("the image must have 1 to 65535 pixels a side, not " +
                           std::to_string(image.width) + "x" + std::to_string(image.height));
  if (image.depth < 1 || image.depth > kMaxDepth)
    return InvalidArgument("the image must have 1 to 16 bits a sample, not " +
                           std::to_string(image.depth));
  if (image.data == nullptr) return InvalidArgument("the image has no samples: its data is null");
  if (image.stride < static_cast<size_t>(image.width) * SampleBytes(image.depth))
    return InvalidArgument("the image's rows of " + std::to_string(image.width) +
                           " pixels are only " + std::to_string(image.stride) +
                           " bytes apart: its stride is too small");
  if (image.height > 1 && image.stride > static_cast<size_t>(PTRDIFF_MAX) / (image.height - 1))
    return InvalidArgument("the image's rows are " + std::to_string(image.stride) +
                           " bytes apart, more than memory has for all of them");
  return CheckSamples(image);
}

Status CheckOptions(const EncodeOptions& options, int depth) {
  MMP_RETURN_IF_ERROR(CheckEnumerations(options));
  if (!(options.lambda >= 0 && options.lambda <= kMaxLambda))
    return InvalidArgument("lambda must be between 0 and 65536");
  MMP_RETURN_IF_ERROR(CheckEffort(options));
  MMP_RETURN_IF_ERROR(CheckParameters(options));
  MMP_RETURN_IF_ERROR(CheckCoder(options, depth));
  MMP_RETURN_IF_ERROR(CheckMetadata(options.metadata));
  return CheckTiles(options);
}

}  // namespace mmp
