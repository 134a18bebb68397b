// No memory, in every place: the C functions say so, leak nothing and go on working.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "mmp/mmp_c.h"
#include "tests/support/failing_allocations.h"
#include "tests/support/pictures.h"

namespace mmp {
namespace {

// Fails each allocation of `call`, which returns an mmp_status.
template <typename Call>
void FailEverywhere(const Call& call) {
  const int failures = FailAllocations(Failing::kOne, [&] {
    const mmp_status status = call();
    if (status == MMP_OK) return true;
    EXPECT_EQ(status, MMP_OUT_OF_MEMORY) << mmp_error_message();
    EXPECT_NE(std::string(mmp_error_message()).find("memory"), std::string::npos);
    return false;
  });
  EXPECT_GT(failures, 10);
}

class OutOfMemoryTest : public testing::TestWithParam<int> {};

TEST_P(OutOfMemoryTest, Anywhere) {
  const Image image = Draw(Picture::kTexture, 40, 24, 1);
  mmp_encode_options* const options = mmp_encode_options_new();
  mmp_encode_options_set_preset(options, MMP_PRESET_FAST);
  mmp_encode_options_set_dictionary_size(options, 100);
  mmp_encode_options_set_threads(options, GetParam());
  mmp_encode_options_set_tile_size(options, 16, 16);
  uint8_t* file = nullptr;
  size_t size = 0;
  FailEverywhere([&] {
    mmp_free(file);
    return mmp_encode(image.Row(0), image.width(), image.height(), image.width(), options, &file,
                      &size);
  });
  mmp_encode_options_free(options);
  ASSERT_NE(file, nullptr);

  mmp_decode_options* const decode = mmp_decode_options_new();
  mmp_decode_options_set_threads(decode, GetParam());
  FailEverywhere([&] {
    mmp_image* decoded = nullptr;
    const mmp_status status = mmp_decode(file, size, decode, &decoded);
    mmp_image_free(decoded);
    return status;
  });
  mmp_decode_options_free(decode);
  mmp_free(file);
}

// What a function in C++ throws is not taken for memory that runs out.
TEST(ThrowingProgressTest, IsNoLackOfMemory) {
  const Image image = Draw(Picture::kTexture, 40, 24, 1);
  mmp_encode_options* const options = mmp_encode_options_new();
  mmp_encode_options_set_preset(options, MMP_PRESET_FAST);
  mmp_encode_options_set_progress(
      options, [](double, void*) -> int { throw std::length_error("of the program"); }, nullptr);
  uint8_t* file = nullptr;
  size_t size = 0;
  EXPECT_EQ(
      mmp_encode(image.Row(0), image.width(), image.height(), image.width(), options, &file, &size),
      MMP_INTERNAL_ERROR);
  EXPECT_STREQ(mmp_error_message(), "of the program");
  mmp_encode_options_free(options);
}

TEST(OutOfMemoryOptionsTest, AreNull) {
  BeginFailing(0, Failing::kAll);
  mmp_encode_options* const encode = mmp_encode_options_new();
  mmp_decode_options* const decode = mmp_decode_options_new();
  EndFailing();
  EXPECT_EQ(encode, nullptr);
  EXPECT_EQ(decode, nullptr);
}

INSTANTIATE_TEST_SUITE_P(Threads, OutOfMemoryTest, testing::Values(1, 3));

}  // namespace
}  // namespace mmp
