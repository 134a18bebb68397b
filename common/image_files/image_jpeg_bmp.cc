// JPEG and BMP by stb_image.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "common/image_files/image_metadata.h"
#include "common/image_files/image_parsers.h"

namespace {

// By `new`, so that lack of memory is handled as everywhere else; null if there is none. The memory
// comes zeroed: stb_image decodes damaged JPEG files with tables that it never filled.
void* Allocate(size_t size) {
  void* const memory = ::operator new(size, std::nothrow);
  return memory == nullptr ? nullptr : std::memset(memory, 0, size);
}

[[maybe_unused]] void* Reallocate(void* old, size_t old_size, size_t size) {
  void* const memory = Allocate(size);
  if (memory == nullptr || old == nullptr) return memory;
  std::memcpy(memory, old, std::min(old_size, size));
  ::operator delete(old);
  return memory;
}

}  // namespace

#define STBI_MALLOC(size) Allocate(size)
#define STBI_REALLOC_SIZED(pointer, old_size, size) Reallocate(pointer, old_size, size)
#define STBI_FREE(pointer) ::operator delete(pointer)
#define STBI_ASSERT(condition) static_cast<void>(0)  // fails on damaged files
#define STBI_ONLY_JPEG
#define STBI_ONLY_BMP
#define STBI_NO_STDIO
#define STBI_NO_HDR
#define STBI_NO_LINEAR
#define STBI_FAILURE_USERMSG
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
// Before version 2.28, where the data of a damaged JPEG file end within a code, it counts the bits
// that are left as less than none, and shifts by more than the width of a word: whatever comes of
// that is a damaged picture's, and no place in memory.
#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("shift-exponent"))), apply_to = function)
#endif
#include <stb/stb_image.h>
#ifdef __clang__
#pragma clang attribute pop
#endif
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

namespace mmp {
namespace {

// Feeds stb_image, which takes zeros for what is missing at the end of a file: so that is noted.
class Source {
 public:
  explicit Source(std::span<const uint8_t> bytes) : left_(bytes) {}

  static stbi_io_callbacks Callbacks() { return {OnRead, OnSkip, OnEof}; }
  bool read_past_end() const { return read_past_end_; }

 private:
  static int OnRead(void* user, char* data, int size) {
    auto* source = static_cast<Source*>(user);
    const size_t count = std::min(source->left_.size(), static_cast<size_t>(size));
    // stb_image asks again only when it needs another byte.
    if (count == 0) {
      source->read_past_end_ = true;
      return 0;
    }
    std::memcpy(data, source->left_.data(), count);
    source->left_ = source->left_.subspan(count);
    return static_cast<int>(count);
  }
  static void OnSkip(void* user, int size) {
    auto* source = static_cast<Source*>(user);
    source->left_ = source->left_.subspan(
        std::min(source->left_.size(), static_cast<size_t>(std::max(size, 0))));
  }
  static int OnEof(void* user) { return static_cast<Source*>(user)->left_.empty() ? 1 : 0; }

  std::span<const uint8_t> left_;
  bool read_past_end_ = false;
};

// Whether the Huffman tables of the DHT segment whose length field is at `at` have at most 256
// symbols each. Like stb_image, takes a table that starts in the segment to its end.
bool HuffmanTablesFit(std::span<const uint8_t> bytes, size_t at, size_t length) {
  for (size_t table = at + 2; table < at + length;) {
    int symbols = 0;
    for (size_t i = table + 1; i <= table + 16 && i < bytes.size(); ++i) symbols += bytes[i];
    if (symbols > 256) return false;
    table += 17 + symbols;
  }
  return true;
}

// Why stb_image is not to be given a JPEG file; null if it may be. Before version 2.28 it writes
// past its tables if those of a DHT segment do not fit. And it goes through the whole image once
// more for each scan, even if that is empty; none of the encoders that there are makes so many.
// Finds segments as stb_image does, as far as that gets.
const char* ObjectionTo(std::span<const uint8_t> bytes) {
  constexpr uint8_t kDht = 0xC4;
  constexpr uint8_t kEnd = 0xD9;
  constexpr uint8_t kStartOfScan = 0xDA;
  constexpr int kMostScans = 500;
  int scans = 0;
  for (size_t at = 2;;) {
    while (at < bytes.size() && bytes[at] != 0xFF) ++at;
    while (at < bytes.size() && bytes[at] == 0xFF) ++at;
    if (bytes.size() - at < 3) return nullptr;
    const uint8_t marker = bytes[at++];
    if (marker == kEnd) return nullptr;
    const bool has_segment = marker > 1 && (marker < 0xD0 || marker > 0xD8);
    if (!has_segment) continue;
    const size_t length = bytes[at] << 8 | bytes[at + 1];
    if (marker == kDht && !HuffmanTablesFit(bytes, at, length))
      return "a Huffman table is too large";
    if (marker == kStartOfScan && ++scans > kMostScans) return "it has too many scans";
    at = std::min(at + length, bytes.size());
  }
}

// stb_image's failure, for the reason that it gives; it does not always give one.
Status DamagedJpegOrBmp(const std::string& name, const char* what) {
  if (what == nullptr) what = "its data make no sense";
  if (std::strcmp(what, "Out of memory") == 0) throw std::bad_alloc();
  return {StatusCode::kCorrupt, name + " is a damaged or unsupported JPEG or BMP file: " + what};
}

Status CheckSize(std::span<const uint8_t> bytes, const std::string& name,
                 const ReadImageOptions& options) {
  Source source(bytes);
  const stbi_io_callbacks callbacks = Source::Callbacks();
  int width = 0;
  int height = 0;
  int channels = 0;
  if (stbi_info_from_callbacks(&callbacks, &source, &width, &height, &channels) == 0) {
    return DamagedJpegOrBmp(name, stbi_failure_reason());
  }
  // The height of a BMP file is negative if its rows run from top to bottom.
  return CheckImageSize(static_cast<uint32_t>(width), std::abs(int64_t{height}), name, options);
}

}  // namespace

Result<LoadedImage> ParseJpegOrBmp(std::span<const uint8_t> bytes, const std::string& name,
                                   const ReadImageOptions& options) {
  const bool is_jpeg = bytes[0] == 0xFF;
  if (const char* objection = is_jpeg ? ObjectionTo(bytes) : nullptr; objection != nullptr)
    return DamagedJpegOrBmp(name, objection);
  MMP_RETURN_IF_ERROR(CheckSize(bytes, name, options));
  Source source(bytes);
  const stbi_io_callbacks callbacks = Source::Callbacks();
  int width = 0;
  int height = 0;
  int channels = 0;
  const std::unique_ptr<uint8_t, decltype(&stbi_image_free)> pixels(
      stbi_load_from_callbacks(&callbacks, &source, &width, &height, &channels, 0),
      &stbi_image_free);
  if (pixels == nullptr) return DamagedJpegOrBmp(name, stbi_failure_reason());
  if (source.read_past_end()) return DamagedJpegOrBmp(name, "it ends too early");

  LoadedImage loaded;
  loaded.image = Image(width, height);
  GrayConverter converter(channels);
  for (int y = 0; y < height; ++y) {
    const size_t row_bytes = static_cast<size_t>(width) * channels;
    converter.Convert(pixels.get() + y * row_bytes, width, loaded.image.Row(y));
  }
  loaded.notice = converter.Notice("");
  if (is_jpeg) {
    MetadataCollector metadata;
    const Orientation orientation = ReadJpegMetadata(bytes, metadata);
    loaded.metadata = metadata.Take(loaded.notice);
    ApplyOrientation(loaded, orientation);
  }
  return loaded;
}

}  // namespace mmp
