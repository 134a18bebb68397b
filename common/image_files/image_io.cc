#include "common/image_files/image_io.h"

#include <algorithm>
#include <cassert>
#include <filesystem>
#include <string_view>

#include "common/file_io.h"
#include "common/image_files/foreign_formats.h"
#include "common/image_files/image_parsers.h"
#include "common/out_of_memory.h"

namespace mmp {
namespace {

// A limit on files that leaves room for the largest form of an image (plain PPM with maxval 65535:
// three samples of five digits and a space a pixel) and for metadata.
uint64_t MaxFileBytes(const ReadImageOptions& options) {
  constexpr uint64_t kMaxBytesAPixel = 18;
  constexpr uint64_t kMetadataBytes = uint64_t{1} << 26;
  constexpr uint64_t kMaxPixels = uint64_t{65535} * 65535;
  return std::min(options.max_pixels, kMaxPixels) * kMaxBytesAPixel + kMetadataBytes;
}

// "P1" to "P6" and what may follow.
bool IsPnm(std::span<const uint8_t> bytes) {
  constexpr std::string_view kSeparators = " \t\n\v\f\r#";
  return bytes.size() >= 3 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' &&
         kSeparators.find(static_cast<char>(bytes[2])) != std::string_view::npos;
}

// Classic or BigTIFF, in either byte order.
bool IsTiff(std::span<const uint8_t> bytes) {
  using namespace std::string_view_literals;  // with the zeros in them
  return StartsWith(bytes, "II*\0"sv) || StartsWith(bytes, "MM\0*"sv) ||
         StartsWith(bytes, "II+\0"sv) || StartsWith(bytes, "MM\0+"sv);
}

Result<LoadedImage> Parse(std::span<const uint8_t> bytes, const std::string& name,
                          const ReadImageOptions& options) {
  if (bytes.empty()) return Status(StatusCode::kCorrupt, name + " is empty");
  const std::string_view known = ImageFormatName(bytes);
  if (known == "PNG") return ParsePng(bytes, name, options);
  if (known == "PNM") return ParsePnm(bytes, name, options);
  if (known == "JPEG" || known == "BMP") return ParseJpegOrBmp(bytes, name, options);
  if (known == "TIFF") return ParseTiff(bytes, name, options);
  if (StartsWith(bytes, "MMP")) {
    return Status(StatusCode::kUnsupported,
                  name + " is an .mmp file, not an image; mmp decode makes one of it");
  }
  if (const std::string_view format = ForeignFormat(bytes); !format.empty()) {
    return Status(StatusCode::kUnsupported,
                  name + (format == "AVIF" ? " is an " : " is a ") + std::string(format) +
                      " file, which is not read; convert it, for example with ImageMagick: " +
                      kConvertCommand);
  }
  return Status(StatusCode::kUnsupported,
                name + " is not an image in a known format (PNG, PBM, PGM, PPM, TIFF, JPEG, BMP)");
}

Result<LoadedImage> Read(const std::string& path, const ReadImageOptions& options) {
  Result<std::vector<uint8_t>> bytes = ReadFile(path, MaxFileBytes(options));
  if (bytes.status().code() == StatusCode::kLimitExceeded) {
    return Status(StatusCode::kLimitExceeded,
                  bytes.status().message() + " for such images; --max-pixels allows more");
  }
  if (!bytes.ok()) return bytes.status();
  return Parse(*bytes, path == "-" ? "standard input" : "'" + path + "'", options);
}

}  // namespace

Result<LoadedImage> ReadImage(const std::string& path, const ReadImageOptions& options) {
  return OrOutOfMemory([&] { return Read(path, options); });
}

Result<LoadedImage> ParseImage(std::span<const uint8_t> bytes, const std::string& name,
                               const ReadImageOptions& options) {
  return OrOutOfMemory([&] { return Parse(bytes, name, options); });
}

std::string_view ImageFormatName(std::span<const uint8_t> bytes) {
  if (StartsWith(bytes, "\x89PNG")) return "PNG";
  if (IsPnm(bytes)) return "PNM";
  if (StartsWith(bytes, "\xFF\xD8\xFF")) return "JPEG";
  if (StartsWith(bytes, "BM")) return "BMP";
  return IsTiff(bytes) ? "TIFF" : "";
}

Result<ImageFormat> ImageFormatOfPath(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (extension == ".png") return ImageFormat::kPng;
  if (extension == ".pgm") return ImageFormat::kPgm;
  if (extension == ".tif" || extension == ".tiff") return ImageFormat::kTiff;
  return Status(StatusCode::kInvalidArgument,
                "no image format known for the name '" + path + "': use .png, .pgm or .tif");
}

bool HasPlaceFor(ImageFormat format, uint8_t metadata_kind) {
  if (format == ImageFormat::kPgm || metadata_kind > static_cast<uint8_t>(MetadataKind::kOmeXml))
    return false;
  return format == ImageFormat::kTiff ||
         metadata_kind != static_cast<uint8_t>(MetadataKind::kGeoTiff);
}

namespace {

Result<std::vector<uint8_t>> Encoded(const ImageView& image, ImageFormat format,
                                     const ImageExtras& extras) {
  if (format == ImageFormat::kTiff) {
    constexpr uint64_t kRoomBeside = uint64_t{1} << 26;  // for the metadata, and what they grow by
    const uint64_t bytes = uint64_t{1} * static_cast<uint32_t>(image.width) *
                           static_cast<uint32_t>(image.height) * SampleBytes(image.depth);
    if (bytes <= (uint64_t{1} << 32) - kRoomBeside) return EncodeTiff(image, extras);
    return Status(StatusCode::kInvalidArgument, "the image is too large for a TIFF file: use .png");
  }
  if (extras.is_signed)
    return Status(StatusCode::kInvalidArgument,
                  "the image has signed samples, which PNG and PGM files do not: use .tif");
  return format == ImageFormat::kPng ? EncodePng(image, extras.metadata) : EncodePgm(image);
}

}  // namespace

Status WriteImage(const std::string& path, const ImageView& image,
                  std::optional<ImageFormat> format, const ImageExtras& extras, OldFile old_file) {
  if (!format) {
    if (path == "-") {
      return {StatusCode::kInvalidArgument,
              "an image on standard output needs a format: png, pgm or tiff"};
    }
    const Result<ImageFormat> known = ImageFormatOfPath(path);
    if (!known.ok()) return known.status();
    format = *known;
  }
  const Result<std::vector<uint8_t>> bytes = Encoded(image, *format, extras);
  return bytes.ok() ? WriteFile(path, *bytes, old_file) : bytes.status();
}

std::vector<uint8_t> EncodePgm(const ImageView& image) {
  assert(image.width > 0 && image.height > 0);
  const std::string header = "P5\n" + std::to_string(image.width) + " " +
                             std::to_string(image.height) + "\n" +
                             std::to_string(LargestSample(image.depth)) + "\n";
  std::vector<uint8_t> bytes(header.begin(), header.end());
  bytes.reserve(bytes.size() +
                static_cast<size_t>(image.width) * image.height * SampleBytes(image.depth));
  for (int y = 0; y < image.height; ++y) {
    if (image.depth <= 8) {
      bytes.insert(bytes.end(), image.Row(y), image.Row(y) + image.width);
      continue;
    }
    for (int x = 0; x < image.width; ++x) {
      const uint16_t sample = image.Row16(y)[x];
      bytes.push_back(static_cast<uint8_t>(sample >> 8));
      bytes.push_back(static_cast<uint8_t>(sample));
    }
  }
  return bytes;
}

}  // namespace mmp
