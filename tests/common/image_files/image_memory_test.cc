// Memory that image files take, and that runs out while they are read or written.
#include <gtest/gtest.h>
#include <tiffio.h>
#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/image_files/image_io.h"
#include "tests/common/image_files/png_source.h"
#include "tests/common/image_files/tiff_source.h"
#include "tests/support/failing_allocations.h"

namespace mmp {
namespace {

using Bytes = std::vector<uint8_t>;

Image Deep(int depth, int width, int height) {
  Image image = Image::OfDepth(depth, width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x)
      image.Row16(y)[x] = static_cast<uint16_t>((x * 31 + y * 7) & LargestSample(depth));
  }
  return image;
}

TiffSource Tiff(int width, int height, uint16_t compression) {
  return RandomTiff({.width = width,
                     .height = height,
                     .bits = 16,
                     .samples = 4,
                     .photometric = PHOTOMETRIC_RGB,
                     .compression = compression,
                     .strip_rows = 16,
                     .orientation = 6,
                     .extra = {EXTRASAMPLE_UNASSALPHA}});
}

std::vector<Bytes> Files() {
  const Image image = Deep(12, 40, 33);
  const std::string ppm_header = "P6 2 1 4095 ";
  Bytes ppm(ppm_header.begin(), ppm_header.end());
  ppm.insert(ppm.end(), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  return {EncodePng(image.View()),
          EncodePng(Deep(16, 40, 33).View()),
          EncodePgm(image.View()),
          ppm,
          MakeTiff({Tiff(40, 33, COMPRESSION_NONE)}),
          MakeTiff({Tiff(40, 33, COMPRESSION_ADOBE_DEFLATE)})};
}

TEST(ImageMemoryTest, LackOfItIsAStatus) {
  for (const Bytes& file : Files()) {
    for (const Failing failing : {Failing::kOne, Failing::kAll}) {
      bool other_error = false;
      const int failures = FailAllocations(failing, [&] {
        const Result<LoadedImage> loaded = ParseImage(file, "test", {.max_depth = 16});
        other_error |= !loaded.ok() && loaded.status().code() != StatusCode::kOutOfMemory;
        return loaded.ok();
      });
      EXPECT_GT(failures, 2);
      EXPECT_FALSE(other_error);
    }
  }
}

TEST(ImageMemoryTest, WritersThrowIfItLacks) {
  const Image image = Deep(12, 40, 33);
  for (const bool is_png : {false, true}) {
    const int failures = FailAllocations(Failing::kAll, [&] {
      try {
        return !(is_png ? EncodePng(image.View()) : EncodePgm(image.View())).empty();
      } catch (const std::bad_alloc&) {
        return false;
      }
    });
    EXPECT_GE(failures, 1);
  }
}

// A file of which an image of 2 bytes a pixel is made takes a few times as much.
TEST(ImageMemoryTest, IsBoundedByTheImage) {
  constexpr int kSide = 512;
  constexpr int64_t kImageBytes = int64_t{2} * kSide * kSide;
  Image image = Deep(12, kSide, kSide);
  const Bytes files[] = {EncodePng(image.View()), EncodePgm(image.View()),
                         MakeTiff({Tiff(kSide, kSide, COMPRESSION_ADOBE_DEFLATE)})};
  for (const Bytes& file : files) {
    CountBytes();
    const bool is_read = ParseImage(file, "test", {.max_depth = 16}).ok();
    const int64_t most = MostBytes();
    EXPECT_TRUE(is_read);
    EXPECT_LE(most, 3 * kImageBytes);
  }
}

// A compressed text of a thousandth of its size.
Bytes CompressedText(size_t size) {
  const Bytes text(size, 'a');
  Bytes chunk = {'k', 0, 0};
  uLongf bytes = compressBound(size);
  chunk.resize(3 + bytes);
  EXPECT_EQ(compress2(chunk.data() + 3, &bytes, text.data(), size, 9), Z_OK);
  chunk.resize(3 + bytes);
  return chunk;
}

// Before the samples, and behind them.
TEST(ImageMemoryTest, TextsOfPngFilesAreBounded) {
  constexpr size_t kTextBytes = 7'900'000;
  const Image image(16, 16, 7);
  const Bytes text = CompressedText(kTextBytes);
  for (const char* before : {"IDAT", "IEND"}) {
    Bytes file = EncodePng(image.View());
    file = WithChunk(file, "zTXt", text, before);
    const LoadedImage one = *ParseImage(file, "test", {});
    EXPECT_EQ(one.notice, "");
    ASSERT_EQ(one.metadata.size(), 1u);
    EXPECT_GT(one.metadata[0].bytes.size(), kTextBytes);
    for (int i = 0; i < 40; ++i) file = WithChunk(file, "zTXt", text, before);
    CountBytes();
    const Result<LoadedImage> loaded = ParseImage(file, "test", {});
    const int64_t most = MostBytes();
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    EXPECT_EQ(loaded->image, image);
    EXPECT_GE(loaded->metadata.size(), 1u);
    EXPECT_NE(loaded->notice.find("left out metadata"), std::string::npos) << loaded->notice;
    EXPECT_LT(most, 24 * int64_t{kMaxMetadataBytes});
  }
}

}  // namespace
}  // namespace mmp
