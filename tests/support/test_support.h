// What the codec's tests share.
#ifndef MMP_TESTS_SUPPORT_TEST_SUPPORT_H_
#define MMP_TESTS_SUPPORT_TEST_SUPPORT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "codec/base/levels.h"
#include "codec/intra/canvas.h"
#include "mmp/image.h"
#include "mmp/mmp.h"
#include "tests/support/pictures.h"

namespace mmp {

// Encodes, and fails the running test if that fails.
std::vector<uint8_t> MustEncode(const ImageView& image, const EncodeOptions& options,
                                EncodeStats* stats = nullptr);

// The CRC-32C of an image's samples, row by row: of a tile's, what the file promises.
uint32_t PixelsCrc(const ImageView& image);

// The names of the SIMD targets that the codec is built for and this machine has.
std::vector<std::string> SimdTargetNames();
// Runs `function` once on each of them, under a trace with its name.
void ForEachSimdTarget(const std::function<void()>& function);

// The surroundings of a macroblock in the middle of its coding, such as occur: a position anywhere
// in a tile (its edges included), and a random walk down the prediction tree, with everything coded
// before the block that it ends at available. The other pixels are 0.
struct CodingPosition {
  Canvas canvas;
  BlockRect rect;
  std::string ToString() const;
  int y, x;                     // of the macroblock in the tile
  int tile_width, tile_height;  // pixels
};
// `content` gives the samples of the tile (at most 48x48). `rect` gets level `level`.
CodingPosition RandomPosition(Random& random, int level, Picture content);

// On every SIMD target, `predict` must predict the block at `position` as `expected`, row by row,
// and write nothing behind it.
void ExpectPrediction(const CodingPosition& position, const std::vector<int>& expected,
                      void (*predict)(const Canvas&, BlockRect, uint8_t*));

}  // namespace mmp

#endif  // MMP_TESTS_SUPPORT_TEST_SUPPORT_H_
