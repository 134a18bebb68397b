// A made-up photograph of a person.
#ifndef MMP_TESTIMAGES_PORTRAIT_H_
#define MMP_TESTIMAGES_PORTRAIT_H_

#include "mmp/image.h"

namespace mmp::testimages {

// Head and shoulders in soft light, without a camera's grain; for 256x192 pixels.
Image Portrait(int width, int height);

}  // namespace mmp::testimages

#endif  // MMP_TESTIMAGES_PORTRAIT_H_
