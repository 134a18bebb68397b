// Pictures drawn by programs: text, drawings, slides.
#ifndef MMP_TESTIMAGES_DOCUMENTS_H_
#define MMP_TESTIMAGES_DOCUMENTS_H_

#include "mmp/image.h"

namespace mmp::testimages {

// A page of small text, black on white, in which words recur. 192x128 pixels.
Image TextPage();
// A page with a picture (at most 120x104 pixels), a caption and text. 256x160 pixels.
Image CompoundPage(const Image& picture);
// A map: contour lines, a river, roads, names. 160x160 pixels.
Image Map();
// A slide: flat areas, a bar chart, boxes, a few words. 240x135 pixels.
Image Slide();

}  // namespace mmp::testimages

#endif  // MMP_TESTIMAGES_DOCUMENTS_H_
