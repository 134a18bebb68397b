// Encoding, and what a file is, in C.
#include "mmp/mmp_c.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codec/base/sample_map.h"
#include "codec/c_api/call.h"
#include "codec/encoder/check_options.h"
#include "mmp/mmp.h"

static_assert(MMP_VERSION_MAJOR == mmp::kVersionMajor && MMP_VERSION_MINOR == mmp::kVersionMinor &&
              MMP_VERSION_PATCH == mmp::kVersionPatch);
static_assert(MMP_MAX_HEADER_BYTES == mmp::kMaxHeaderBytes);
static_assert(MMP_PRESET_THESIS == static_cast<int>(mmp::Preset::kThesis) &&
              MMP_PRESET_FAST == static_cast<int>(mmp::Preset::kFast) &&
              MMP_PRESET_BEST == static_cast<int>(mmp::Preset::kBest) &&
              MMP_PRESET_QUICK == static_cast<int>(mmp::Preset::kQuick));
static_assert(MMP_BACKEND_AUTO == static_cast<int>(mmp::Backend::kAuto) &&
              MMP_BACKEND_CPU == static_cast<int>(mmp::Backend::kCpu) &&
              MMP_BACKEND_CUDA == static_cast<int>(mmp::Backend::kCuda));
static_assert(MMP_CODER_AUTO == static_cast<int>(mmp::Coder::kAuto) &&
              MMP_CODER_PATTERNS == static_cast<int>(mmp::Coder::kPatterns) &&
              MMP_CODER_PIXELS == static_cast<int>(mmp::Coder::kPixels));
static_assert(MMP_ORDER_AUTO == static_cast<int>(mmp::MacroblockOrder::kAuto) &&
              MMP_ORDER_RASTER == static_cast<int>(mmp::MacroblockOrder::kRaster) &&
              MMP_ORDER_WAVEFRONT == static_cast<int>(mmp::MacroblockOrder::kWavefront));
static_assert(MMP_METADATA_ICC_PROFILE == static_cast<int>(mmp::MetadataKind::kIccProfile) &&
              MMP_METADATA_EXIF == static_cast<int>(mmp::MetadataKind::kExif) &&
              MMP_METADATA_XMP == static_cast<int>(mmp::MetadataKind::kXmp) &&
              MMP_METADATA_RESOLUTION == static_cast<int>(mmp::MetadataKind::kResolution) &&
              MMP_METADATA_TEXT == static_cast<int>(mmp::MetadataKind::kText) &&
              MMP_METADATA_GEOTIFF == static_cast<int>(mmp::MetadataKind::kGeoTiff) &&
              MMP_METADATA_OME_XML == static_cast<int>(mmp::MetadataKind::kOmeXml));

namespace mmp {
namespace {

// A value of an enumeration of 8 bits; 255, which none has, for numbers that do not fit.
template <typename E>
E Enum(int number) {
  static_assert(sizeof(E) == 1);
  return static_cast<E>(number >= 0 && number <= 255 ? number : 255);
}

// A copy that mmp_free can free.
uint8_t* CopyToC(const std::vector<uint8_t>& bytes) {
  void* const copy = std::malloc(std::max<size_t>(1, bytes.size()));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, bytes.data(), bytes.size());
  return static_cast<uint8_t*>(copy);
}

// Hands out the file that `encode` returns.
template <typename EncodeImage>
mmp_status HandOut(const EncodeImage& encode, uint8_t** file, size_t* size) {
  if (file == nullptr || size == nullptr) return FailForNull("file or size");
  *file = nullptr;
  *size = 0;
  return Guarded([&] {
    const Result<std::vector<uint8_t>> encoded = encode();
    if (!encoded.ok()) return Fail(encoded.status());
    *file = CopyToC(*encoded);
    *size = encoded->size();
    return MMP_OK;
  });
}

// The image whose samples have `depth` bits, in [1, 8], and two bytes each in `wide`.
Result<Image> Narrowed(const ImageView& wide, int depth) {
  MMP_RETURN_IF_ERROR(CheckImage(wide));
  if (const int most = RangeOf(wide).high; most > LargestSample(depth))
    return Status(StatusCode::kInvalidArgument, "a sample is " + std::to_string(most) +
                                                    ", more than its " + std::to_string(depth) +
                                                    " bits can be");
  Image image = Image::OfDepth(depth, wide.width, wide.height);
  for (int y = 0; y < wide.height; ++y) std::copy_n(wide.Row16(y), wide.width, image.Row(y));
  return image;
}

Result<std::vector<uint8_t>> EncodeWide(const ImageView& wide, int depth,
                                        const EncodeOptions& options) {
  if (depth >= 1 && depth <= 8) {
    const Result<Image> image = Narrowed(wide, depth);
    return image.ok() ? Encode(image->View(), options) : image.status();
  }
  ImageView image = wide;
  image.depth = depth;
  return Encode(image, options);  // which refuses a depth that there is not
}

// Hands out what `reading` says of a file.
template <typename Reading>
mmp_status HandOutInfo(const Reading& reading, mmp_info** info) {
  return Guarded([&] {
    auto read = reading();
    if (!read.ok()) return Fail(read.status());
    *info = new mmp_info{*std::move(read)};
    return MMP_OK;
  });
}

}  // namespace
}  // namespace mmp

using mmp::EncodeOptions;

// Encoding

mmp_encode_options* mmp_encode_options_new(void) { return new (std::nothrow) mmp_encode_options; }
void mmp_encode_options_free(mmp_encode_options* options) { delete options; }

mmp_status mmp_encode_options_set_lambda(mmp_encode_options* options, double lambda) {
  return mmp::Set(options, [&](EncodeOptions& o) { o.lambda = lambda; });
}

mmp_status mmp_encode_options_set_exact_lambda(mmp_encode_options* options, int exact) {
  return mmp::Set(options, [&](EncodeOptions& o) { o.exact_lambda = exact != 0; });
}

mmp_status mmp_encode_options_set_max_error(mmp_encode_options* options, int max_error) {
  return mmp::Set(options, [&](EncodeOptions& o) {
    o.max_error = max_error == -1 ? std::nullopt : std::optional<int>(max_error);
  });
}

mmp_status mmp_encode_options_set_coder(mmp_encode_options* options, int coder) {
  return mmp::Set(options, [&](EncodeOptions& o) { o.coder = mmp::Enum<mmp::Coder>(coder); });
}

mmp_status mmp_encode_options_set_preset(mmp_encode_options* options, int preset) {
  return mmp::Set(options, [&](EncodeOptions& o) { o.preset = mmp::Enum<mmp::Preset>(preset); });
}

mmp_status mmp_encode_options_set_effort(mmp_encode_options* options, int effort) {
  return mmp::Set(options, [&](EncodeOptions& o) {
    o.effort = effort == 0 ? std::nullopt : std::optional<int>(effort);
  });
}

mmp_status mmp_encode_options_set_dictionary_size(mmp_encode_options* options, int patterns) {
  return mmp::Set(options, [&](EncodeOptions& o) { o.dictionary_size = patterns; });
}

mmp_status mmp_encode_options_set_prediction_level(mmp_encode_options* options, int level) {
  return mmp::Set(options, [&](EncodeOptions& o) { o.prediction_level = level; });
}

mmp_status mmp_encode_options_set_modes(mmp_encode_options* options, uint32_t modes) {
  return mmp::Set(options, [&](EncodeOptions& o) { o.modes = modes; });
}

mmp_status mmp_encode_options_set_tools(mmp_encode_options* options, uint32_t tools) {
  return mmp::Set(options, [&](EncodeOptions& o) { o.tools = tools; });
}

mmp_status mmp_encode_options_set_dictionary_file(mmp_encode_options* options, const void* bytes,
                                                  size_t size) {
  return mmp::SetDictionaryFile(options, bytes, size);
}

mmp_status mmp_encode_options_add_metadata(mmp_encode_options* options, int kind, const void* bytes,
                                           size_t size) {
  if (bytes == nullptr && size > 0) return mmp::FailForNull("the metadata");
  if (kind < 1 || kind > 255)
    return mmp::Fail(MMP_INVALID_ARGUMENT, "metadata are of kinds 1 to 255");
  if (size > mmp::kMaxMetadataBytes)
    return mmp::Fail(MMP_INVALID_ARGUMENT, "metadata take at most 2^24 - 1 bytes");
  return mmp::Set(options, [&](EncodeOptions& o) {
    const auto chunk = mmp::Bytes(bytes, size);
    o.metadata.push_back({static_cast<uint8_t>(kind), {chunk.begin(), chunk.end()}});
  });
}

mmp_status mmp_encode_options_clear_metadata(mmp_encode_options* options) {
  return mmp::Set(options, [](EncodeOptions& o) { o.metadata.clear(); });
}

mmp_status mmp_encode_options_set_signed(mmp_encode_options* options, int is_signed) {
  return mmp::Set(options, [&](EncodeOptions& o) { o.is_signed = is_signed != 0; });
}

mmp_status mmp_encode_options_set_tile_size(mmp_encode_options* options, int width, int height) {
  return mmp::Set(options, [&](EncodeOptions& o) {
    o.tile_width = width;
    o.tile_height = height;
  });
}

mmp_status mmp_encode_options_set_order(mmp_encode_options* options, int order) {
  return mmp::Set(options,
                  [&](EncodeOptions& o) { o.order = mmp::Enum<mmp::MacroblockOrder>(order); });
}

mmp_status mmp_encode_options_set_preview(mmp_encode_options* options, int preview) {
  return mmp::Set(options, [&](EncodeOptions& o) { o.preview = preview != 0; });
}

mmp_status mmp_encode_options_set_threads(mmp_encode_options* options, int threads) {
  return mmp::Set(options, [&](EncodeOptions& o) { o.threads = threads; });
}

mmp_status mmp_encode_options_set_backend(mmp_encode_options* options, int backend) {
  return mmp::Set(options, [&](EncodeOptions& o) { o.backend = mmp::Enum<mmp::Backend>(backend); });
}

mmp_status mmp_encode_options_set_progress(mmp_encode_options* options,
                                           mmp_progress_function progress, void* context) {
  return mmp::SetProgress(options, progress, context);
}

mmp_status mmp_encode(const uint8_t* samples, int width, int height, size_t stride,
                      const mmp_encode_options* options, uint8_t** file, size_t* size) {
  return mmp::HandOut(
      [&] {
        return mmp::Encode({samples, width, height, stride}, mmp::OptionsOrDefaults(options));
      },
      file, size);
}

mmp_status mmp_encode16(const uint16_t* samples, int width, int height, size_t stride, int depth,
                        const mmp_encode_options* options, uint8_t** file, size_t* size) {
  return mmp::HandOut(
      [&] {
        return mmp::EncodeWide(
            {reinterpret_cast<const uint8_t*>(samples), width, height, stride, mmp::kMaxDepth},
            depth, mmp::OptionsOrDefaults(options));
      },
      file, size);
}

// Information

mmp_status mmp_read_size(const void* beginning, size_t bytes, int* width, int* height) {
  if (width == nullptr || height == nullptr) return mmp::FailForNull("width or height");
  *width = *height = 0;
  if (beginning == nullptr) return mmp::FailForNull("beginning");
  return mmp::Guarded([&] {
    const auto size = mmp::ReadSize(mmp::Bytes(beginning, bytes));
    if (!size.ok()) return mmp::Fail(size.status());
    *width = size->width;
    *height = size->height;
    return MMP_OK;
  });
}

mmp_status mmp_read_depth(const void* beginning, size_t bytes, int* depth) {
  if (depth == nullptr) return mmp::FailForNull("depth");
  *depth = 0;
  if (beginning == nullptr) return mmp::FailForNull("beginning");
  return mmp::Guarded([&] {
    const auto size = mmp::ReadSize(mmp::Bytes(beginning, bytes));
    if (!size.ok()) return mmp::Fail(size.status());
    *depth = size->depth;
    return MMP_OK;
  });
}

mmp_status mmp_info_read(const void* file, size_t bytes, mmp_info** info) {
  if (info == nullptr) return mmp::FailForNull("info");
  *info = nullptr;
  if (file == nullptr) return mmp::FailForNull("file");
  return mmp::HandOutInfo([&] { return mmp::ReadInfo(mmp::Bytes(file, bytes)); }, info);
}

mmp_status mmp_info_read_from(mmp_read_function read, void* context, uint64_t size, int check_bytes,
                              mmp_info** info) {
  if (info == nullptr) return mmp::FailForNull("info");
  *info = nullptr;
  if (read == nullptr) return mmp::FailForNull("read");
  return mmp::HandOutInfo(
      [&] {
        return mmp::ReadInfoFrom(mmp::SourceOf(read, context, size),
                                 {.check_bytes = check_bytes != 0});
      },
      info);
}

void mmp_info_free(mmp_info* info) { delete info; }

int mmp_info_width(const mmp_info* info) { return info->info.width; }
int mmp_info_height(const mmp_info* info) { return info->info.height; }
int mmp_info_depth(const mmp_info* info) { return info->info.depth; }
int mmp_info_format_version(const mmp_info* info) { return info->info.format_version; }
mmp_preset mmp_info_preset(const mmp_info* info) {
  return static_cast<mmp_preset>(info->info.preset);
}
int mmp_info_is_lossless(const mmp_info* info) { return info->info.lossless ? 1 : 0; }
mmp_coder mmp_info_coder(const mmp_info* info) { return static_cast<mmp_coder>(info->info.coder); }
int mmp_info_max_error(const mmp_info* info) { return info->info.max_error; }
size_t mmp_info_preview_bytes(const mmp_info* info) {
  return static_cast<size_t>(info->info.preview_bytes);
}
int mmp_info_damaged_preview(const mmp_info* info) { return info->info.damaged_preview ? 1 : 0; }
int mmp_info_jpeg_tiles(const mmp_info* info) { return info->info.jpeg_tiles; }
size_t mmp_info_tile_count(const mmp_info* info) { return info->info.tiles.size(); }
mmp_order mmp_info_order(const mmp_info* info) { return static_cast<mmp_order>(info->info.order); }

int mmp_info_is_signed(const mmp_info* info) { return info->info.is_signed ? 1 : 0; }
size_t mmp_info_metadata_count(const mmp_info* info) { return info->info.metadata.size(); }
mmp_metadata mmp_info_metadata(const mmp_info* info, size_t index) {
  return mmp::ChunkOf(info->info.metadata, index);
}
int mmp_info_damaged_metadata(const mmp_info* info) { return info->info.damaged_metadata; }

int mmp_info_needs_dictionary_file(const mmp_info* info, uint32_t* hash) {
  if (!info->info.dictionary_hash) return 0;
  if (hash != nullptr) *hash = *info->info.dictionary_hash;
  return 1;
}
