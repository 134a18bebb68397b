// A made-up photograph of a landscape.
#ifndef MMP_TESTIMAGES_LANDSCAPE_H_
#define MMP_TESTIMAGES_LANDSCAPE_H_

#include <cstdint>

#include "mmp/image.h"

namespace mmp::testimages {

// Sky, mountains, a lake, a tree and three balls in the grass; 256 units wide, whatever the width
// in pixels, and without a camera's grain. `seed` chooses the weather and the mountains.
Image Landscape(uint32_t seed, int width, int height);

}  // namespace mmp::testimages

#endif  // MMP_TESTIMAGES_LANDSCAPE_H_
