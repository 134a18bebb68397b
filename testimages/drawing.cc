#include "testimages/drawing.h"

#include <algorithm>
#include <cassert>

namespace mmp::testimages {
namespace {

int64_t Square(int64_t value) { return value * value; }

// 3 t^2 - 2 t^3 for t in [0, kOne].
int Smooth(int64_t t) { return static_cast<int>(t * t * (3 * kOne - 2 * t) / kOne / kOne); }

}  // namespace

uint32_t Hash(uint32_t seed, int a, int b) {
  uint64_t h = seed * uint64_t{0x9e3779b97f4a7c15} + static_cast<uint32_t>(a);
  h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93;
  h += static_cast<uint32_t>(b);
  h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93;
  h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93;
  return static_cast<uint32_t>(h >> 32);
}

int HashValue(uint32_t seed, int a, int b) { return static_cast<int>(Hash(seed, a, b) % kOne); }

int FloorDivide(int value, int divisor) {
  assert(divisor > 0);
  return value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor);
}

int FloorRemainder(int value, int divisor) { return value - FloorDivide(value, divisor) * divisor; }

int SquareRoot(int64_t value) {
  assert(value >= 0);
  int64_t root = 0;
  for (int64_t bit = int64_t{1} << 30; bit > 0; bit >>= 1) {
    if (Square(root + bit) <= value) root += bit;
  }
  return static_cast<int>(root);
}

// Bhaskara's approximation.
int Sine(int angle) {
  const int half_turn = 512;
  const int t = FloorRemainder(angle, half_turn);
  const int64_t q = static_cast<int64_t>(t) * (half_turn - t);
  const int sine = static_cast<int>(16 * q * kOne / (5 * half_turn * half_turn - 4 * q));
  return FloorRemainder(angle, 2 * half_turn) < half_turn ? sine : -sine;
}

int Mix(int a, int b, int weight) {
  return a + static_cast<int>(static_cast<int64_t>(b - a) * weight / kOne);
}

int Ramp(int low, int high, int value) {
  return static_cast<int>(std::clamp<int64_t>(
      (static_cast<int64_t>(value) - low) * kOne / (static_cast<int64_t>(high) - low), 0, kOne));
}

int SmoothStep(int low, int high, int value) { return Smooth(Ramp(low, high, value)); }

int Noise(uint32_t seed, Point p, int cell) {
  const int column = FloorDivide(p.x, cell);
  const int row = FloorDivide(p.y, cell);
  const int u = Smooth(static_cast<int64_t>(p.x - column * cell) * kOne / cell);
  const int v = Smooth(static_cast<int64_t>(p.y - row * cell) * kOne / cell);
  const int top = Mix(HashValue(seed, column, row), HashValue(seed, column + 1, row), u);
  const int bottom = Mix(HashValue(seed, column, row + 1), HashValue(seed, column + 1, row + 1), u);
  return Mix(top, bottom, v);
}

int FractalNoise(uint32_t seed, Point p, int cell, int octaves) {
  int sum = 0;
  int total = 0;
  int strength = kOne;
  for (int octave = 0; octave < octaves; ++octave) {
    sum += Mix(0, strength, Noise(seed + static_cast<uint32_t>(octave), p, std::max(cell, 1)));
    total += strength;
    strength /= 2;
    // A turn and a shift, so that the lattices of the octaves do not line up.
    p = {(4 * p.x - 3 * p.y) / 5 + 1000, (3 * p.x + 4 * p.y) / 5 + 2000};
    cell /= 2;
  }
  return static_cast<int>(static_cast<int64_t>(sum) * kOne / total);
}

int Relief(uint32_t seed, Point p, int cell, int octaves, int strength) {
  const Point lit = {p.x - kPixel, p.y - kPixel};
  const int slope = FractalNoise(seed, p, cell, octaves) - FractalNoise(seed, lit, cell, octaves);
  return std::clamp(kOne / 2 + slope * strength, 0, kOne);
}

int SegmentDistance(Point p, Point a, Point b) {
  const int64_t dx = b.x - a.x;
  const int64_t dy = b.y - a.y;
  const int64_t along = (p.x - a.x) * dx + (p.y - a.y) * dy;
  const int64_t length2 = std::max<int64_t>(dx * dx + dy * dy, 1);
  const int64_t t = std::clamp<int64_t>(along * kOne / length2, 0, kOne);
  return SquareRoot(Square(p.x - a.x - dx * t / kOne) + Square(p.y - a.y - dy * t / kOne));
}

int EllipseDistance(Point p, Point middle, Point radii) {
  const int64_t dx = static_cast<int64_t>(p.x - middle.x) * kOne / radii.x;
  const int64_t dy = static_cast<int64_t>(p.y - middle.y) * kOne / radii.y;
  return static_cast<int>(std::min<int64_t>((dx * dx + dy * dy) / kOne, 1 << 30));
}

Image Render(int width, int height, const Shader& shader) {
  constexpr int kSamples = 4;  // a side
  constexpr int kStep = kPixel / kSamples;
  constexpr int64_t kTotal = kSamples * kSamples * kOne;
  Image image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      int64_t sum = 0;
      for (int i = 0; i < kSamples * kSamples; ++i) {
        const Point p = {x * kPixel + i % kSamples * kStep + kStep / 2,
                         y * kPixel + i / kSamples * kStep + kStep / 2};
        sum += std::clamp(shader(p), 0, kOne);
      }
      image.Row(y)[x] = static_cast<uint8_t>((sum * 255 + kTotal / 2) / kTotal);
    }
  }
  return image;
}

void AddGrain(uint32_t seed, int amplitude, Image* image) {
  for (int y = 0; y < image->height(); ++y) {
    for (int x = 0; x < image->width(); ++x) {
      const uint32_t h = Hash(seed, x, y);
      const int range = amplitude + 1;
      const int grain = static_cast<int>(h % range) - static_cast<int>((h >> 16) % range);
      image->Row(y)[x] = static_cast<uint8_t>(std::clamp(image->Row(y)[x] + grain, 0, 255));
    }
  }
}

void Paste(const Image& source, int x, int y, Image* image) {
  assert(x >= 0 && y >= 0);
  assert(x + source.width() <= image->width() && y + source.height() <= image->height());
  for (int row = 0; row < source.height(); ++row) {
    std::copy_n(source.Row(row), source.width(), image->Row(y + row) + x);
  }
}

void FillRectangle(int x, int y, int width, int height, uint8_t gray, Image* image) {
  Paste(Image(width, height, gray), x, y, image);
}

Image Crop(const Image& image, int x, int y, int width, int height) {
  const ImageView view = image.View().Crop(x, y, width, height);
  Image result(width, height);
  for (int row = 0; row < height; ++row) std::copy_n(view.Row(row), width, result.Row(row));
  return result;
}

}  // namespace mmp::testimages
