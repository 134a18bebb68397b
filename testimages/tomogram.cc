#include "testimages/tomogram.h"

#include <array>
#include <cstdint>
#include <cstdlib>

#include "testimages/drawing.h"

namespace mmp::testimages {
namespace {

constexpr int kAir = Milli(20);
constexpr int kLung = Milli(110);
constexpr int kFat = Milli(380);
constexpr int kMuscle = Milli(520);
constexpr int kBlood = Milli(620);
constexpr int kMarrow = Milli(720);
constexpr int kBone = Milli(950);

// `color` over `behind` inside an ellipse whose outline wavers by `waver` (in radii squared).
int Organ(Point p, Point middle, Point radii, int waver, int color, int behind) {
  constexpr int kSoft = Milli(50);
  const int distance = EllipseDistance(p, middle, radii);
  if (distance <= kOne - waver - kSoft) return color;
  if (distance >= kOne + waver + kSoft) return behind;
  const int outline = kOne + Mix(-waver, waver, Noise(500, {p.x + middle.x, p.y}, Pixels(20)));
  return Mix(color, behind, SmoothStep(outline - kSoft, outline + kSoft, distance));
}

// Bone: hard outside, marrow inside.
int Bone(Point p, Point middle, Point radii, int behind) {
  const int hard = Organ(p, middle, radii, Milli(80), kBone, behind);
  return Organ(p, middle, {radii.x * 2 / 3, radii.y * 2 / 3}, Milli(80), kMarrow, hard);
}

// Vessels, cut across and along, thicker and denser towards the heart.
int LungAt(Point p, Point root) {
  const int away = SquareRoot(int64_t{kOne} * EllipseDistance(p, root, {Pixels(70), Pixels(80)}));
  int result = kLung + (FractalNoise(510, p, Pixels(30), 3) - kOne / 2) / 16;
  for (int i = 0; i < 2; ++i) {
    const int cell = i == 0 ? Pixels(26) : Pixels(13);
    const int ridge = std::abs(FractalNoise(520 + i, p, cell, 2) - kOne / 2);
    const int width = Mix(Milli(55), Milli(8), Ramp(0, kOne, away)) / (i + 1);
    const int vessel = kOne - SmoothStep(width / 2, width + Milli(16), ridge);
    const int there = FractalNoise(530 + i, p, Pixels(18), 2);
    result = Mix(result, kMuscle, Mix(0, vessel, SmoothStep(Milli(420), Milli(560), there)));
  }
  return result;
}

struct Rib {
  Point middle, radii;  // pixels
};

constexpr std::array<Rib, 10> kRibs = {{{{40, 104}, {4, 13}},
                                        {{31, 146}, {4, 12}},
                                        {{48, 180}, {9, 5}},
                                        {{78, 199}, {12, 4}},
                                        {{66, 74}, {11, 4}},
                                        {{216, 104}, {4, 13}},
                                        {{225, 146}, {4, 12}},
                                        {{208, 180}, {9, 5}},
                                        {{178, 199}, {12, 4}},
                                        {{190, 74}, {11, 4}}}};

int ChestAt(Point p) {
  const Point middle = {Pixels(128), Pixels(134)};
  const auto ellipse = [p](int x, int y, int rx, int ry, int color, int behind) {
    return Organ(p, {Pixels(x), Pixels(y)}, {Pixels(rx), Pixels(ry)}, Milli(60), color, behind);
  };
  const int fibres = FractalNoise(540, {p.x, 2 * p.y}, Pixels(8), 3) - kOne / 2;
  int result = ellipse(128, 134, 116, 86, kMuscle - Milli(30), kAir);  // skin
  result = ellipse(128, 134, 113, 83, kFat + fibres / 20, result);
  result = ellipse(128, 134, 103, 73, kMuscle + fibres / 14, result);
  for (const Rib& rib : kRibs) {
    result = Bone(p, {Pixels(rib.middle.x), Pixels(rib.middle.y)},
                  {Pixels(rib.radii.x), Pixels(rib.radii.y)}, result);
  }
  for (const int x : {82, 176}) {
    const Point lung = {Pixels(x), middle.y};
    if (std::abs(p.x - lung.x) > Pixels(45)) continue;
    const int air = LungAt(p, {Pixels(x < 128 ? 108 : 150), Pixels(136)});
    result = Organ(p, lung, {Pixels(37), Pixels(56)}, Milli(160), air, result);
  }
  result = ellipse(128, 138, 24, 56, kFat + fibres / 20, result);  // between the lungs
  result = ellipse(142, 116, 36, 29, kBlood, result);              // heart
  result = ellipse(153, 122, 15, 12, kBlood + Milli(70), result);
  result = ellipse(122, 105, 12, 10, kBlood + Milli(50), result);
  result = ellipse(141, 163, 10, 10, kBlood + Milli(50), result);  // aorta
  result = ellipse(122, 150, 6, 6, kAir, result);                  // windpipe
  result = Bone(p, {Pixels(128), Pixels(70)}, {Pixels(14), Pixels(5)}, result);
  result = Bone(p, {Pixels(128), Pixels(182)}, {Pixels(17), Pixels(14)}, result);  // vertebra
  result = Bone(p, {Pixels(128), Pixels(204)}, {Pixels(5), Pixels(13)}, result);
  return ellipse(128, 195, 7, 5, kFat, result);  // its canal
}

// A curved plate under the body.
int TableAt(Point p) {
  const int bend = (p.x - Pixels(128)) / 128 * (p.x - Pixels(128)) / Pixels(4);
  const int depth = p.y - Pixels(229) + bend;
  if (depth < 0 || depth > Pixels(9)) return kAir;
  return depth < Pixels(1) || depth > Pixels(8) ? Milli(420) : Milli(70);
}

// The picture is reconstructed in a circle; noise is correlated and streaks run across, where rays
// pass most tissue.
int TomogramAt(Point p) {
  if (EllipseDistance(p, {Pixels(128), Pixels(128)}, {Pixels(127), Pixels(127)}) > kOne) return 0;
  const int tissue = ChestAt(p);
  const int streaks = FractalNoise(550, {p.x / 12, p.y}, Pixels(2), 2) - kOne / 2;
  const int grain = Noise(560, p, Pixels(2)) + Noise(561, p, Pixels(3) / 2) - kOne;
  const int noise = grain / 20 + streaks / 24;
  return (tissue > kAir ? tissue : TableAt(p)) + noise;
}

}  // namespace

Image Tomogram(int width, int height) { return Render(width, height, TomogramAt); }

}  // namespace mmp::testimages
