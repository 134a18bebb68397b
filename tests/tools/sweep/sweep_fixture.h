// What tests of whole sweeps have in common: small pictures, and a folder to sweep into.
#ifndef MMP_TESTS_TOOLS_SWEEP_SWEEP_FIXTURE_H_
#define MMP_TESTS_TOOLS_SWEEP_SWEEP_FIXTURE_H_

#include <gtest/gtest.h>

#include <string>

#include "common/image_files/image_io.h"
#include "tests/support/temporary_folder.h"

namespace mmp {

class SweepFixture : public testing::Test {
 protected:
  static constexpr char kSmall[] = MMP_TEST_IMAGES "/odd-33x31.png";

  void SetUp() override {
    WriteMiddle(MMP_TEST_IMAGES "/natural.png", 96, natural_);
    WriteMiddle(MMP_TEST_IMAGES "/text.png", 96, text_);
  }

  const TemporaryFolder folder_;
  // Parts of these test images.
  const std::string natural_ = folder_ / "natural.png", text_ = folder_ / "text.png";
  const std::string out_ = folder_ / "out";

 private:
  // Writes the middle of the image in a file, a square of `side` pixels, to another file.
  static void WriteMiddle(const std::string& from, int side, const std::string& to) {
    const Result<LoadedImage> loaded = ReadImage(from);
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    const ImageView image = loaded->image.View();
    const ImageView middle =
        image.Crop((image.width - side) / 2, (image.height - side) / 2, side, side);
    ASSERT_TRUE(WriteImage(to, middle).ok());
  }
};

}  // namespace mmp

#endif  // MMP_TESTS_TOOLS_SWEEP_SWEEP_FIXTURE_H_
