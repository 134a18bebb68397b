// What a file says of itself, without having it in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <string>
#include <vector>

#include "codec/bitstream/file_header.h"
#include "mmp/mmp.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

enum class Form { kSmall, kOneTile, kTiles, kOneTileWithPreview, kTilesWithPreview };
constexpr Form kForms[] = {Form::kSmall, Form::kOneTile, Form::kTiles, Form::kOneTileWithPreview,
                           Form::kTilesWithPreview};

std::vector<uint8_t> File(Form form) {
  EncodeOptions options;
  options.lambda = 60;
  options.preset = Preset::kFast;
  options.threads = 1;
  if (form == Form::kOneTile) options.dictionary_size = 100;
  if (form == Form::kTiles || form == Form::kTilesWithPreview)
    options.tile_width = options.tile_height = 32;
  options.preview = form == Form::kOneTileWithPreview || form == Form::kTilesWithPreview;
  return MustEncode(Draw(Picture::kTexture, 70, 40, 1).View(), options);
}

// Reads `file` up to `end`, and fails behind it.
class Source {
 public:
  Source(const std::vector<uint8_t>& file, uint64_t end) : file_(file), end_(end) {}

  ByteSource Get() {
    return {file_.size(), [this](uint64_t offset, std::span<uint8_t> bytes) -> Status {
              EXPECT_FALSE(bytes.empty());
              if (offset > end_ || bytes.size() > end_ - offset)
                return {StatusCode::kIo, "read behind byte " + std::to_string(end_)};
              std::copy_n(file_.data() + offset, bytes.size(), bytes.data());
              most_ = std::max<uint64_t>(most_, offset + bytes.size());
              return {};
            }};
  }
  uint64_t most() const { return most_; }  // the end of what was read

 private:
  const std::vector<uint8_t>& file_;
  const uint64_t end_;
  uint64_t most_ = 0;
};

Result<FileInfo> InfoFrom(const std::vector<uint8_t>& file, bool check_bytes = true) {
  Source source(file, file.size());
  return ReadInfoFrom(source.Get(), {.check_bytes = check_bytes});
}

void ExpectSame(const Result<FileInfo>& one, const Result<FileInfo>& other) {
  ASSERT_EQ(one.ok(), other.ok()) << one.status().message() << other.status().message();
  if (!one.ok()) {
    EXPECT_EQ(one.status().code(), other.status().code());
    EXPECT_EQ(one.status().message(), other.status().message());
    return;
  }
  EXPECT_EQ(one->file_bytes, other->file_bytes);
  EXPECT_EQ(one->header_bytes, other->header_bytes);
  EXPECT_EQ(one->check_bits, other->check_bits);
  EXPECT_EQ(one->preview_bytes, other->preview_bytes);
  EXPECT_EQ(one->damaged_preview, other->damaged_preview);
  EXPECT_EQ(one->jpeg_tiles, other->jpeg_tiles);
  ASSERT_EQ(one->tiles.size(), other->tiles.size());
  for (size_t i = 0; i < one->tiles.size(); ++i) {
    EXPECT_EQ(one->tiles[i].offset, other->tiles[i].offset);
    EXPECT_EQ(one->tiles[i].bytes, other->tiles[i].bytes);
    EXPECT_EQ(one->tiles[i].crc, other->tiles[i].crc);
  }
}

TEST(FileInfoTest, OfASourceIsThatOfItsBytes) {
  for (const Form form : kForms) {
    const std::vector<uint8_t> file = File(form);
    ASSERT_TRUE(ReadInfo(file).ok());
    ExpectSame(InfoFrom(file), ReadInfo(file));
    for (size_t i = 0; i < file.size(); ++i) {
      std::vector<uint8_t> damaged = file;
      damaged[i] ^= 0x20;
      SCOPED_TRACE("byte " + std::to_string(i));
      ExpectSame(InfoFrom(damaged), ReadInfo(damaged));
      damaged.resize(i);
      ExpectSame(InfoFrom(damaged), ReadInfo(damaged));
    }
  }
}

// No read begins before the one before it.
TEST(FileInfoTest, ASourceIsReadInOrder) {
  for (const Form form : kForms) {
    const std::vector<uint8_t> file = File(form);
    Source source(file, file.size());
    const ByteSource bytes = source.Get();
    uint64_t last = 0;
    const ByteSource in_order = {bytes.size, [&](uint64_t offset, std::span<uint8_t> to) {
                                   EXPECT_GE(offset, last);
                                   last = offset;
                                   return bytes.read(offset, to);
                                 }};
    EXPECT_TRUE(ReadInfoFrom(in_order).ok());
    EXPECT_EQ(source.most(), file.size());
  }
}

TEST(FileInfoTest, WithoutChecksOnlyTheBeginningIsRead) {
  for (const Form form : kForms) {
    const std::vector<uint8_t> file = File(form);
    const FileInfo checked = *ReadInfo(file);
    const uint64_t end =
        std::min<uint64_t>(std::max<uint64_t>(checked.header_bytes, kMaxHeaderBytes), file.size());
    Source beginning(file, end);
    ExpectSame(ReadInfoFrom(beginning.Get(), {.check_bytes = false}), checked);
    EXPECT_EQ(beginning.most(), end);
    EXPECT_EQ(ReadInfoFrom(beginning.Get()).status().code(),
              end < file.size() ? StatusCode::kIo : StatusCode::kOk);

    std::vector<uint8_t> damaged = file;
    damaged.back() ^= 1;
    EXPECT_TRUE(ReadInfo(damaged, {.check_bytes = false}).ok());
    EXPECT_EQ(ReadInfo(damaged).ok(), checked.check_bits == 16);
  }
}

TEST(FileInfoTest, WithoutChecksAFileThatEndsTooEarlyIsDamagedAllTheSame) {
  const std::vector<uint8_t> file = File(Form::kTiles);
  const std::vector<uint8_t> cut(file.begin(), file.end() - 1);
  for (const bool check_bytes : {false, true}) {
    const Status status = InfoFrom(cut, check_bytes).status();
    EXPECT_EQ(status.code(), StatusCode::kCorrupt);
    EXPECT_NE(status.message().find("the file ends before the tile does"), std::string::npos);
  }
}

// Not the preview's damage: nobody knows whether there is any.
TEST(FileInfoTest, EveryFailureOfTheSourceIsTheResult) {
  for (const Form form : kForms) {
    const std::vector<uint8_t> file = File(form);
    int reads = 0;
    int failing = -1;
    const ByteSource source = {file.size(),
                               [&](uint64_t offset, std::span<uint8_t> bytes) -> Status {
                                 if (reads++ == failing)
                                   return {StatusCode::kIo, "the disk is out"};
                                 std::copy_n(file.data() + offset, bytes.size(), bytes.data());
                                 return {};
                               }};
    ASSERT_TRUE(ReadInfoFrom(source).ok());
    const int all_reads = reads;
    EXPECT_GE(all_reads, 3);
    for (failing = 0; failing < all_reads; ++failing) {
      reads = 0;
      const Status status = ReadInfoFrom(source).status();
      EXPECT_EQ(status.code(), StatusCode::kIo);
      EXPECT_EQ(status.message(), "the disk is out");
    }
  }
  EXPECT_EQ(ReadInfoFrom({100, {}}).status().code(), StatusCode::kInvalidArgument);
  const ByteSource full = {100,
                           [](uint64_t, std::span<uint8_t>) -> Status { throw std::bad_alloc(); }};
  EXPECT_EQ(ReadInfoFrom(full).status().code(), StatusCode::kOutOfMemory);
}

// A terabyte, which one tile fills: none of it is kept.
TEST(FileInfoTest, TilesAreReadByParts) {
  const std::vector<uint8_t> file = File(Form::kOneTile);
  const uint64_t tile = ReadInfo(file)->tiles[0].offset;
  uint64_t most = 0;
  int reads_of_tile = 0;
  const ByteSource source = {uint64_t{1} << 40,
                             [&](uint64_t offset, std::span<uint8_t> bytes) -> Status {
                               if (offset >= tile) {
                                 most = std::max<uint64_t>(most, bytes.size());
                                 if (++reads_of_tile == 3)
                                   return {StatusCode::kCancelled, "enough"};
                               }
                               for (size_t i = 0; i < bytes.size(); ++i)
                                 bytes[i] = offset + i < file.size() ? file[offset + i] : 0;
                               return {};
                             }};
  EXPECT_EQ(ReadInfoFrom(source).status().code(), StatusCode::kCancelled);
  EXPECT_EQ(most, uint64_t{1} << 20);
  const Result<FileInfo> info = ReadInfoFrom(source, {.check_bytes = false});
  ASSERT_TRUE(info.ok()) << info.status().message();
  EXPECT_EQ(info->tiles[0].bytes, (uint64_t{1} << 40) - tile);
}

TEST(FileInfoTest, TilesOfAJpegFilesCoefficientsAreCounted) {
  Image image = DrawJpeg(96, 768, 0, 0, 1);
  const Image noise = Draw(Picture::kNoise, 96, 64, 2);
  EncodeOptions options;
  options.lambda = 0;
  options.threads = 1;
  EXPECT_EQ(ReadInfo(MustEncode(image.View(), options))->jpeg_tiles, 1);
  EXPECT_EQ(ReadInfo(MustEncode(noise.View(), options))->jpeg_tiles, 0);
  for (int y = 0; y < noise.height(); ++y)
    std::copy_n(noise.Row(y), noise.width(), image.Row(704 + y));
  options.tile_width = 96;
  options.tile_height = 64;
  const std::vector<uint8_t> file = MustEncode(image.View(), options);
  EXPECT_EQ(ReadInfo(file)->jpeg_tiles, 11);
  EXPECT_EQ(InfoFrom(file)->jpeg_tiles, 11);
  EXPECT_EQ(ReadInfo(file, {.check_bytes = false})->jpeg_tiles, 0);
}

// A header that asks for a table of gigabytes, of which the source has all.
TEST(FileInfoTest, MemoryIsLimited) {
  const std::vector<uint8_t> file = File(Form::kTiles);
  const FileInfo info = *ReadInfo(file);
  Source source(file, file.size());
  const uint64_t needed = info.header_bytes + 256 * info.tiles.size();
  EXPECT_TRUE(ReadInfoFrom(source.Get(), {.max_memory = needed}).ok());
  const Status status = ReadInfoFrom(source.Get(), {.max_memory = needed - 1}).status();
  EXPECT_EQ(status.code(), StatusCode::kLimitExceeded);
  EXPECT_NE(status.message().find(std::to_string(needed) + " bytes of memory"), std::string::npos);
  EXPECT_TRUE(ReadInfo(file, {.max_memory = 0}).ok());  // of which none is taken
}

// Its table would be there in a longer file.
TEST(FileInfoTest, AHeaderOfMillionsOfTilesTakesNoMemory) {
  FileHeader header;
  header.width = header.height = 65535;
  header.tile_width = header.tile_height = 16;
  std::vector<uint8_t> beginning;
  WriteHeader(header, beginning);
  for (const uint64_t size : {uint64_t{1000}, uint64_t{1} << 40}) {
    uint64_t bytes_read = 0;
    const ByteSource source = {size, [&](uint64_t offset, std::span<uint8_t> bytes) -> Status {
                                 bytes_read += bytes.size();
                                 for (size_t i = 0; i < bytes.size(); ++i)
                                   bytes[i] =
                                       offset + i < beginning.size() ? beginning[offset + i] : 0;
                                 return {};
                               }};
    const Status status = ReadInfoFrom(source).status();
    EXPECT_EQ(status.code(), size == 1000 ? StatusCode::kCorrupt : StatusCode::kLimitExceeded)
        << status.message();
    EXPECT_LE(bytes_read, 1000 + kMaxHeaderBytes);
  }
}

}  // namespace
}  // namespace mmp
