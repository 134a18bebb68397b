#include "tests/support/test_support.h"

#include <gtest/gtest.h>

#include <cassert>

#include "codec/base/sample_map.h"
#include "tests/support/simd_targets.h"

namespace mmp {

std::vector<uint8_t> MustEncode(const ImageView& image, const EncodeOptions& options,
                                EncodeStats* stats) {
  Result<std::vector<uint8_t>> file = Encode(image, options, stats);
  EXPECT_TRUE(file.ok()) << file.status().message();
  return file.ok() ? *std::move(file) : std::vector<uint8_t>();
}

uint32_t PixelsCrc(const ImageView& image) {
  uint32_t crc = 0;
  for (int y = 0; y < image.height; ++y) crc = RowCrc(image.Row(y), image.width, image.depth, crc);
  return crc;
}

std::vector<std::string> SimdTargetNames() {
  std::vector<std::string> names;
  for (const int64_t target : SimdTargets()) names.push_back(SimdTargetName(target));
  return names;
}

void ForEachSimdTarget(const std::function<void()>& function) {
  for (const int64_t target : SimdTargets()) {
    UseSimdTarget(target);
    SCOPED_TRACE(SimdTargetName(target));
    function();
  }
  UseSimdTarget(0);
}

void ExpectPrediction(const CodingPosition& position, const std::vector<int>& expected,
                      void (*predict)(const Canvas&, BlockRect, uint8_t*)) {
  const BlockRect rect = position.rect;
  ForEachSimdTarget([&] {
    uint8_t prediction[kMacroblockPixels + 1];
    prediction[rect.pixels()] = 99;
    predict(position.canvas, rect, prediction);
    for (int k = 0; k < rect.pixels(); ++k)
      ASSERT_EQ(prediction[k], expected[k])
          << "row " << k / rect.width() << ", column " << k % rect.width();
    ASSERT_EQ(prediction[rect.pixels()], 99);
  });
}

std::string CodingPosition::ToString() const {
  return "macroblock at (" + std::to_string(y) + ", " + std::to_string(x) + ") of a tile of " +
         std::to_string(tile_height) + " rows of " + std::to_string(tile_width) +
         " pixels, block at (" + std::to_string(rect.y) + ", " + std::to_string(rect.x) +
         ") in it, of " + std::to_string(rect.height()) + " rows of " +
         std::to_string(rect.width());
}

CodingPosition RandomPosition(Random& random, int level, Picture content) {
  constexpr int kSide = kMacroblockSize;
  CodingPosition position;
  position.tile_width = kSide * random.Between(1, 3);
  position.tile_height = kSide * random.Between(1, 3);
  position.x = kSide * random.Below(position.tile_width / kSide);
  position.y = kSide * random.Below(position.tile_height / kSide);
  const Image tile = Draw(content, position.tile_width, position.tile_height, random.Bits());
  Canvas& canvas = position.canvas;
  LoadCanvas(tile.Row(0), tile.width(), tile.width(), tile.height(), position.y, position.x,
             canvas);

  const LevelShape shape = kLevelShapes[level];
  int cuts[2] = {4 - shape.log2_width, 4 - shape.log2_height};  // vertical, horizontal
  position.rect = {0, 0, kMacroblockLevel};
  while (cuts[0] + cuts[1] > 0) {
    const int split = random.Below(cuts[0] + cuts[1]) < cuts[0] ? 0 : 1;
    --cuts[split];
    const int half = random.Below(2);
    if (half == 1) {
      const BlockRect first = position.rect.Half(static_cast<Split>(split), 0);
      for (int i = first.y; i < first.y + first.height(); ++i)
        for (int j = first.x; j < first.x + first.width(); ++j)
          canvas.pixels[Canvas::Index(i, j)] = tile.Row(position.y + i)[position.x + j];
      MarkAvailable(canvas, first);
    }
    position.rect = position.rect.Half(static_cast<Split>(split), half);
  }
  assert(position.rect.level == level);
  return position;
}

}  // namespace mmp
