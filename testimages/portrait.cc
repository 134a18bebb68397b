#include "testimages/portrait.h"

#include <array>

#include "testimages/drawing.h"

namespace mmp::testimages {
namespace {

// kOne in the middle of an ellipse, 0 outside, with an edge `softness` wide.
int SoftEllipse(Point p, Point middle, Point radii, int softness) {
  return kOne - SmoothStep(kOne - softness, kOne + softness, EllipseDistance(p, middle, radii));
}

int Backdrop(Point p) {
  const int light = EllipseDistance(p, {Pixels(70), Pixels(50)}, {Pixels(210), Pixels(170)});
  int result = Mix(Milli(640), Milli(200), SmoothStep(0, Milli(1300), light));
  constexpr std::array<Point, 4> kLamps = {{{Pixels(28), Pixels(40)},
                                            {Pixels(210), Pixels(36)},
                                            {Pixels(236), Pixels(92)},
                                            {Pixels(14), Pixels(110)}}};
  for (const Point& lamp : kLamps) {
    result += SoftEllipse(p, lamp, {Pixels(15), Pixels(15)}, Milli(500)) / 9;
  }
  return result;
}

int Skin(Point p) {
  const int lit = SmoothStep(Pixels(88), Pixels(180), p.x + p.y / 6 - Pixels(6));
  return Mix(Milli(820), Milli(330), lit);
}

// The head is about (128, 86), 38 by 52 units.
int Face(Point p) {
  int result = Skin(p);
  const auto darken = [&](Point middle, Point radii, int softness, int amount) {
    result = Mix(result, Milli(110), SoftEllipse(p, middle, radii, softness) * amount / 1000);
  };
  const auto lighten = [&](Point middle, Point radii, int amount) {
    result = Mix(result, Milli(960), SoftEllipse(p, middle, radii, Milli(900)) * amount / 1000);
  };
  lighten({Pixels(112), Pixels(66)}, {Pixels(20), Pixels(14)}, 350);
  lighten({Pixels(108), Pixels(104)}, {Pixels(12), Pixels(10)}, 300);
  for (const int x : {112, 145}) {
    darken({Pixels(x), Pixels(83)}, {Pixels(12), Pixels(8)}, Milli(900), 350);  // eye socket
    darken({Pixels(x), Pixels(75)}, {Pixels(10), Pixels(2)}, Milli(700), 650);  // brow
    lighten({Pixels(x), Pixels(85)}, {Pixels(7), Pixels(4)}, 400);              // eye
    darken({Pixels(x), Pixels(84)}, {Pixels(4), Pixels(4)}, Milli(400), 850);   // iris
    darken({Pixels(x), Pixels(81)}, {Pixels(8), Pixels(1)}, Milli(900), 700);   // lid
    lighten({Pixels(x) - 384, Pixels(83)}, {Pixels(1), Pixels(1)}, 900);        // glint
  }
  lighten({Pixels(126), Pixels(95)}, {Pixels(3), Pixels(13)}, 450);  // nose
  darken({Pixels(134), Pixels(98)}, {Pixels(5), Pixels(12)}, Milli(900), 350);
  darken({Pixels(129), Pixels(110)}, {Pixels(8), Pixels(2)}, Milli(800), 500);
  darken({Pixels(129), Pixels(122)}, {Pixels(14), Pixels(4)}, Milli(700), 450);  // mouth
  darken({Pixels(129), Pixels(122)}, {Pixels(13), Pixels(1)}, Milli(800), 550);
  return result;
}

int Hair(Point p) {
  const int turn = (p.x - Pixels(128)) / 2;
  const int strands = FractalNoise(900, {p.x * 2 + turn, p.y / 5}, Pixels(6), 4);
  const int shine = SoftEllipse(p, {Pixels(104), Pixels(44)}, {Pixels(24), Pixels(18)}, Milli(900));
  return Mix(Milli(90), Milli(330), strands) + Mix(0, strands / 3, shine);
}

int PortraitAt(Point p) {
  int result = Backdrop(p);
  const int hair = SoftEllipse(p, {Pixels(129), Pixels(88)}, {Pixels(50), Pixels(66)}, Milli(100));
  const int body = SoftEllipse(p, {Pixels(128), Pixels(216)}, {Pixels(100), Pixels(68)}, Milli(80));
  const int neck = SoftEllipse(p, {Pixels(128), Pixels(140)}, {Pixels(20), Pixels(34)}, Milli(120));
  const int head = SoftEllipse(p, {Pixels(128), Pixels(90)}, {Pixels(37), Pixels(52)}, Milli(90));
  const int fringe =
      SoftEllipse(p, {Pixels(140), Pixels(40)}, {Pixels(46), Pixels(24)}, Milli(120));
  const int cloth = FractalNoise(910, {p.x + p.y, p.y - p.x}, Pixels(30), 3);
  const int shade = SmoothStep(Pixels(30), Pixels(220), p.x);
  result = Mix(result, Hair(p), hair);
  result = Mix(result, Mix(Milli(560), Milli(140), shade) + (cloth - kOne / 2) / 6, body);
  result = Mix(result, Skin(p) * 2 / 3, neck);
  result = Mix(result, Face(p), head);
  return Mix(result, Hair(p), Mix(0, fringe, hair));
}

}  // namespace

Image Portrait(int width, int height) { return Render(width, height, PortraitAt); }

}  // namespace mmp::testimages
