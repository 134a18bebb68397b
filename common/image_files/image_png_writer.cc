// Writing PNG, by libpng. libpng reports errors by longjmp: the functions that call setjmp, and all
// that libpng may leave by longjmp, have no objects with destructors.
#include <png.h>
#include <setjmp.h>

#include <bit>
#include <cassert>
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "common/image_files/image_io.h"
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

bool WritePng(png_structp png, png_infop info, const PngRows& rows, PngSink& sink) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_write_fn(png, &sink, OnWrite, OnFlush);
  png_set_compression_level(png, 6);
  png_set_IHDR(png, info, rows.view.width, rows.view.height, rows.bits,
               rows.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (rows.bits != rows.view.depth) SetSignificantBits(png, info, rows.view.depth);
  png_write_info(png, info);
  if (rows.bits < 8) png_set_packing(png);
  if (rows.bits == 16 && std::endian::native == std::endian::little) png_set_swap(png);
  for (int y = 0; y < rows.view.height; ++y) png_write_row(png, FileRow(rows, y));
  png_write_end(png, nullptr);
  return true;
}

std::vector<uint8_t> MakePng(const PngRows& rows) {
  assert(rows.view.width > 0 && rows.view.height > 0);
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, OnError, nullptr);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  PngSink sink;
  const bool written = info != nullptr && WritePng(png, info, rows, sink);
  png_destroy_write_struct(&png, &info);
  if (!written) throw std::bad_alloc();  // nothing else can fail
  return std::move(sink.bytes);
}

}  // namespace

std::vector<uint8_t> EncodePng(const ImageView& image) {
  const int bits = PngBits(image.depth);
  std::vector<uint8_t> scaled(bits == image.depth ? 0 : image.width * SampleBytes(bits));
  return MakePng({image, 1, bits, scaled.data()});
}

std::vector<uint8_t> EncodePng(const RgbImage& image) {
  static_assert(sizeof(Rgb) == 3);
  const ImageView view{reinterpret_cast<const uint8_t*>(image.Row(0)), image.width(),
                       image.height(), static_cast<size_t>(image.width()) * sizeof(Rgb)};
  return MakePng({view, 3, 8, nullptr});
}

}  // namespace mmp
