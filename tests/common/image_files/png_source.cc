#include "tests/common/image_files/png_source.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace mmp {
namespace {

// Samples of 16 bits are two bytes; those of less than 8 bits are packed by libpng.
Bytes RowBytes(const PngSource& source) {
  Bytes bytes;
  for (const uint16_t sample : source.samples) {
    if (source.bits == 16) bytes.push_back(static_cast<uint8_t>(sample >> 8));
    bytes.push_back(static_cast<uint8_t>(sample));
  }
  return bytes;
}

}  // namespace

int Channels(int color_type) {
  switch (color_type) {
    case PNG_COLOR_TYPE_GRAY_ALPHA:
      return 2;
    case PNG_COLOR_TYPE_RGB:
      return 3;
    case PNG_COLOR_TYPE_RGB_ALPHA:
      return 4;
    default:
      return 1;
  }
}

Bytes MakePng(const PngSource& source, bool header_only) {
  Bytes file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_write_fn(
      png, &file,
      [](png_structp p, png_bytep data, size_t size) {
        auto* bytes = static_cast<Bytes*>(png_get_io_ptr(p));
        bytes->insert(bytes->end(), data, data + size);
      },
      [](png_structp) {});
  png_set_IHDR(png, info, source.width, source.height, source.bits, source.color_type,
               source.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (!source.palette.empty()) {
    png_set_PLTE(png, info, source.palette.data(), static_cast<int>(source.palette.size()));
  }
  if (!source.palette_alpha.empty() || source.transparent != nullptr) {
    png_set_tRNS(png, info, source.palette_alpha.data(),
                 static_cast<int>(source.palette_alpha.size()), source.transparent);
  }
  png_write_info(png, info);
  if (header_only) {
    Append(file, {0, 0, 0, 0, 'I', 'D', 'A', 'T'});
  } else {
    png_set_packing(png);
    Bytes rows = RowBytes(source);
    std::vector<png_bytep> row_pointers;
    for (int y = 0; y < source.height; ++y) {
      row_pointers.push_back(rows.data() + y * rows.size() / source.height);
    }
    png_write_image(png, row_pointers.data());
    png_write_end(png, info);
  }
  png_destroy_write_struct(&png, &info);
  return file;
}

PngSource RandomPng(int width, int height, int color_type, int bits, bool interlaced) {
  std::mt19937 random(width * 1000 + color_type * 100 + bits);
  PngSource source{.width = width,
                   .height = height,
                   .color_type = color_type,
                   .bits = bits,
                   .interlaced = interlaced};
  source.samples.resize(size_t{1} * width * height * Channels(color_type));
  for (uint16_t& sample : source.samples) sample = random() % (1 << bits);
  if (color_type == PNG_COLOR_TYPE_PALETTE) {
    for (int i = 0; i < 1 << bits; ++i) {
      source.palette.push_back({static_cast<png_byte>(random()), static_cast<png_byte>(random()),
                                static_cast<png_byte>(random())});
    }
  }
  return source;
}

Bytes WithChunk(const Bytes& file, const std::string& type, const Bytes& data,
                const std::string& before) {
  const Bytes next = ToBytes(before);
  const auto at = std::search(file.begin(), file.end(), next.begin(), next.end()) - 4;
  Bytes checked = ToBytes(type);
  Append(checked, data);
  uint32_t crc = ~uint32_t{0};
  for (const uint8_t byte : checked) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1) * 0xEDB88320;
  }
  Bytes bytes(file.begin(), at);
  Append(bytes, BigEndian(static_cast<uint32_t>(data.size())));
  Append(bytes, checked);
  Append(bytes, BigEndian(~crc));
  Append(bytes, Bytes(at, file.end()));
  return bytes;
}

}  // namespace mmp
