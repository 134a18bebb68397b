#include "common/image_files/image_metadata.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

namespace mmp {
namespace {

using namespace std::string_view_literals;  // with the zeros in them

bool StartsWith(std::span<const uint8_t> bytes, std::string_view text) {
  return bytes.size() >= text.size() &&
         std::equal(text.begin(), text.end(), bytes.begin(),
                    [](char c, uint8_t byte) { return static_cast<uint8_t>(c) == byte; });
}

// The first four bytes, big-endian; 0 if there are fewer.
uint32_t FirstNumber(std::span<const uint8_t> bytes) {
  if (bytes.size() < 4) return 0;
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

bool IsUsualGamma(double gamma) {
  constexpr double kUsual = 1 / 2.2;
  return std::abs(gamma - kUsual) <= 0.05 * kUsual;
}

}  // namespace

JpegMetadata ReadJpegMetadata(std::span<const uint8_t> bytes) {
  constexpr uint8_t kStartOfScan = 0xDA;
  constexpr uint8_t kApp1 = 0xE1;
  constexpr uint8_t kApp2 = 0xE2;
  constexpr std::string_view kExif = "Exif\0\0"sv;
  constexpr std::string_view kProfile = "ICC_PROFILE\0"sv;
  JpegMetadata metadata;
  bool has_exif = false;
  for (size_t at = 2; at + 4 <= bytes.size() && bytes[at] == 0xFF;) {
    const uint8_t marker = bytes[at + 1];
    if (marker == 0xFF) {  // filling
      ++at;
      continue;
    }
    const size_t length = bytes[at + 2] << 8 | bytes[at + 3];
    if (marker == kStartOfScan || length < 2 || length > bytes.size() - at - 2) break;
    const std::span<const uint8_t> segment = bytes.subspan(at + 4, length - 2);
    if (marker == kApp1 && !has_exif && StartsWith(segment, kExif)) {
      has_exif = true;
      metadata.orientation = ExifOrientation(segment.subspan(kExif.size()));
    }
    if (marker == kApp2 && StartsWith(segment, kProfile)) metadata.has_color_profile = true;
    at += 2 + length;
  }
  return metadata;
}

PngMetadata ReadPngMetadata(std::span<const uint8_t> bytes) {
  constexpr size_t kSignatureBytes = 8;
  constexpr size_t kFrameBytes = 12;  // of a chunk, but its data: length, type, checksum
  PngMetadata metadata;
  uint32_t frames = 0;
  bool image_is_a_frame = false;
  bool is_srgb = false;
  for (size_t at = kSignatureBytes; at + kFrameBytes <= bytes.size();) {
    const size_t length = FirstNumber(bytes.subspan(at));
    const std::span<const uint8_t> type = bytes.subspan(at + 4, 4);
    if (StartsWith(type, "IDAT") || length > bytes.size() - at - kFrameBytes) break;
    const std::span<const uint8_t> data = bytes.subspan(at + 8, length);
    if (StartsWith(type, "acTL")) frames = FirstNumber(data);
    if (StartsWith(type, "fcTL")) image_is_a_frame = true;
    if (StartsWith(type, "iCCP")) metadata.has_color_profile = true;
    if (StartsWith(type, "sRGB")) is_srgb = true;
    if (StartsWith(type, "gAMA")) metadata.gamma = FirstNumber(data) / 100000.0;
    at += length + kFrameBytes;
  }
  metadata.further_frames = image_is_a_frame && frames > 0 ? frames - 1 : frames;
  if (metadata.gamma && (is_srgb || metadata.has_color_profile || IsUsualGamma(*metadata.gamma)))
    metadata.gamma.reset();
  return metadata;
}

}  // namespace mmp
