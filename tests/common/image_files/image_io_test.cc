// What holds of image files of all formats.
#include "common/image_files/image_io.h"

#include <gtest/gtest.h>
#include <png.h>
#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>

#include "common/file_io.h"
#include "tests/common/image_files/image_source.h"
#include "tests/common/image_files/jpeg_bmp_source.h"
#include "tests/common/image_files/png_source.h"

namespace mmp {
namespace {

namespace fs = std::filesystem;

TEST(ParseImageTest, NotAnImage) {
  ExpectError({}, StatusCode::kCorrupt, "is empty");
  for (const char* text : {"x", "P", "P5", "P5x", "P0 1 1 1", "P8 1 1 1", "RIFF    WAVE", "II*",
                           "\x89PN", "plain text\n", "\xFF\xD8"}) {
    SCOPED_TRACE(text);
    ExpectError(ToBytes(text), StatusCode::kUnsupported, "known format");
  }
  ExpectError(Bytes(1000, 0), StatusCode::kUnsupported, "known format");
  ExpectError(ToBytes("BMW is a car maker"), StatusCode::kCorrupt, "JPEG or BMP");
}

TEST(ParseImageTest, FilesOfOtherKindsAreCalledByTheirNames) {
  const struct {
    std::string begin;
    const char* kind;
  } kFiles[] = {{"RIFF1234WEBPVP8 ", "a WebP file"},
                {"GIF89a", "a GIF file"},
                {"P7\nWIDTH 1", "a PAM file"},
                {{"\0\0\0\x20"
                  "ftypavif",
                  12},
                 "an AVIF file"},
                {std::string(128, '\0') + "DICM", "a DICOM file"}};
  for (const auto& file : kFiles) {
    SCOPED_TRACE(file.kind);
    ExpectError(ToBytes(file.begin), StatusCode::kUnsupported, file.kind);
    ExpectError(ToBytes(file.begin), StatusCode::kUnsupported, "convert FILE png:- | mmp encode -");
  }
  ExpectError(ToBytes("MMP\x03"), StatusCode::kUnsupported, "mmp decode");
}

// Damage of all kinds: whatever comes out, nothing bad happens (sanitizers watch).
TEST(ParseImageTest, RandomDamage) {
  const Bytes kFiles[] = {
      MakePng(RandomPng(9, 7, PNG_COLOR_TYPE_PALETTE, 4, true)),
      MakePng(RandomPng(9, 7, PNG_COLOR_TYPE_RGB_ALPHA, 16, false)),
      MakePng(RandomPng(9, 7, PNG_COLOR_TYPE_GRAY, 2, true)),
      ToBytes("P1 2 2 1 0 0 1"),
      ToBytes("P4 9 2 abcd"),
      ToBytes("P3 2 2 255 1 2 3 4 5 6 7 8 9 10 11 12"),
      ToBytes("P6 2 2 255 abcdefghijkl"),
      MakeJpeg({10, 20, 30}, 8, 8),
      WithSegment(MakeJpeg({10}, 5, 3), 0xE1, JpegExif(6)),
      WithChunk(MakePng(RandomPng(9, 7, PNG_COLOR_TYPE_GRAY, 8, false)), "eXIf", Exif(6, false)),
      MakeBmp(3, 1, 4, Bytes(12, 5), {0x20, 0x10, 0, 0}),
      MakeBmp(2, 2, 24, {}, Bytes(16, 3)),
  };
  std::mt19937 random(1);
  for (const Bytes& file : kFiles) {
    for (int i = 0; i < 500; ++i) {
      Bytes damaged = file;
      for (uint32_t changes = random() % 4 + 1; changes > 0; --changes) {
        damaged[3 + random() % (damaged.size() - 3)] = static_cast<uint8_t>(random());
      }
      ReadImageOptions options = kAnyDepth;
      options.max_pixels = 10000;
      options.depth8 = i % 2 == 0;
      const Result<LoadedImage> loaded = ParseImage(damaged, "test", options);
      EXPECT_EQ(loaded.ok(), loaded.status().message().empty());
    }
  }
}

class ImageFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "mmp_image_io_test.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_;
};

TEST_F(ImageFileTest, FormatFollowsTheExtension) {
  const Image image = RandomImage(31, 17, 1);
  for (const char* name : {"a.png", "b.PnG", "c.pgm", "d.x.PGM"}) {
    const Status status = WriteImage(Path(name), image.View());
    ASSERT_TRUE(status.ok()) << status.message();
    const Result<LoadedImage> loaded = ReadImage(Path(name));
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    EXPECT_EQ(loaded->image, image);
  }
  EXPECT_EQ(*ReadFile(Path("b.PnG"), 10000), EncodePng(image.View()));
  EXPECT_EQ(*ReadFile(Path("d.x.PGM"), 10000), EncodePgm(image.View()));
}

TEST_F(ImageFileTest, GivenFormatGoesBeforeTheExtension) {
  const Image image = RandomImage(31, 17, 1);
  ASSERT_TRUE(WriteImage(Path("a.png"), image.View(), ImageFormat::kPgm).ok());
  EXPECT_EQ(*ReadFile(Path("a.png"), 10000), EncodePgm(image.View()));
}

TEST_F(ImageFileTest, UnknownExtension) {
  for (const char* name : {"a.jpg", "a", "a.png.gz", ".png", "png"}) {
    const Status status = WriteImage(Path(name), Image(1, 1).View());
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << name;
    EXPECT_NE(status.message().find(".png, .pgm or .tif"), std::string::npos) << status.message();
    EXPECT_FALSE(fs::exists(Path(name)));
  }
  EXPECT_EQ(WriteImage("-", Image(1, 1).View()).code(), StatusCode::kInvalidArgument);
}

TEST_F(ImageFileTest, Errors) {
  EXPECT_EQ(ReadImage(Path("missing.png")).status().code(), StatusCode::kIo);
  EXPECT_EQ(ReadImage(folder_).status().code(), StatusCode::kIo);
  EXPECT_EQ(WriteImage(Path("missing/a.png"), Image(1, 1).View()).code(), StatusCode::kIo);
  ASSERT_TRUE(WriteFile(Path("a.png"), ToBytes("text")).ok());
  const Status status = ReadImage(Path("a.png")).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_EQ(status.message().find("'" + Path("a.png") + "' is not an image"), 0u);
  // Files that are longer than any image within the limits are not read into memory.
  EXPECT_EQ(ReadImage("/dev/zero", {.max_pixels = 100}).status().code(),
            StatusCode::kLimitExceeded);
}

}  // namespace
}  // namespace mmp
