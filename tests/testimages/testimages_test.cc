// The files in testimages/ are what the code there draws, on this machine too.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "common/image_files/image_io.h"
#include "mmp/image.h"
#include "mmp/status.h"
#include "testimages/scenes.h"

namespace mmp::testimages {
namespace {

TEST(TestImages, FilesAreWhatTheCodeDraws) {
  std::set<std::string> names;
  for (const TestImage& expected : MakeAll()) {
    SCOPED_TRACE(expected.name);
    names.insert(expected.name);
    const Result<LoadedImage> file =
        ReadImage(std::string(MMP_TEST_IMAGES) + "/" + expected.name + ".png");
    ASSERT_TRUE(file.ok()) << file.status().message();
    EXPECT_EQ(file->image.width(), expected.image.width());
    EXPECT_EQ(file->image.height(), expected.image.height());
    EXPECT_TRUE(file->image == expected.image)
        << "generate_testimages testimages writes the files again";
  }
  for (const auto& entry : std::filesystem::directory_iterator(MMP_TEST_IMAGES)) {
    if (entry.path().extension() != ".png") continue;
    EXPECT_TRUE(names.contains(entry.path().stem())) << "not drawn: " << entry.path();
  }
}

}  // namespace
}  // namespace mmp::testimages
