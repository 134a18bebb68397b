#include "common/out_of_memory.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <vector>

#include "mmp/status.h"

namespace mmp {
namespace {

TEST(OutOfMemoryTest, WhatIsReturnedIsPassedOn) {
  EXPECT_TRUE(OrOutOfMemory([] { return Status(); }).ok());
  const Status status(StatusCode::kCorrupt, "damaged");
  EXPECT_EQ(OrOutOfMemory([&] { return status; }).message(), "damaged");
}

TEST(OutOfMemoryTest, NoMemoryIsAStatus) {
  const Status status = OrOutOfMemory([]() -> Status { throw std::bad_alloc(); });
  EXPECT_EQ(status.code(), StatusCode::kOutOfMemory);
}

// A vector says so in another way if no address is high enough, as may be where they have 32 bits.
TEST(OutOfMemoryTest, MoreThanCanBeAddressedIsAStatus) {
  const Status status = OrOutOfMemory([]() -> Status {
    std::vector<int16_t> none;
    none.resize(none.max_size() + size_t{1});
    return {};
  });
  EXPECT_EQ(status.code(), StatusCode::kOutOfMemory);
}

TEST(OutOfMemoryTest, WhatACallerThrowsPasses) {
  const auto throws = []() -> Status { throw std::length_error("of a caller"); };
  EXPECT_EQ(OrOutOfMemory(throws).code(), StatusCode::kOutOfMemory);
  EXPECT_THROW((void)OrOutOfMemory([&] { return CallBack(throws); }), std::length_error);
}

TEST(OutOfMemoryTest, OtherExceptionsPass) {
  EXPECT_THROW((void)OrOutOfMemory([]() -> Status { throw std::runtime_error("of a caller"); }),
               std::runtime_error);
}

}  // namespace
}  // namespace mmp
