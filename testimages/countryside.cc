#include "testimages/countryside.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "testimages/drawing.h"

namespace mmp::testimages {
namespace {

// A piece of land, in the directions of the fields.
struct Field {
  uint32_t id;
  Point low, high;     // corners
  int road_distance;   // from p to the nearest road
  int hedge_distance;  // and to the nearest edge of the field
};

// Divides a large square again and again until fields are left; the first cuts are roads.
Field FindField(Point p) {
  constexpr int kRoadCuts = 5;
  constexpr int kSmallest = Pixels(56);
  Field field = {1, {-Pixels(150), -Pixels(150)}, {Pixels(350), Pixels(350)}, Pixels(999), 0};
  for (int cut = 0;
       field.high.x - field.low.x > kSmallest || field.high.y - field.low.y > kSmallest; ++cut) {
    const bool upright = field.high.x - field.low.x > field.high.y - field.low.y;
    int& low = upright ? field.low.x : field.low.y;
    int& high = upright ? field.high.x : field.high.y;
    const int position = upright ? p.x : p.y;
    const int where = Mix(low, high, Milli(330) + HashValue(field.id, 1) / 3);
    if (cut < kRoadCuts) {
      field.road_distance = std::min(field.road_distance, std::abs(position - where));
    }
    (position < where ? high : low) = where;
    field.id = Hash(field.id, 2, position < where ? 0 : 1);
  }
  field.hedge_distance =
      std::min({p.x - field.low.x, field.high.x - p.x, p.y - field.low.y, field.high.y - p.y});
  return field;
}

int Furrows(const Field& field, Point p) {
  const int period = Pixels(3) + HashValue(field.id, 3) / 8;
  const int across = HashValue(field.id, 4) < kOne / 2 ? p.x : p.y;
  const int wave = Sine(static_cast<int>(static_cast<int64_t>(across) * 1024 / period));
  const int worn = FractalNoise(field.id, p, Pixels(14), 3);
  return Mix(0, wave, worn) / 7;
}

int Village(const Field& field, Point p) {
  constexpr int kPlot = Pixels(11);
  const int x = p.x - field.low.x;
  const int y = p.y - field.low.y;
  const int column = FloorDivide(x, kPlot);
  const int row = FloorDivide(y, kPlot);
  const int width = Pixels(4) + HashValue(30, column, row) / 5;
  const int height = Pixels(4) + HashValue(31, column, row) / 5;
  const Point inside = {x - column * kPlot - Pixels(2), y - row * kPlot - Pixels(2)};
  const auto covers = [&](Point q) {
    return q.x >= 0 && q.y >= 0 && q.x < width && q.y < height &&
           HashValue(32, column, row) < Milli(800);
  };
  if (covers(inside)) {
    const int sunny = inside.y < height / 2 ? Milli(900) : Milli(620);
    return Mix(sunny, sunny / 2, HashValue(33, column, row));
  }
  if (covers({inside.x - Pixels(2), inside.y - Pixels(1)})) return Milli(90);
  return Mix(Milli(300), Milli(520), FractalNoise(34, p, Pixels(6), 3));
}

int FieldColor(const Field& field, Point p) {
  const int base = Mix(Milli(300), Milli(740), HashValue(field.id, 5));
  const int soil = (FractalNoise(40, p, Pixels(40), 6) - kOne / 2) / 3;
  switch (field.id % 6) {
    case 0:
      return Mix(Milli(60), Milli(420), Relief(41, p, Pixels(6), 3, 3));  // wood
    case 1:
      return base + soil + (FractalNoise(42, p, Pixels(3), 2) - kOne / 2) / 4;  // pasture
    case 2:
      return base + soil / 2;  // fallow
    default:
      return base + soil + Furrows(field, p);
  }
}

int CountrysideAt(Point p) {
  const int course = Pixels(40) + p.x / 2 + FractalNoise(50, {p.x, 0}, Pixels(90), 4) * 9;
  const int river = std::abs(p.y - course);
  const Point turned = {(12 * p.x - 5 * p.y) / 13, (5 * p.x + 12 * p.y) / 13};
  const Field field = FindField(turned);
  if (field.road_distance < Pixels(3) / 2) return river < Pixels(6) ? Milli(800) : Milli(880);
  if (river < Pixels(5)) return Milli(150) + FractalNoise(51, p, Pixels(12), 3) / 16;
  if (river < Pixels(7)) return Mix(Milli(100), Milli(400), FractalNoise(52, p, Pixels(4), 2));
  if (field.road_distance < Pixels(5) / 2) return Milli(330);
  const int trees = FractalNoise(53, p, Pixels(5), 2);
  if (field.hedge_distance < trees / 8) return Mix(Milli(60), Milli(340), trees);
  const bool village =
      EllipseDistance(turned, {Pixels(120), Pixels(95)}, {Pixels(44), Pixels(36)}) < kOne;
  return village ? Village(field, turned) : FieldColor(field, turned);
}

}  // namespace

Image Countryside(int width, int height) { return Render(width, height, CountrysideAt); }

}  // namespace mmp::testimages
