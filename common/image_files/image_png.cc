// Reading PNG, by libpng. libpng reports errors by longjmp: the functions that call setjmp, and all
// that libpng may leave by longjmp, have no objects with destructors.
#include <png.h>
#include <setjmp.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "common/image_files/image_metadata.h"
#include "common/image_files/image_parsers.h"
#include "common/image_files/png_keywords.h"
#include "common/image_files/replicated_bits.h"

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
  // Makes channels() and buffer_bytes() known. `bits`: of the samples that are read, 8 or 16; those
  // of fewer have theirs repeated.
  bool StartRows(int bits);
  // `buffer` has buffer_bytes(), `image` is width() x height(). Makes orientation() known.
  bool ReadRows(uint8_t* buffer, GrayConverter& converter, Image& image);

  uint32_t width() const { return png_get_image_width(png_, info_); }
  uint32_t height() const { return png_get_image_height(png_, info_); }
  int bit_depth() const { return bit_depth_; }
  bool has_palette() const { return color_type_ == PNG_COLOR_TYPE_PALETTE; }
  // One that libpng takes for a profile.
  bool has_color_profile() const { return png_get_valid(png_, info_, PNG_INFO_iCCP) != 0; }
  // How many of the bits that are read count: of gray those of the file's samples or, if these are
  // whole bytes without alpha, as many as it says (sBIT). Else 0.
  int significant_bits() const;
  int channels() const { return png_get_channels(png_, info_); }
  // May be more than can be addressed.
  uint64_t buffer_bytes() const { return uint64_t{row_bytes()} * (interlaced() ? height() : 1); }
  Orientation orientation() const;
  // After the last step.
  void Collect(MetadataCollector& metadata) const;
  // Whether there were chunks that take too much memory.
  bool left_out_chunks() const { return left_out_chunks_; }
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
    auto* reader = static_cast<PngReader*>(png_get_mem_ptr(png));
    if (reader->reads_chunks_ && !reader->MayTake(size)) return nullptr;
    void* const memory = ::operator new(size, std::nothrow);
    if (memory == nullptr) reader->out_of_memory_ = true;
    return memory;
  }
  // Texts can be compressed to a thousandth, and libpng expands as many as a thousand of 8 MB. Of
  // those that are kept it takes each a few times, here all taken together. It leaves out a chunk
  // that there is no memory for.
  bool MayTake(png_alloc_size_t size) {
    constexpr size_t kMost = 8 * kMaxMetadataBytes;
    if (size > kMost - taken_by_chunks_) {
      left_out_chunks_ = true;
      return false;
    }
    taken_by_chunks_ += size;
    return true;
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
  int color_type_ = PNG_COLOR_TYPE_GRAY;  // of the file
  int passes_ = 1;
  bool out_of_memory_ = false;
  bool reads_chunks_ = true;  // those beside the samples
  bool left_out_chunks_ = false;
  size_t taken_by_chunks_ = 0;  // bytes, also those that have been freed
  char error_[128] = "libpng is not the version built with";
};

bool PngReader::ReadHeader() {
  if (info_ == nullptr || setjmp(png_jmpbuf(png_)) != 0) return false;
  png_set_read_fn(png_, this, OnRead);
  png_set_user_limits(png_, PNG_UINT_31_MAX,
                      PNG_UINT_31_MAX);  // CheckImageSize has better messages
  png_read_info(png_, info_);
  bit_depth_ = png_get_bit_depth(png_, info_);
  color_type_ = png_get_color_type(png_, info_);
  return true;
}

int PngReader::significant_bits() const {
  png_color_8p bits = nullptr;
  if (color_type_ != PNG_COLOR_TYPE_GRAY) return 0;
  if (bit_depth_ < 8) return bit_depth_;
  return channels() == 1 && png_get_sBIT(png_, info_, &bits) != 0 ? bits->gray : 0;
}

bool PngReader::StartRows(int bits) {
  reads_chunks_ = false;
  if (setjmp(png_jmpbuf(png_)) != 0) return false;
  png_set_expand(png_);  // to 8 bits or more and real colors, transparency to alpha
  if (bit_depth_ == 16 && bits == 8) png_set_scale_16(png_);
  if (bits == 16 && std::endian::native == std::endian::little) png_set_swap(png_);
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
      if (pass < passes_ - 1) continue;
      if (image.depth() == 8) {
        converter.Convert(row, image.width(), image.Row(y));
      } else {  // rows have an even number of bytes
        converter.Convert(reinterpret_cast<const uint16_t*>(row), image.width(), image.Row16(y));
      }
    }
  }
  reads_chunks_ = true;
  png_read_end(png_, info_);  // an Exif block may follow the samples
  return true;
}

void PngReader::Collect(MetadataCollector& metadata) const {
  png_charp name = nullptr;
  int compression = 0;
  png_bytep profile = nullptr;
  png_uint_32 profile_bytes = 0;
  if (png_get_iCCP(png_, info_, &name, &compression, &profile, &profile_bytes) != 0)
    metadata.AddColorProfile({profile, profile_bytes});
#ifdef PNG_eXIf_SUPPORTED
  png_bytep exif = nullptr;
  png_uint_32 exif_bytes = 0;
  if (png_get_eXIf_1(png_, info_, &exif_bytes, &exif) != 0) metadata.AddExif({exif, exif_bytes});
#endif
  png_uint_32 x = 0, y = 0;
  int unit = 0;
  if (png_get_pHYs(png_, info_, &x, &y, &unit) != 0)
    metadata.AddResolution(
        {unit == PNG_RESOLUTION_METER ? Resolution::Unit::kMetre : Resolution::Unit::kNone, x, 1, y,
         1});
  png_textp texts = nullptr;
  const int count = png_get_text(png_, info_, &texts, nullptr);
  for (int i = 0; i < count; ++i) {
    const size_t bytes = std::max(texts[i].text_length, texts[i].itxt_length);
    const std::string_view text(texts[i].text, bytes);
    if (texts[i].key == std::string_view(kPngXmpKeyword))
      metadata.AddXmp({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
    else
      metadata.AddText(texts[i].key, text);
  }
}

Orientation PngReader::orientation() const {
#ifdef PNG_eXIf_SUPPORTED
  png_bytep exif = nullptr;
  png_uint_32 size = 0;
  if (png_get_eXIf_1(png_, info_, &size, &exif) != 0) return ExifOrientation({exif, size});
#endif
  return Orientation::kAsStored;
}

// `image`, of 8 or 16 bits, as one of `depth` bits, which are fewer, if all samples are such with
// their bits replicated, as EncodePng writes them; else as it is.
Image WithDepth(Image image, int depth) {
  Image restored = Image::OfDepth(depth, image.width(), image.height());
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      const auto sample = static_cast<uint32_t>(image.View().Sample(y, x));
      const uint32_t highest = sample >> (image.depth() - depth);
      if (ReplicatedBits(highest, depth, image.depth()) != sample) return image;
      restored.SetSample(y, x, static_cast<int>(highest));
    }
  }
  return restored;
}

// Adds what is said of the samples, but not followed.
void AddNotices(const PngMetadata& metadata, std::string& notice) {
  if (metadata.gamma) {
    char text[64];
    std::snprintf(text, sizeof(text), "ignored its gamma, %g (gAMA)", *metadata.gamma);
    AddNotice(notice, text);
  }
  if (const uint32_t frames = metadata.further_frames; frames > 0) {
    AddNotice(notice, "left out " + std::to_string(frames) + " further " +
                          (frames == 1 ? "frame" : "frames") + " of the animation");
  }
}

Status PngError(const std::string& name, const PngReader& reader) {
  if (reader.out_of_memory()) throw std::bad_alloc();
  return {StatusCode::kCorrupt, name + " is a damaged PNG file: " + reader.error()};
}

}  // namespace

Result<LoadedImage> ParsePng(std::span<const uint8_t> bytes, const std::string& name,
                             const ReadImageOptions& options) {
  PngReader reader(bytes);
  if (!reader.ReadHeader()) return PngError(name, reader);
  MMP_RETURN_IF_ERROR(CheckImageSize(reader.width(), reader.height(), name, options));
  const bool are_gray = !reader.has_palette();  // those of less than 8 bits
  const Result<int> depth = DepthOfSamples(reader.bit_depth(), are_gray, name, options);
  if (!depth.ok()) return depth.status();
  const int bits = 8 * SampleBytes(*depth);
  if (!reader.StartRows(bits)) return PngError(name, reader);

  LoadedImage loaded;
  loaded.image =
      Image::OfDepth(bits, static_cast<int>(reader.width()), static_cast<int>(reader.height()));
  if (reader.buffer_bytes() > uint64_t{std::numeric_limits<ptrdiff_t>::max()})
    throw std::bad_alloc();
  std::vector<uint8_t> buffer(static_cast<size_t>(reader.buffer_bytes()));
  GrayConverter converter(reader.channels(), bits);
  if (!reader.ReadRows(buffer.data(), converter, loaded.image)) return PngError(name, reader);
  const bool scaled = reader.bit_depth() != *depth && !reader.has_palette();
  loaded.notice = converter.Notice(scaled ? DepthNotice(reader.bit_depth(), *depth) : "");
  const int significant = reader.significant_bits();
  if (!options.depth8 && significant >= options.min_depth && significant > bits - 8 &&
      significant < bits)
    loaded.image = WithDepth(std::move(loaded.image), significant);
  const PngMetadata seen = ReadPngMetadata(bytes);
  AddNotices(seen, loaded.notice);
  if (reader.left_out_chunks())
    AddNotice(loaded.notice, "left out metadata that are too long once they are expanded");
  MetadataCollector metadata;
  reader.Collect(metadata);
  if (seen.has_color_profile && !reader.has_color_profile()) metadata.AddColorProfile({});
  loaded.metadata = metadata.Take(loaded.notice);
  ApplyOrientation(loaded, reader.orientation());
  return loaded;
}

}  // namespace mmp
