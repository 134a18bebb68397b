// A made-up photograph of leaves.
#ifndef MMP_TESTIMAGES_FOLIAGE_H_
#define MMP_TESTIMAGES_FOLIAGE_H_

#include "mmp/image.h"

namespace mmp::testimages {

// A hedge from near: leaves over leaves with their veins, in sunlight and shade, without a camera's
// grain.
Image Foliage(int width, int height);

}  // namespace mmp::testimages

#endif  // MMP_TESTIMAGES_FOLIAGE_H_
