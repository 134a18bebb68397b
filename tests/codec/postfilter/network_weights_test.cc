#include "codec/postfilter/network_weights.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "common/crc32c.h"
#include "tests/codec/postfilter/random_network.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

// docs/format.md says which bytes they are, this that nobody touches them.
TEST(NetworkWeightsTest, AreThoseOfTheFormat) {
  struct {
    NetworkKind kind;
    size_t bytes;
    uint32_t crc;
  } constexpr kFiles[] = {
      {NetworkKind::kLarge, 78456, 0xc0693a34},       {NetworkKind::kFirstDeep, 132456, 0xd6acac4b},
      {NetworkKind::kSecondDeep, 132456, 0x1c6ce613}, {NetworkKind::kThirdDeep, 132456, 0xcebcedd3},
      {NetworkKind::kSmall, 31296, 0x47323411},       {NetworkKind::kFirstSmall, 31296, 0xeadcafc8},
      {NetworkKind::kSecondSmall, 31296, 0x18ae7fca}};
  for (const auto& [kind, bytes, crc] : kFiles) {
    const std::vector<uint8_t> file = WriteNetwork(StandardNetwork(kind));
    EXPECT_EQ(file.size(), bytes);
    EXPECT_EQ(Crc32c(std::span(file).first(file.size() - 4)), crc);
  }
}

TEST(NetworkWeightsTest, AreReadAsTheyWereWritten) {
  Random random(1);
  for (const bool is_extreme : {false, true}) {
    const NetworkWeights network =
        RandomNetwork(random, is_extreme ? NetworkKind::kSmall : NetworkKind::kLarge, is_extreme);
    const Result<NetworkWeights> read = ParseNetwork(WriteNetwork(network));
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_EQ(read->shape, network.shape);
    ASSERT_EQ(read->layers.size(), network.layers.size());
    for (size_t k = 0; k < network.layers.size(); ++k) {
      EXPECT_EQ(read->layers[k].inputs, network.layers[k].inputs);
      EXPECT_EQ(read->layers[k].outputs, network.layers[k].outputs);
      EXPECT_EQ(read->layers[k].shifts, network.layers[k].shifts);
      EXPECT_EQ(read->layers[k].biases, network.layers[k].biases);
      EXPECT_EQ(read->layers[k].slopes, network.layers[k].slopes);
      EXPECT_EQ(read->layers[k].weights, network.layers[k].weights);
    }
  }
}

StatusCode CodeOf(const std::vector<uint8_t>& file) { return ParseNetwork(file).status().code(); }

TEST(NetworkWeightsTest, OtherFilesAreRefused) {
  const std::vector<uint8_t> file = WriteNetwork(StandardNetwork(NetworkKind::kLarge));
  EXPECT_EQ(CodeOf({}), StatusCode::kUnsupported);
  for (int at = 0; at < 8; ++at) {  // another version, or another size
    std::vector<uint8_t> other = file;
    ++other[at];
    EXPECT_EQ(CodeOf(other), StatusCode::kUnsupported) << at;
  }
  for (const size_t at : {size_t{8}, file.size() / 2, file.size() - 1}) {
    std::vector<uint8_t> damaged = file;
    damaged[at] ^= 16;
    EXPECT_EQ(CodeOf(damaged), StatusCode::kCorrupt) << at;
  }
  std::vector<uint8_t> longer = file, shorter = file;
  longer.push_back(0);
  shorter.pop_back();
  EXPECT_EQ(CodeOf(longer), StatusCode::kCorrupt);
  EXPECT_EQ(CodeOf(shorter), StatusCode::kCorrupt);
  shorter.resize(8);
  EXPECT_EQ(CodeOf(shorter), StatusCode::kCorrupt);
}

// Whose sums could be beyond 32 bits, right checksums or not.
TEST(NetworkWeightsTest, ValuesBeyondTheirBoundsAreRefused) {
  constexpr int32_t kBias = 1 << 28, kSlope = (kBias + 11) / 12;
  const auto code_of = [](auto change) {
    NetworkWeights network = StandardNetwork(NetworkKind::kLarge);
    change(network.layers[2]);
    return CodeOf(WriteNetwork(network));
  };
  for (const int shift : {0, 25, 255})
    EXPECT_EQ(code_of([&](NetworkLayer& l) { l.shifts[3] = static_cast<uint8_t>(shift); }),
              StatusCode::kCorrupt);
  for (const int32_t bias : {kBias, -kBias, INT32_MIN})
    EXPECT_EQ(code_of([&](NetworkLayer& l) { l.biases[23] = bias; }), StatusCode::kCorrupt);
  for (const int32_t slope : {kSlope, -kSlope, INT32_MIN})
    EXPECT_EQ(code_of([&](NetworkLayer& l) { l.slopes[0] = slope; }), StatusCode::kCorrupt);
  EXPECT_EQ(code_of([](NetworkLayer& l) {
              l.shifts[0] = 24;
              l.biases[0] = 1 - kBias;
              l.slopes[0] = kSlope - 1;
            }),
            StatusCode::kOk);
}

}  // namespace
}  // namespace mmp
