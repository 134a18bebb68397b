// PNG by libpng. libpng reports errors by longjmp: the functions that call setjmp, and all that
// libpng may leave by longjmp, have no objects with destructors.
#include <png.h>
#include <setjmp.h>

#include <cassert>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "common/image_files/image_metadata.h"
#include "common/image_files/image_parsers.h"

namespace mmp {
namespace {

class PngReader {
 public:
  explicit PngReader(std::span<const uint8_t> bytes) : bytes_(bytes) {
    png_ = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, this, OnError, OnWarning, this,
                                    OnAllocate, OnFree);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
  }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }

  // The three steps of reading, in this order; false if one fails, see error().

  // Makes width(), height() and bit_depth() known.
  bool ReadHeader();
  // Makes channels() and buffer_bytes() known.
  bool StartRows();
  // `buffer` has buffer_bytes(), `image` is width() x height(). Makes orientation() known.
  bool ReadRows(uint8_t* buffer, GrayConverter& converter, Image& image);

  uint32_t width() const { return png_get_image_width(png_, info_); }
  uint32_t height() const { return png_get_image_height(png_, info_); }
  int bit_depth() const { return bit_depth_; }
  bool has_palette() const { return has_palette_; }
  int channels() const { return png_get_channels(png_, info_); }
  // May be more than can be addressed.
  uint64_t buffer_bytes() const { return uint64_t{row_bytes()} * (interlaced() ? height() : 1); }
  Orientation orientation() const;
  const char* error() const { return error_; }
  bool out_of_memory() const { return out_of_memory_; }

 private:
  [[noreturn]] static void OnError(png_structp png, png_const_charp message) {
    auto* reader = static_cast<PngReader*>(png_get_error_ptr(png));
    std::snprintf(reader->error_, sizeof(reader->error_), "%s", message);
    png_longjmp(png, 1);
  }
  static void OnWarning(png_structp /*png*/, png_const_charp /*message*/) {}
  // By `new`, so that lack of memory is handled as everywhere else.
  static png_voidp OnAllocate(png_structp png, png_alloc_size_t size) {
    void* const memory = ::operator new(size, std::nothrow);
    if (memory == nullptr) static_cast<PngReader*>(png_get_mem_ptr(png))->out_of_memory_ = true;
    return memory;
  }
  static void OnFree(png_structp /*png*/, png_voidp memory) { ::operator delete(memory); }
  static void OnRead(png_structp png, png_bytep data, size_t size) {
    auto* reader = static_cast<PngReader*>(png_get_io_ptr(png));
    if (size > reader->bytes_.size()) png_error(png, "it ends too early");
    std::memcpy(data, reader->bytes_.data(), size);
    reader->bytes_ = reader->bytes_.subspan(size);
  }

  bool interlaced() const { return passes_ > 1; }
  size_t row_bytes() const { return png_get_rowbytes(png_, info_); }

  std::span<const uint8_t> bytes_;  // not read yet
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  int bit_depth_ = 0;
  bool has_palette_ = false;
  int passes_ = 1;
  bool out_of_memory_ = false;
  char error_[128] = "libpng is not the version built with";
};

bool PngReader::ReadHeader() {
  if (info_ == nullptr || setjmp(png_jmpbuf(png_)) != 0) return false;
  png_set_read_fn(png_, this, OnRead);
  png_set_user_limits(png_, PNG_UINT_31_MAX,
                      PNG_UINT_31_MAX);  // CheckImageSize has better messages
  png_read_info(png_, info_);
  bit_depth_ = png_get_bit_depth(png_, info_);
  has_palette_ = png_get_color_type(png_, info_) == PNG_COLOR_TYPE_PALETTE;
  return true;
}

bool PngReader::StartRows() {
  if (setjmp(png_jmpbuf(png_)) != 0) return false;
  png_set_expand(png_);  // to 8 bits and real colors, transparency to alpha
  if (bit_depth_ == 16) png_set_scale_16(png_);
  passes_ = png_set_interlace_handling(png_);
  png_read_update_info(png_, info_);
  return true;
}

bool PngReader::ReadRows(uint8_t* buffer, GrayConverter& converter, Image& image) {
  if (setjmp(png_jmpbuf(png_)) != 0) return false;
  // The passes of an interlaced image add pixels to all rows: these are complete in the last one.
  for (int pass = 0; pass < passes_; ++pass) {
    for (int y = 0; y < image.height(); ++y) {
      uint8_t* row = interlaced() ? buffer + y * row_bytes() : buffer;
      png_read_row(png_, row, nullptr);
      if (pass == passes_ - 1) converter.Convert(row, image.width(), image.Row(y));
    }
  }
  png_read_end(png_, info_);  // an Exif block may follow the samples
  return true;
}

Orientation PngReader::orientation() const {
#ifdef PNG_eXIf_SUPPORTED
  png_bytep exif = nullptr;
  png_uint_32 size = 0;
  if (png_get_eXIf_1(png_, info_, &size, &exif) != 0) return ExifOrientation({exif, size});
#endif
  return Orientation::kAsStored;
}

// Adds what is said of the samples, but not followed.
void AddNotices(const PngMetadata& metadata, std::string& notice) {
  if (metadata.gamma) {
    char text[64];
    std::snprintf(text, sizeof(text), "ignored its gamma, %g (gAMA)", *metadata.gamma);
    AddNotice(notice, text);
  }
  if (metadata.has_color_profile) AddNotice(notice, "ignored its color profile (iCCP)");
  if (const uint32_t frames = metadata.further_frames; frames > 0) {
    AddNotice(notice, "left out " + std::to_string(frames) + " further " +
                          (frames == 1 ? "frame" : "frames") + " of the animation");
  }
}

Status PngError(const std::string& name, const PngReader& reader) {
  if (reader.out_of_memory()) throw std::bad_alloc();
  return {StatusCode::kCorrupt, name + " is a damaged PNG file: " + reader.error()};
}

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

// What a PNG file is made of; row y starts at data + y * stride.
struct PngRows {
  const uint8_t* data;
  int width, height;  // pixels
  size_t stride;      // bytes
  int color_type;     // PNG_COLOR_TYPE_..., samples of 8 bits
};

bool WritePng(png_structp png, png_infop info, const PngRows& rows, PngSink& sink) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_write_fn(png, &sink, OnWrite, OnFlush);
  png_set_compression_level(png, 6);
  png_set_IHDR(png, info, rows.width, rows.height, 8, rows.color_type, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (int y = 0; y < rows.height; ++y) png_write_row(png, rows.data + y * rows.stride);
  png_write_end(png, nullptr);
  return true;
}

std::vector<uint8_t> MakePng(const PngRows& rows) {
  assert(rows.width > 0 && rows.height > 0);
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  PngSink sink;
  const bool written = info != nullptr && WritePng(png, info, rows, sink);
  png_destroy_write_struct(&png, &info);
  if (!written) throw std::bad_alloc();  // nothing else can fail
  return std::move(sink.bytes);
}

}  // namespace

Result<LoadedImage> ParsePng(std::span<const uint8_t> bytes, const std::string& name,
                             const ReadImageOptions& options) {
  PngReader reader(bytes);
  if (!reader.ReadHeader()) return PngError(name, reader);
  MMP_RETURN_IF_ERROR(CheckImageSize(reader.width(), reader.height(), name, options));
  if (reader.bit_depth() == 16 && !options.depth8) return DepthError(name);
  if (!reader.StartRows()) return PngError(name, reader);

  LoadedImage loaded;
  loaded.image = Image(static_cast<int>(reader.width()), static_cast<int>(reader.height()));
  if (reader.buffer_bytes() > uint64_t{std::numeric_limits<ptrdiff_t>::max()})
    throw std::bad_alloc();
  std::vector<uint8_t> buffer(static_cast<size_t>(reader.buffer_bytes()));
  GrayConverter converter(reader.channels());
  if (!reader.ReadRows(buffer.data(), converter, loaded.image)) return PngError(name, reader);
  const bool scaled = reader.bit_depth() != 8 && !reader.has_palette();
  loaded.notice = converter.Notice(
      scaled ? "scaled samples from " + std::to_string(reader.bit_depth()) + " to 8 bits" : "");
  AddNotices(ReadPngMetadata(bytes), loaded.notice);
  ApplyOrientation(loaded, reader.orientation());
  return loaded;
}

std::vector<uint8_t> EncodePng(const ImageView& image) {
  return MakePng({image.data, image.width, image.height, image.stride, PNG_COLOR_TYPE_GRAY});
}

std::vector<uint8_t> EncodePng(const RgbImage& image) {
  static_assert(sizeof(Rgb) == 3);
  return MakePng({reinterpret_cast<const uint8_t*>(image.Row(0)), image.width(), image.height(),
                  static_cast<size_t>(image.width()) * sizeof(Rgb), PNG_COLOR_TYPE_RGB});
}

}  // namespace mmp
