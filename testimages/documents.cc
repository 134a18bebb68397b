#include "testimages/documents.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "testimages/drawing.h"
#include "testimages/font.h"

namespace mmp::testimages {
namespace {

constexpr uint8_t kBlack = 0;
constexpr uint8_t kWhite = 255;

// Writes the lines one below the other.
template <size_t n>
void DrawLines(int x, int y, const std::array<std::string_view, n>& lines, Image* image) {
  for (const std::string_view line : lines) {
    DrawText(x, y, line, kBlack, 1, image);
    y += kLineHeight;
  }
}

// ---- Map

constexpr int kContourStep = kOne / 24;

int Height(Point p) { return FractalNoise(60, p, 72 * kPixel, 3); }

// Whether p lies on a contour line; every fifth is thicker.
bool OnContour(Point p) {
  const int height = Height(p);
  const int dx = Height({p.x + kPixel, p.y}) - height;
  const int dy = Height({p.x, p.y + kPixel}) - height;
  const int slope = std::max(SquareRoot(int64_t{dx} * dx + int64_t{dy} * dy), 6);  // a pixel
  const int level = FloorDivide(height + kContourStep / 2, kContourStep);
  const int distance = std::abs(height - level * kContourStep) * kPixel / slope;
  return distance < (level % 5 == 0 ? kPixel * 3 / 4 : kPixel * 2 / 5);
}

// Distance from the middle of the main road.
int RoadDistance(Point p) {
  constexpr std::array<Point, 6> kRoad = {
      {{-10, 118}, {30, 112}, {62, 88}, {96, 92}, {128, 60}, {170, 52}}};
  int distance = 1 << 20;
  for (size_t i = 0; i + 1 < kRoad.size(); ++i) {
    const Point from = {kRoad[i].x * kPixel, kRoad[i].y * kPixel};
    const Point to = {kRoad[i + 1].x * kPixel, kRoad[i + 1].y * kPixel};
    distance = std::min(distance, SegmentDistance(p, from, to));
  }
  return distance;
}

int MapAt(Point p) {
  const int road = RoadDistance(p);
  if (road < kPixel * 3 / 2) return kOne;
  if (road < kPixel * 5 / 2) return 0;
  const int river =
      std::abs(p.x - 112 * kPixel - (FractalNoise(61, {0, p.y}, 60 * kPixel, 4) - 2048) * 6);
  if (river < kPixel * 3 / 2) return kOne / 3;
  const bool grid = FloorRemainder(p.x, 40 * kPixel) < kPixel / 2 ||
                    FloorRemainder(p.y, 40 * kPixel) < kPixel / 2;
  if (OnContour(p)) return kOne / 6;
  return grid ? kOne * 2 / 3 : kOne;
}

void DrawLabel(int x, int y, std::string_view text, Image* image) {
  const int width = static_cast<int>(text.size()) * kCharacterWidth;
  FillRectangle(x - 2, y - 2, width + 3, kLineHeight + 1, kWhite, image);
  DrawText(x, y, text, kBlack, 1, image);
}

void DrawFrame(int x, int y, int width, int height, uint8_t border, uint8_t inside, Image* image) {
  FillRectangle(x, y, width, height, border, image);
  FillRectangle(x + 1, y + 1, width - 2, height - 2, inside, image);
}

// ---- Slide

void DrawChart(int x, int y, Image* image) {
  constexpr std::array<int, 6> kBars = {18, 30, 26, 44, 52, 60};
  constexpr int kBase = 68;
  DrawFrame(x, y, 96, 84, 150, kWhite, image);
  for (size_t i = 0; i < kBars.size(); ++i) {
    const int left = x + 10 + static_cast<int>(i) * 14;
    const uint8_t gray = i + 1 < kBars.size() ? 170 : 70;
    FillRectangle(left, y + kBase - kBars[i], 9, kBars[i], gray, image);
  }
  for (const int tick : {0, 20, 40}) {
    FillRectangle(x + 4, y + kBase - tick, 88, 1, tick == 0 ? kBlack : uint8_t{210}, image);
  }
  DrawText(x + 8, y + kBase + 5, "speed by year", kBlack, 1, image);
}

void DrawArrow(int x, int y, int length, Image* image) {
  FillRectangle(x, y + 3, length - 4, 2, 90, image);
  for (int i = 0; i < 4; ++i) FillRectangle(x + length - 4 + i, y + i, 1, 8 - 2 * i, 90, image);
}

void DrawBox(int x, int y, std::string_view text, Image* image) {
  DrawFrame(x, y, static_cast<int>(text.size()) * kCharacterWidth + 7, 17, 90, 236, image);
  DrawText(x + 4, y + 5, text, kBlack, 1, image);
}

}  // namespace

Image TextPage() {
  Image image(192, 128, kWhite);
  DrawText(4, 4, "Patterns", kBlack, 2, &image);
  constexpr std::array<std::string_view, 10> kLines = {{
      "A pattern is a block of pixels.",
      "The dictionary keeps each block",
      "that was used, so that a later",
      "block of the same pixels costs",
      "less. In a page of text such as",
      "this page, each word and letter",
      "recurs, and so do the patterns:",
      "the letter e, the word pattern,",
      "the word the, and the word and.",
      "(1) 25 levels, (2) 1024 blocks.",
  }};
  DrawLines(4, 26, kLines, &image);
  return image;
}

Image CompoundPage(const Image& picture) {
  Image image(256, 160, kWhite);
  DrawText(6, 5, "A picture and its text", kBlack, 1, &image);
  FillRectangle(6, 15, 244, 1, 128, &image);
  Paste(picture, 6, 22, &image);
  DrawText(6, 24 + picture.height(), "Fig. 1: The lake", 60, 1, &image);
  constexpr std::array<std::string_view, 11> kLines = {{
      "The picture on the",
      "left has a sky, a",
      "lake and mountains.",
      "The text has black",
      "letters on a white",
      "page. The picture",
      "and the text need",
      "patterns of two",
      "kinds: the letters",
      "recur, the lake",
      "does not.",
  }};
  DrawLines(134, 22, kLines, &image);
  FillRectangle(6, 140, 244, 1, 128, &image);
  DrawText(6, 146, "page 12", 100, 1, &image);
  return image;
}

Image Map() {
  Image image = Render(160, 160, MapAt);
  DrawLabel(14, 20, "Stone Hill", &image);
  DrawLabel(70, 128, "Lower Mill", &image);
  DrawLabel(122, 76, "412", &image);
  return image;
}

Image Slide() {
  Image image(240, 135, 250);
  FillRectangle(0, 0, 240, 24, 60, &image);
  DrawText(8, 5, "Results in brief", kWhite, 2, &image);
  DrawChart(136, 34, &image);
  constexpr std::array<std::string_view, 4> kPoints = {
      {"Faster by half", "Smaller by 12 %", "Same picture", "Same machine"}};
  for (size_t i = 0; i < kPoints.size(); ++i) {
    const int y = 36 + 14 * static_cast<int>(i);
    FillRectangle(10, y + 1, 5, 5, 70, &image);
    DrawText(20, y, kPoints[i], 30, 1, &image);
  }
  DrawBox(10, 98, "encode", &image);
  DrawArrow(56, 102, 24, &image);
  DrawBox(83, 98, "decode", &image);
  FillRectangle(0, 127, 240, 8, 200, &image);
  return image;
}

}  // namespace mmp::testimages
