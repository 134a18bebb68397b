// Files that are damaged or made to do harm: the decoder refuses them, soon and for a reason it
// names.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "codec/bitstream/container.h"
#include "mmp/mmp.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

DecodeOptions Options(bool keep_going = false) {
  DecodeOptions options;
  options.threads = 1;
  options.max_pixels = 1 << 22;
  options.keep_going = keep_going;
  return options;
}

// A file that is not what an encoder wrote must not decode, or only with its damage listed.
void ExpectRefused(std::span<const uint8_t> file) {
  const Result<DecodedImage> decoded = Decode(file, Options());
  ASSERT_FALSE(decoded.ok());
  const StatusCode code = decoded.status().code();
  EXPECT_TRUE(code == StatusCode::kCorrupt || code == StatusCode::kUnsupported ||
              code == StatusCode::kLimitExceeded)
      << decoded.status().message();
  EXPECT_FALSE(decoded.status().message().empty());
  const Result<DecodedImage> salvaged = Decode(file, Options(true));
  if (salvaged.ok()) {
    EXPECT_TRUE(!salvaged->damaged_tiles.empty() || salvaged->trailing_bytes > 0);
    for (const DamagedTile& tile : salvaged->damaged_tiles) EXPECT_FALSE(tile.reason.empty());
  }
}

// Files as they differ in their headers and checksums.
enum class Form { kSmall, kOneTile, kManyTiles };

std::vector<uint8_t> ShortFile(Form form) {
  EncodeOptions options;
  options.lambda = 30;
  if (form != Form::kSmall) options.dictionary_size = 100;
  options.threads = 1;
  if (form == Form::kManyTiles) options.tile_width = options.tile_height = 16;
  return MustEncode(Draw(Picture::kTexture, 20, 18, 1).View(), options);
}

class ShortFileTest : public testing::TestWithParam<Form> {
 protected:
  // Damage to a small file is found by decoding only, and so is that which makes one look small.
  static void ExpectDamageKnown(std::span<const uint8_t> file) {
    const Result<FileInfo> info = ReadInfo(file);
    EXPECT_TRUE(!info.ok() || info->check_bits == 16);
    if (GetParam() == Form::kSmall) return;
    EXPECT_EQ(info.ok(), (file[3] & 0x10) != 0);
  }
};

TEST(ShortFilesTest, HaveTheirForms) {
  EXPECT_EQ(ReadInfo(ShortFile(Form::kSmall))->check_bits, 16);
  EXPECT_EQ(ReadInfo(ShortFile(Form::kOneTile))->check_bits, 32);
  EXPECT_EQ(ReadInfo(ShortFile(Form::kManyTiles))->tiles.size(), 4u);
}

TEST_P(ShortFileTest, EveryTruncation) {
  const std::vector<uint8_t> file = ShortFile(GetParam());
  ASSERT_TRUE(Decode(file, Options()).ok());
  for (size_t size = 0; size < file.size(); ++size) {
    SCOPED_TRACE(testing::Message() << size << " of " << file.size() << " bytes");
    // Of its own size, so that a read past its end is seen.
    const std::vector<uint8_t> part(file.begin(), file.begin() + static_cast<ptrdiff_t>(size));
    ASSERT_NO_FATAL_FAILURE(ExpectRefused(part));
    if (GetParam() == Form::kSmall) continue;
    EXPECT_FALSE(ReadInfo(part).ok());
  }
}

TEST_P(ShortFileTest, EveryFlippedBit) {
  std::vector<uint8_t> file = ShortFile(GetParam());
  for (size_t bit = 0; bit < 8 * file.size(); ++bit) {
    SCOPED_TRACE(testing::Message() << "bit " << bit % 8 << " of byte " << bit / 8);
    file[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
    ASSERT_NO_FATAL_FAILURE(ExpectRefused(file));
    ExpectDamageKnown(file);
    file[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
  }
}

TEST_P(ShortFileTest, BytesBehindTheEnd) {
  std::vector<uint8_t> file = ShortFile(GetParam());
  for (const uint8_t byte : {0x00, 0x80}) {
    file.push_back(byte);
    ExpectRefused(file);
    ExpectDamageKnown(file);
  }
}

TEST_P(ShortFileTest, BytesRemovedInside) {
  const std::vector<uint8_t> file = ShortFile(GetParam());
  for (size_t at = 0; at < file.size(); ++at) {
    SCOPED_TRACE(at);
    std::vector<uint8_t> shorter = file;
    shorter.erase(shorter.begin() + static_cast<ptrdiff_t>(at));
    ASSERT_NO_FATAL_FAILURE(ExpectRefused(shorter));
  }
}

std::string FormName(const testing::TestParamInfo<Form>& test) {
  constexpr const char* kNames[] = {"Small", "OneTile", "ManyTiles"};
  return kNames[static_cast<int>(test.param)];
}

INSTANTIATE_TEST_SUITE_P(Forms, ShortFileTest,
                         testing::Values(Form::kSmall, Form::kOneTile, Form::kManyTiles), FormName);

TEST(HostileTest, NotAFile) {
  Random random(1);
  ExpectRefused({});
  for (int round = 0; round < 300; ++round) {
    std::vector<uint8_t> bytes = RandomBytes(random, random.Below(60));
    ExpectRefused(bytes);
    // The same behind a magic number and a version that are right.
    bytes.insert(bytes.begin(), {'M', 'M', 'P', kFormatVersion});
    ExpectRefused(bytes);
    // And as a small file of any kind, of at most 256x256 pixels.
    bytes[3] |= static_cast<uint8_t>(1 + 2 * random.Below(8)) << 4;
    if (bytes.size() > 6) bytes[5] &= 0xf8, bytes[6] &= 0xc7;
    ExpectRefused(bytes);
  }
}

// The message says which version a file has, and what to do about it.
TEST(HostileTest, EarlierVersionsAreNamed) {
  for (const uint8_t version : {uint8_t{1}, static_cast<uint8_t>(kFirstFormatVersion - 1)}) {
    std::vector<uint8_t> file = ShortFile(Form::kOneTile);
    file[3] = version;
    const Result<DecodedImage> decoded = Decode(file, Options());
    ASSERT_FALSE(decoded.ok());
    EXPECT_EQ(decoded.status().code(), StatusCode::kUnsupported);
    const std::string& message = decoded.status().message();
    EXPECT_NE(message.find("format version " + std::to_string(version)), std::string::npos);
    EXPECT_NE(message.find("the program that wrote it"), std::string::npos);
    EXPECT_EQ(message.find("newer"), std::string::npos);
  }
}

TEST(HostileTest, LaterVersionsAndFeaturesAreNamed) {
  std::vector<uint8_t> file = ShortFile(Form::kOneTile);
  file[3] = kFormatVersion + 1;
  Result<DecodedImage> decoded = Decode(file, Options());
  ASSERT_FALSE(decoded.ok());
  EXPECT_EQ(decoded.status().code(), StatusCode::kUnsupported);
  EXPECT_NE(decoded.status().message().find("version"), std::string::npos);
  file[3] = kFormatVersion;
  const auto code = [](const std::vector<uint8_t>& changed) {
    return Decode(changed, Options()).status().code();
  };
  std::vector<uint8_t> changed = file;
  changed[4] |= 0x07;
  EXPECT_EQ(code(changed), StatusCode::kUnsupported);
}

FileHeader Header(int width, int height, int tile_width, int tile_height) {
  FileHeader header;
  header.width = width;
  header.height = height;
  header.tile_width = tile_width;
  header.tile_height = tile_height;
  return header;
}

// The most memory this process has held, in bytes.
int64_t PeakMemory() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

template <typename Function>
void ExpectSmallAndFast(const Function& function) {
  const auto start = std::chrono::steady_clock::now();
  const int64_t before = PeakMemory();
  function();
  EXPECT_LT(PeakMemory() - before, 32 << 20);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

TEST(HostileTest, HugeImagesTakeNoMemory) {
  // 1 gigapixel in one tile: a valid file but for its tile.
  const std::vector<uint8_t> huge =
      WriteFileBytes(Header(32768, 32768, 32768, 32768), {EncodedTile()});
  ASSERT_LT(huge.size(), 30u);
  ExpectSmallAndFast([&] {
    const Result<DecodedImage> decoded = Decode(huge);
    ASSERT_FALSE(decoded.ok());
    EXPECT_EQ(decoded.status().code(), StatusCode::kLimitExceeded);
  });
  ExpectSmallAndFast([&] { EXPECT_TRUE(ReadInfo(huge).ok()); });

  // Damaged as well, and allowed: still nothing is decoded.
  ExpectSmallAndFast([&] {
    std::vector<uint8_t> damaged = huge;
    damaged.push_back(0);
    DecodeOptions options;
    options.max_pixels = kNoLimit;
    const Result<DecodedImage> decoded = Decode(damaged, options);
    ASSERT_FALSE(decoded.ok());
    EXPECT_EQ(decoded.status().code(), StatusCode::kCorrupt);
  });
}

TEST(HostileTest, TileTablesThatAreNotThereTakeNoMemory) {
  // 16 million tiles, of which none is there.
  const std::vector<uint8_t> file = WriteFileBytes(Header(65535, 65535, 16, 16), {});
  ExpectSmallAndFast([&] {
    DecodeOptions options;
    options.max_pixels = kNoLimit;
    for (const bool keep_going : {false, true}) {
      options.keep_going = keep_going;
      const Result<DecodedImage> decoded = Decode(file, options);
      ASSERT_FALSE(decoded.ok());
      EXPECT_EQ(decoded.status().code(), StatusCode::kCorrupt);
    }
    EXPECT_FALSE(ReadInfo(file).ok());
  });
}

// A tile as long as 32 bits can say.
TEST(HostileTest, TileLongerThanTheFile) {
  std::vector<uint8_t> file =
      WriteFileBytes(Header(32, 16, 16, 16), {EncodedTile(), EncodedTile()});
  const size_t table = file.size() - 4 - 2 * 12;
  for (int k = 0; k < 4; ++k) file[table + k] = 0xff;
  ExpectRefused(file);
  EXPECT_FALSE(ReadInfo(file).ok());
}

TEST(HostileTest, ImpossibleParameters) {
  FileHeader header = Header(16, 16, 16, 16);
  auto refused = [&header](CodecParameters parameters) {
    header.parameters = parameters;
    ExpectRefused(WriteFileBytes(header, {EncodedTile()}));
  };
  refused({.dictionary_size = 1});
  refused({.dictionary_size = 68});
  refused({.prediction_level = 26});
  refused({.prediction_level = 31});
  refused({.modes = 0});
  refused({.modes = 0x3fb});  // without the mode that is always there
  refused({.modes = 1u << kPredictionModes | kAllModes});
  refused({.tools = kAllTools + 1});
  refused({.tools = 1u << 5});
}

TEST(HostileTest, TilesLargerThanTheImage) {
  // Marked as tiled although there is one tile.
  std::vector<uint8_t> file =
      WriteFileBytes(Header(17, 16, 16, 16), {EncodedTile(), EncodedTile()});
  file[5] = 15;  // width 16
  ExpectRefused(file);
}

// Bytes that no encoder wrote, with checksums that are right: decoding ends, soon, and finds that
// the pixels are not those promised.
TEST(HostileTest, GarbageWithRightChecksums) {
  Random random(2);
  for (int round = 0; round < 150; ++round) {
    SCOPED_TRACE(round);
    FileHeader header = Header(random.Between(1, 50), random.Between(1, 50),
                               16 * random.Between(1, 4), 16 * random.Between(1, 4));
    if (header.tile_width >= header.width && header.tile_height >= header.height) {
      header.tile_width = header.width;
      header.tile_height = header.height;
    }
    constexpr int kPredictionLevels[] = {0, 3, 8, 15, 25};
    header.parameters.dictionary_size = random.OneIn(3) ? 69 : random.Between(69, 4096);
    header.parameters.prediction_level = kPredictionLevels[random.Below(5)];
    header.parameters.modes = random.Bits() % kAllModes | 1u << kMostFrequent;
    header.parameters.tools = random.Bits() & kAllTools & ~kOwnDictionary;
    header.parameters.redundancy_threshold = random.OneIn(2) ? 0 : 10;
    if (random.OneIn(2)) header.parameters.order = MacroblockOrder::kWavefront;
    std::vector<EncodedTile> tiles(
        TileGrid(header.width, header.height, header.tile_width, header.tile_height).size());
    for (EncodedTile& tile : tiles) {
      const size_t size = random.Below(random.OneIn(4) ? 2000 : 50);
      tile.bytes = random.OneIn(4) ? std::vector<uint8_t>(size, random.OneIn(2) ? 0x00 : 0xff)
                                   : RandomBytes(random, size);
      tile.reconstruction_crc = random.Bits();
    }
    const std::vector<uint8_t> file = WriteFileBytes(header, tiles);
    ASSERT_TRUE(ReadInfo(file).ok());
    const auto start = std::chrono::steady_clock::now();
    ASSERT_NO_FATAL_FAILURE(ExpectRefused(file));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  }
}

// A large image from next to no bytes: the decoder stops where the bytes end.
TEST(HostileTest, ShortTileOfALargeImage) {
  for (const uint8_t byte : {0x00, 0xff, 0x55}) {
    EncodedTile tile;
    tile.bytes.assign(3, byte);
    const std::vector<uint8_t> file = WriteFileBytes(Header(2048, 2048, 2048, 2048), {tile});
    const auto start = std::chrono::steady_clock::now();
    ExpectRefused(file);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  }
}

// True bytes, said to be in the other order.
TEST(HostileTest, AnotherOrder) {
  EncodeOptions options;
  options.dictionary_size = 100;
  options.order = MacroblockOrder::kWavefront;
  const std::vector<uint8_t> file = MustEncode(Draw(Picture::kTexture, 49, 33, 1).View(), options);
  Result<ParsedFile> parsed = ParseFile(file, kNoLimit);
  ASSERT_TRUE(parsed.ok());
  const TileInfo& info = parsed->tiles[0];
  EncodedTile tile;
  tile.bytes.assign(file.begin() + static_cast<ptrdiff_t>(info.offset), file.end());
  tile.reconstruction_crc = info.reconstruction_crc;
  ASSERT_EQ(WriteFileBytes(parsed->header, {tile}), file);
  parsed->header.parameters.order = MacroblockOrder::kRaster;
  ExpectRefused(WriteFileBytes(parsed->header, {tile}));
}

// True bytes, followed by more in the same tile.
TEST(HostileTest, TileWithMoreDataThanItNeeds) {
  const Image image = Draw(Picture::kNoise, 16, 16, 1);
  EncodeOptions options;
  options.dictionary_size = 100;
  const std::vector<uint8_t> file = MustEncode(image.View(), options);
  const Result<ParsedFile> parsed = ParseFile(file, kNoLimit);
  ASSERT_TRUE(parsed.ok());
  const TileInfo& info = parsed->tiles[0];
  EncodedTile tile;
  tile.bytes.assign(file.begin() + static_cast<ptrdiff_t>(info.offset), file.end());
  tile.reconstruction_crc = info.reconstruction_crc;
  ASSERT_EQ(WriteFileBytes(parsed->header, {tile}), file);
  tile.bytes.insert(tile.bytes.end(), 5, 0xaa);
  ExpectRefused(WriteFileBytes(parsed->header, {tile}));
}

// The image with every tile that a file lists as damaged made gray.
Image WithGray(Image image, const std::vector<DamagedTile>& tiles) {
  for (const DamagedTile& tile : tiles)
    for (int y = 0; y < tile.height; ++y)
      std::fill_n(image.Row(tile.y + y) + tile.x, tile.width, uint8_t{128});
  return image;
}

class KeepGoingTest : public testing::Test {
 protected:
  KeepGoingTest() {
    EncodeOptions options;
    options.lambda = 5;
    options.dictionary_size = 69;
    options.tile_width = 32;
    options.tile_height = 16;
    file_ = MustEncode(Draw(Picture::kText, 70, 40, 1).View(), options);
    info_ = *ReadInfo(file_);
    image_ = Decode(file_)->image;
  }

  // Damages the tiles given; they and no others must be listed and gray.
  void CheckDamaged(const std::vector<int>& tiles, int threads) {
    std::vector<uint8_t> damaged = file_;
    for (const int tile : tiles) damaged[info_.tiles[tile].offset] ^= 1;
    ExpectRefused(damaged);
    DecodeOptions options = Options(true);
    options.threads = threads;
    const Result<DecodedImage> decoded = Decode(damaged, options);
    ASSERT_TRUE(decoded.ok()) << decoded.status().message();
    ASSERT_EQ(decoded->damaged_tiles.size(), tiles.size());
    for (size_t k = 0; k < tiles.size(); ++k) {
      const DamagedTile& found = decoded->damaged_tiles[k];
      const TileInfo& expected = info_.tiles[tiles[k]];
      EXPECT_EQ(found.x, expected.x);
      EXPECT_EQ(found.y, expected.y);
      EXPECT_EQ(found.width, expected.width);
      EXPECT_EQ(found.height, expected.height);
      EXPECT_FALSE(found.reason.empty());
    }
    EXPECT_EQ(decoded->image, WithGray(image_, decoded->damaged_tiles));
  }

  std::vector<uint8_t> file_;
  FileInfo info_;
  Image image_;
};

TEST_F(KeepGoingTest, OnlyDamagedTilesAreLost) {
  ASSERT_EQ(info_.tiles.size(), 9u);
  for (const int threads : {1, 3}) {
    for (int tile = 0; tile < 9; ++tile) CheckDamaged({tile}, threads);
    CheckDamaged({0, 4, 8}, threads);
    CheckDamaged({0, 1, 2, 3, 4, 5, 6, 7, 8}, threads);
  }
}

// Cut off inside tile 5: it and all behind it are lost.
TEST_F(KeepGoingTest, TruncatedFile) {
  std::vector<uint8_t> shorter = file_;
  shorter.resize(info_.tiles[5].offset + info_.tiles[5].bytes - 1);
  const Result<DecodedImage> decoded = Decode(shorter, Options(true));
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  ASSERT_EQ(decoded->damaged_tiles.size(), 4u);
  EXPECT_EQ(decoded->image, WithGray(image_, decoded->damaged_tiles));
}

// Bytes that pass their checksum but do not decode to what was promised.
TEST_F(KeepGoingTest, TileWithWrongPixels) {
  const Result<ParsedFile> parsed = ParseFile(file_, kNoLimit);
  ASSERT_TRUE(parsed.ok());
  std::vector<EncodedTile> tiles;
  for (const TileInfo& info : info_.tiles) {
    const auto begin = file_.begin() + static_cast<ptrdiff_t>(info.offset);
    tiles.push_back({{begin, begin + static_cast<ptrdiff_t>(info.bytes)}, info.reconstruction_crc});
  }
  tiles[4].reconstruction_crc ^= 1;
  const std::vector<uint8_t> file = WriteFileBytes(parsed->header, tiles);
  ExpectRefused(file);
  const Result<DecodedImage> decoded = Decode(file, Options(true));
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  ASSERT_EQ(decoded->damaged_tiles.size(), 1u);
  EXPECT_EQ(decoded->damaged_tiles[0].x, info_.tiles[4].x);
  EXPECT_EQ(decoded->image, WithGray(image_, decoded->damaged_tiles));
}

// They are told, and cost nothing; who asks for a region does not meet them.
TEST_F(KeepGoingTest, BytesBehindTheLastTile) {
  std::vector<uint8_t> longer = file_;
  longer.insert(longer.end(), {0, 7, 0});
  ExpectRefused(longer);
  const Result<DecodedImage> decoded = Decode(longer, Options(true));
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  EXPECT_EQ(decoded->image, image_);
  EXPECT_TRUE(decoded->damaged_tiles.empty());
  EXPECT_EQ(decoded->trailing_bytes, 3u);
  for (const bool keep_going : {false, true}) {
    DecodeOptions options = Options(keep_going);
    options.region = {{1, 2, 40, 30}};
    const Result<DecodedImage> part = Decode(longer, options);
    ASSERT_TRUE(part.ok()) << part.status().message();
    for (int y = 0; y < 30; ++y)
      EXPECT_TRUE(std::equal(part->image.Row(y), part->image.Row(y) + 40, image_.Row(y + 2) + 1));
    EXPECT_EQ(part->trailing_bytes, 0u);
  }
}

TEST_F(KeepGoingTest, DamagedHeaderIsFatal) {
  for (const size_t at : {size_t{5}, size_t{10}, static_cast<size_t>(info_.header_bytes) - 1}) {
    std::vector<uint8_t> damaged = file_;
    damaged[at] ^= 0x10;
    EXPECT_FALSE(Decode(damaged, Options(true)).ok());
  }
}

TEST_F(KeepGoingTest, FileOfOneTile) {
  for (const Form form : {Form::kSmall, Form::kOneTile}) {
    std::vector<uint8_t> file = ShortFile(form);
    file.back() ^= 1;
    const Result<DecodedImage> decoded = Decode(file, Options(true));
    ASSERT_TRUE(decoded.ok()) << decoded.status().message();
    ASSERT_EQ(decoded->damaged_tiles.size(), 1u);
    EXPECT_EQ(decoded->image, Image(20, 18, 128));
  }
}

}  // namespace
}  // namespace mmp
