#include "testimages/scenes.h"

#include <cstdint>

#include "testimages/countryside.h"
#include "testimages/documents.h"
#include "testimages/drawing.h"
#include "testimages/foliage.h"
#include "testimages/landscape.h"
#include "testimages/portrait.h"
#include "testimages/sky.h"
#include "testimages/street_map.h"
#include "testimages/tomogram.h"

namespace mmp::testimages {
namespace {

Image WithGrain(Image image, uint32_t seed, int amplitude) {
  AddGrain(seed, amplitude, &image);
  return image;
}

// Across, down, from the middle and along the diagonal, a quarter of the picture each.
Image Gradients(int side) {
  const int half = side * kPixel / 2;
  return Render(side, side, [half](Point p) {
    const Point q = {FloorRemainder(p.x, half), FloorRemainder(p.y, half)};
    if (p.x < half) return Ramp(0, half, p.y < half ? q.x : q.y);
    if (p.y >= half) return Ramp(0, 2 * half, q.x + q.y);
    return kOne - SquareRoot(int64_t{kOne} * EllipseDistance(q, {half / 2, half / 2},
                                                             {half * 3 / 4, half * 3 / 4}));
  });
}

Image UniformNoise(uint32_t seed, int width, int height) {
  Image image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) image.Row(y)[x] = static_cast<uint8_t>(Hash(seed, x, y));
  }
  return image;
}

}  // namespace

std::vector<TestImage> MakeAll() {
  const Image natural = WithGrain(Landscape(4, 256, 256), 1, 3);
  const Image satellite = WithGrain(Countryside(200, 200), 2, 3);
  const Image text = TextPage();
  const Image picture = WithGrain(Landscape(9, 120, 104), 3, 2);

  std::vector<TestImage> all;
  all.push_back({"natural", natural});
  all.push_back({"smooth", WithGrain(Portrait(256, 192), 4, 1)});
  all.push_back({"text", text});
  all.push_back({"compound", CompoundPage(picture)});
  all.push_back({"lineart", Map()});
  all.push_back({"slide", Slide()});
  all.push_back({"gradient", Gradients(128)});
  all.push_back({"noise", UniformNoise(5, 64, 64)});
  all.push_back({"satellite", satellite});
  all.push_back({"sky", WithGrain(Sky(256, 192), 6, 2)});
  all.push_back({"foliage", WithGrain(Foliage(256, 256), 7, 3)});
  all.push_back({"streets", WithGrain(StreetMap(256, 256), 8, 3)});
  all.push_back({"tomogram", Tomogram(256, 256)});
  all.push_back({"odd-1x1", Crop(natural, 100, 180, 1, 1)});
  all.push_back({"odd-1x17", Crop(natural, 80, 110, 1, 17)});
  all.push_back({"odd-17x1", Crop(natural, 150, 115, 17, 1)});
  all.push_back({"odd-33x31", Crop(natural, 140, 98, 33, 31)});
  all.push_back({"odd-15x16", Crop(text, 4, 4, 15, 16)});
  all.push_back({"odd-65x3", Crop(satellite, 60, 90, 65, 3)});
  return all;
}

}  // namespace mmp::testimages
