// A made-up picture of a computed tomography scanner.
#ifndef MMP_TESTIMAGES_TOMOGRAM_H_
#define MMP_TESTIMAGES_TOMOGRAM_H_

#include "mmp/image.h"

namespace mmp::testimages {

// A slice of a chest: soft tissue, lungs with vessels, heart, spine and ribs, on the scanner's
// table; the noise of few rays, black outside. For 256x256 pixels.
Image Tomogram(int width, int height);

}  // namespace mmp::testimages

#endif  // MMP_TESTIMAGES_TOMOGRAM_H_
