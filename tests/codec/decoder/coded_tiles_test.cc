// Which tiles of a file a decode reads, and how many bytes it counts for its limits.
#include "codec/decoder/coded_tiles.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "codec/decoder/file_bytes.h"
#include "mmp/mmp.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

// Twelve tiles of 32x32, three rows of four.
std::vector<uint8_t> File() {
  EncodeOptions options;
  options.lambda = 60;
  options.preset = Preset::kFast;
  options.threads = 1;
  options.tile_width = options.tile_height = 32;
  return MustEncode(Draw(Picture::kTexture, 128, 96, 1).View(), options);
}

TEST(CodedTilesTest, AWholeImageTakesAllBytes) {
  const std::vector<uint8_t> file = File();
  FileBytes bytes(file);
  const Result<CodedTiles> coded = ReadCodedTiles(bytes, {});
  ASSERT_TRUE(coded.ok()) << coded.status().message();
  ASSERT_EQ(coded->tiles.size(), 12U);
  EXPECT_EQ(coded->bytes, file.size());
}

TEST(CodedTilesTest, ARegionTakesHeaderTableAndItsTiles) {
  const std::vector<uint8_t> file = File();
  FileBytes bytes(file);
  DecodeOptions options;
  options.region = {40, 20, 50, 30};
  const Result<CodedTiles> coded = ReadCodedTiles(bytes, options);
  ASSERT_TRUE(coded.ok()) << coded.status().message();
  ASSERT_EQ(coded->tiles.size(), 4U);  // two runs of two
  uint64_t expected = coded->file.header_bytes;
  for (const CodedTile& tile : coded->tiles) {
    EXPECT_EQ(tile.stream.size(), tile.info.bytes);
    expected += tile.info.bytes;
  }
  EXPECT_EQ(coded->bytes, expected);
  EXPECT_LT(coded->bytes, file.size());
}

TEST(CodedTilesTest, ADamagedTileIsNotCountedWhereItIsNotThere) {
  std::vector<uint8_t> file = File();
  FileBytes whole(file);
  const Result<CodedTiles> before = ReadCodedTiles(whole, {});
  ASSERT_TRUE(before.ok());
  const TileInfo last = before->tiles.back().info;
  file.resize(file.size() - 1);
  FileBytes bytes(file);
  DecodeOptions options;
  options.keep_going = true;
  const Result<CodedTiles> coded = ReadCodedTiles(bytes, options);
  ASSERT_TRUE(coded.ok()) << coded.status().message();
  EXPECT_FALSE(coded->tiles.back().damage.empty());
  EXPECT_EQ(coded->bytes, before->bytes - last.bytes);
}

}  // namespace
}  // namespace mmp
