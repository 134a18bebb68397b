// Decoding in C.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "codec/c_api/call.h"
#include "mmp/mmp.h"
#include "mmp/mmp_c.h"

namespace mmp {
namespace {

Result<DecodedImage> DecodeBytes(const void* file, size_t bytes,
                                 const mmp_decode_options* options) {
  return Decode(Bytes(file, bytes), OptionsOrDefaults(options));
}

// Where an image is to be decoded to.
struct Target {
  int width, height;
  int most_depth;  // bits a sample
};

// Whether so many rows, `stride` bytes apart, are more than any memory has.
bool IsBeyondMemory(int height, size_t stride) {
  return height > 1 && stride > static_cast<size_t>(PTRDIFF_MAX) / (height - 1);
}
mmp_status FailForStride() {
  return Fail(MMP_INVALID_ARGUMENT, "the stride is more than memory has for all rows");
}

Status Check(const Target& target, int width, int height, int depth) {
  if (width != target.width || height != target.height)
    return {StatusCode::kInvalidArgument, "the image has " + std::to_string(width) + "x" +
                                              std::to_string(height) + " pixels, not " +
                                              std::to_string(target.width) + "x" +
                                              std::to_string(target.height)};
  if (depth > target.most_depth)
    return {StatusCode::kInvalidArgument, "the image has samples of " + std::to_string(depth) +
                                              " bits, which mmp_decode16_into decodes"};
  return {};
}

// The same before anything is decoded, as far as the header and the options tell: not of a preview,
// nor of what is no file.
Status CheckBeforeDecoding(const Target& target, std::span<const uint8_t> file,
                           const DecodeOptions& options) {
  const Result<ImageSize> image = ReadSize(file.first(std::min(file.size(), kMaxHeaderBytes)));
  if (!image.ok() || options.preview) return {};
  return options.region ? Check(target, options.region->width, options.region->height, image->depth)
                        : Check(target, image->width, image->height, image->depth);
}

void CopySamples(const Image& image, uint8_t* samples, size_t stride) {
  for (int y = 0; y < image.height(); ++y)
    std::copy_n(image.Row(y), image.width(), samples + static_cast<size_t>(y) * stride);
}

// `stride` is in samples.
void CopySamples16(const Image& image, uint16_t* samples, size_t stride) {
  const int width = image.width();
  for (int y = 0; y < image.height(); ++y) {
    uint16_t* const row = samples + static_cast<size_t>(y) * stride;
    if (image.depth() > 8)
      std::copy_n(image.Row16(y), width, row);
    else
      std::copy_n(image.Row(y), width, row);
  }
}

// Hands out the image that `decode` makes.
template <typename Decoding>
mmp_status HandOutImage(const Decoding& decode, mmp_image** image) {
  return Guarded([&] {
    auto decoded = decode();
    if (!decoded.ok()) return Fail(decoded.status());
    *image = new mmp_image{*std::move(decoded)};
    return MMP_OK;
  });
}

// Decodes the file and hands the image, which fits the target, to `copy`. Nothing of the result is
// kept.
template <typename Copy>
mmp_status DecodeInto(const void* file, size_t bytes, const mmp_decode_options* options,
                      const Target& target, const Copy& copy) {
  return Guarded([&] {
    const Status early =
        CheckBeforeDecoding(target, Bytes(file, bytes), OptionsOrDefaults(options));
    if (!early.ok()) return Fail(early);
    const auto decoded = DecodeBytes(file, bytes, options);
    if (!decoded.ok()) return Fail(decoded.status());
    const Image& image = decoded->image;
    const Status fits = Check(target, image.width(), image.height(), image.depth());
    if (!fits.ok()) return Fail(fits);
    copy(image);
    return MMP_OK;
  });
}

}  // namespace
}  // namespace mmp

mmp_decode_options* mmp_decode_options_new(void) { return new (std::nothrow) mmp_decode_options; }
void mmp_decode_options_free(mmp_decode_options* options) { delete options; }

mmp_status mmp_decode_options_set_threads(mmp_decode_options* options, int threads) {
  return mmp::Set(options, [&](mmp::DecodeOptions& o) { o.threads = threads; });
}

mmp_status mmp_decode_options_set_region(mmp_decode_options* options, int x, int y, int width,
                                         int height) {
  return mmp::Set(options, [&](mmp::DecodeOptions& o) {
    o.region = mmp::Region{x, y, width, height};
  });
}

mmp_status mmp_decode_options_clear_region(mmp_decode_options* options) {
  return mmp::Set(options, [](mmp::DecodeOptions& o) { o.region.reset(); });
}

mmp_status mmp_decode_options_set_preview(mmp_decode_options* options, int preview) {
  return mmp::Set(options, [&](mmp::DecodeOptions& o) { o.preview = preview != 0; });
}

mmp_status mmp_decode_options_set_max_pixels(mmp_decode_options* options, uint64_t pixels) {
  return mmp::Set(options, [&](mmp::DecodeOptions& o) { o.max_pixels = pixels; });
}

mmp_status mmp_decode_options_set_max_work(mmp_decode_options* options, uint64_t work) {
  return mmp::Set(options, [&](mmp::DecodeOptions& o) { o.max_work = work; });
}

mmp_status mmp_decode_options_set_max_memory(mmp_decode_options* options, uint64_t bytes) {
  return mmp::Set(options, [&](mmp::DecodeOptions& o) { o.max_memory = bytes; });
}

mmp_status mmp_decode_options_set_dictionary_file(mmp_decode_options* options, const void* bytes,
                                                  size_t size) {
  return mmp::SetDictionaryFile(options, bytes, size);
}

mmp_status mmp_decode_options_set_keep_going(mmp_decode_options* options, int keep_going) {
  return mmp::Set(options, [&](mmp::DecodeOptions& o) { o.keep_going = keep_going != 0; });
}

mmp_status mmp_decode_options_set_progress(mmp_decode_options* options,
                                           mmp_progress_function progress, void* context) {
  return mmp::SetProgress(options, progress, context);
}

mmp_status mmp_decode(const void* file, size_t bytes, const mmp_decode_options* options,
                      mmp_image** image) {
  if (image == nullptr) return mmp::FailForNull("image");
  *image = nullptr;
  if (file == nullptr) return mmp::FailForNull("file");
  return mmp::HandOutImage([&] { return mmp::DecodeBytes(file, bytes, options); }, image);
}

mmp_status mmp_decode_from(mmp_read_function read, void* context, uint64_t size,
                           const mmp_decode_options* options, mmp_image** image) {
  if (image == nullptr) return mmp::FailForNull("image");
  *image = nullptr;
  if (read == nullptr) return mmp::FailForNull("read");
  return mmp::HandOutImage(
      [&] {
        return mmp::DecodeFrom(mmp::SourceOf(read, context, size), mmp::OptionsOrDefaults(options));
      },
      image);
}

mmp_status mmp_decode_into(const void* file, size_t bytes, const mmp_decode_options* options,
                           uint8_t* samples, int width, int height, size_t stride) {
  if (file == nullptr) return mmp::FailForNull("file");
  if (samples == nullptr) return mmp::FailForNull("samples");
  if (width > 0 && stride < static_cast<size_t>(width))
    return mmp::Fail(MMP_INVALID_ARGUMENT, "the stride is less than the width");
  if (mmp::IsBeyondMemory(height, stride)) return mmp::FailForStride();
  return mmp::DecodeInto(file, bytes, options, {width, height, 8}, [&](const mmp::Image& image) {
    mmp::CopySamples(image, samples, stride);
  });
}

mmp_status mmp_decode16_into(const void* file, size_t bytes, const mmp_decode_options* options,
                             uint16_t* samples, int width, int height, size_t stride) {
  if (file == nullptr) return mmp::FailForNull("file");
  if (samples == nullptr) return mmp::FailForNull("samples");
  if (width > 0 && stride < sizeof(uint16_t) * static_cast<size_t>(width))
    return mmp::Fail(MMP_INVALID_ARGUMENT, "the stride is less than two bytes a pixel");
  if (stride % sizeof(uint16_t) != 0)
    return mmp::Fail(MMP_INVALID_ARGUMENT, "the stride is no multiple of a sample's two bytes");
  if (mmp::IsBeyondMemory(height, stride)) return mmp::FailForStride();
  return mmp::DecodeInto(file, bytes, options, {width, height, mmp::kMaxDepth},
                         [&](const mmp::Image& image) {
                           mmp::CopySamples16(image, samples, stride / sizeof(uint16_t));
                         });
}

void mmp_image_free(mmp_image* image) { delete image; }

int mmp_image_width(const mmp_image* image) { return image->decoded.image.width(); }
int mmp_image_height(const mmp_image* image) { return image->decoded.image.height(); }
int mmp_image_depth(const mmp_image* image) { return image->decoded.image.depth(); }
const uint8_t* mmp_image_samples(const mmp_image* image) {
  return image->decoded.image.depth() > 8 ? nullptr : image->decoded.image.Row(0);
}
const uint16_t* mmp_image_samples16(const mmp_image* image) {
  return image->decoded.image.depth() > 8 ? image->decoded.image.Row16(0) : nullptr;
}

int mmp_image_is_signed(const mmp_image* image) { return image->decoded.is_signed ? 1 : 0; }
size_t mmp_image_metadata_count(const mmp_image* image) { return image->decoded.metadata.size(); }
mmp_metadata mmp_image_metadata(const mmp_image* image, size_t index) {
  return mmp::ChunkOf(image->decoded.metadata, index);
}
int mmp_image_damaged_metadata(const mmp_image* image) { return image->decoded.damaged_metadata; }

size_t mmp_image_damaged_tile_count(const mmp_image* image) {
  return image->decoded.damaged_tiles.size();
}

mmp_damaged_tile mmp_image_damaged_tile(const mmp_image* image, size_t index) {
  if (index >= image->decoded.damaged_tiles.size()) return {0, 0, 0, 0, ""};
  const mmp::DamagedTile& tile = image->decoded.damaged_tiles[index];
  return {tile.x, tile.y, tile.width, tile.height, tile.reason.c_str()};
}

uint64_t mmp_image_trailing_bytes(const mmp_image* image) { return image->decoded.trailing_bytes; }
