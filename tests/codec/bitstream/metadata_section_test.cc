#include "codec/bitstream/metadata_section.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "codec/bitstream/container.h"
#include "mmp/mmp.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

Metadata SomeMetadata() {
  Random random(1);
  return {{1, RandomBytes(random, 500)}, {200, {}}, {5, {'a', 0, 'b'}}, {5, {'a', 0, 'c'}}};
}

EncodeOptions WithMetadata(bool is_tiled) {
  EncodeOptions options;
  options.metadata = SomeMetadata();
  options.threads = 1;
  if (is_tiled) options.tile_width = options.tile_height = 16;
  return options;
}

TEST(MetadataSectionTest, ComesBack) {
  const Metadata metadata = SomeMetadata();
  ASSERT_TRUE(CheckMetadata(metadata).ok());
  const std::vector<uint8_t> section = WriteMetadataSection(metadata);
  EXPECT_EQ(section.size(), 4 * kMetadataChunkHeaderBytes + 506);
  const MetadataRead read = ReadMetadataSection(section, true);
  EXPECT_EQ(read.chunks, metadata);
  EXPECT_EQ(read.damaged, 0);
  EXPECT_TRUE(WriteMetadataSection({}).empty());
}

TEST(MetadataSectionTest, LimitsAreKept) {
  const auto code = [](const Metadata& metadata) { return CheckMetadata(metadata).code(); };
  EXPECT_EQ(code({{0, {1}}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Metadata(kMaxMetadataChunks, {7, {}})), StatusCode::kOk);
  EXPECT_EQ(code(Metadata(kMaxMetadataChunks + 1, {7, {}})), StatusCode::kInvalidArgument);
  const size_t most = kMaxMetadataBytes - kMetadataChunkHeaderBytes;
  EXPECT_EQ(code({{7, std::vector<uint8_t>(most)}}), StatusCode::kOk);
  EXPECT_EQ(code({{7, std::vector<uint8_t>(most + 1)}}), StatusCode::kInvalidArgument);
  // More chunks than a file may have are read up to there.
  const MetadataRead read =
      ReadMetadataSection(WriteMetadataSection(Metadata(kMaxMetadataChunks + 9, {7, {}})), true);
  EXPECT_EQ(read.chunks.size(), kMaxMetadataChunks);
  EXPECT_EQ(read.damaged, 1);
}

// Whatever byte of a section is changed, or wherever it is cut off: no chunk is another one.
TEST(MetadataSectionTest, DamageLosesChunksOnly) {
  const Metadata metadata = SomeMetadata();
  const std::vector<uint8_t> section = WriteMetadataSection(metadata);
  const auto check = [&](const std::vector<uint8_t>& damaged) {
    const MetadataRead read = ReadMetadataSection(damaged, true);
    EXPECT_LT(read.chunks.size(), metadata.size());
    size_t next = 0;
    for (const MetadataChunk& chunk : read.chunks) {
      while (next < metadata.size() && metadata[next] != chunk) ++next;
      EXPECT_LT(next++, metadata.size());
    }
    return read.damaged;
  };
  for (size_t at = 0; at < section.size(); ++at) {
    std::vector<uint8_t> damaged = section;
    damaged[at] ^= 0x21;
    EXPECT_GT(check(damaged), 0) << at;
    check({section.begin(), section.begin() + static_cast<ptrdiff_t>(at)});
  }
}

// Metadata change neither samples nor streams, and are read without decoding.
TEST(MetadataFileTest, ImagesAreTheSame) {
  const Image image = Draw(Picture::kTexture, 40, 33, 1);
  for (const bool is_tiled : {false, true}) {
    EncodeOptions options = WithMetadata(is_tiled);
    const std::vector<uint8_t> file = MustEncode(image.View(), options);
    const Result<DecodedImage> decoded = Decode(file);
    ASSERT_TRUE(decoded.ok()) << decoded.status().message();
    EXPECT_EQ(decoded->metadata, options.metadata);
    EXPECT_EQ(decoded->damaged_metadata, 0);
    const Result<FileInfo> info = ReadInfo(file);
    ASSERT_TRUE(info.ok());
    EXPECT_EQ(info->metadata, options.metadata);
    const size_t end = ReadSize(std::span(file).first(kMaxHeaderBytes))->metadata_end;
    EXPECT_EQ(*ReadMetadata(std::span(file).first(end)), options.metadata);
    EXPECT_FALSE(ReadMetadata(std::span(file).first(end - 1)).ok());
    options.metadata = {};
    const std::vector<uint8_t> bare = MustEncode(image.View(), options);
    EXPECT_EQ(Decode(bare)->image, decoded->image);
    EXPECT_EQ(ReadSize(bare)->metadata_end, 0u);
    EXPECT_TRUE(ReadMetadata(bare)->empty());
    const ParsedFile with = *ParseFile(file, kNoLimit), without = *ParseFile(bare, kNoLimit);
    for (size_t i = 0; i < with.tiles.size(); ++i)
      EXPECT_EQ(with.tiles[i].bytes, without.tiles[i].bytes);
  }
}

// Damage to the metadata leaves the image whole, and is told.
TEST(MetadataFileTest, DamageIsTold) {
  const Image image = Draw(Picture::kTexture, 40, 33, 1);
  for (const bool is_tiled : {false, true}) {
    const std::vector<uint8_t> file = MustEncode(image.View(), WithMetadata(is_tiled));
    const Image expected = Decode(file)->image;
    const size_t end = ReadSize(file)->metadata_end;
    const size_t begin = end - WriteMetadataSection(SomeMetadata()).size();
    for (size_t at = begin; at < end; at += 7) {
      std::vector<uint8_t> damaged = file;
      damaged[at] ^= 0x10;
      const Result<DecodedImage> decoded = Decode(damaged);
      ASSERT_TRUE(decoded.ok()) << decoded.status().message();
      EXPECT_EQ(decoded->image, expected);
      EXPECT_GT(decoded->damaged_metadata, 0);
      EXPECT_GT(ReadInfo(damaged)->damaged_metadata, 0);
    }
    // Their size belongs to the header.
    std::vector<uint8_t> damaged = file;
    damaged[begin - 3] ^= 1;
    EXPECT_FALSE(Decode(damaged).ok());
  }
}

TEST(MetadataFileTest, ImpossibleOnesAreRefused) {
  EncodeOptions options;
  options.metadata = {{0, {1}}};
  const auto file = Encode(Draw(Picture::kTexture, 20, 18, 1).View(), options);
  EXPECT_EQ(file.status().code(), StatusCode::kInvalidArgument);
}

// The sign is said, of every depth by either coder, and nothing else changes.
TEST(SignedTest, IsSaid) {
  for (const int depth : {1, 8, 12, 16}) {
    for (const double lambda : {0.0, 100.0}) {
      Image image = Image::OfDepth(depth, 20, 18);
      for (int y = 0; y < 18; ++y)
        for (int x = 0; x < 20; ++x) image.SetSample(y, x, (x * y) % (LargestSample(depth) + 1));
      EncodeOptions options;
      options.lambda = lambda;
      const std::vector<uint8_t> plain = MustEncode(image.View(), options);
      options.is_signed = true;
      const std::vector<uint8_t> file = MustEncode(image.View(), options);
      EXPECT_FALSE(Decode(plain)->is_signed);
      EXPECT_TRUE(Decode(file)->is_signed);
      EXPECT_TRUE(ReadInfo(file)->is_signed);
      EXPECT_TRUE(ReadSize(file)->is_signed);
      EXPECT_EQ(Decode(file)->image, Decode(plain)->image);
    }
  }
}

TEST(ResolutionTest, ComesBackOrIsNone) {
  const Resolution resolution = {Resolution::Unit::kCentimetre, 300, 7, 0xffffffff, 1};
  Resolution read;
  ASSERT_TRUE(Resolution::FromBytes(resolution.ToChunk().bytes, read));
  EXPECT_EQ(read, resolution);
  EXPECT_DOUBLE_EQ((Resolution{Resolution::Unit::kMetre, 11811, 1, 1, 1}).InchX(), 299.9994);
  std::vector<uint8_t> bytes = resolution.ToChunk().bytes;
  bytes[0] = 4;
  EXPECT_FALSE(Resolution::FromBytes(bytes, read));
  EXPECT_FALSE(Resolution::FromBytes({1, 2, 3}, read));
  EXPECT_FALSE(Resolution::FromBytes(
      (Resolution{Resolution::Unit::kInch, 1, 0, 1, 1}).ToChunk().bytes, read));
}

}  // namespace
}  // namespace mmp
