// How a picture is to be turned before it is shown: the orientation of Exif (CIPA DC-008, tag 274).
#ifndef MMP_COMMON_IMAGE_FILES_IMAGE_ORIENTATION_H_
#define MMP_COMMON_IMAGE_FILES_IMAGE_ORIENTATION_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "mmp/image.h"

namespace mmp {

// The values of the tag: where the first row and the first column of the samples are shown.
enum class Orientation : uint8_t {
  kAsStored = 1,     // row at the top, column at the left
  kMirrored = 2,     // top, right
  kTurned180 = 3,    // bottom, right
  kFlipped = 4,      // bottom, left
  kTransposed = 5,   // left, top
  kTurnedRight = 6,  // right, top
  kTransversed = 7,  // right, bottom
  kTurnedLeft = 8,   // left, bottom
};

// What an Exif block (a TIFF file without pictures, either byte order) says; kAsStored if it says
// nothing, or nothing that makes sense.
Orientation ExifOrientation(std::span<const uint8_t> exif);

// `image` as it is to be shown.
Image Oriented(Image image, Orientation orientation);

// Whether Oriented makes columns of rows.
bool ExchangesSides(Orientation orientation);

// What Oriented does: "turned right by 90 degrees"; empty for kAsStored.
std::string_view OrientationText(Orientation orientation);

}  // namespace mmp

#endif  // MMP_COMMON_IMAGE_FILES_IMAGE_ORIENTATION_H_
