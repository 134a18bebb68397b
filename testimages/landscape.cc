#include "testimages/landscape.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "testimages/drawing.h"

namespace mmp::testimages {
namespace {

constexpr int kHorizon = Pixels(122);
constexpr int kShore = Pixels(164);

int Sky(uint32_t seed, Point p) {
  const int clear = Mix(Milli(430), Milli(830), Ramp(0, kHorizon, p.y));
  const int sun = EllipseDistance(p, {Pixels(196), Pixels(58)}, {Pixels(60), Pixels(60)});
  const int glow = static_cast<int>(int64_t{kOne} * kOne / (kOne + 6 * static_cast<int64_t>(sun)));
  const int cloud = FractalNoise(seed, {p.x, 2 * p.y}, Pixels(96), 6);
  const int cover = SmoothStep(Milli(470), Milli(680), cloud);
  const int lit = Mix(Milli(700), Milli(980), Relief(seed, {p.x, 2 * p.y}, Pixels(96), 4, 10));
  return Mix(Mix(clear, lit, cover * 3 / 4), Milli(990), glow);
}

struct Ridge {
  int base;    // y of the lowest summits
  int height;  // of the highest above them
  int cell;    // width of a mountain
  int dark;    // brightness in shadow
  int light;   // and in light
};

// From far to near.
constexpr std::array<Ridge, 3> kRidges = {{
    {Pixels(112), Pixels(78), Pixels(70), Milli(560), Milli(800)},
    {Pixels(118), Pixels(46), Pixels(54), Milli(380), Milli(600)},
    {Pixels(124), Pixels(24), Pixels(40), Milli(150), Milli(380)},
}};

int RidgeLine(uint32_t seed, const Ridge& ridge, int x) {
  const int noise = FractalNoise(seed, {x, ridge.base}, ridge.cell, 6);
  return ridge.base - Mix(0, ridge.height, SmoothStep(Milli(200), Milli(800), noise));
}

// What is behind the lake.
int Background(uint32_t seed, Point p) {
  int result = Sky(seed, p);
  for (size_t i = 0; i < kRidges.size(); ++i) {
    const Ridge& ridge = kRidges[i];
    const uint32_t ridge_seed = seed + 100 * static_cast<uint32_t>(i + 1);
    const int top = RidgeLine(ridge_seed, ridge, p.x);
    if (p.y < top) continue;
    const int relief = Relief(ridge_seed, p, Pixels(26), 6, 8 - static_cast<int>(i));
    result = Mix(ridge.dark, ridge.light, relief);
    const int snow_line = Pixels(72) + FractalNoise(ridge_seed + 7, p, Pixels(12), 4) * 4;
    if (i == 0 && p.y < snow_line) result = Mix(Milli(680), Milli(980), relief);
    const int haze = SmoothStep(ridge.base - ridge.height, kHorizon + Pixels(10), p.y);
    result = Mix(result, Milli(760), haze * (2 - static_cast<int>(i)) / 4);
  }
  return result;
}

int Lake(uint32_t seed, Point p) {
  const int depth = p.y - kHorizon;
  const int ripple = FractalNoise(seed + 500, {p.x / 5, p.y}, Pixels(3), 2) - kOne / 2;
  const Point mirrored = {p.x + ripple * depth / kOne / 6, kHorizon - depth * 5 / 2 + ripple / 2};
  const int reflected = Background(seed, mirrored);
  return Mix(reflected, Milli(260), Milli(250)) + ripple / 12;
}

// Patches of grass in perspective, and blades in front of them.
int Meadow(uint32_t seed, Point p) {
  const int depth = p.y - kHorizon + Pixels(6);
  const auto project = [depth](int length) {
    return static_cast<int>(int64_t{length} * Pixels(64) / depth);
  };
  const Point ground = {project(p.x - Pixels(128)), project(Pixels(160))};
  const int patches = FractalNoise(seed + 600, ground, Pixels(20), 5);
  const int blades = FractalNoise(seed + 610, {3 * p.x + p.y / 2, p.y}, Pixels(9), 4);
  const int sparse = Mix(Milli(80), Milli(420), Ramp(0, Pixels(120), depth));
  return Mix(Milli(210), Milli(600), patches) + Mix(0, blades - kOne / 2, sparse);
}

struct Ball {
  Point middle;
  int radius;
  enum class Surface { kMarble, kGlass, kStone } surface;
};

constexpr std::array<Ball, 3> kBalls = {{
    {{Pixels(96), Pixels(196)}, Pixels(32), Ball::Surface::kMarble},
    {{Pixels(160), Pixels(212)}, Pixels(25), Ball::Surface::kGlass},
    {{Pixels(214), Pixels(200)}, Pixels(28), Ball::Surface::kStone},
}};

// The brightness a surface has in full light.
int SurfaceColor(const Ball& ball, Point p) {
  switch (ball.surface) {
    case Ball::Surface::kMarble: {
      const int veins = FractalNoise(700, p, Pixels(30), 5) * 3 / 4 + (p.x + 2 * p.y) / 32;
      return Mix(Milli(950), Milli(420), SmoothStep(Milli(-200), kOne, Sine(veins)));
    }
    case Ball::Surface::kGlass:
      return Milli(520);
    case Ball::Surface::kStone:
      return Mix(Milli(200), Milli(1000), Relief(720, p, Pixels(9), 4, 5));
  }
  return 0;
}

int ShadeBall(const Ball& ball, Point p) {
  const int edge2 = EllipseDistance(p, ball.middle, {ball.radius, ball.radius});
  const int nx = static_cast<int>(static_cast<int64_t>(p.x - ball.middle.x) * kOne / ball.radius);
  const int ny = static_cast<int>(static_cast<int64_t>(p.y - ball.middle.y) * kOne / ball.radius);
  const int nz = SquareRoot(static_cast<int64_t>(kOne - edge2) * kOne);
  // Light from the upper right, in front.
  const int64_t facing = (int64_t{2200} * nx - int64_t{2500} * ny + int64_t{2380} * nz) / kOne;
  const int diffuse = static_cast<int>(std::clamp<int64_t>(facing, 0, kOne));
  const int ambient = Mix(Milli(90), Milli(260), Ramp(-kOne, kOne, -ny));
  int result = Mix(0, SurfaceColor(ball, p), std::min(ambient + diffuse * 7 / 8, kOne));
  if (ball.surface == Ball::Surface::kGlass) {
    result += Mix(0, Milli(700), SmoothStep(Milli(930), Milli(1000), diffuse));
    result += Mix(0, Milli(180), SmoothStep(Milli(700), Milli(1000), edge2));
  }
  return result;
}

int BallShadow(const Ball& ball, Point p) {
  const Point middle = {ball.middle.x - ball.radius / 2, ball.middle.y + ball.radius * 9 / 10};
  const int distance2 = EllipseDistance(p, middle, {ball.radius * 5 / 4, ball.radius * 3 / 8});
  return kOne - SmoothStep(Milli(500), Milli(1200), distance2);
}

int Foreground(uint32_t seed, Point p) {
  int result = Meadow(seed, p);
  for (const Ball& ball : kBalls) result = Mix(result, result / 3, BallShadow(ball, p));
  return result;
}

struct Stroke {
  Point from, to;
  int half_width;
};

constexpr std::array<Stroke, 5> kTrunk = {{
    {{Pixels(30), Pixels(206)}, {Pixels(34), Pixels(96)}, Pixels(5)},
    {{Pixels(33), Pixels(120)}, {Pixels(60), Pixels(78)}, Pixels(3)},
    {{Pixels(34), Pixels(110)}, {Pixels(8), Pixels(74)}, Pixels(3)},
    {{Pixels(34), Pixels(98)}, {Pixels(40), Pixels(50)}, Pixels(3)},
    {{Pixels(50), Pixels(94)}, {Pixels(72), Pixels(88)}, Pixels(1)},
}};

// The tree's brightness where it covers p, else `behind`.
int Tree(Point p, int behind) {
  int result = behind;
  for (const Stroke& stroke : kTrunk) {
    if (SegmentDistance(p, stroke.from, stroke.to) > stroke.half_width) continue;
    const int bark = FractalNoise(800, {p.x * 3, p.y}, Pixels(8), 4);
    result = Mix(Milli(60), Milli(380), bark);
  }
  const int crown = EllipseDistance(p, {Pixels(34), Pixels(62)}, {Pixels(50), Pixels(46)});
  const int leaves = FractalNoise(810, p, Pixels(16), 5);
  if (leaves > Mix(Milli(330), Milli(660), Ramp(Milli(300), Milli(1300), crown)) &&
      crown < Milli(1400)) {
    result = Mix(Milli(40), Milli(520), Relief(820, p, Pixels(7), 3, 3));
  }
  return result;
}

// A house on the far shore.
int House(Point p, int behind) {
  const int x = p.x - Pixels(152);
  const int y = p.y - Pixels(110);
  if (x < 0 || x >= Pixels(26) || y >= Pixels(17)) return behind;
  if (y >= Pixels(5)) {
    const bool window = FloorRemainder(x - Pixels(3), Pixels(8)) < Pixels(4) && x > Pixels(2) &&
                        y >= Pixels(8) && y < Pixels(13);
    return window ? Milli(160) : Milli(900);
  }
  const bool roof = std::abs(x - Pixels(13)) < Pixels(9) + y;
  return roof && y >= -Pixels(4) ? Mix(Milli(520), Milli(700), FloorRemainder(y, 2 * kPixel) * 8)
                                 : behind;
}

int LandscapeAt(uint32_t seed, Point p) {
  for (const Ball& ball : kBalls) {
    if (EllipseDistance(p, ball.middle, {ball.radius, ball.radius}) < kOne) {
      return ShadeBall(ball, p);
    }
  }
  const int bank = kShore + FractalNoise(seed + 650, {p.x, 0}, Pixels(60), 4) * 2 - Pixels(16);
  int result = 0;
  if (p.y >= bank) {
    result = Foreground(seed, p);
  } else if (p.y >= kHorizon) {
    result = Lake(seed, p);
  } else {
    result = Background(seed, p);
  }
  return Tree(p, House(p, result));
}

}  // namespace

Image Landscape(uint32_t seed, int width, int height) {
  return Render(width, height, [seed, width](Point p) {
    return LandscapeAt(seed, {p.x * 256 / width, p.y * 256 / width});
  });
}

}  // namespace mmp::testimages
