#include "common/image_files/image_metadata.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string_view>
#include <vector>

#include "common/image_files/image_parsers.h"

namespace mmp {
namespace {

using namespace std::string_view_literals;  // with the zeros in them

// The first four bytes, big-endian; 0 if there are fewer.
uint32_t FirstNumber(std::span<const uint8_t> bytes) {
  if (bytes.size() < 4) return 0;
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

bool IsUsualGamma(double gamma) {
  constexpr double kUsual = 1 / 2.2;
  return std::abs(gamma - kUsual) <= 0.05 * kUsual;
}

// A color profile that is spread over segments, each with its number and that of all.
class ProfileParts {
 public:
  void Add(std::span<const uint8_t> segment) {
    if (segment.size() >= 2) parts_[segment[0]] = segment.subspan(2);
  }
  bool empty() const { return parts_.empty(); }
  std::vector<uint8_t> Joined() const {
    std::vector<uint8_t> profile;
    for (const auto& [number, part] : parts_)
      profile.insert(profile.end(), part.begin(), part.end());
    return profile;
  }

 private:
  std::map<uint8_t, std::span<const uint8_t>> parts_;
};

// The density of a JFIF segment, behind its name.
void AddDensity(std::span<const uint8_t> jfif, MetadataCollector& metadata) {
  constexpr size_t kUnit = 2, kX = 3, kY = 5, kEnd = 7;
  if (jfif.size() < kEnd || jfif[kUnit] > 2) return;
  const auto number = [&jfif](size_t at) -> uint32_t { return jfif[at] << 8 | jfif[at + 1]; };
  // A ratio of one says nothing.
  if (jfif[kUnit] == 0 && number(kX) == number(kY)) return;
  metadata.AddResolution(
      {static_cast<Resolution::Unit>(jfif[kUnit]), number(kX), 1, number(kY), 1});
}

}  // namespace

Orientation ReadJpegMetadata(std::span<const uint8_t> bytes, MetadataCollector& metadata) {
  constexpr uint8_t kStartOfScan = 0xDA;
  constexpr uint8_t kApp0 = 0xE0, kApp1 = 0xE1, kApp2 = 0xE2, kComment = 0xFE;
  constexpr std::string_view kJfif = "JFIF\0"sv;
  constexpr std::string_view kExif = "Exif\0\0"sv;
  constexpr std::string_view kXmp = "http://ns.adobe.com/xap/1.0/\0"sv;
  constexpr std::string_view kProfile = "ICC_PROFILE\0"sv;
  Orientation orientation = Orientation::kAsStored;
  bool has_exif = false;
  ProfileParts profile;
  for (size_t at = 2; at + 4 <= bytes.size() && bytes[at] == 0xFF;) {
    const uint8_t marker = bytes[at + 1];
    if (marker == 0xFF) {  // filling
      ++at;
      continue;
    }
    const size_t length = bytes[at + 2] << 8 | bytes[at + 3];
    if (marker == kStartOfScan || length < 2 || length > bytes.size() - at - 2) break;
    const std::span<const uint8_t> segment = bytes.subspan(at + 4, length - 2);
    const auto is = [&](uint8_t kind, std::string_view name) {
      return marker == kind && StartsWith(segment, name);
    };
    if (is(kApp0, kJfif)) AddDensity(segment.subspan(kJfif.size()), metadata);
    if (is(kApp1, kExif) && !has_exif) {
      has_exif = true;
      orientation = ExifOrientation(segment.subspan(kExif.size()));
      metadata.AddExif(segment.subspan(kExif.size()));
    }
    if (is(kApp1, kXmp)) metadata.AddXmp(segment.subspan(kXmp.size()));
    if (is(kApp2, kProfile)) profile.Add(segment.subspan(kProfile.size()));
    if (marker == kComment)
      metadata.AddText("Comment", {reinterpret_cast<const char*>(segment.data()), segment.size()});
    at += 2 + length;
  }
  if (!profile.empty()) metadata.AddColorProfile(profile.Joined());
  return orientation;
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
