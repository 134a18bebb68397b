#include "codec/encoder/make_preview.h"

#include <algorithm>

#include "codec/base/sample_map.h"
#include "codec/bitstream/container.h"
#include "mmp/mmp.h"

namespace mmp {
namespace {

// Of samples of 8 bits: what is seen at a glance, in about a hundredth of the file's bytes.
constexpr double kPreviewLambda = 100;

// The same of the range of samples that occurs, which is what patterns code.
double LambdaFor(const ImageView& image) {
  if (image.depth == 8) return kPreviewLambda;
  const SampleRange range = RangeOf(image);
  const double part = 1.0 * std::max(1, range.high - range.low) / LargestSample(image.depth);
  return kPreviewLambda * part * part;
}

// The mean, scaled to samples of `depth` bits and rounded to nearest.
int MeanOf(const ImageView& square, int depth) {
  int64_t sum = 0;
  for (int y = 0; y < square.height; ++y)
    for (int x = 0; x < square.width; ++x) sum += square.Sample(y, x);
  const int64_t most = int64_t{square.width} * square.height * LargestSample(square.depth);
  return static_cast<int>((2 * sum * LargestSample(depth) + most) / (2 * most));
}

}  // namespace

Image Shrunk(const ImageView& image) {
  Image shrunk = Image::OfDepth(PreviewDepth(image.depth), PreviewSide(image.width),
                                PreviewSide(image.height));
  for (int y = 0; y < shrunk.height(); ++y) {
    for (int x = 0; x < shrunk.width(); ++x) {
      const int left = x * kPreviewScale, top = y * kPreviewScale;
      shrunk.SetSample(y, x,
                       MeanOf(image.Crop(left, top, std::min(kPreviewScale, image.width - left),
                                         std::min(kPreviewScale, image.height - top)),
                              shrunk.depth()));
    }
  }
  return shrunk;
}

Result<std::vector<uint8_t>> MakePreview(const ImageView& image, int threads,
                                         const ProgressCallback& progress) {
  const Image shrunk = Shrunk(image);
  EncodeOptions options;
  options.lambda = LambdaFor(shrunk.View());
  options.coder = Coder::kPatterns;
  options.exact_lambda = true;
  options.preset = Preset::kFast;
  options.tile_width = options.tile_height = kMaxPreviewSide;  // in one tile
  options.threads = threads;
  options.backend = Backend::kCpu;
  options.progress = progress;
  return Encode(shrunk.View(), options);
}

}  // namespace mmp
