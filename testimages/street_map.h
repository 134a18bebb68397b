// A made-up map of a town.
#ifndef MMP_TESTIMAGES_STREET_MAP_H_
#define MMP_TESTIMAGES_STREET_MAP_H_

#include "mmp/image.h"

namespace mmp::testimages {

// Streets, blocks of houses, parks, a river and names, as printed and scanned: a little turned,
// blurred, on paper, without the scanner's noise. At most 256x256 pixels.
Image StreetMap(int width, int height);

}  // namespace mmp::testimages

#endif  // MMP_TESTIMAGES_STREET_MAP_H_
