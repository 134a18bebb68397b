#include "testimages/street_map.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "testimages/drawing.h"
#include "testimages/font.h"

namespace mmp::testimages {
namespace {

// ---- The print, at two dots a pixel of the picture

constexpr int kPrintSide = 576;

// A piece of town between streets.
struct Block {
  uint32_t id;
  Point low, high;  // corners
  // Distance of the point from the nearest street's middle, less its half width: of all streets and
  // of main streets.
  int edge;
  int main_edge;
};

// Cuts the town by streets, main ones first, until blocks are left.
Block FindBlock(Point p) {
  constexpr int kMainCuts = 4;
  constexpr int kLargest = Pixels(90);
  Block block = {
      7, {-Pixels(200), -Pixels(200)}, {Pixels(800), Pixels(800)}, Pixels(999), Pixels(999)};
  for (int cut = 0; block.high.x - block.low.x > kLargest || block.high.y - block.low.y > kLargest;
       ++cut) {
    const bool upright = block.high.x - block.low.x > block.high.y - block.low.y;
    int& low = upright ? block.low.x : block.low.y;
    int& high = upright ? block.high.x : block.high.y;
    const int position = upright ? p.x : p.y;
    const int where = Mix(low, high, Milli(350) + HashValue(block.id, 1) * 3 / 10);
    const bool main = cut < kMainCuts;
    const int edge = std::abs(position - where) - (main ? Pixels(9) : Pixels(4));
    block.edge = std::min(block.edge, edge);
    if (main) block.main_edge = std::min(block.main_edge, edge);
    (position < where ? high : low) = where;
    block.id = Hash(block.id, 2, position < where ? 0 : 1);
  }
  return block;
}

// Houses in rows along the sides of a block, around a yard.
int HousesAt(const Block& block, Point p) {
  constexpr int kHouse = Pixels(17);
  constexpr int kDepth = Pixels(16);
  constexpr int kGarden = Pixels(4);
  if (block.edge < kGarden || block.edge > kGarden + kDepth) return Milli(860);
  const int along = std::min(p.x - block.low.x, block.high.x - p.x) <
                            std::min(p.y - block.low.y, block.high.y - p.y)
                        ? p.y
                        : p.x;
  const int number = FloorDivide(along, kHouse);
  if (HashValue(block.id, 3, number) < Milli(180)) return Milli(860);
  const int place = FloorRemainder(along, kHouse);
  const bool wall = place < Pixels(1) || block.edge < kGarden + Pixels(1) ||
                    block.edge > kGarden + kDepth - Pixels(1);
  return wall ? Milli(300) : Milli(620);
}

// Trees as small rings.
int ParkAt(Point p) {
  constexpr int kGrid = Pixels(14);
  const int column = FloorDivide(p.x, kGrid);
  const int row = FloorDivide(p.y, kGrid);
  const Point tree = {column * kGrid + kGrid / 4 + HashValue(400, column, row) / 2,
                      row * kGrid + kGrid / 4 + HashValue(401, column, row) / 2};
  const int distance = EllipseDistance(p, tree, {Pixels(4), Pixels(4)});
  return distance > Milli(450) && distance < kOne ? Milli(420) : Milli(740);
}

int PrintAt(Point p) {
  const int course =
      Pixels(420) - p.x / 3 + (FractalNoise(410, {p.x, 0}, Pixels(150), 2) - 2048) * 9;
  const int river = std::abs(p.y - course);
  const int rail = SegmentDistance(p, {-Pixels(20), Pixels(60)}, {Pixels(600), Pixels(250)});
  if (rail < Pixels(5)) {  // black and white by turns, between black lines
    const bool dark = FloorRemainder(p.x, Pixels(24)) < Pixels(12);
    return rail > Pixels(3) || dark ? Milli(60) : kOne;
  }
  const Block block = FindBlock(p);
  if (block.main_edge < 0) return kOne;
  if (river < Pixels(17)) return river < Pixels(15) ? Milli(520) : Milli(200);
  if (block.edge < 0) return kOne;
  if (block.edge < Pixels(3) / 2) return Milli(250);
  return block.id % 5 == 0 ? ParkAt(p) : HousesAt(block, p);
}

Image Print() {
  Image print = Render(kPrintSide, kPrintSide, PrintAt);
  struct Label {
    int x, y;
    std::string_view text;
    int scale;
  };
  constexpr std::array<Label, 6> kLabels = {{{44, 190, "Mill Lane", 2},
                                             {330, 60, "North Park", 2},
                                             {300, 330, "OLD TOWN", 3},
                                             {60, 470, "Harbour St", 2},
                                             {360, 480, "Station Rd", 2},
                                             {70, 40, "C 4", 3}}};
  for (const Label& label : kLabels) {
    const int width = static_cast<int>(label.text.size()) * kCharacterWidth * label.scale;
    FillRectangle(label.x - 4, label.y - 4, width + 6, kLineHeight * label.scale + 4, 255, &print);
    DrawText(label.x, label.y, label.text, 20, label.scale, &print);
  }
  return print;
}

// ---- The scan

// Brightness of the print at a point in its dots, linear between them.
int Sample(const Image& print, Point p) {
  const int column = std::clamp(FloorDivide(p.x, kPixel), 0, print.width() - 2);
  const int row = std::clamp(FloorDivide(p.y, kPixel), 0, print.height() - 2);
  const int u = std::clamp(p.x - column * kPixel, 0, kPixel) * (kOne / kPixel);
  const int v = std::clamp(p.y - row * kPixel, 0, kPixel) * (kOne / kPixel);
  const uint8_t* top = print.Row(row) + column;
  const uint8_t* bottom = print.Row(row + 1) + column;
  const auto value = [](uint8_t gray) { return gray * kOne / 255; };
  return Mix(Mix(value(top[0]), value(top[1]), u), Mix(value(bottom[0]), value(bottom[1]), u), v);
}

}  // namespace

Image StreetMap(int width, int height) {
  const Image print = Print();
  return Render(width, height, [&print](Point p) {
    // Turned by 1.8 degrees; the lens spreads a point over a pixel and a half.
    const Point q = {2 * p.x - p.y / 16 + Pixels(24), 2 * p.y + p.x / 16 + Pixels(8)};
    const int reach = Pixels(3) / 2;
    const int ink = (2 * Sample(print, q) + Sample(print, {q.x - reach, q.y}) +
                     Sample(print, {q.x + reach, q.y}) + Sample(print, {q.x, q.y - reach}) +
                     Sample(print, {q.x, q.y + reach})) /
                    6;
    const int paper = Milli(900) + (FractalNoise(420, p, Pixels(9), 4) - kOne / 2) / 24;
    return Milli(70) + Mix(0, paper - Milli(70), ink);
  });
}

}  // namespace mmp::testimages
