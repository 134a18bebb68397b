#include "tools/kernels/inputs.h"

#include <cstring>
#include <iterator>

namespace mmp::kernels {
namespace {

bool Suits(const CodingPosition& position, Needs needs) {
  const Canvas& canvas = position.canvas;
  const BlockRect rect = position.rect;
  switch (needs) {
    case Needs::kNothing:
      return true;
    case Needs::kOne:
      return canvas.Available(rect.y - 1, rect.x) && canvas.Available(rect.y, rect.x - 1);
    default:
      return canvas.Available(rect.y - 2, rect.x - 2);
  }
}

enum class Values { kDrawn, kFew, kBlackAndWhite, kWhite, kBlack, kStripes };
constexpr const char* kValuesNames[] = {"as drawn", "few values", "black and white",
                                        "white",    "black",      "stripes"};

uint8_t Changed(Values values, int few, int index, uint8_t value) {
  switch (values) {
    case Values::kDrawn:
      return value;
    case Values::kFew:
      return static_cast<uint8_t>(value * few / 256 * (255 / few));
    case Values::kBlackAndWhite:
      return value < 128 ? 0 : 255;
    case Values::kWhite:
      return 255;
    case Values::kBlack:
      return 0;
    default:
      return index % 2 == 0 ? 0 : 255;
  }
}

}  // namespace

const char* ResidualsName(Residuals kind) {
  constexpr const char* kNames[] = {"random",      "small",
                                    "zero",        "255",
                                    "-255",        "255 and -255 in turn",
                                    "255 or -255", "255 or -255, a few 1 or -1"};
  return kNames[static_cast<int>(kind)];
}

void AppendResidual(Random& random, Residuals kind, int count, std::vector<int16_t>& values) {
  for (int k = 0; k < count; ++k) {
    int value = 0;
    switch (kind) {
      case Residuals::kRandom:
        value = random.Between(-255, 255);
        break;
      case Residuals::kSmall:
        value = random.Between(-2, 2);
        break;
      case Residuals::kZero:
        break;
      case Residuals::kMost:
        value = 255;
        break;
      case Residuals::kLeast:
        value = -255;
        break;
      case Residuals::kAlternating:
        value = k % 2 == 0 ? 255 : -255;
        break;
      default:
        value = random.OneIn(2) ? 255 : -255;
        // Sums that end in an odd bit.
        if (kind == Residuals::kNearExtreme && random.OneIn(40)) value /= 255;
    }
    values.push_back(static_cast<int16_t>(value));
  }
}

Surroundings RandomSurroundings(Random& random, int level, Needs needs, int number) {
  const Picture picture = kAllPictures[random.Below(static_cast<int>(std::size(kAllPictures)))];
  Surroundings around{RandomPosition(random, level, picture), {}};
  while (!Suits(around.position, needs)) around.position = RandomPosition(random, level, picture);
  const auto values = static_cast<Values>(number % static_cast<int>(std::size(kValuesNames)));
  const int few = 2 + random.Below(4);
  Canvas& canvas = around.position.canvas;
  for (int k = 0; k < static_cast<int>(std::size(canvas.pixels)); ++k)
    if (canvas.available[k] != 0) canvas.pixels[k] = Changed(values, few, k, canvas.pixels[k]);
  around.name = std::string(PictureName(picture)) + ", " + kValuesNames[static_cast<int>(values)] +
                ", " + around.position.ToString();
  return around;
}

Surroundings FullSurroundings(Random& random, int level) {
  Surroundings around{};
  around.name = "all pixels around";
  around.position.rect = {0, 0, static_cast<uint8_t>(level)};
  Canvas& canvas = around.position.canvas;
  std::memset(&canvas, 0, sizeof(canvas));
  for (int y = -Canvas::kTop; y < kMacroblockSize; ++y) {
    for (int x = -Canvas::kLeft; x < kMacroblockSize + Canvas::kRight; ++x) {
      if (y >= 0 && x >= 0) continue;
      canvas.pixels[Canvas::Index(y, x)] = static_cast<uint8_t>(100 + 2 * x + y + random.Below(8));
      canvas.available[Canvas::Index(y, x)] = 1;
    }
  }
  return around;
}

}  // namespace mmp::kernels
