// TIFF files, whole, of other kinds, and damaged.
#include <gtest/gtest.h>
#include <tiffio.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/image_files/image_io.h"
#include "tests/common/image_files/image_source.h"
#include "tests/common/image_files/tiff_source.h"

namespace mmp {
namespace {

// All samples are read as they are, unless a test says otherwise.
LoadedImage ReadTiff(const Bytes& bytes, const ReadImageOptions& options = kAnyDepth) {
  return Parse(bytes, options);
}

void ExpectTiffError(const Bytes& bytes, StatusCode code, std::string_view message,
                     const ReadImageOptions& options = kAnyDepth) {
  ExpectError(bytes, code, message, options);
}

void SetSample(Image& image, int y, int x, int64_t sample) {
  if (image.depth() > 8) {
    image.Row16(y)[x] = static_cast<uint16_t>(sample);
  } else {
    image.Row(y)[x] = static_cast<uint8_t>(sample);
  }
}

// `v` of [0, largest] in [0, new_largest], to nearest.
int64_t Scaled(int64_t v, int64_t largest, int64_t new_largest) {
  return (2 * v * new_largest + largest) / (2 * largest);
}

// What the file becomes, as documented; without alpha or a palette.
Image Expected(const TiffSource& source, bool depth8 = false) {
  const bool is_color = source.photometric == PHOTOMETRIC_RGB;
  const int depth = depth8 ? 8 : is_color ? std::max(source.bits, 8) : source.bits;
  const int64_t largest = (1 << source.bits) - 1, new_largest = (1 << depth) - 1;
  Image image = Image::OfDepth(depth, source.width, source.height);
  for (int y = 0; y < source.height; ++y) {
    for (int x = 0; x < source.width; ++x) {
      int64_t v[5] = {};
      for (int s = 0; s < source.samples; ++s) {
        v[s] = source.values[static_cast<size_t>((y * source.width + x) * source.samples + s)];
        if (source.photometric == PHOTOMETRIC_MINISWHITE) v[s] = largest - v[s];
        v[s] = Scaled(v[s], largest, new_largest);
      }
      SetSample(image, y, x, is_color ? (299 * v[0] + 587 * v[1] + 114 * v[2] + 500) / 1000 : v[0]);
    }
  }
  return image;
}

TEST(TiffTest, EveryKindOfSamples) {
  for (const uint16_t photometric :
       {PHOTOMETRIC_MINISBLACK, PHOTOMETRIC_MINISWHITE, PHOTOMETRIC_RGB}) {
    for (const int bits : {1, 2, 3, 4, 6, 8, 9, 10, 12, 14, 15, 16}) {
      for (const int tile_side : {0, 16}) {
        for (const bool planar : {false, true}) {
          const TiffSource source = RandomTiff({.width = 37,
                                                .height = 23,
                                                .bits = bits,
                                                .samples = photometric == PHOTOMETRIC_RGB ? 3 : 1,
                                                .photometric = photometric,
                                                .tile_side = tile_side,
                                                .strip_rows = 5,
                                                .planar = planar,
                                                .big_endian = bits % 4 == 0});
          SCOPED_TRACE(testing::Message() << "photometric " << photometric << ", bits " << bits
                                          << ", tiles " << tile_side << (planar ? ", planar" : ""));
          const Bytes file = MakeTiff({source});
          const LoadedImage loaded = ReadTiff(file);
          ASSERT_EQ(loaded.image, Expected(source));
          std::string notice;
          if (bits < 8 && source.samples == 3)
            notice = "scaled samples from " + std::to_string(bits) + " to 8 bits";
          if (source.samples == 3)
            notice += (notice.empty() ? "" : "; ") + std::string(kColorNotice);
          EXPECT_EQ(loaded.notice, notice);
          EXPECT_EQ(ReadTiff(file, {.min_depth = 1, .depth8 = true}).image, Expected(source, true));
          if (bits <= 8) {
            EXPECT_EQ(ReadTiff(file, {}).image, Expected(source, true));
            continue;
          }
          ExpectTiffError(file, StatusCode::kUnsupported,
                          std::to_string(bits) + " bits; --depth8 reads them scaled to 8 bits", {});
        }
      }
    }
  }
}

TEST(TiffTest, ByteOrdersAndSizes) {
  const struct { int width, height; } kSizes[] = {{1, 1}, {1, 40}, {40, 1}, {16, 16}, {17, 33}};
  for (const auto& size : kSizes) {
    for (const bool big_endian : {false, true}) {
      for (const bool big_tiff : {false, true}) {
        for (const int tile_side : {0, 16, 64}) {
          SCOPED_TRACE(testing::Message() << size.width << "x" << size.height << " " << big_endian
                                          << big_tiff << ", tiles " << tile_side);
          const TiffSource source = RandomTiff({.width = size.width,
                                                .height = size.height,
                                                .bits = 16,
                                                .tile_side = tile_side,
                                                .strip_rows = 7,
                                                .big_endian = big_endian,
                                                .big_tiff = big_tiff});
          const LoadedImage loaded = ReadTiff(MakeTiff({source}));
          EXPECT_EQ(loaded.image, Expected(source));
          EXPECT_EQ(loaded.notice, "");
        }
      }
    }
  }
}

TEST(TiffTest, Compressions) {
  const struct {
    uint16_t compression;
    std::vector<int> bits;
    int samples;
    uint16_t predictor = 1;
  } kKinds[] = {{COMPRESSION_LZW, {1, 8, 12, 16}, 1},
                {COMPRESSION_LZW, {8, 16}, 3, 2},
                {COMPRESSION_ADOBE_DEFLATE, {1, 8, 12, 16}, 1},
                {COMPRESSION_ADOBE_DEFLATE, {8, 16}, 1, 2},
                {COMPRESSION_DEFLATE, {8, 16}, 3},
                {COMPRESSION_PACKBITS, {1, 8, 16}, 3},
                {COMPRESSION_CCITTRLE, {1}, 1},
                {COMPRESSION_CCITTFAX3, {1}, 1},
                {COMPRESSION_CCITTFAX4, {1}, 1},
                {COMPRESSION_ZSTD, {8, 16}, 1, 2},
                {COMPRESSION_WEBP, {8}, 3}};
  for (const auto& kind : kKinds) {
    if (TIFFIsCODECConfigured(kind.compression) == 0) continue;
    for (const int bits : kind.bits) {
      for (const int tile_side : {0, 32}) {
        SCOPED_TRACE(testing::Message() << TIFFFindCODEC(kind.compression)->name << ", " << bits
                                        << " bits, tiles " << tile_side);
        uint16_t photometric = kind.samples == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
        if (bits == 1 && kind.samples == 1) photometric = PHOTOMETRIC_MINISWHITE;
        const TiffSource source = RandomTiff({.width = 65,
                                              .height = 33,
                                              .bits = bits,
                                              .samples = kind.samples,
                                              .photometric = photometric,
                                              .compression = kind.compression,
                                              .tile_side = tile_side,
                                              .strip_rows = 10,
                                              .predictor = kind.predictor});
        EXPECT_EQ(ReadTiff(MakeTiff({source})).image, Expected(source));
      }
    }
  }
}

TEST(TiffTest, Jpeg) {
  TiffSource gray{.width = 40,
                  .height = 40,
                  .compression = COMPRESSION_JPEG,
                  .strip_rows = 16,
                  .values = std::vector<uint16_t>(1600, 90)};
  EXPECT_EQ(ReadTiff(MakeTiff({gray})).image, Image(40, 40, 90));
  TiffSource color = gray;
  color.samples = 3;
  color.photometric = PHOTOMETRIC_YCBCR;
  color.values.clear();
  for (int i = 0; i < 1600; ++i) color.values.insert(color.values.end(), {200, 100, 50});
  const LoadedImage loaded = ReadTiff(MakeTiff({color}));
  EXPECT_EQ(loaded.notice, kColorNotice);
  for (const uint8_t sample : loaded.image.pixels()) EXPECT_NEAR(sample, 124, 2);
}

TEST(TiffTest, Palettes) {
  TiffSource source = RandomTiff(
      {.width = 21, .height = 9, .bits = 4, .photometric = PHOTOMETRIC_PALETTE, .strip_rows = 4});
  for (const int factor : {1, 256, 257}) {  // old writers, careless ones, and as it is meant
    for (int i = 0; i < 3; ++i) {
      source.palette[i].clear();
      for (int k = 0; k < 16; ++k)
        source.palette[i].push_back(static_cast<uint16_t>((k * 16 + i * 5) * factor));
    }
    const LoadedImage loaded = ReadTiff(MakeTiff({source}));
    EXPECT_EQ(loaded.notice, kColorNotice);
    ASSERT_EQ(loaded.image.depth(), 8);
    for (size_t i = 0; i < source.values.size(); ++i) {
      const int base = source.values[i] * 16;
      EXPECT_EQ(loaded.image.pixels()[i],
                (299 * base + 587 * (base + 5) + 114 * (base + 10) + 500) / 1000);
    }
  }
}

TEST(TiffTest, Alpha) {
  for (const int bits : {8, 16}) {
    const auto white = static_cast<uint16_t>((1 << bits) - 1);
    const auto half = static_cast<uint16_t>(white / 2);
    const TiffSource source{.width = 3,
                            .height = 1,
                            .bits = bits,
                            .samples = 2,
                            .extra = {EXTRASAMPLE_UNASSALPHA},
                            .values = {100, white, 100, 0, 100, half}};
    const LoadedImage straight = ReadTiff(MakeTiff({source}));
    EXPECT_EQ(straight.notice, kAlphaNotice);
    EXPECT_EQ(straight.image.View().Sample(0, 0), 100);
    EXPECT_EQ(straight.image.View().Sample(0, 1), white);
    EXPECT_EQ(straight.image.View().Sample(0, 2),
              std::lround((100.0 * half + 1.0 * white * (white - half)) / white));
    TiffSource color{.width = 3,
                     .height = 1,
                     .bits = bits,
                     .samples = 4,
                     .photometric = PHOTOMETRIC_RGB,
                     .extra = {EXTRASAMPLE_ASSOCALPHA},
                     .values = {9, 9, 9, white, 9, 9, 9, half, white, white, white, half}};
    for (const bool planar : {false, true}) {
      color.planar = planar;
      const LoadedImage premultiplied = ReadTiff(MakeTiff({color}));
      EXPECT_EQ(premultiplied.notice, kAlphaNotice);
      EXPECT_EQ(premultiplied.image.View().Sample(0, 0), 9);
      EXPECT_EQ(premultiplied.image.View().Sample(0, 1), 9 + white - half);
      EXPECT_EQ(premultiplied.image.View().Sample(0, 2), white);  // more than its alpha allows
    }
  }
}

// What is transparent in part needs more shades than few bits have.
TEST(TiffTest, AlphaOfFewBits) {
  const TiffSource source{.width = 3,
                          .height = 1,
                          .bits = 4,
                          .samples = 2,
                          .extra = {EXTRASAMPLE_UNASSALPHA},
                          .values = {10, 15, 10, 0, 10, 5}};
  const LoadedImage loaded = ReadTiff(MakeTiff({source}));
  EXPECT_EQ(loaded.image.depth(), 8);
  EXPECT_EQ(loaded.image.pixels(), (Bytes{170, 255, 227}));
}

TEST(TiffTest, FurtherSamplesAreSaid) {
  const TiffSource source =
      RandomTiff({.width = 5,
                  .height = 4,
                  .samples = 3,
                  .extra = {EXTRASAMPLE_UNSPECIFIED, EXTRASAMPLE_UNSPECIFIED}});
  const LoadedImage loaded = ReadTiff(MakeTiff({source}));
  EXPECT_EQ(loaded.image, Expected(source));
  EXPECT_EQ(loaded.notice, "left out 2 further samples of every pixel");
  const TiffSource rgbx = RandomTiff({.width = 5,
                                      .height = 4,
                                      .samples = 5,
                                      .photometric = PHOTOMETRIC_RGB,
                                      .extra = {EXTRASAMPLE_UNSPECIFIED, EXTRASAMPLE_UNASSALPHA}});
  EXPECT_EQ(ReadTiff(MakeTiff({rgbx})).notice, std::string(kColorNotice) + "; " + kAlphaNotice +
                                                   "; left out 1 further sample of every pixel");
}

TEST(TiffTest, OrientationIsApplied) {
  for (const int bits : {4, 8, 16}) {
    TiffSource source = RandomTiff({.width = 5, .height = 3, .bits = bits});
    const Image upright = ReadTiff(MakeTiff({source})).image;
    // Where the upper left corner of what is stored is shown, by the value of the tag.
    const struct {
      bool swapped, right, bottom;
    } kCorners[] = {{false, false, false}, {false, true, false}, {false, true, true},
                    {false, false, true},  {true, false, false}, {true, true, false},
                    {true, true, true},    {true, false, true}};
    for (uint16_t value = 1; value <= 8; ++value) {
      SCOPED_TRACE(value);
      source.orientation = value;
      const LoadedImage loaded = ReadTiff(MakeTiff({source}));
      const auto& corner = kCorners[value - 1];
      ASSERT_EQ(loaded.image.width(), corner.swapped ? 3 : 5);
      EXPECT_EQ(loaded.image.View().Sample(corner.bottom ? loaded.image.height() - 1 : 0,
                                           corner.right ? loaded.image.width() - 1 : 0),
                upright.View().Sample(0, 0));
      EXPECT_EQ(loaded.notice.empty(), value == 1) << loaded.notice;
    }
  }
}

TEST(TiffTest, Pages) {
  const TiffSource page = RandomTiff({.width = 5, .height = 3});
  TiffSource reduced = RandomTiff({.width = 2, .height = 1});
  reduced.subfile_type = FILETYPE_REDUCEDIMAGE;
  ExpectTiffError(MakeTiff({page, page, page}), StatusCode::kUnsupported,
                  "has 3 pages; only TIFF files of one page are read: split it, for example with "
                  "tiffsplit");
  const LoadedImage loaded = ReadTiff(MakeTiff({page, reduced}));
  EXPECT_EQ(loaded.image, Expected(page));
  EXPECT_EQ(loaded.notice, "left out 1 reduced image or mask");
  EXPECT_EQ(ReadTiff(MakeTiff({page, reduced, reduced})).notice,
            "left out 2 reduced images or masks");
  ExpectTiffError(MakeTiff({page, reduced, page}), StatusCode::kUnsupported, "has 2 pages");
  ExpectTiffError(MakeTiff({reduced, page}), StatusCode::kUnsupported,
                  "begins with a reduced image");
}

TEST(TiffTest, WhatIsNotRead) {
  const TiffSource plain = RandomTiff({.width = 5, .height = 3});
  const auto expect = [](const TiffSource& source, std::string_view what) {
    ExpectTiffError(MakeTiff({source}), StatusCode::kUnsupported, what);
  };
  TiffSource source = plain;
  source.bits = 12;
  source.sample_format = SAMPLEFORMAT_INT;
  expect(source, "of signed samples of 12 bits, which is not read; convert it");
  source.bits = 16;
  source.photometric = PHOTOMETRIC_MINISWHITE;
  expect(source, "of signed samples that are not gray, 0 being black");
  source.photometric = PHOTOMETRIC_MINISBLACK;
  source.bits = 32;
  source.sample_format = SAMPLEFORMAT_IEEEFP;
  expect(source, "of floating-point samples");
  source.sample_format = SAMPLEFORMAT_COMPLEXINT;
  expect(source, "of complex samples");
  source.sample_format = SAMPLEFORMAT_UINT;
  expect(source, "of samples of 32 bits");
  source = plain;
  source.samples = 4;
  source.photometric = PHOTOMETRIC_SEPARATED;
  expect(RandomTiff(source), "of inks (CMYK)");
  source.samples = 3;
  source.photometric = PHOTOMETRIC_CIELAB;
  expect(RandomTiff(source), "of L*a*b* samples");
  source.samples = 1;
  source.photometric = PHOTOMETRIC_CFA;
  expect(source, "raw photo");
  source.samples = 6;
  source.photometric = PHOTOMETRIC_MINISBLACK;
  source.extra = {0, 0, 0, 0, 0};
  expect(RandomTiff(source), "of 6 samples a pixel");
  source = plain;
  source.compression = COMPRESSION_LZMA;
  if (TIFFIsCODECConfigured(COMPRESSION_LZMA) != 0)
    expect(source, "compressed by LZMA, which is not read; compress it otherwise: tiffcp -c zip");
}

TEST(TiffTest, AProfileIsSaidToBeIgnored) {
  TiffSource source = RandomTiff({.width = 5, .height = 3});
  EXPECT_EQ(ReadTiff(MakeTiff({source})).notice, "");
  source.has_profile = true;
  EXPECT_EQ(ReadTiff(MakeTiff({source})).notice,
            "left out its color profile, which is not one of gray");
}

// ---- Damaged files

// Where the entry of a tag is in a classic file of little-endian order.
size_t EntryOf(const Bytes& file, int tag) {
  const auto number = [&](size_t at, int size) {
    size_t value = 0;
    for (int i = size - 1; i >= 0; --i) value = value << 8 | file[at + static_cast<size_t>(i)];
    return value;
  };
  const size_t directory = number(4, 4);
  for (size_t i = 0; i < number(directory, 2); ++i) {
    const size_t entry = directory + 2 + 12 * i;
    if (number(entry, 2) == static_cast<size_t>(tag)) return entry;
  }
  ADD_FAILURE() << "no tag " << tag;
  return 0;
}

void Put(Bytes& file, size_t at, uint32_t value, int size) {
  for (int i = 0; i < size; ++i)
    file[at + static_cast<size_t>(i)] = static_cast<uint8_t>(value >> (8 * i));
}

// `file` with another single value of a tag, and another number of values.
Bytes WithValue(Bytes file, int tag, uint32_t value, uint32_t count = 1) {
  const size_t entry = EntryOf(file, tag);
  Put(file, entry + 2, 4, 2);  // LONG
  Put(file, entry + 4, count, 4);
  Put(file, entry + 8, value, 4);
  return file;
}

TEST(TiffTest, EveryTruncationIsAnError) {
  for (const uint16_t compression :
       {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE}) {
    for (const bool big_tiff : {false, true}) {
      const Bytes file = MakeTiff({RandomTiff({.width = 9,
                                               .height = 7,
                                               .compression = compression,
                                               .strip_rows = 3,
                                               .big_tiff = big_tiff})});
      for (size_t size = 4; size < file.size(); ++size) {
        SCOPED_TRACE(size);
        ExpectTiffError(Bytes(file.begin(), file.begin() + static_cast<ptrdiff_t>(size)),
                        StatusCode::kCorrupt, "is a damaged TIFF file: ");
      }
    }
  }
}

TEST(TiffTest, Limits) {
  const Bytes file = MakeTiff({RandomTiff({.width = 20, .height = 30})});
  EXPECT_TRUE(ParseImage(file, "test", {.max_pixels = 600}).ok());
  ExpectTiffError(file, StatusCode::kLimitExceeded, "20x30", {.max_pixels = 599});
  ExpectTiffError(file, StatusCode::kLimitExceeded, "--max-pixels", {.max_pixels = 599});
  ExpectTiffError(WithValue(file, TIFFTAG_IMAGEWIDTH, 65536), StatusCode::kLimitExceeded,
                  "65536x30");
  ExpectTiffError(WithValue(file, TIFFTAG_IMAGEWIDTH, 0xFFFFFFFF), StatusCode::kLimitExceeded,
                  "4294967295x30");
  ExpectTiffError(WithValue(file, TIFFTAG_IMAGELENGTH, 0x7FFFFFFF), StatusCode::kLimitExceeded,
                  "20x2147483647");
  ExpectTiffError(WithValue(file, TIFFTAG_IMAGEWIDTH, 0), StatusCode::kCorrupt, "size is 0");
}

TEST(TiffTest, DirectoriesThatLie) {
  const TiffSource source = RandomTiff({.width = 20, .height = 30, .strip_rows = 4});
  const Bytes file = MakeTiff({source});
  int number = 0;
  const auto expect = [&number](const Bytes& bytes, std::string_view what) {
    SCOPED_TRACE(++number);
    ExpectTiffError(bytes, StatusCode::kCorrupt, what);
  };
  // More rows than there are strips of, and fewer strips than rows ask for.
  expect(WithValue(file, TIFFTAG_IMAGELENGTH, 60000), "a strip or tile is missing");
  expect(WithValue(file, TIFFTAG_ROWSPERSTRIP, 1), "a strip or tile is missing");
  expect(WithValue(file, TIFFTAG_ROWSPERSTRIP, 0), "damaged TIFF file: ");
  // One strip of what is not in the file.
  expect(WithValue(file, TIFFTAG_STRIPBYTECOUNTS, 0x7FFFFFFF), "beyond the end of the file");
  expect(WithValue(file, TIFFTAG_STRIPOFFSETS, 0x7FFFFFFF), "beyond the end of the file");
  // Values without end.
  expect(WithValue(file, TIFFTAG_STRIPOFFSETS, 8, 0x7FFFFFFF), "its directory is of a longer file");
  expect(WithValue(file, TIFFTAG_PLANARCONFIG, 8, 100000), "its directory is of a longer file");
  // A row that has more samples than bytes.
  expect(WithValue(file, TIFFTAG_SAMPLESPERPIXEL, 5), "damaged TIFF file: ");
  expect(WithValue(file, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB),
         "fewer samples a pixel than colors");

  const Bytes tiled = MakeTiff({RandomTiff({.width = 20, .height = 30, .tile_side = 16})});
  expect(WithValue(tiled, TIFFTAG_TILEWIDTH, 17), "no multiples of 16");
  expect(WithValue(tiled, TIFFTAG_TILEWIDTH, 0), "damaged TIFF file: ");
  expect(WithValue(tiled, TIFFTAG_TILEWIDTH, 0x7FFFFFF0), "much larger than the image");
  expect(WithValue(tiled, TIFFTAG_TILELENGTH, 4096 * 64), "much larger than the image");
  expect(WithValue(tiled, TIFFTAG_IMAGEWIDTH, 2000), "a strip or tile is missing");
}

TEST(TiffTest, CirclesOfDirectories) {
  Bytes file = MakeTiff({RandomTiff({.width = 5, .height = 3})});
  const size_t directory = file[4] | file[5] << 8 | file[6] << 16;
  const size_t entries = file[directory] | file[directory + 1] << 8;
  Put(file, directory + 2 + 12 * entries, static_cast<uint32_t>(directory), 4);
  ExpectTiffError(file, StatusCode::kUnsupported, "has 10000 pages or more");
  // A directory of a huge number of tags that libtiff does not know.
  Bytes many = {'I', 'I', 42, 0, 8, 0, 0, 0, 0xFF, 0xFF};
  for (uint32_t i = 0; i < 65535; ++i) {
    many.resize(many.size() + 12);
    Put(many, many.size() - 12, i, 2);
    Put(many, many.size() - 10, 4, 2);
    Put(many, many.size() - 8, 1, 4);
  }
  many.resize(many.size() + 4);
  ExpectTiffError(many, StatusCode::kCorrupt, "too many entries");
}

// Strips that all lie at the same place, so that a small file takes long.
TEST(TiffTest, StripsThatOverlap) {
  const Bytes file = MakeTiff({RandomTiff(
      {.width = 1, .height = 4000, .compression = COMPRESSION_ADOBE_DEFLATE, .strip_rows = 1})});
  EXPECT_EQ(ReadTiff(file).image.height(), 4000);
  Bytes overlapping = file;
  const size_t counts = EntryOf(file, TIFFTAG_STRIPBYTECOUNTS);
  const size_t at = file[counts + 8] | file[counts + 9] << 8 | file[counts + 10] << 16;
  const size_t bytes = file[counts + 2] == 3 ? 2 : 4;
  for (size_t i = 0; i < 4000; ++i)
    Put(overlapping, at + i * bytes, 0x7FFF, static_cast<int>(bytes));
  ExpectTiffError(overlapping, StatusCode::kCorrupt, "much longer than the file");
}

// Damage of all kinds: whatever comes out, nothing bad happens (sanitizers watch), and libtiff
// writes nothing.
TEST(TiffTest, RandomDamage) {
  testing::internal::CaptureStderr();
  std::vector<Bytes> files;
  for (const uint16_t compression :
       {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_PACKBITS}) {
    for (const int tile_side : {0, 16})
      files.push_back(MakeTiff({RandomTiff({.width = 33,
                                            .height = 20,
                                            .bits = 16,
                                            .samples = 3,
                                            .photometric = PHOTOMETRIC_RGB,
                                            .compression = compression,
                                            .tile_side = tile_side,
                                            .strip_rows = 6,
                                            .planar = tile_side > 0})}));
  }
  for (const uint16_t compression : {COMPRESSION_CCITTFAX3, COMPRESSION_CCITTFAX4})
    files.push_back(
        MakeTiff({RandomTiff({.width = 40, .height = 20, .bits = 1, .compression = compression})}));
  files.push_back(
      MakeTiff({RandomTiff({.width = 16, .height = 16, .compression = COMPRESSION_JPEG})}));
  std::mt19937 random(1);
  for (const Bytes& file : files) {
    const size_t directory = file[4] | file[5] << 8 | file[6] << 16;
    for (int i = 0; i < 400; ++i) {
      Bytes damaged = file;
      // Everywhere, or where it says what the samples are.
      const size_t from = i % 2 == 0 ? 4 : std::min(directory, file.size() - 1);
      for (uint32_t changes = random() % 4 + 1; changes > 0; --changes)
        damaged[from + random() % (damaged.size() - from)] = static_cast<uint8_t>(random());
      const Result<LoadedImage> loaded =
          ParseImage(damaged, "test", {.max_pixels = 100000, .min_depth = 1, .max_depth = 16});
      EXPECT_EQ(loaded.ok(), loaded.status().message().empty());
    }
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// Damaged samples of lossless methods are found out, not shown.
TEST(TiffTest, DamagedSamplesAreErrors) {
  const Bytes fax = MakeTiff({RandomTiff({.width = 400,
                                          .height = 20,
                                          .bits = 1,
                                          .photometric = PHOTOMETRIC_MINISWHITE,
                                          .compression = COMPRESSION_CCITTFAX4})});
  Bytes damaged = fax;
  std::fill(damaged.begin() + 100, damaged.begin() + 140, uint8_t{0});
  ExpectTiffError(damaged, StatusCode::kCorrupt, "damaged TIFF file: ");
}

}  // namespace
}  // namespace mmp
