// Building blocks of the test images. All in integers, so that the pictures are the same
// everywhere.
//
// Values (brightness, weights, noise) are fixed point: 0 is none or black, kOne all or white.
// Coordinates and lengths are in 1/kPixel of a pixel. Both may lie outside the picture.
#ifndef MMP_TESTIMAGES_DRAWING_H_
#define MMP_TESTIMAGES_DRAWING_H_

#include <cstdint>
#include <functional>

#include "mmp/image.h"

namespace mmp::testimages {

inline constexpr int kOne = 4096;
inline constexpr int kPixel = 256;

constexpr int Pixels(int count) { return count * kPixel; }
// Thousandths as a value: Milli(500) is half.
constexpr int Milli(int value) { return value * kOne / 1000; }

struct Point {
  int x = 0;
  int y = 0;
};

// A hash of (seed, a, b) whose bits are as good as random.
uint32_t Hash(uint32_t seed, int a, int b = 0);
// The same as a value in [0, kOne).
int HashValue(uint32_t seed, int a, int b = 0);

// Quotient rounded down and the remainder in [0, divisor); divisor > 0.
int FloorDivide(int value, int divisor);
int FloorRemainder(int value, int divisor);
// Square root, rounded down.
int SquareRoot(int64_t value);
// kOne times the sine of an angle in 1/1024 turn, to about 0.002.
int Sine(int angle);

// a where weight is 0, b where it is kOne.
int Mix(int a, int b, int weight);
// 0 up to `low`, kOne from `high` on, a smooth curve between.
int SmoothStep(int low, int high, int value);
// Like SmoothStep, but straight.
int Ramp(int low, int high, int value);

// Smooth noise in [0, kOne) with features of about the size `cell`.
int Noise(uint32_t seed, Point p, int cell);
// The sum of `octaves` such noises, each of half the size and strength of the one before.
int FractalNoise(uint32_t seed, Point p, int cell, int octaves);

// How much light falls on a surface whose heights are FractalNoise(seed, p, cell, octaves), from
// the upper left: kOne / 2 where it is level.
int Relief(uint32_t seed, Point p, int cell, int octaves, int strength);

// Distance of p from the line segment from a to b.
int SegmentDistance(Point p, Point a, Point b);
// Squared distance from the middle of an ellipse with half axes `radii`, in units of its radius:
// kOne on its edge.
int EllipseDistance(Point p, Point middle, Point radii);

// The brightness at a point.
using Shader = std::function<int(Point)>;
// The picture of `shader`; a pixel is the mean of 4x4 points.
Image Render(int width, int height, const Shader& shader);
// Adds noise of up to +-amplitude gray levels, small values likelier than large.
void AddGrain(uint32_t seed, int amplitude, Image* image);

// Copies `source` into `image`, its top left pixel to (x, y); it must lie inside.
void Paste(const Image& source, int x, int y, Image* image);
void FillRectangle(int x, int y, int width, int height, uint8_t gray, Image* image);
Image Crop(const Image& image, int x, int y, int width, int height);

}  // namespace mmp::testimages

#endif  // MMP_TESTIMAGES_DRAWING_H_
