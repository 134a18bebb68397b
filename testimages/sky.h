// A made-up photograph of the sky.
#ifndef MMP_TESTIMAGES_SKY_H_
#define MMP_TESTIMAGES_SKY_H_

#include "mmp/image.h"

namespace mmp::testimages {

// Clear sky that grows lighter towards the sun, with fair-weather clouds over hills, without a
// camera's grain; for 256x192 pixels.
Image Sky(int width, int height);

}  // namespace mmp::testimages

#endif  // MMP_TESTIMAGES_SKY_H_
