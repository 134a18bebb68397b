// The test images: made-up pictures of the kinds that behave differently when coded.
#ifndef MMP_TESTIMAGES_SCENES_H_
#define MMP_TESTIMAGES_SCENES_H_

#include <string>
#include <vector>

#include "mmp/image.h"

namespace mmp::testimages {

struct TestImage {
  std::string name;  // of the file, without .png
  Image image;
};

// All of them, the same pixels on every machine.
std::vector<TestImage> MakeAll();

}  // namespace mmp::testimages

#endif  // MMP_TESTIMAGES_SCENES_H_
