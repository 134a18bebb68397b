// Images and files for tests, and what should become of them.
#ifndef MMP_TESTS_COMMON_IMAGE_FILES_IMAGE_SOURCE_H_
#define MMP_TESTS_COMMON_IMAGE_FILES_IMAGE_SOURCE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/image_files/image_io.h"
#include "mmp/image.h"
#include "mmp/status.h"

namespace mmp {

using Bytes = std::vector<uint8_t>;

// Samples as they are in the file.
inline constexpr ReadImageOptions kAnyDepth = {.min_depth = 1, .max_depth = kMaxDepth};

inline constexpr char kColorNotice[] = "converted color to luma (BT.601)";
inline constexpr char kAlphaNotice[] = "composited transparency over white";

Bytes ToBytes(std::string_view text);
void Append(Bytes& bytes, const Bytes& more);

Image RandomImage(int width, int height, uint32_t seed);

// Samples of 1 to 16 bits, white and black among them.
Image RandomDeepImage(int depth, int width, int height);

// The image of a file that must be read.
LoadedImage Parse(const Bytes& bytes, const ReadImageOptions& options = {});

// That reading the file fails so, with a message that names it.
void ExpectError(const Bytes& bytes, StatusCode code, std::string_view message,
                 const ReadImageOptions& options = {});

// Gray as documented, written another way: v in [0, 65535] of `bits`, to 8 bits.
int ScaledTo8(int v, int bits);
int ExpectedLuma(int r, int g, int b);
int ExpectedOverWhite(int gray, int alpha);

// The four bytes of a number.
Bytes BigEndian(uint32_t number);

// An Exif block: a TIFF header, and a directory of an entry that does not matter and the
// orientation.
Bytes Exif(uint16_t orientation, bool little_endian);

// `image` turned as the standard says of the orientation: by where the first row and column of the
// samples are shown.
Image ExpectedTurn(const Image& image, int orientation);

}  // namespace mmp

#endif  // MMP_TESTS_COMMON_IMAGE_FILES_IMAGE_SOURCE_H_
