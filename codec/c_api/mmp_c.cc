#include "mmp/mmp_c.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/out_of_memory.h"
#include "mmp/mmp.h"

// What the header declares and C does not know.
struct mmp_encode_options {
  mmp::EncodeOptions options;
};
struct mmp_decode_options {
  mmp::DecodeOptions options;
};
struct mmp_info {
  mmp::FileInfo info;
};
struct mmp_image {
  mmp::DecodedImage decoded;
};

static_assert(MMP_VERSION_MAJOR == mmp::kVersionMajor && MMP_VERSION_MINOR == mmp::kVersionMinor &&
              MMP_VERSION_PATCH == mmp::kVersionPatch);
static_assert(MMP_MAX_HEADER_BYTES == mmp::kMaxHeaderBytes);
static_assert(MMP_PRESET_THESIS == static_cast<int>(mmp::Preset::kThesis) &&
              MMP_PRESET_FAST == static_cast<int>(mmp::Preset::kFast) &&
              MMP_PRESET_BEST == static_cast<int>(mmp::Preset::kBest));
static_assert(MMP_BACKEND_AUTO == static_cast<int>(mmp::Backend::kAuto) &&
              MMP_BACKEND_CPU == static_cast<int>(mmp::Backend::kCpu) &&
              MMP_BACKEND_CUDA == static_cast<int>(mmp::Backend::kCuda));

namespace mmp {
namespace {

// Of a size of its own, so that the lack of memory can be told, too.
thread_local char error_message[512] = "";

mmp_status CodeOf(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return MMP_OK;
    case StatusCode::kInvalidArgument:
      return MMP_INVALID_ARGUMENT;
    case StatusCode::kUnsupported:
      return MMP_UNSUPPORTED;
    case StatusCode::kCorrupt:
      return MMP_CORRUPT;
    case StatusCode::kLimitExceeded:
      return MMP_LIMIT_EXCEEDED;
    case StatusCode::kIo:
      return MMP_IO;
    case StatusCode::kUnavailable:
      return MMP_UNAVAILABLE;
    case StatusCode::kOutOfMemory:
      return MMP_OUT_OF_MEMORY;
    case StatusCode::kCancelled:
      return MMP_CANCELLED;
  }
  return MMP_INTERNAL_ERROR;
}

mmp_status Fail(mmp_status status, std::string_view message) {
  const size_t size = std::min(message.size(), sizeof(error_message) - 1);
  std::memcpy(error_message, message.data(), size);
  error_message[size] = 0;
  return status;
}
mmp_status Fail(const Status& status) { return Fail(CodeOf(status.code()), status.message()); }

mmp_status FailForNull(std::string_view what) {
  char message[64] = "";
  const size_t size = what.copy(message, 40);
  std::strcpy(message + size, " is null");
  return Fail(MMP_INVALID_ARGUMENT, message);
}

// Runs `call`, which returns an mmp_status. No exception leaves it.
template <typename Call>
mmp_status Guarded(const Call& call) noexcept {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return Fail(OutOfMemory());
  } catch (const std::exception& exception) {
    return Fail(MMP_INTERNAL_ERROR, exception.what());
  } catch (...) {
    return Fail(MMP_INTERNAL_ERROR, "an exception was thrown");
  }
}

// Changes an object of options.
template <typename Options, typename Change>
mmp_status Set(Options* options, const Change& change) {
  if (options == nullptr) return FailForNull("options");
  return Guarded([&] {
    change(options->options);
    return MMP_OK;
  });
}

// A value of an enumeration of 8 bits; 255, which none has, for numbers that do not fit.
template <typename E>
E Enum(int number) {
  static_assert(sizeof(E) == 1);
  return static_cast<E>(number >= 0 && number <= 255 ? number : 255);
}

std::span<const uint8_t> Bytes(const void* bytes, size_t size) {
  return {static_cast<const uint8_t*>(bytes), size};
}

template <typename Options>
mmp_status SetDictionaryFile(Options* options, const void* bytes, size_t size) {
  if (bytes == nullptr && size > 0) return FailForNull("the dictionary file");
  return Set(options, [&](auto& o) {
    const std::span<const uint8_t> file = Bytes(bytes, size);
    o.dictionary_file = std::vector<uint8_t>(file.begin(), file.end());
  });
}

template <typename Options>
mmp_status SetProgress(Options* options, mmp_progress_function progress, void* context) {
  return Set(options, [&](auto& o) {
    if (progress == nullptr)
      o.progress = nullptr;
    else
      o.progress = [=](double done) { return progress(done, context) != 0; };
  });
}

template <typename Options>
const auto& OptionsOrDefaults(const Options* options) {
  static const Options defaults{};
  return (options != nullptr ? *options : defaults).options;
}

// A copy that mmp_free can free.
uint8_t* CopyToC(const std::vector<uint8_t>& bytes) {
  void* const copy = std::malloc(std::max<size_t>(1, bytes.size()));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, bytes.data(), bytes.size());
  return static_cast<uint8_t*>(copy);
}

Result<DecodedImage> DecodeBytes(const void* file, size_t bytes,
                                 const mmp_decode_options* options) {
  return Decode(Bytes(file, bytes), OptionsOrDefaults(options));
}

mmp_status CopySamples(const Image& image, uint8_t* samples, int width, int height, size_t stride) {
  if (image.width() != width || image.height() != height)
    return Fail(MMP_INVALID_ARGUMENT, "the image has " + std::to_string(image.width()) + "x" +
                                          std::to_string(image.height()) + " pixels, not " +
                                          std::to_string(width) + "x" + std::to_string(height));
  for (int y = 0; y < height; ++y)
    std::memcpy(samples + static_cast<size_t>(y) * stride, image.Row(y), width);
  return MMP_OK;
}

}  // namespace
}  // namespace mmp

using mmp::EncodeOptions;

const char* mmp_status_text(int status) {
  switch (status) {
    case MMP_OK:
      return "no error";
    case MMP_INVALID_ARGUMENT:
      return "invalid argument";
    case MMP_UNSUPPORTED:
      return "unsupported file";
    case MMP_CORRUPT:
      return "damaged file";
    case MMP_LIMIT_EXCEEDED:
      return "limit exceeded";
    case MMP_IO:
      return "input or output failed";
    case MMP_UNAVAILABLE:
      return "backend not available";
    case MMP_OUT_OF_MEMORY:
      return "out of memory";
    case MMP_CANCELLED:
      return "cancelled";
    case MMP_INTERNAL_ERROR:
      return "internal error";
  }
  return "unknown status";
}

const char* mmp_error_message(void) { return mmp::error_message; }

void mmp_free(void* memory) { std::free(memory); }

// Encoding

mmp_encode_options* mmp_encode_options_new(void) { return new (std::nothrow) mmp_encode_options; }
void mmp_encode_options_free(mmp_encode_options* options) { delete options; }

mmp_status mmp_encode_options_set_lambda(mmp_encode_options* options, double lambda) {
  return mmp::Set(options, [&](EncodeOptions& o) { o.lambda = lambda; });
}

mmp_status mmp_encode_options_set_exact_lambda(mmp_encode_options* options, int exact) {
  return mmp::Set(options, [&](EncodeOptions& o) { o.exact_lambda = exact != 0; });
}

mmp_status mmp_encode_options_set_preset(mmp_encode_options* options, int preset) {
  return mmp::Set(options, [&](EncodeOptions& o) { o.preset = mmp::Enum<mmp::Preset>(preset); });
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
  if (file == nullptr || size == nullptr) return mmp::FailForNull("file or size");
  *file = nullptr;
  *size = 0;
  return mmp::Guarded([&] {
    const auto encoded =
        mmp::Encode({samples, width, height, stride}, mmp::OptionsOrDefaults(options));
    if (!encoded.ok()) return mmp::Fail(encoded.status());
    *file = mmp::CopyToC(*encoded);
    *size = encoded->size();
    return MMP_OK;
  });
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

mmp_status mmp_info_read(const void* file, size_t bytes, mmp_info** info) {
  if (info == nullptr) return mmp::FailForNull("info");
  *info = nullptr;
  if (file == nullptr) return mmp::FailForNull("file");
  return mmp::Guarded([&] {
    auto read = mmp::ReadInfo(mmp::Bytes(file, bytes));
    if (!read.ok()) return mmp::Fail(read.status());
    *info = new mmp_info{*std::move(read)};
    return MMP_OK;
  });
}

void mmp_info_free(mmp_info* info) { delete info; }

int mmp_info_width(const mmp_info* info) { return info->info.width; }
int mmp_info_height(const mmp_info* info) { return info->info.height; }
int mmp_info_format_version(const mmp_info* info) { return info->info.format_version; }
mmp_preset mmp_info_preset(const mmp_info* info) {
  return static_cast<mmp_preset>(info->info.preset);
}
int mmp_info_is_lossless(const mmp_info* info) { return info->info.lossless ? 1 : 0; }
size_t mmp_info_tile_count(const mmp_info* info) { return info->info.tiles.size(); }
mmp_order mmp_info_order(const mmp_info* info) { return static_cast<mmp_order>(info->info.order); }

int mmp_info_needs_dictionary_file(const mmp_info* info, uint32_t* hash) {
  if (!info->info.dictionary_hash) return 0;
  if (hash != nullptr) *hash = *info->info.dictionary_hash;
  return 1;
}

// Decoding

mmp_decode_options* mmp_decode_options_new(void) { return new (std::nothrow) mmp_decode_options; }
void mmp_decode_options_free(mmp_decode_options* options) { delete options; }

mmp_status mmp_decode_options_set_threads(mmp_decode_options* options, int threads) {
  return mmp::Set(options, [&](mmp::DecodeOptions& o) { o.threads = threads; });
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
  return mmp::Guarded([&] {
    auto decoded = mmp::DecodeBytes(file, bytes, options);
    if (!decoded.ok()) return mmp::Fail(decoded.status());
    *image = new mmp_image{*std::move(decoded)};
    return MMP_OK;
  });
}

mmp_status mmp_decode_into(const void* file, size_t bytes, const mmp_decode_options* options,
                           uint8_t* samples, int width, int height, size_t stride) {
  if (file == nullptr) return mmp::FailForNull("file");
  if (samples == nullptr) return mmp::FailForNull("samples");
  if (width > 0 && stride < static_cast<size_t>(width))
    return mmp::Fail(MMP_INVALID_ARGUMENT, "the stride is less than the width");
  return mmp::Guarded([&] {
    const auto decoded = mmp::DecodeBytes(file, bytes, options);
    if (!decoded.ok()) return mmp::Fail(decoded.status());
    return mmp::CopySamples(decoded->image, samples, width, height, stride);
  });
}

void mmp_image_free(mmp_image* image) { delete image; }

int mmp_image_width(const mmp_image* image) { return image->decoded.image.width(); }
int mmp_image_height(const mmp_image* image) { return image->decoded.image.height(); }
const uint8_t* mmp_image_samples(const mmp_image* image) { return image->decoded.image.Row(0); }

size_t mmp_image_damaged_tile_count(const mmp_image* image) {
  return image->decoded.damaged_tiles.size();
}

mmp_damaged_tile mmp_image_damaged_tile(const mmp_image* image, size_t index) {
  if (index >= image->decoded.damaged_tiles.size()) return {0, 0, 0, 0, ""};
  const mmp::DamagedTile& tile = image->decoded.damaged_tiles[index];
  return {tile.x, tile.y, tile.width, tile.height, tile.reason.c_str()};
}
