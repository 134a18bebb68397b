#include "common/crc32c.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string_view>
#include <vector>

namespace mmp {
namespace {

uint32_t CrcOfText(std::string_view text) {
  return Crc32c({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

// The definition, bit by bit.
uint32_t PlainCrc32c(std::span<const uint8_t> bytes) {
  uint32_t crc = 0xFFFFFFFF;
  for (const uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? (crc >> 1) ^ 0x82F63B78 : crc >> 1;
  }
  return crc ^ 0xFFFFFFFF;
}

std::vector<uint8_t> RandomBytes(size_t size) {
  std::mt19937 random(7);
  std::vector<uint8_t> bytes(size);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

TEST(Crc32cTest, KnownVectors) {
  EXPECT_EQ(CrcOfText(""), 0u);
  EXPECT_EQ(CrcOfText("a"), 0xC1D04330u);
  EXPECT_EQ(CrcOfText("123456789"), 0xE3069283u);
  // RFC 3720, B.4
  EXPECT_EQ(Crc32c(std::vector<uint8_t>(32, 0x00)), 0x8A9136AAu);
  EXPECT_EQ(Crc32c(std::vector<uint8_t>(32, 0xFF)), 0x62A8AB43u);
  std::vector<uint8_t> ascending(32);
  std::iota(ascending.begin(), ascending.end(), uint8_t{0});
  EXPECT_EQ(Crc32c(ascending), 0x46DD794Eu);
  const std::vector<uint8_t> descending(ascending.rbegin(), ascending.rend());
  EXPECT_EQ(Crc32c(descending), 0x113FDB5Cu);
}

TEST(Crc32cTest, EveryLengthAndAlignmentIsTheDefinition) {
  const std::vector<uint8_t> bytes = RandomBytes(80);
  for (size_t start = 0; start < 8; ++start) {
    for (size_t size = 0; start + size <= bytes.size(); ++size) {
      const std::span<const uint8_t> part = std::span(bytes).subspan(start, size);
      ASSERT_EQ(Crc32c(part), PlainCrc32c(part)) << "start " << start << " size " << size;
    }
  }
}

TEST(Crc32cTest, PiecesGiveTheCrcOfTheWhole) {
  const std::vector<uint8_t> bytes = RandomBytes(1000);
  const uint32_t whole = Crc32c(bytes);
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    const uint32_t first = Crc32c(std::span(bytes).first(cut));
    ASSERT_EQ(Crc32c(std::span(bytes).subspan(cut), first), whole) << "cut at " << cut;
  }
}

}  // namespace
}  // namespace mmp
