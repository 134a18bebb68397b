// What the Wiener filter's classes are made of: each pixel's activity and texture, with SIMD.
#ifndef MMP_CODEC_POSTFILTER_WIENER_TEXTURES_H_
#define MMP_CODEC_POSTFILTER_WIENER_TEXTURES_H_

#include <cstdint>

namespace mmp {

// The taps as they are, transposed, mirrored: the texture then has the direction of the training.
enum WienerTurn : uint8_t { kAsIs = 0, kTransposed = 1, kMirrored = 2 };
inline constexpr int kWienerTurns = 3;

// The texture of a pixel. Direction 0: none; 1, 2: diagonal, weak or strong; 3, 4: straight, weak
// or strong.
constexpr int WienerTexture(int direction, int turn) { return direction * kWienerTurns + turn; }

// Around the pixels that are looked at: how many more are read on each side, and behind the last of
// these.
inline constexpr int kTextureReach = 3;
inline constexpr int kTextureOverrun = 16;

// activities[y * width + x] and textures[y * width + x] of rows of pixels, pixels[y * stride + x]:
// of the second differences of the 5x5 pixels around each, docs/format.md, "Wiener filter".
void FindWienerTextures(const uint8_t* pixels, int stride, int width, int rows,
                        uint16_t* activities, uint8_t* textures);

}  // namespace mmp

#endif  // MMP_CODEC_POSTFILTER_WIENER_TEXTURES_H_
