#include "tests/support/pictures.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace mmp {
namespace {

uint8_t ClampToSample(int value) { return static_cast<uint8_t>(std::clamp(value, 0, 255)); }

// A wave of straight lines between 0 and `height`, `period` (even) long.
int TriangleWave(int t, int period, int height) {
  const int phase = ((t % period) + period) % period;
  return std::abs(2 * phase - period) * height / period;
}

void DrawNoise(Random& random, Image& image) {
  for (uint8_t& pixel : image.pixels()) pixel = static_cast<uint8_t>(random.Below(256));
}

void DrawFlat(Random& random, Image& image) {
  std::fill(image.pixels().begin(), image.pixels().end(), static_cast<uint8_t>(random.Below(256)));
}

void DrawGradient(Random& random, Image& image) {
  const int start = random.Below(200) * 16;
  const int dx = random.Between(-40, 60), dy = random.Between(-40, 60);  // per pixel, 1/16
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      image.Row(y)[x] = ClampToSample((start + dx * x + dy * y) / 16);
}

void DrawCheckerboard(Random& random, Image& image) {
  const int cell = random.Between(1, 4);
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      image.Row(y)[x] = (x / cell + y / cell) % 2 == 0 ? 0 : 255;
}

// Lines of characters, black on white, from a small alphabet of random glyphs.
void DrawText(Random& random, Image& image) {
  constexpr int kGlyphs = 6, kWidth = 5, kHeight = 7, kPitch = 6, kLine = 9;
  std::array<std::array<uint32_t, kHeight>, kGlyphs> glyphs;
  for (auto& glyph : glyphs)
    for (uint32_t& row : glyph) row = random.Bits() & random.Bits();
  std::fill(image.pixels().begin(), image.pixels().end(), uint8_t{255});
  for (int top = 1; top < image.height(); top += kLine) {
    for (int left = 1; left < image.width(); left += kPitch) {
      const auto& glyph = glyphs[random.Below(kGlyphs)];
      for (int i = 0; i < kHeight && top + i < image.height(); ++i)
        for (int j = 0; j < kWidth && left + j < image.width(); ++j)
          if ((glyph[i] >> j & 1) != 0) image.Row(top + i)[left + j] = 0;
    }
  }
}

// Crossing waves and a little noise: what least-squares prediction is good at.
void DrawTexture(Random& random, Image& image) {
  const int ax = random.Between(-5, 5), ay = random.Between(1, 5);
  const int bx = random.Between(1, 7), by = random.Between(-7, 7);
  const int period_a = 2 * random.Between(15, 40), period_b = 2 * random.Between(10, 30);
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      image.Row(y)[x] =
          ClampToSample(30 + TriangleWave(ax * x + ay * y, period_a, 130) +
                        TriangleWave(bx * x + by * y, period_b, 60) + random.Between(-3, 3));
}

}  // namespace

std::vector<uint8_t> RandomBytes(Random& random, size_t count) {
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.Bits());
  return bytes;
}

const char* PictureName(Picture picture) {
  switch (picture) {
    case Picture::kNoise:
      return "noise";
    case Picture::kFlat:
      return "flat";
    case Picture::kGradient:
      return "gradient";
    case Picture::kCheckerboard:
      return "checkerboard";
    case Picture::kText:
      return "text";
    case Picture::kTexture:
      return "texture";
  }
  return "?";
}

Image Draw(Picture picture, int width, int height, uint32_t seed) {
  Random random(seed);
  Image image(width, height);
  switch (picture) {
    case Picture::kNoise:
      DrawNoise(random, image);
      break;
    case Picture::kFlat:
      DrawFlat(random, image);
      break;
    case Picture::kGradient:
      DrawGradient(random, image);
      break;
    case Picture::kCheckerboard:
      DrawCheckerboard(random, image);
      break;
    case Picture::kText:
      DrawText(random, image);
      break;
    case Picture::kTexture:
      DrawTexture(random, image);
      break;
  }
  return image;
}

Image DrawTextBeside(Picture picture, int width, int height, int left) {
  Image image = Draw(Picture::kText, width, height, 1);
  const Image beside = Draw(picture, width, height, 2);
  for (int y = 0; y < height; ++y)
    std::copy(beside.Row(y) + left, beside.Row(y) + width, image.Row(y) + left);
  return image;
}

Image DrawJpeg(int width, int height, int left, int top, uint32_t seed) {
  constexpr int kSide = 8, kLowest = 3;
  constexpr int kCosines[kLowest][kSide] = {{64, 64, 64, 64, 64, 64, 64, 64},
                                            {89, 75, 50, 18, -18, -50, -75, -89},
                                            {83, 36, -36, -83, -83, -36, 36, 83}};
  Random random(seed);
  Image image(width, height);
  for (int block_y = top - kSide; block_y < height; block_y += kSide)
    for (int block_x = left - kSide; block_x < width; block_x += kSide) {
      int amplitudes[kLowest][kLowest];
      for (auto& row : amplitudes)
        for (int& amplitude : row) amplitude = kDrawnJpegStep / 2 * random.Between(-5, 5);
      for (int y = std::max(block_y, 0); y < std::min(block_y + kSide, height); ++y)
        for (int x = std::max(block_x, 0); x < std::min(block_x + kSide, width); ++x) {
          int sum = 0;
          for (int v = 0; v < kLowest; ++v)
            for (int u = 0; u < kLowest; ++u)
              sum += amplitudes[v][u] * kCosines[v][y - block_y] * kCosines[u][x - block_x];
          image.Row(y)[x] = ClampToSample((128 * 16384 + sum + 8192) >> 14);
        }
    }
  return image;
}

}  // namespace mmp
