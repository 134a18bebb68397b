// Writing PNG, by libpng. libpng reports errors by longjmp: the functions that call setjmp, and all
// that libpng may leave by longjmp, have no objects with destructors.
#include <png.h>
#include <setjmp.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/image_files/image_io.h"
#include "common/image_files/png_keywords.h"
#include "common/image_files/replicated_bits.h"

namespace mmp {
namespace {

struct PngSink {
  std::vector<uint8_t> bytes;
  bool out_of_memory = false;
};

// Returns false if there is no memory, so that no exception passes through libpng.
bool Append(PngSink& sink, const uint8_t* data, size_t size) noexcept {
  try {
    sink.bytes.insert(sink.bytes.end(), data, data + size);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void OnWrite(png_structp png, png_bytep data, size_t size) {
  if (!Append(*static_cast<PngSink*>(png_get_io_ptr(png)), data, size)) {
    png_error(png, "out of memory");
  }
}

void OnFlush(png_structp /*png*/) {}

// Instead of libpng's own, which writes the message to standard error.
[[noreturn]] void OnError(png_structp png, png_const_charp /*message*/) { png_longjmp(png, 1); }
void OnWarning(png_structp /*png*/, png_const_charp /*message*/) {}

// Text as libpng takes it: it does not change what it is not const of.
struct PngText {
  std::string keyword, text;
  bool is_compressed = false;
};

// Metadata as libpng takes them.
struct PngExtras {
  std::span<const uint8_t> profile, exif;
  bool has_resolution = false;
  png_uint_32 x = 0, y = 0;
  int unit = PNG_RESOLUTION_UNKNOWN;
  std::vector<PngText> texts;       // what these point to
  std::vector<png_text> png_texts;  // filled last
};

// What libpng does not take is "Comment": a keyword has 1 to 79 characters, spaces but single ones
// inside.
std::string PngKeyword(std::string_view keyword) {
  const bool fits = !keyword.empty() && keyword.size() < 80 && keyword.front() != ' ' &&
                    keyword.back() != ' ' && keyword.find("  ") == std::string_view::npos &&
                    std::ranges::all_of(keyword, [](char c) { return c >= ' ' && c <= '~'; });
  return fits ? std::string(keyword) : "Comment";
}

PngText TextOf(const MetadataChunk& chunk) {
  std::string text(chunk.bytes.begin(), chunk.bytes.end());
  switch (static_cast<MetadataKind>(chunk.kind)) {
    case MetadataKind::kXmp:
      return {kPngXmpKeyword, std::move(text), false};  // so that programs find it
    case MetadataKind::kOmeXml:
      return {kPngOmeKeyword, std::move(text), true};
    default:
      const size_t end = std::min(text.find('\0'), text.size());
      return {PngKeyword(std::string_view(text).substr(0, end)),
              text.substr(std::min(end + 1, text.size())), text.size() > 1024};
  }
}

// Rounded to nearest; 0 if that does not fit.
png_uint_32 InMetres(double per_unit, Resolution::Unit unit) {
  constexpr double kUnitsInMetre[] = {1, 1 / 0.0254, 100, 1};
  const double value = per_unit * kUnitsInMetre[static_cast<int>(unit)];
  return value < PNG_UINT_31_MAX ? static_cast<png_uint_32>(value + 0.5) : 0;
}

void SetResolution(const MetadataChunk& chunk, PngExtras& extras) {
  Resolution resolution;
  if (!Resolution::FromBytes(chunk.bytes, resolution)) return;
  extras.x = InMetres(1.0 * resolution.x / resolution.x_divisor, resolution.unit);
  extras.y = InMetres(1.0 * resolution.y / resolution.y_divisor, resolution.unit);
  extras.has_resolution = extras.x > 0 && extras.y > 0;
  if (resolution.unit != Resolution::Unit::kNone) extras.unit = PNG_RESOLUTION_METER;
}

PngExtras ExtrasOf(const Metadata& metadata) {
  PngExtras extras;
  for (const MetadataChunk& chunk : metadata) {
    if (!HasPlaceFor(ImageFormat::kPng, chunk.kind) || chunk.bytes.empty()) continue;
    switch (static_cast<MetadataKind>(chunk.kind)) {
      case MetadataKind::kIccProfile:
        extras.profile = chunk.bytes;
        break;
      case MetadataKind::kExif:
        extras.exif = chunk.bytes;
        break;
      case MetadataKind::kResolution:
        SetResolution(chunk, extras);
        break;
      default:
        extras.texts.push_back(TextOf(chunk));
    }
  }
  for (PngText& text : extras.texts) {
    png_text& png = extras.png_texts.emplace_back();
    png.compression = text.is_compressed ? PNG_ITXT_COMPRESSION_zTXt : PNG_ITXT_COMPRESSION_NONE;
    png.key = text.keyword.data();
    png.text = text.text.data();
  }
  return extras;
}

// May leave by longjmp. A profile that makes no sense to libpng is left out.
void SetExtras(png_structp png, png_infop info, PngExtras& extras) {
  if (!extras.profile.empty())
    png_set_iCCP(png, info, "ICC profile", PNG_COMPRESSION_TYPE_BASE, extras.profile.data(),
                 static_cast<png_uint_32>(extras.profile.size()));
#ifdef PNG_eXIf_SUPPORTED
  if (!extras.exif.empty())
    png_set_eXIf_1(png, info, static_cast<png_uint_32>(extras.exif.size()),
                   const_cast<png_bytep>(extras.exif.data()));
#endif
  if (extras.has_resolution) png_set_pHYs(png, info, extras.x, extras.y, extras.unit);
  if (!extras.png_texts.empty())
    png_set_text(png, info, extras.png_texts.data(), static_cast<int>(extras.png_texts.size()));
}

// What a PNG file is made of: samples of `view.depth` bits, `channels` of them a pixel of `view`.
struct PngRows {
  ImageView view;
  int channels;     // 1: gray, 3: red, green and blue
  int bits;         // of the file's samples, not less than view.depth
  uint8_t* scaled;  // room for a row of the file's samples, if they have more bits
};

// The bits of the samples that a file of this depth gets: its own, or whole bytes.
int PngBits(int depth) {
  const bool is_known = std::has_single_bit(static_cast<unsigned>(depth));
  return is_known ? depth : 8 * SampleBytes(depth);
}

// Row y with as many bits as the file has.
const uint8_t* FileRow(const PngRows& rows, int y) {
  const ImageView& view = rows.view;
  if (rows.bits == view.depth) return view.Row(y);
  for (int x = 0; x < view.width; ++x) {
    const uint32_t sample = ReplicatedBits(view.Sample(y, x), view.depth, rows.bits);
    if (rows.bits == 8) {
      rows.scaled[x] = static_cast<uint8_t>(sample);
    } else {
      reinterpret_cast<uint16_t*>(rows.scaled)[x] = static_cast<uint16_t>(sample);
    }
  }
  return rows.scaled;
}

// Tells a PNG reader how many bits of the samples are the picture's.
void SetSignificantBits(png_structp png, png_infop info, int depth) {
  png_color_8 bits{};
  bits.gray = static_cast<png_byte>(depth);
  png_set_sBIT(png, info, &bits);
}

// Half of the samples, of 8 bits, are equal to the one on their left.
bool HasManyEqual(const ImageView& view) {
  int64_t equal = 0;
  for (int y = 0; y < view.height; ++y) {
    const uint8_t* row = view.Row(y);
    for (int x = 1; x < view.width; ++x) equal += row[x] == row[x - 1];
  }
  return 2 * equal >= int64_t{view.width} * view.height;
}

bool WritePng(png_structp png, png_infop info, const PngRows& rows, PngExtras& extras,
              PngSink& sink) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_benign_errors(png, 1);
  png_set_write_fn(png, &sink, OnWrite, OnFlush);
  png_set_compression_level(png, 6);
  // Matches longer than runs are found in pictures of few values alone, and looking for them takes
  // two thirds of the time.
  if (rows.channels == 1 && rows.view.depth == 8 && !HasManyEqual(rows.view))
    png_set_compression_strategy(png, Z_RLE);
  png_set_IHDR(png, info, rows.view.width, rows.view.height, rows.bits,
               rows.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (rows.bits != rows.view.depth) SetSignificantBits(png, info, rows.view.depth);
  SetExtras(png, info, extras);
  png_write_info(png, info);
  if (rows.bits < 8) png_set_packing(png);
  if (rows.bits == 16 && std::endian::native == std::endian::little) png_set_swap(png);
  for (int y = 0; y < rows.view.height; ++y) png_write_row(png, FileRow(rows, y));
  png_write_end(png, nullptr);
  return true;
}

std::vector<uint8_t> MakePng(const PngRows& rows, PngExtras extras) {
  assert(rows.view.width > 0 && rows.view.height > 0);
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, OnError, OnWarning);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  PngSink sink;
  const bool written = info != nullptr && WritePng(png, info, rows, extras, sink);
  png_destroy_write_struct(&png, &info);
  if (!written) throw std::bad_alloc();  // nothing else can fail
  return std::move(sink.bytes);
}

}  // namespace

std::vector<uint8_t> EncodePng(const ImageView& image, const Metadata& metadata) {
  const int bits = PngBits(image.depth);
  std::vector<uint8_t> scaled(bits == image.depth ? 0 : image.width * SampleBytes(bits));
  return MakePng({image, 1, bits, scaled.data()}, ExtrasOf(metadata));
}

std::vector<uint8_t> EncodePng(const RgbImage& image) {
  static_assert(sizeof(Rgb) == 3);
  const ImageView view{reinterpret_cast<const uint8_t*>(image.Row(0)), image.width(),
                       image.height(), static_cast<size_t>(image.width()) * sizeof(Rgb)};
  return MakePng({view, 3, 8, nullptr}, {});
}

}  // namespace mmp
