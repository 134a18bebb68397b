// Parts of the test images, for tests that need a real image but not all of it.
#ifndef MMP_TESTS_SMALL_IMAGE_H_
#define MMP_TESTS_SMALL_IMAGE_H_

#include <gtest/gtest.h>

#include <string>

#include "common/image_io.h"

namespace mmp {

// Writes the middle of the image in a file, a square of `side` pixels, to another file.
inline void WriteMiddle(const std::string& from, int side, const std::string& to) {
  const Result<LoadedImage> loaded = ReadImage(from);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  const ImageView image = loaded->image.View();
  const ImageView middle =
      image.Crop((image.width - side) / 2, (image.height - side) / 2, side, side);
  ASSERT_TRUE(WriteImage(to, middle).ok());
}

}  // namespace mmp

#endif  // MMP_TESTS_SMALL_IMAGE_H_
