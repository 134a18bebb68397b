#include "tests/common/image_files/image_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>

namespace mmp {

Bytes ToBytes(std::string_view text) { return Bytes(text.begin(), text.end()); }

void Append(Bytes& bytes, const Bytes& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

Image RandomImage(int width, int height, uint32_t seed) {
  std::mt19937 random(seed);
  Image image(width, height);
  for (uint8_t& sample : image.pixels()) sample = static_cast<uint8_t>(random());
  return image;
}

Image RandomDeepImage(int depth, int width, int height) {
  std::mt19937 random(static_cast<uint32_t>(depth));
  Image image = Image::OfDepth(depth, width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const uint32_t largest = (1u << depth) - 1;
      const uint32_t sample = x + y == 0 ? largest : random() & largest;
      if (depth > 8) {
        image.Row16(y)[x] = static_cast<uint16_t>(sample);
      } else {
        image.Row(y)[x] = static_cast<uint8_t>(sample);
      }
    }
  }
  return image;
}

LoadedImage Parse(const Bytes& bytes, const ReadImageOptions& options) {
  Result<LoadedImage> loaded = ParseImage(bytes, "test", options);
  EXPECT_TRUE(loaded.ok()) << loaded.status().message();
  return loaded.ok() ? *std::move(loaded) : LoadedImage();
}

void ExpectError(const Bytes& bytes, StatusCode code, std::string_view message,
                 const ReadImageOptions& options) {
  const Result<LoadedImage> loaded = ParseImage(bytes, "test", options);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.status().code(), code) << loaded.status().message();
  EXPECT_NE(loaded.status().message().find(message), std::string::npos)
      << loaded.status().message();
  EXPECT_EQ(loaded.status().message().find("test "), 0u) << loaded.status().message();
}

int ScaledTo8(int v, int bits) {
  const int max = (1 << bits) - 1;
  return static_cast<int>(std::floor(255.0 * v / max + 0.5));
}

int ExpectedLuma(int r, int g, int b) { return (2 * (299 * r + 587 * g + 114 * b) + 1000) / 2000; }

int ExpectedOverWhite(int gray, int alpha) {
  return static_cast<int>(std::floor(255 + (gray - 255) * (alpha / 255.0) + 0.5));
}

Bytes BigEndian(uint32_t number) {
  return {static_cast<uint8_t>(number >> 24), static_cast<uint8_t>(number >> 16),
          static_cast<uint8_t>(number >> 8), static_cast<uint8_t>(number)};
}

Bytes Exif(uint16_t orientation, bool little_endian) {
  Bytes bytes = ToBytes(little_endian ? "II" : "MM");
  const auto put = [&](uint32_t number, int size) {
    for (int i = 0; i < size; ++i)
      bytes.push_back(static_cast<uint8_t>(number >> 8 * (little_endian ? i : size - 1 - i)));
  };
  put(42, 2);
  put(8, 4);       // where the directory is
  put(2, 2);       // entries
  put(0x0100, 2);  // width
  put(4, 2), put(1, 4), put(6, 4);
  put(0x0112, 2);  // orientation: one 16-bit number
  put(3, 2), put(1, 4), put(orientation, 2), put(0, 2);
  put(0, 4);  // no more directories
  return bytes;
}

Image ExpectedTurn(const Image& image, int orientation) {
  const int w = image.width(), h = image.height();
  Image shown = Image::OfDepth(image.depth(), orientation < 5 ? w : h, orientation < 5 ? h : w);
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      const struct {
        int x, y;
      } kPlaces[] = {{x, y},  // 1: row at the top, column at the left
                     {w - 1 - x, y}, {w - 1 - x, h - 1 - y}, {x, h - 1 - y},
                     {y, x},  // 5: row at the left, column at the top
                     {h - 1 - y, x}, {h - 1 - y, w - 1 - x}, {y, w - 1 - x}};
      const auto& place = kPlaces[orientation - 1];
      const int bytes = SampleBytes(image.depth());
      std::copy_n(image.Row(y) + x * bytes, bytes, shown.Row(place.y) + place.x * bytes);
    }
  }
  return shown;
}

}  // namespace mmp
