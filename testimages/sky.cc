#include "testimages/sky.h"

#include <cstdint>

#include "testimages/drawing.h"

namespace mmp::testimages {
namespace {

constexpr int kHorizon = Pixels(176);

int ClearSky(Point p) {
  const int down = Ramp(0, kHorizon, p.y);
  const int sun = EllipseDistance(p, {Pixels(270), Pixels(150)}, {Pixels(110), Pixels(90)});
  const int glow = static_cast<int>(int64_t{kOne} * kOne / (kOne + 2 * static_cast<int64_t>(sun)));
  const int clear = Mix(Milli(270), Milli(690), (down + Mix(0, down, down)) / 2);
  return Mix(clear, Milli(960), glow * 3 / 4);
}

// Thin streaks high up.
int Cirrus(Point p) {
  const Point along = {(p.x + p.y) / 4, (2 * p.y - p.x) / 2};
  const int streaks = FractalNoise(200, along, Pixels(22), 5);
  const int where = FractalNoise(210, p, Pixels(110), 2);
  return Mix(0, SmoothStep(Milli(400), Milli(800), streaks),
             SmoothStep(Milli(450), Milli(750), where));
}

// Clouds with level bases; those near the horizon are smaller and paler.
int Cumulus(Point p, int behind) {
  struct Bank {
    uint32_t seed;
    int base;  // y of the bases
    int height;
    int cell;  // width of a cloud
    int strength;
  };
  constexpr Bank kBanks[] = {{220, Pixels(158), Pixels(20), Pixels(24), Milli(550)},
                             {230, Pixels(138), Pixels(36), Pixels(46), Milli(750)},
                             {245, Pixels(104), Pixels(66), Pixels(92), Milli(920)}};
  int result = behind;
  for (const Bank& bank : kBanks) {
    const int up = Ramp(0, bank.height, bank.base - p.y);
    if (up == 0 || up == kOne) continue;
    const int billows = FractalNoise(bank.seed, p, bank.cell / 3, 5);
    const int towers = Noise(bank.seed + 8, {p.x, bank.base}, bank.cell);
    const int density = billows + towers / 2 - up * 2 / 3;
    const int edge = SmoothStep(Milli(530), Milli(640), density);
    const int cover = Mix(0, edge, SmoothStep(0, Milli(160), up));
    const int relief = Relief(bank.seed, p, bank.cell / 3, 4, 4);
    const int lit =
        Mix(Milli(560), Milli(930), SmoothStep(0, Milli(700), up)) + (relief - kOne / 2) / 3;
    result = Mix(result, lit, Mix(0, bank.strength, cover));
  }
  return result;
}

int Hills(Point p, int behind) {
  int result = behind;
  for (int i = 0; i < 3; ++i) {
    const int top = kHorizon - Pixels(10) + i * Pixels(7) +
                    (FractalNoise(250 + i, {p.x, 0}, Pixels(80 - 20 * i), 5) - kOne / 2) * 3 / 2;
    if (p.y < top) continue;
    const int woods = FractalNoise(260 + i, {p.x, 3 * p.y}, Pixels(5), 3);
    result = Milli(520 - 180 * i) + (woods - kOne / 2) * (i + 1) / 16;
  }
  return result;
}

int SkyAt(Point p) {
  const int high = Mix(ClearSky(p), Milli(900), Cirrus(p) * 2 / 5);
  return Hills(p, Cumulus(p, high));
}

}  // namespace

Image Sky(int width, int height) { return Render(width, height, SkyAt); }

}  // namespace mmp::testimages
