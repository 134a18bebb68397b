// PBM, PGM and PPM files.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/image_files/image_io.h"
#include "tests/common/image_files/image_source.h"

namespace mmp {
namespace {

constexpr char kBitNotice[] = "scaled samples from 1 to 8 bits";
constexpr char kFurtherNotice[] = "left out the file's further images";

TEST(PnmTest, Valid) {
  const struct {
    std::string file;
    int width, height;
    Bytes samples;
    std::string notice;
  } kCases[] = {
      {"P5 2 1 255 AB", 2, 1, {'A', 'B'}, ""},
      {"P5\n2 2\n255\n\n# \r", 2, 2, {'\n', '#', ' ', '\r'}, ""},
      {"P5#one\n2#two\n#three\n\t1 255#four\nAB", 2, 1, {'A', 'B'}, ""},
      {"P5 # comment\r2\v1\f255\rAB and more", 2, 1, {'A', 'B'}, ""},
      {"P2 3 1 255 0 9 255", 3, 1, {0, 9, 255}, ""},
      {"P2\n3\n1\n255\n0#black\n 009 #\n\n255\n", 3, 1, {0, 9, 255}, ""},
      {"P2 3 1 1 0 1 1", 3, 1, {0, 255, 255}, "scaled samples from maxval 1 to 255"},
      {"P2 4 1 7 0 3 4 7", 4, 1, {0, 109, 146, 255}, "scaled samples from maxval 7 to 255"},
      {std::string("P5 2 1 2 \1\2"), 2, 1, {128, 255}, "scaled samples from maxval 2 to 255"},
      {"P3 2 1 255 5 5 5 255 0 0", 2, 1, {5, 76}, kColorNotice},
      {"P3 1 1 255 5 5 5", 1, 1, {5}, ""},
      {"P6 1 2 255 abcaaa", 1, 2, {98, 97}, kColorNotice},
      {"P1 3 2 1 0 1 0 0 1", 3, 2, {0, 255, 0, 255, 255, 0}, kBitNotice},
      {"P1\n3 #x\n2\n101#\n001", 3, 2, {0, 255, 0, 255, 255, 0}, kBitNotice},
      {"P4 3 2\n\xA0\x20", 3, 2, {0, 255, 0, 255, 255, 0}, kBitNotice},
      {"P4 9 1 \x01\x80", 9, 1, {255, 255, 255, 255, 255, 255, 255, 0, 0}, kBitNotice},
      {"P5 1 1 255\nA\nP5 1 1 255\nB", 1, 1, {'A'}, kFurtherNotice},
      {"P2 1 1 255 9 P2 1 1 255 8", 1, 1, {9}, kFurtherNotice},
      {"P4 1 1 \x7FP4 1 1 \x7F", 1, 1, {255}, std::string(kBitNotice) + "; " + kFurtherNotice},
      {"P3 1 1 5 5 0 0",
       1,
       1,
       {76},
       std::string("scaled samples from maxval 5 to 255; ") + kColorNotice},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.file);
    const LoadedImage loaded = Parse(ToBytes(test.file));
    EXPECT_EQ(loaded.image.width(), test.width);
    EXPECT_EQ(loaded.image.height(), test.height);
    EXPECT_EQ(loaded.image.pixels(), test.samples);
    EXPECT_EQ(loaded.notice, test.notice);
  }
}

TEST(PnmTest, MoreThan8Bits) {
  Bytes raw = ToBytes("P5 256 256 65535 ");
  std::string plain = "P2 256 256 65535";
  for (int v = 0; v < 65536; ++v) {
    raw.push_back(static_cast<uint8_t>(v >> 8));
    raw.push_back(static_cast<uint8_t>(v));
    plain += " " + std::to_string(v);
  }
  const LoadedImage loaded = Parse(raw, {.depth8 = true});
  for (int v = 0; v < 65536; ++v) ASSERT_EQ(loaded.image.pixels()[v], (2 * v + 257) / 514) << v;
  EXPECT_EQ(loaded.notice, "scaled samples from maxval 65535 to 255");
  EXPECT_EQ(Parse(ToBytes(plain), {.depth8 = true}).image, loaded.image);
  ExpectError(raw, StatusCode::kUnsupported, "16 bits");
  // Even numbers are halved exactly.
  EXPECT_EQ(Parse(ToBytes("P2 2 1 510 0 508"), {.depth8 = true}).image.pixels(), (Bytes{0, 254}));
}

TEST(PnmTest, MoreThan8BitsKept) {
  for (int depth = 9; depth <= 16; ++depth) {
    SCOPED_TRACE(depth);
    const Image image = RandomDeepImage(depth, 13, 7);
    const Bytes file = EncodePgm(image.View());
    const Bytes header = ToBytes("P5\n13 7\n" + std::to_string((1 << depth) - 1) + "\n");
    ASSERT_EQ(file.size(), header.size() + 13 * 7 * 2);
    EXPECT_EQ(Bytes(file.begin(), file.begin() + static_cast<ptrdiff_t>(header.size())), header);
    EXPECT_EQ(file[header.size()] << 8 | file[header.size() + 1], (1 << depth) - 1);  // big-endian
    const LoadedImage loaded = Parse(file, {.max_depth = 16});
    EXPECT_EQ(loaded.image, image);
    EXPECT_EQ(loaded.notice, "");
    ExpectError(file, StatusCode::kUnsupported,
                std::to_string(depth) + " bits; --depth8 reads them scaled to 8 bits",
                {.max_depth = depth - 1});
  }
}

TEST(PnmTest, MaxvalThatIsNotThatOfADepth) {
  const struct {
    std::string file;
    int depth;
    std::vector<int> samples;
    std::string notice;
  } kCases[] = {
      {"P2 3 1 256 0 128 256", 9, {0, 256, 511}, "scaled samples from maxval 256 to 511"},
      {"P2 4 1 1000 0 1 500 1000",
       10,
       {0, 1, 512, 1023},
       "scaled samples from maxval 1000 to 1023"},
      {"P2 2 1 65534 65534 32767", 16, {65535, 32768}, "scaled samples from maxval 65534 to 65535"},
      {"P2 2 1 300 0 300", 9, {0, 511}, "scaled samples from maxval 300 to 511"},
      {"P3 1 1 1023 1023 5 70", 10, {317}, kColorNotice},
      {"P2 2 1 4095 7 4095", 12, {7, 4095}, ""},
      {"P2 2 1 255 7 255", 8, {7, 255}, ""},
      {"P2 2 1 100 50 100", 8, {128, 255}, "scaled samples from maxval 100 to 255"},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.file);
    const LoadedImage loaded = Parse(ToBytes(test.file), {.max_depth = 16});
    ASSERT_EQ(loaded.image.depth(), test.depth);
    ASSERT_EQ(loaded.image.width(), static_cast<int>(test.samples.size()));
    for (int x = 0; x < loaded.image.width(); ++x)
      EXPECT_EQ(loaded.image.View().Sample(0, x), test.samples[x]);
    EXPECT_EQ(loaded.notice, test.notice);
  }
}

// Less than 8 bits are written with the maxval they have.
TEST(PnmTest, FewBitsAreWritten) {
  Image image = Image::OfDepth(3, 2, 1);
  image.pixels() = {3, 7};
  EXPECT_EQ(EncodePgm(image.View()), ToBytes("P5\n2 1\n7\n\3\7"));
  EXPECT_EQ(Parse(EncodePgm(image.View()), {.max_depth = 16}).image.pixels(), (Bytes{109, 255}));
  for (int depth = 1; depth <= 8; ++depth) {
    const Image random = RandomDeepImage(depth, 13, 7);
    EXPECT_EQ(Parse(EncodePgm(random.View()), kAnyDepth).image, random) << depth;
  }
}

TEST(PnmTest, FewBitsKept) {
  const struct {
    std::string file;
    int depth;
    Bytes samples;
    std::string notice;
  } kCases[] = {
      {"P1 3 2 1 0 1 0 0 1", 1, {0, 1, 0, 1, 1, 0}, ""},
      {"P4 9 1 \x01\x80", 1, {1, 1, 1, 1, 1, 1, 1, 0, 0}, ""},
      {"P2 3 1 1 0 1 1", 1, {0, 1, 1}, ""},
      {"P2 4 1 7 0 3 4 7", 3, {0, 3, 4, 7}, ""},
      {std::string("P5 3 1 127 \1\2\x7f"), 7, {1, 2, 127}, ""},
      {"P2 3 1 2 0 1 2", 2, {0, 2, 3}, "scaled samples from maxval 2 to 3"},
      {"P2 3 1 100 0 50 100", 7, {0, 64, 127}, "scaled samples from maxval 100 to 127"},
      {"P2 2 1 128 0 128", 8, {0, 255}, "scaled samples from maxval 128 to 255"},
      // Luma is no whole number of so few.
      {"P3 1 1 1 1 0 0",
       8,
       {76},
       std::string("scaled samples from maxval 1 to 255; ") + kColorNotice},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.file);
    const LoadedImage loaded = Parse(ToBytes(test.file), kAnyDepth);
    EXPECT_EQ(loaded.image.depth(), test.depth);
    EXPECT_EQ(loaded.image.pixels(), test.samples);
    EXPECT_EQ(loaded.notice, test.notice);
    EXPECT_EQ(Parse(ToBytes(test.file), {.min_depth = 1, .depth8 = true}).image,
              Parse(ToBytes(test.file)).image);
  }
}

TEST(PnmTest, Invalid) {
  const struct {
    const char* file;
    StatusCode code;
    const char* message;
  } kCases[] = {
      {"P5\n", StatusCode::kCorrupt, "bad width"},
      {"P5 12", StatusCode::kCorrupt, "bad width"},
      {"P5 1 1", StatusCode::kCorrupt, "bad width"},
      {"P5 -1 1 255 A", StatusCode::kCorrupt, "bad width"},
      {"P5 1x1 255 A", StatusCode::kCorrupt, "bad width"},
      {"P5 1 1 255A", StatusCode::kCorrupt, "bad width"},
      {"P5 99999999999999999999 1 255 A", StatusCode::kCorrupt, "bad width"},
      {"P5 1000000000 1 255 A", StatusCode::kCorrupt, "bad width"},
      {"P5 4294967297 1 255 A", StatusCode::kCorrupt, "bad width"},
      {"P5 1 # no end of line", StatusCode::kCorrupt, "bad width"},
      {"P5 0 1 255 ", StatusCode::kCorrupt, "size is 0"},
      {"P1 2 2 1 0 1", StatusCode::kCorrupt, "ends too early"},
      {"P1 2 1 12", StatusCode::kCorrupt, "not a number"},
      {"P4 9 2 abc", StatusCode::kCorrupt, "ends too early"},
      {"P4 65536 1 a", StatusCode::kLimitExceeded, "65536x1"},
      {"P5 1 0 255 ", StatusCode::kCorrupt, "size is 0"},
      {"P5 1 1 0 A", StatusCode::kCorrupt, "maxval"},
      {"P5 1 1 65536 A", StatusCode::kCorrupt, "maxval"},
      {"P5 1 1 256 AB", StatusCode::kUnsupported, "depth8"},
      {"P5 65536 1 255 A", StatusCode::kLimitExceeded, "65536x1"},
      {"P5 1 999999999 255 A", StatusCode::kLimitExceeded, "1x999999999"},
      {"P5 65535 65535 255 A", StatusCode::kLimitExceeded, "over the limit of 268435456"},
      {"P5 16384 16384 255 A", StatusCode::kCorrupt, "ends too early"},
      {"P2 16384 16384 255 1", StatusCode::kCorrupt, "ends too early"},
      {"P5 1 1 255 ", StatusCode::kCorrupt, "ends too early"},
      {"P6 1 1 255 AB", StatusCode::kCorrupt, "ends too early"},
      {"P2 2 1 255 1   ", StatusCode::kCorrupt, "ends too early"},
      {"P2 2 1 255 1 x ", StatusCode::kCorrupt, "not a number"},
      {"P2 2 1 255 1 256", StatusCode::kCorrupt, "larger than maxval"},
      {"P5 1 1 10 A", StatusCode::kCorrupt, "larger than maxval"},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.file);
    ExpectError(ToBytes(test.file), test.code, test.message);
  }
}

TEST(PnmTest, WrittenImagesAreRead) {
  const Image image = RandomImage(67, 45, 1);
  const Bytes file = EncodePgm(image.View());
  EXPECT_EQ(Bytes(file.begin(), file.begin() + 13), ToBytes("P5\n67 45\n255\n"));
  EXPECT_EQ(file.size(), 13u + 67 * 45);
  EXPECT_EQ(Parse(file).image, image);
}

TEST(PnmTest, EveryTruncationIsAnError) {
  const std::string kFiles[] = {
      "P5 3 2 255 abcdef",    "P6 1 2 255 abcdef", "P2 # x\n3 2 255 1 2 3 4 5 6",
      "P3 1 2 9 1 2 3 4 5 6", "P1 2 2 1 0 1 0",    "P4 9 2 abcd"};
  for (const std::string& file : kFiles) {
    EXPECT_TRUE(ParseImage(ToBytes(file), "test").ok());
    for (size_t size = 3; size < file.size(); ++size) {
      SCOPED_TRACE(file.substr(0, size));
      ExpectError(ToBytes(file.substr(0, size)), StatusCode::kCorrupt, "damaged PBM, PGM or PPM");
    }
  }
}

}  // namespace
}  // namespace mmp
