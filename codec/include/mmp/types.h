// The vocabulary of the public interface: its limits, names and small structs.
#ifndef MMP_TYPES_H_
#define MMP_TYPES_H_

#include <cstdint>
#include <functional>

namespace mmp {

inline constexpr int kMaxImageSide = 65535;                  // pixels
inline constexpr int64_t kMaxTilePixels = int64_t{1} << 30;  // its sides rounded up to 16s
inline constexpr int kMinDictionarySize = 69;                // patterns a level
inline constexpr int kMaxDictionarySize = 65536;             // patterns a level
inline constexpr int kNoPredictionSplit = 25;  // as prediction level: macroblocks predicted whole
inline constexpr double kMaxLambda = 65536.0;
inline constexpr int kMaxThreads = 1024;

// Of this and the next enumerations later versions may have more values, also in what they say of
// files.
enum class Preset : uint8_t {
  kThesis = 0,  // the reference configuration, searched exhaustively
  kFast = 1,    // as best, but fewer candidates tried and half the patterns
  kBest = 2,    // all tools that pay
  kQuick = 3,   // as fast, but far fewer candidates tried, and smaller networks of the filter
};

enum class Backend : uint8_t {
  kAuto,  // CUDA where a usable device exists, else the CPU
  kCpu,
  kCuda,
};

// In which order the macroblocks of a tile are coded.
enum class MacroblockOrder : uint8_t {
  kAuto,       // for an encoder: wave fronts where the preset has them and the image is neither
               // drawn nor printed
  kRaster,     // one after another, row by row
  kWavefront,  // front after front: those of a front, in column t - 2 row, are independent of each
               // other
};

// What the samples of an image are coded by.
enum class Coder : uint8_t {
  kAuto,      // for an encoder: whichever makes the better file
  kPatterns,  // blocks predicted, and residuals made of a dictionary's patterns
  kPixels,    // pixel after pixel by mixed least-squares predictors: lossless, or with a bound
};

inline constexpr int kMaxError = 65535;  // the largest bound on a sample's error

inline constexpr int kLevels = 25;  // block sizes
inline constexpr int kModes = 31;   // prediction modes

// Called now and then while work goes on, from any of the working threads but never from two at
// once, with the part done in [0, 1]. Returning false cancels: the operation then fails with
// kCancelled. If it throws, the operation stops, too, and throws on what it threw; but
// std::bad_alloc becomes kOutOfMemory.
using ProgressCallback = std::function<bool(double done)>;

// A rectangle of an image's pixels, from column x and row y on.
struct Region {
  int x = 0, y = 0, width = 0, height = 0;

  friend bool operator==(const Region&, const Region&) = default;
};

struct TileInfo {
  int x = 0, y = 0, width = 0, height = 0;  // pixels
  uint64_t offset = 0, bytes = 0;           // in the file
  // CRC-32C of the tile's bytes (one tile: of header, reconstruction_crc and bytes; of a small file
  // the lowest 16 bits of that).
  uint32_t crc = 0;
  // CRC-32C of the tile's decoded samples, row by row; 0 of a small file, which does not have it.
  uint32_t reconstruction_crc = 0;
};

}  // namespace mmp

#endif  // MMP_TYPES_H_
