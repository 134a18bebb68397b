#include "codec/encoder/check_options.h"

#include <cstddef>
#include <string>
#include <utility>

#include "codec/base/levels.h"
#include "codec/base/parameters.h"

namespace mmp {
namespace {

Status Invalid(std::string message) { return {StatusCode::kInvalidArgument, std::move(message)}; }

// Values that no name stands for.
Status CheckEnumerations(const EncodeOptions& options) {
  if (options.preset > Preset::kBest)
    return Invalid("there is no preset number " + std::to_string(static_cast<int>(options.preset)));
  if (options.backend > Backend::kCuda)
    return Invalid("there is no backend number " +
                   std::to_string(static_cast<int>(options.backend)));
  if (options.order > MacroblockOrder::kWavefront)
    return Invalid("there is no order number " + std::to_string(static_cast<int>(options.order)));
  return {};
}

Status CheckParameters(const EncodeOptions& options) {
  if (options.dictionary_size && (*options.dictionary_size < kMinDictionarySize ||
                                  *options.dictionary_size > kMaxDictionarySize))
    return Invalid("the dictionary size must be between 69 and 65536 patterns a level");
  if (options.prediction_level &&
      (*options.prediction_level < 0 || *options.prediction_level > kNoPredictionSplit))
    return Invalid("the prediction level must be between 0 and 25");
  if (options.modes && (*options.modes == 0 || *options.modes > kAllModes))
    return Invalid("prediction modes are numbered 0 to 30");
  if (options.tools && *options.tools > kAllTools) return Invalid("there are no such tools");
  return {};
}

Status CheckTiles(const EncodeOptions& options) {
  const int width = options.tile_width, height = options.tile_height;
  if (width < 0 || height < 0 || width % kMacroblockSize != 0 || height % kMacroblockSize != 0 ||
      (width == 0) != (height == 0))
    return Invalid("tile sides must be multiples of 16");
  return {};
}

}  // namespace

Status CheckImage(const ImageView& image) {
  if (image.width < 1 || image.height < 1 || image.width > kMaxImageSide ||
      image.height > kMaxImageSide)
    return Invalid("the image must have 1 to 65535 pixels a side, not " +
                   std::to_string(image.width) + "x" + std::to_string(image.height));
  if (image.data == nullptr) return Invalid("the image has no samples: its data is null");
  if (image.stride < static_cast<size_t>(image.width))
    return Invalid("the image's rows of " + std::to_string(image.width) + " pixels are only " +
                   std::to_string(image.stride) + " bytes apart: its stride is too small");
  return {};
}

Status CheckOptions(const EncodeOptions& options) {
  MMP_RETURN_IF_ERROR(CheckEnumerations(options));
  if (!(options.lambda >= 0 && options.lambda <= kMaxLambda))
    return Invalid("lambda must be between 0 and 65536");
  MMP_RETURN_IF_ERROR(CheckParameters(options));
  return CheckTiles(options);
}

}  // namespace mmp
