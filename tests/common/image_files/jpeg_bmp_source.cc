#include "tests/common/image_files/jpeg_bmp_source.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace mmp {
namespace {

void AppendLittleEndian(Bytes& bytes, int64_t value, int count) {
  for (int i = 0; i < count; ++i) bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

}  // namespace

Bytes MakeJpeg(const std::vector<uint8_t>& components, int width, int height) {
  const auto count = static_cast<uint8_t>(components.size());
  Bytes file = {0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0};  // SOI, DQT
  file.insert(file.end(), 64, 1);
  Append(file, {0xFF, 0xC0, 0, static_cast<uint8_t>(8 + 3 * count), 8});  // SOF0
  Append(file, {0, static_cast<uint8_t>(height), 0, static_cast<uint8_t>(width), count});
  for (uint8_t c = 1; c <= count; ++c) Append(file, {c, 0x11, 0});
  // DC: the 12 categories have codes of 4 bits. AC: one code of 1 bit, end of block.
  Append(file, {0xFF, 0xC4, 0, 31, 0x00, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  Append(file, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  Append(file, {0xFF, 0xC4, 0, 20, 0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  Append(file, {0xFF, 0xDA, 0, static_cast<uint8_t>(6 + 2 * count), count});  // SOS
  for (uint8_t c = 1; c <= count; ++c) Append(file, {c, 0});
  Append(file, {0, 63, 0});

  std::string bits;
  const auto put = [&bits](int value, int length) {
    for (int i = length - 1; i >= 0; --i) bits += (value >> i & 1) != 0 ? '1' : '0';
  };
  for (const uint8_t value : components) {
    const int dc = 8 * (value - 128);
    int category = 0;
    while (std::abs(dc) >> category != 0) ++category;
    put(category, 4);
    put(dc < 0 ? dc + (1 << category) - 1 : dc, category);
    put(0, 1);
  }
  bits.append((8 - bits.size() % 8) % 8, '1');
  for (size_t i = 0; i < bits.size(); i += 8) {
    file.push_back(static_cast<uint8_t>(std::stoi(bits.substr(i, 8), nullptr, 2)));
    if (file.back() == 0xFF) file.push_back(0);
  }
  Append(file, {0xFF, 0xD9});
  return file;
}

Bytes WithSegment(const Bytes& file, uint8_t marker, const Bytes& data) {
  Bytes bytes(file.begin(), file.begin() + 2);
  const size_t length = data.size() + 2;
  Append(bytes, {0xFF, marker, static_cast<uint8_t>(length >> 8), static_cast<uint8_t>(length)});
  Append(bytes, data);
  Append(bytes, Bytes(file.begin() + 2, file.end()));
  return bytes;
}

Bytes JpegExif(uint16_t orientation) {
  Bytes data = ToBytes("Exif");
  Append(data, {0, 0});
  Append(data, Exif(orientation, false));
  return data;
}

Bytes MakeBmp(int width, int height, int bits, const Bytes& palette, const Bytes& rows) {
  Bytes file = ToBytes("BM");
  const int64_t offset = 54 + static_cast<int64_t>(palette.size());
  AppendLittleEndian(file, offset + static_cast<int64_t>(rows.size()), 4);
  AppendLittleEndian(file, 0, 4);
  AppendLittleEndian(file, offset, 4);
  AppendLittleEndian(file, 40, 4);
  AppendLittleEndian(file, width, 4);
  AppendLittleEndian(file, height, 4);
  AppendLittleEndian(file, 1, 2);
  AppendLittleEndian(file, bits, 2);
  file.insert(file.end(), 24, 0);  // no compression; sizes not given
  Append(file, palette);
  Append(file, rows);
  return file;
}

}  // namespace mmp
