#include <gtest/gtest.h>

#include <string>

#include "mmp/mmp.h"
#include "mmp/mmp_c.h"

namespace mmp {
namespace {

// The headers, the library and the build agree.
TEST(VersionTest, IsThatOfTheBuild) {
  EXPECT_EQ(Version(), MMP_PROJECT_VERSION);
  EXPECT_STREQ(mmp_version(), MMP_PROJECT_VERSION);
  EXPECT_EQ(std::to_string(kVersionMajor) + "." + std::to_string(kVersionMinor) + "." +
                std::to_string(kVersionPatch),
            MMP_PROJECT_VERSION);
}

}  // namespace
}  // namespace mmp
