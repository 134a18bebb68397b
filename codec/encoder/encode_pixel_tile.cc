#include "codec/encoder/encode_pixel_tile.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "codec/base/failures.h"
#include "codec/base/sample_map.h"
#include "codec/decoder/pixel_tile.h"
#include "codec/encoder/jpeg/find_jpeg_picture.h"
#include "codec/encoder/jpeg/jpeg_grid.h"
#include "codec/pixel/pixel_coder.h"
#include "common/metrics.h"

namespace mmp {
namespace {

std::vector<uint16_t> WideSamples(const ImageView& image) {
  std::vector<uint16_t> samples;
  samples.reserve(static_cast<size_t>(image.width) * image.height);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      samples.push_back(static_cast<uint16_t>(image.Sample(y, x)));
  return samples;
}

Image ImageOf(const std::vector<uint16_t>& samples, const ImageView& like) {
  Image image = Image::OfDepth(like.depth, like.width, like.height);
  auto next = samples.begin();
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) image.SetSample(y, x, *next++);
  return image;
}

}  // namespace

Result<EncodedTile> EncodePixelTile(const PixelTileJob& job, TileStats& stats) {
  const ImageView& image = job.image;
  const std::vector<uint16_t> samples = WideSamples(image);
  const PixelView view = {samples.data(), image.width, image.width, image.height};
  std::vector<uint16_t> reconstruction;
  EncodedTile tile;
  bool goes_on = true;
  const auto row_goes_on = [&] { return goes_on = job.step(0); };
  std::optional<JpegPicture> jpeg;
  if (job.header.may_be_jpeg)
    if (const std::optional<JpegGrid> grid = FindJpegGrid(image))
      jpeg = FindJpegPicture(image, *grid);
  tile.bytes = EncodePixels(view, PixelFormatOf(job.header), &reconstruction, row_goes_on,
                            jpeg ? &*jpeg : nullptr);
  if (!goes_on) return EncodingCancelled();
  const Image decoded = ImageOf(reconstruction, image);
  for (int y = 0; y < image.height; ++y)
    tile.reconstruction_crc =
        RowCrc(decoded.Row(y), image.width, image.depth, tile.reconstruction_crc);
  stats.sum_squared_error = SumSquaredError(image, decoded.View());
  if (MaxDifference(image, decoded.View()) > job.header.max_error)
    return Status(StatusCode::kUnavailable, "the pixel coder failed: a sample is off by too much");
  TileInfo place;
  place.width = image.width;
  place.height = image.height;
  stats.macroblocks = CountMacroblocks({place});
  stats.decode_work = PixelWork(job.header, samples.size());
  if (!job.step(static_cast<int>(stats.macroblocks))) return EncodingCancelled();
  return tile;
}

}  // namespace mmp
