// A made-up photograph from the air.
#ifndef MMP_TESTIMAGES_COUNTRYSIDE_H_
#define MMP_TESTIMAGES_COUNTRYSIDE_H_

#include "mmp/image.h"

namespace mmp::testimages {

// Fields, woods, roads, a river and a village, without a camera's grain.
Image Countryside(int width, int height);

}  // namespace mmp::testimages

#endif  // MMP_TESTIMAGES_COUNTRYSIDE_H_
