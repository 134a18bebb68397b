// TIFF by libtiff.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

#include "common/image_files/image_parsers.h"
#include "common/image_files/metadata/collect_metadata.h"
#include "common/image_files/tiff_directories.h"
#include "common/image_files/tiff_file.h"
#include "common/image_files/tiff_layout.h"

namespace mmp {
namespace {

// Refuses what would make libtiff take much memory or time before the image's size is known, and
// files that are not of one image.
Status CheckDirectories(std::span<const uint8_t> bytes, const std::string& name,
                        TiffDirectories& directories) {
  constexpr uint64_t kMostEntries = 1024;
  constexpr uint64_t kSharedBytes = 1 << 16;  // of values that lie where others do
  directories = ReadTiffDirectories(bytes);
  const auto damaged = [&name](const char* what) {
    return Status(StatusCode::kCorrupt, name + " is a damaged TIFF file: " + what);
  };
  const int images = directories.pages + directories.others;
  if (images == 0) return damaged("it ends before its directory");
  if (directories.entries > kMostEntries) return damaged("its directory has too many entries");
  if (directories.value_bytes > bytes.size() + kSharedBytes)
    return damaged("its directory is of a longer file");
  if (directories.first_is_other) {
    return {StatusCode::kUnsupported,
            name +
                " is a TIFF file that begins with a reduced image, as raw photos do; convert it "
                "to PNG with a program that knows its kind"};
  }
  if (directories.pages == 1) return {};
  const std::string pages = images == TiffDirectories::kMostCounted
                                ? std::to_string(images) + " pages or more"
                                : std::to_string(directories.pages) + " pages";
  return {StatusCode::kUnsupported, name + " has " + pages +
                                        "; only TIFF files of one page are read: split it, for "
                                        "example with tiffsplit"};
}

// samples[i] = sample i of a row that packs them, the first at the highest bits of the first byte;
// of 16 bits in the order of the machine, as libtiff gives them.
void Unpack(const uint8_t* packed, int bits, std::span<uint16_t> samples) {
  if (bits == 8) {
    std::copy_n(packed, samples.size(), samples.begin());
  } else if (bits == 16) {
    std::memcpy(samples.data(), packed, samples.size_bytes());
  } else {
    uint32_t held = 0;
    int bits_held = 0;
    for (uint16_t& sample : samples) {
      for (; bits_held < bits; bits_held += 8) held = held << 8 | *packed++;
      bits_held -= bits;
      sample = static_cast<uint16_t>(held >> bits_held & LargestSample(bits));
    }
  }
}

// What the samples of a file become: a channel of GrayConverter each.
class TiffChannels {
 public:
  TiffChannels(const TiffFile& file, const TiffLayout& layout)
      : scaled_(ScaleTable(LargestSample(layout.bits), LargestSample(layout.depth))) {
    // Of numbers in two's complement, the highest bit is the sign.
    const size_t sign = layout.is_signed ? scaled_.size() / 2 : 0;
    std::rotate(scaled_.begin(), scaled_.begin() + static_cast<ptrdiff_t>(sign), scaled_.end());
    if (layout.has_palette) {
      AddPalette(file, layout.bits);
    } else {
      inverted_.assign(scaled_.rbegin(), scaled_.rend());
      for (int i = 0; i < layout.colors; ++i)
        channels_.push_back({i, layout.white_is_zero ? &inverted_ : &scaled_});
    }
    if (layout.alpha > 0) channels_.push_back({layout.alpha, &scaled_});
  }
  TiffChannels(const TiffChannels&) = delete;  // points into itself
  TiffChannels& operator=(const TiffChannels&) = delete;

  int count() const { return static_cast<int>(channels_.size()); }
  // pixels[x * count() + i] = channel i of pixel x, for the first `width`, whose sample s is
  // samples[x * pixel_step + s * sample_step].
  template <typename Sample>
  void Put(const uint16_t* samples, size_t pixel_step, size_t sample_step, size_t width,
           Sample* pixels) const {
    for (size_t x = 0; x < width; ++x, samples += pixel_step) {
      for (const Channel& channel : channels_) {
        const uint16_t sample = samples[static_cast<size_t>(channel.sample) * sample_step];
        *pixels++ = static_cast<Sample>((*channel.table)[sample]);
      }
    }
  }

 private:
  struct Channel {
    int sample;
    const std::vector<uint16_t>* table;
  };

  // Its colors have 16 bits, of which old writers fill only the lower 8.
  void AddPalette(const TiffFile& file, int bits) {
    const uint16_t* colors[3] = {};
    TIFFGetFieldDefaulted(file.get(), TIFFTAG_COLORMAP, &colors[0], &colors[1], &colors[2]);
    const size_t count = size_t{1} << bits;
    bool has_16_bits = false;
    for (const uint16_t* color : colors) {
      if (color == nullptr) continue;
      has_16_bits |= std::any_of(color, color + count, [](uint16_t v) { return v > 255; });
    }
    for (int i = 0; i < 3; ++i) {
      palette_[i].resize(count);
      for (size_t k = 0; k < count && colors[i] != nullptr; ++k)
        palette_[i][k] = static_cast<uint16_t>(has_16_bits ? colors[i][k] >> 8 : colors[i][k]);
      channels_.push_back({0, &palette_[i]});
    }
  }

  std::vector<uint16_t> scaled_, inverted_, palette_[3];
  std::vector<Channel> channels_;
};

// Reads the samples into an image.
class TiffReader {
 public:
  TiffReader(TiffFile& file, const TiffLayout& layout, const std::string& name)
      : file_(file),
        layout_(layout),
        name_(name),
        channels_(file, layout),
        converter_(channels_.count(), layout.depth, layout.alpha_kind) {}

  // `image` has the layout's size and depth.
  template <typename Sample>
  Status Read(Image& image);

  const GrayConverter& converter() const { return converter_; }

 private:
  // Decodes the chunk whose top left pixel is (x, y): all its planes, `rows` rows of each.
  Status ReadChunk(uint32_t x, uint32_t y, uint32_t rows);
  // Puts it into the image.
  template <typename Sample>
  void PutChunk(uint32_t x, uint32_t y, uint32_t rows, Image& image);

  TiffFile& file_;
  const TiffLayout& layout_;
  const std::string& name_;
  TiffChannels channels_;
  GrayConverter converter_;
  std::vector<uint8_t> coded_;     // planes, chunk_bytes() each
  std::vector<uint16_t> samples_;  // of a row of a chunk, plane by plane
};

Status TiffReader::ReadChunk(uint32_t x, uint32_t y, uint32_t rows) {
  TIFF* const tiff = file_.get();
  const auto bytes =
      static_cast<tmsize_t>(layout_.row_bytes() * (layout_.tiled ? layout_.chunk_height : rows));
  for (int plane = 0; plane < layout_.planes(); ++plane) {
    uint8_t* const to = coded_.data() + static_cast<size_t>(plane) * layout_.chunk_bytes();
    const auto sample = static_cast<uint16_t>(plane);
    const tmsize_t read =
        layout_.tiled ? TIFFReadEncodedTile(tiff, TIFFComputeTile(tiff, x, y, 0, sample), to, bytes)
                      : TIFFReadEncodedStrip(tiff, TIFFComputeStrip(tiff, y, sample), to, bytes);
    // Some decoders go on behind what they say is wrong.
    if (read != bytes || file_.error()[0] != '\0')
      return file_.Error(name_, "a strip or tile ends too early");
  }
  return {};
}

template <typename Sample>
void TiffReader::PutChunk(uint32_t x, uint32_t y, uint32_t rows, Image& image) {
  const auto samples = static_cast<size_t>(layout_.samples);
  const uint32_t width = std::min(layout_.chunk_width, layout_.width - x);
  const size_t pixel_step = layout_.planar ? 1 : samples;
  const size_t sample_step = layout_.planar ? width : 1;
  const size_t plane_samples = width * pixel_step;
  std::vector<Sample> pixels(size_t{width} * static_cast<size_t>(channels_.count()));
  samples_.resize(width * samples);
  for (uint32_t row = 0; row < rows; ++row) {
    for (int plane = 0; plane < layout_.planes(); ++plane) {
      const size_t at = static_cast<size_t>(plane) * layout_.chunk_bytes();
      Unpack(
          coded_.data() + at + row * layout_.row_bytes(), layout_.bits,
          std::span(samples_).subspan(static_cast<size_t>(plane) * plane_samples, plane_samples));
    }
    channels_.Put(samples_.data(), pixel_step, sample_step, width, pixels.data());
    converter_.Convert(pixels.data(), static_cast<int>(width),
                       RowOf<Sample>(image, static_cast<int>(y + row)) + x);
  }
}

template <typename Sample>
Status TiffReader::Read(Image& image) {
  const uint64_t bytes = layout_.chunk_bytes() * static_cast<uint64_t>(layout_.planes());
  if (bytes > uint64_t{std::numeric_limits<ptrdiff_t>::max()}) throw std::bad_alloc();
  coded_.resize(static_cast<size_t>(bytes));
  for (uint32_t y = 0; y < layout_.height; y += layout_.chunk_height) {
    const uint32_t rows = std::min(layout_.chunk_height, layout_.height - y);
    for (uint32_t x = 0; x < layout_.width; x += layout_.chunk_width) {
      MMP_RETURN_IF_ERROR(ReadChunk(x, y, rows));
      PutChunk<Sample>(x, y, rows, image);
    }
  }
  return {};
}

// Adds what is said of the samples, but not followed.
void AddNotices(const TiffFile& file, const TiffDirectories& directories, const TiffLayout& layout,
                std::string& notice) {
  const int ignored = layout.samples - layout.colors - (layout.alpha > 0 ? 1 : 0);
  if (ignored > 0) {
    AddNotice(notice, "left out " + std::to_string(ignored) + " further " +
                          (ignored == 1 ? "sample" : "samples") + " of every pixel");
  }
  if (directories.others > 0) {
    AddNotice(notice, "left out " + std::to_string(directories.others) + " reduced " +
                          (directories.others == 1 ? "image or mask" : "images or masks"));
  }
  if (file.warning()[0] != '\0') AddNotice(notice, std::string("libtiff says: ") + file.warning());
}

}  // namespace

Result<LoadedImage> ParseTiff(std::span<const uint8_t> bytes, const std::string& name,
                              const ReadImageOptions& options) {
  TiffDirectories directories;
  MMP_RETURN_IF_ERROR(CheckDirectories(bytes, name, directories));
  MMP_RETURN_IF_ERROR(CheckImageSize(directories.width, directories.height, name, options));
  // Opened once more when it is known how much memory samples may take.
  const uint64_t directory_bytes = (uint64_t{1} << 24) + 8 * uint64_t{bytes.size()};
  uint64_t raw_bytes = 0;
  {
    const TiffFile file(bytes, directory_bytes);
    if (!file.is_open()) return file.Error(name, "its directory makes no sense");
    const Result<TiffLayout> layout = ReadTiffLayout(file, bytes.size(), name, options);
    if (!layout.ok()) return layout.status();
    raw_bytes = std::max(layout->raw_bytes(), layout->chunk_bytes());
  }
  TiffFile file(bytes, directory_bytes + 2 * raw_bytes);
  if (!file.is_open()) return file.Error(name, "its directory makes no sense");
  const Result<TiffLayout> layout = ReadTiffLayout(file, bytes.size(), name, options);
  if (!layout.ok()) return layout.status();
  file.ForgetMessages();

  LoadedImage loaded;
  loaded.image = Image::OfDepth(layout->depth, static_cast<int>(layout->width),
                                static_cast<int>(layout->height));
  TiffReader reader(file, *layout, name);
  MMP_RETURN_IF_ERROR(layout->depth <= 8 ? reader.Read<uint8_t>(loaded.image)
                                         : reader.Read<uint16_t>(loaded.image));
  const bool scaled = layout->bits != layout->depth && !layout->has_palette;
  loaded.notice = reader.converter().Notice(scaled ? DepthNotice(layout->bits, layout->depth) : "");
  AddNotices(file, directories, *layout, loaded.notice);
  MetadataCollector metadata;
  metadata.AddTiffFields(bytes);
  loaded.metadata = metadata.Take(loaded.notice);
  loaded.is_signed = layout->is_signed && !scaled;
  const auto orientation = file.Field<uint16_t>(TIFFTAG_ORIENTATION);
  if (orientation >= 1 && orientation <= 8)
    ApplyOrientation(loaded, static_cast<Orientation>(orientation));
  return loaded;
}

}  // namespace mmp
