#include "testimages/foliage.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "testimages/drawing.h"

namespace mmp::testimages {
namespace {

// The leaves of a layer, one a cell at most; the first layer is the nearest.
constexpr int kLayers = 5;
constexpr int kCell = Pixels(22);
constexpr int kNoLeaf = -1;

struct Leaf {
  uint32_t id;
  Point middle;
  int angle;   // 1/1024 turn
  int length;  // half of it
};

Leaf LeafOfCell(int layer, int column, int row) {
  const uint32_t id = Hash(static_cast<uint32_t>(300 + layer), column, row);
  return {id,
          {column * kCell + Mix(0, kCell, HashValue(id, 1)),
           row * kCell + Mix(0, kCell, HashValue(id, 2))},
          static_cast<int>(Hash(id, 3) % 1024),
          Mix(Pixels(11), Pixels(20), HashValue(id, 4))};
}

// p turned into the leaf's axes: x along it, y across, kOne its half length.
Point OnLeaf(const Leaf& leaf, Point p) {
  const int64_t dx = p.x - leaf.middle.x;
  const int64_t dy = p.y - leaf.middle.y;
  const int64_t sine = Sine(leaf.angle);
  const int64_t cosine = Sine(leaf.angle + 256);
  return {static_cast<int>((dx * cosine + dy * sine) / leaf.length),
          static_cast<int>((dy * cosine - dx * sine) / leaf.length)};
}

// Pointed at both ends, widest a little before the middle.
bool Covers(Point q) {
  if (std::abs(q.x) >= kOne) return false;
  const int half_width = Mix(0, Milli(430) - q.x / 12, kOne - Mix(0, q.x, q.x));
  return std::abs(q.y) < half_width;
}

int LeafColor(const Leaf& leaf, int layer, Point q) {
  // The two halves of a leaf are folded along its midrib and catch the light differently.
  const int tilt = Sine(leaf.angle + (q.y < 0 ? 150 : 330));
  int result = Mix(Milli(200), Milli(560), HashValue(leaf.id, 5)) + tilt / 8;
  result += Mix(0, Milli(150), q.x + kOne) / 2 - Mix(0, Milli(220), std::abs(q.y));
  const int across = std::abs(q.y);
  const int vein = std::abs(FloorRemainder(q.x - across * 4 / 5, Milli(260)) - Milli(130));
  if (vein < Milli(22)) result += Milli(60);
  if (across < Milli(25)) result += Milli(140);
  return result * (10 - layer) / 10;
}

// The brightness of the nearest leaf of a layer over p, or kNoLeaf.
int LayerAt(int layer, Point p) {
  const int column = FloorDivide(p.x, kCell);
  const int row = FloorDivide(p.y, kCell);
  uint32_t nearest = 0;
  int result = kNoLeaf;
  for (int i = 0; i < 9; ++i) {
    const Leaf leaf = LeafOfCell(layer, column + i % 3 - 1, row + i / 3 - 1);
    const int reach = std::max(std::abs(p.x - leaf.middle.x), std::abs(p.y - leaf.middle.y));
    if (leaf.id < nearest || reach > leaf.length) continue;
    const Point q = OnLeaf(leaf, p);
    if (!Covers(q)) continue;
    nearest = leaf.id;
    result = std::max(LeafColor(leaf, layer, q), 0);
  }
  return result;
}

// Light that comes through the leaves above: patches of sun.
int Sunlight(Point p) {
  const int patches = FractalNoise(330, p, Pixels(70), 3);
  return Mix(Milli(420), Milli(1350), SmoothStep(Milli(330), Milli(650), patches));
}

int FoliageAt(Point p) {
  int shadow = kOne;
  for (int layer = 0; layer < kLayers; ++layer) {
    // Layers nearer to the camera have gaps; their leaves shade those behind.
    const int density = FractalNoise(static_cast<uint32_t>(340 + layer), p, Pixels(60), 2);
    if (layer < 2 && density < Milli(520)) continue;
    const int color = LayerAt(layer, p);
    if (color != kNoLeaf) return Mix(0, Mix(0, color, shadow), Sunlight(p));
    const Point towards_sun = {p.x + Pixels(3), p.y - Pixels(4)};
    if (LayerAt(layer, towards_sun) != kNoLeaf) shadow = shadow * 3 / 5;
  }
  return Milli(50);
}

}  // namespace

Image Foliage(int width, int height) { return Render(width, height, FoliageAt); }

}  // namespace mmp::testimages
