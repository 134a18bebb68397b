#include "common/image_files/foreign_formats.h"

#include <algorithm>
#include <cstddef>

namespace mmp {
namespace {

using namespace std::string_view_literals;  // with the zeros in them

struct Format {
  std::string_view name;
  std::string_view text;        // that its files have
  size_t at = 0;                // there
  std::string_view begin = {};  // and this at their beginning
};

constexpr Format kFormats[] = {
    {"WebP", "WEBP", 8, "RIFF"},
    {"GIF", "GIF8"},
    {"PAM", "P7\n"},
    {"PFM", "Pf\n"},
    {"PFM", "PF\n"},
    {"JPEG 2000", "\0\0\0\x0CjP  "sv},
    {"JPEG 2000", "\xFF\x4F\xFF\x51"},
    {"JPEG XL", "\0\0\0\x0CJXL "sv},
    {"JPEG XL", "\xFF\x0A"},
    {"AVIF", "ftypavi", 4},
    {"HEIF", "ftyphei", 4},
    {"HEIF", "ftypmif1", 4},
    {"Photoshop", "8BPS"},
    {"DICOM", "DICM", 128},
    {"PDF", "%PDF-"},
};

bool Has(std::span<const uint8_t> bytes, size_t at, std::string_view text) {
  return bytes.size() >= at + text.size() &&
         std::equal(text.begin(), text.end(), bytes.begin() + static_cast<ptrdiff_t>(at),
                    [](char c, uint8_t byte) { return static_cast<uint8_t>(c) == byte; });
}

}  // namespace

std::string_view ForeignFormat(std::span<const uint8_t> bytes) {
  for (const Format& format : kFormats)
    if (Has(bytes, 0, format.begin) && Has(bytes, format.at, format.text)) return format.name;
  return {};
}

}  // namespace mmp
