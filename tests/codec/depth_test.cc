// Whole encodes and decodes of samples of all depths, by both coders.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "common/metrics.h"
#include "mmp/mmp.h"
#include "tests/support/pictures.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

// A picture of 8 bits with its samples made longer or shorter; new low bits follow the old ones.
Image OfDepth(const Image& picture, int depth) {
  Image image = Image::OfDepth(depth, picture.width(), picture.height());
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      const int sample = picture.Row(y)[x];
      const int more = depth - 8;
      const int low_bits = (37 * sample + 11 * x + 5 * y) & LargestSample(more > 0 ? more : 0);
      image.SetSample(y, x, more < 0 ? sample >> -more : sample << more | low_bits);
    }
  }
  return image;
}

Image DrawDeep(Picture picture, int width, int height, int depth) {
  return OfDepth(Draw(picture, width, height, 5), depth);
}

struct Coded {
  std::vector<uint8_t> file;
  EncodeStats stats;
  FileInfo info;
  Image decoded;
};

// Encodes and decodes; checks what must hold of every file.
Coded Code(const Image& image, const EncodeOptions& options) {
  Coded coded;
  coded.file = MustEncode(image.View(), options, &coded.stats);
  const Result<DecodedImage> decoded = Decode(coded.file);
  EXPECT_TRUE(decoded.ok()) << decoded.status().message();
  const Result<FileInfo> info = ReadInfo(coded.file);
  EXPECT_TRUE(info.ok()) << info.status().message();
  if (!decoded.ok() || !info.ok()) return coded;
  coded.decoded = decoded->image;
  coded.info = *info;
  EXPECT_EQ(coded.info.depth, image.depth());
  EXPECT_EQ(coded.info.coder, coded.stats.coder);
  EXPECT_EQ(coded.info.max_error, coded.stats.max_error);
  EXPECT_EQ(coded.decoded.depth(), image.depth());
  EXPECT_EQ(coded.decoded.width(), image.width());
  EXPECT_EQ(coded.decoded.height(), image.height());
  EXPECT_EQ(SumSquaredError(image.View(), coded.decoded.View()), coded.stats.sum_squared_error);
  if (coded.info.lossless) {
    EXPECT_EQ(coded.decoded, image);
  }
  if (coded.info.coder == Coder::kPixels) {
    EXPECT_LE(MaxDifference(image.View(), coded.decoded.View()), coded.info.max_error);
  }
  return coded;
}

EncodeOptions Bounded(int max_error) {
  EncodeOptions options;
  options.max_error = max_error;
  return options;
}

EncodeOptions AtLambda(double lambda) {
  EncodeOptions options;
  options.lambda = lambda;
  options.preset = Preset::kFast;
  return options;
}

TEST(DepthTest, LosslessAtEveryDepth) {
  for (int depth = 1; depth <= kMaxDepth; ++depth) {
    for (const Picture picture : kAllPictures) {
      SCOPED_TRACE(std::string(PictureName(picture)) + " of " + std::to_string(depth) + " bits");
      const Image image = DrawDeep(picture, 37, 21, depth);
      EXPECT_TRUE(Code(image, AtLambda(0)).info.lossless);
    }
  }
}

// A picture costs no more than with its samples scaled to 8 bits: neither lossless nor where lambda
// lets it be lossy, as few shades are best kept.
TEST(DepthTest, FewBitsCostNoMoreThanEight) {
  for (const int depth : {1, 2, 4}) {
    for (const Picture picture : {Picture::kText, Picture::kTexture}) {
      const Image image = DrawDeep(picture, 64, 48, depth);
      Image scaled(image.width(), image.height());
      for (size_t i = 0; i < scaled.pixels().size(); ++i)
        scaled.pixels()[i] = static_cast<uint8_t>(image.pixels()[i] * 255 / LargestSample(depth));
      for (const double lambda : {0.0, 10.0}) {
        SCOPED_TRACE(std::string(PictureName(picture)) + " of " + std::to_string(depth) +
                     " bits, lambda " + std::to_string(lambda));
        const Coded few = Code(image, AtLambda(lambda)), eight = Code(scaled, AtLambda(lambda));
        EXPECT_TRUE(few.info.lossless);
        EXPECT_TRUE(eight.info.lossless);
        EXPECT_LE(few.file.size(), eight.file.size());
      }
    }
  }
}

TEST(DepthTest, PatternsAreLosslessUpToEightBits) {
  for (int depth = 1; depth <= 8; ++depth) {
    SCOPED_TRACE(depth);
    EncodeOptions options = AtLambda(0);
    options.coder = Coder::kPatterns;
    // Also of part of what the bits can be.
    for (const int low : {0, std::min(1, LargestSample(depth) - 1)}) {
      Image image = DrawDeep(Picture::kTexture, 40, 40, depth);
      for (uint8_t& sample : image.pixels()) sample = std::max(sample, static_cast<uint8_t>(low));
      const Coded coded = Code(image, options);
      EXPECT_EQ(coded.info.coder, Coder::kPatterns);
      EXPECT_TRUE(coded.info.lossless);
    }
  }
}

TEST(DepthTest, TheErrorIsBounded) {
  for (const int depth : {2, 8, 11, 16}) {
    for (const int bound : {0, 1, 2, 7, 1000}) {
      const int max_error = std::min(bound, LargestSample(depth));
      SCOPED_TRACE(std::to_string(depth) + " bits, at most " + std::to_string(max_error));
      const Image image = DrawDeep(Picture::kTexture, 50, 40, depth);
      const Coded coded = Code(image, Bounded(max_error));
      EXPECT_EQ(coded.info.max_error, max_error);
      EXPECT_EQ(coded.info.lossless, max_error == 0);
      EXPECT_LE(MaxDifference(image.View(), coded.decoded.View()), max_error);
    }
  }
}

// Rate and error fall and rise steadily from coarse to lossless, whichever coder has made the file.
TEST(DepthTest, LambdaMeansTheSameAtEveryDepth) {
  for (const int depth : {6, 8, 12, 16}) {
    const Image image = DrawDeep(Picture::kTexture, 64, 64, depth);
    double last_psnr = 0;
    size_t last_bytes = 0;
    for (const double lambda : {1000.0, 100.0, 10.0, 1.0, 0.05, 0.0001, 0.0}) {
      SCOPED_TRACE(std::to_string(depth) + " bits, lambda " + std::to_string(lambda));
      const Coded coded = Code(image, AtLambda(lambda));
      const double psnr = Psnr(image.View(), coded.decoded.View());
      EXPECT_GE(psnr, last_psnr - 0.1);
      EXPECT_GE(coded.file.size() + 4, last_bytes);
      if (lambda == 10) {
        EXPECT_NEAR(psnr, 38, 4);
      }
      last_psnr = psnr;
      last_bytes = coded.file.size();
    }
  }
}

TEST(DepthTest, ACoderThatIsAskedForIsTaken) {
  const Image image = DrawDeep(Picture::kTexture, 40, 40, 8);
  const auto coder = [&](const auto& change) {
    EncodeOptions options = AtLambda(0);
    change(options);
    return Code(image, options).info.coder;
  };
  EXPECT_EQ(coder([](EncodeOptions&) {}), Coder::kPixels);
  EXPECT_EQ(coder([](EncodeOptions& o) { o.coder = Coder::kPatterns; }), Coder::kPatterns);
  EXPECT_EQ(coder([](EncodeOptions& o) { o.preset = Preset::kThesis; }), Coder::kPatterns);
  EXPECT_EQ(coder([](EncodeOptions& o) { o.dictionary_size = 100; }), Coder::kPatterns);
  EXPECT_EQ(coder([](EncodeOptions& o) { o.lambda = 20; }), Coder::kPatterns);
  EXPECT_EQ(coder([](EncodeOptions& o) {
              o.lambda = 20;
              o.coder = Coder::kPixels;
            }),
            Coder::kPixels);
}

// A file cannot say a larger bound than the largest sample.
TEST(DepthTest, PixelsAtTheLargestLambda) {
  for (const int depth : {1, 8, 16}) {
    SCOPED_TRACE(depth);
    EncodeOptions options = AtLambda(kMaxLambda);
    options.coder = Coder::kPixels;
    EXPECT_LE(Code(DrawDeep(Picture::kTexture, 9, 7, depth), options).info.max_error,
              LargestSample(depth));
  }
}

TEST(DepthTest, RefusesWhatCannotBe) {
  const Image image = DrawDeep(Picture::kTexture, 8, 8, 12);
  const auto code = [&](const ImageView& view, const auto& change) {
    EncodeOptions options;
    change(options);
    return Encode(view, options).status().code();
  };
  const auto as_it_is = [](EncodeOptions&) {};
  EXPECT_EQ(code(image.View(), as_it_is), StatusCode::kOk);
  EXPECT_EQ(code(image.View(), [](EncodeOptions& o) { o.max_error = 4095; }), StatusCode::kOk);
  EXPECT_EQ(code(image.View(), [](EncodeOptions& o) { o.max_error = 4096; }),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(code(image.View(), [](EncodeOptions& o) { o.max_error = -1; }),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(code(image.View(),
                 [](EncodeOptions& o) {
                   o.max_error = 1;
                   o.coder = Coder::kPatterns;
                 }),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(code(image.View(),
                 [](EncodeOptions& o) {
                   o.lambda = 0;
                   o.coder = Coder::kPatterns;
                 }),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(code(image.View(), [](EncodeOptions& o) { o.coder = static_cast<Coder>(9); }),
            StatusCode::kInvalidArgument);
  ImageView view = image.View();
  view.depth = 10;  // there are larger samples
  EXPECT_EQ(code(view, as_it_is), StatusCode::kInvalidArgument);
  view.depth = 17;
  EXPECT_EQ(code(view, as_it_is), StatusCode::kInvalidArgument);
  view = image.View();
  view.stride = 2 * 8 - 2;
  EXPECT_EQ(code(view, as_it_is), StatusCode::kInvalidArgument);
  view.stride = 2 * 8 + 1;
  EXPECT_EQ(code(view, as_it_is), StatusCode::kInvalidArgument);
}

// Tiles and groups of rows share nothing, so threads do not change the bytes.
TEST(DepthTest, ThreadsAndTiles) {
  const Image image = DrawDeep(Picture::kTexture, 100, 70, 12);
  EncodeOptions options = Bounded(1);
  options.tile_width = 48;
  options.tile_height = 32;
  options.threads = 1;
  const Coded alone = Code(image, options);
  EXPECT_EQ(alone.info.tiles.size(), 9u);
  options.threads = 4;
  EXPECT_EQ(Code(image, options).file, alone.file);
}

// A damaged tile is filled with the middle of the depth's range.
TEST(DepthTest, TextAmongPicturesIsExact) {
  const Image picture = DrawTextBeside(Picture::kTexture, 160, 120, 88);
  for (const int depth : {3, 7, 12, 16}) {
    SCOPED_TRACE(std::to_string(depth) + " bits");
    Image image = Image::OfDepth(depth, picture.width(), picture.height());
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x)
        image.SetSample(y, x, picture.Row(y)[x] * LargestSample(depth) / 255);
    EncodeOptions options;
    options.preset = Preset::kFast;
    options.lambda = 60;
    options.exact_lambda = true;  // by patterns
    EXPECT_GT(Code(image, options).stats.exact_block_bits, 0);
  }
}

TEST(DepthTest, KeepsGoing) {
  const Image image = DrawDeep(Picture::kTexture, 64, 32, 12);
  EncodeOptions options = Bounded(0);
  options.tile_width = options.tile_height = 32;
  std::vector<uint8_t> file = MustEncode(image.View(), options);
  file.back() ^= 0x55;
  EXPECT_EQ(Decode(file).status().code(), StatusCode::kCorrupt);
  DecodeOptions keep_going;
  keep_going.keep_going = true;
  const Result<DecodedImage> decoded = Decode(file, keep_going);
  ASSERT_TRUE(decoded.ok());
  ASSERT_EQ(decoded->damaged_tiles.size(), 1u);
  EXPECT_EQ(decoded->image.Row16(5)[40], 2048);
  EXPECT_EQ(decoded->image.Row16(5)[30], image.Row16(5)[30]);
}

// Each byte of a file is under a checksum.
TEST(DepthTest, DamageIsSeen) {
  const Image image = DrawDeep(Picture::kTexture, 20, 12, 10);
  for (const EncodeOptions& options : {Bounded(1), AtLambda(30)}) {
    const std::vector<uint8_t> file = MustEncode(image.View(), options);
    for (size_t i = 0; i < file.size(); ++i) {
      std::vector<uint8_t> damaged = file;
      damaged[i] ^= 1 << (i % 8);
      EXPECT_FALSE(Decode(damaged).ok()) << i;
      EXPECT_FALSE(Decode({file.data(), i}).ok()) << i;
    }
  }
}

TEST(DepthTest, LimitsOfDecoding) {
  const Image image = DrawDeep(Picture::kTexture, 64, 64, 16);
  const Coded coded = Code(image, Bounded(0));
  DecodeOptions options;
  options.max_work = coded.stats.decode_work;
  EXPECT_TRUE(Decode(coded.file, options).ok());
  options.max_work = coded.stats.decode_work - 1;
  EXPECT_EQ(Decode(coded.file, options).status().code(), StatusCode::kLimitExceeded);
  options = {};
  options.max_memory = 1 << 20;
  EXPECT_EQ(Decode(coded.file, options).status().code(), StatusCode::kLimitExceeded);
}

TEST(DepthTest, CanBeCancelled) {
  EncodeOptions options = Bounded(0);
  options.progress = [](double) { return false; };
  EXPECT_EQ(Encode(DrawDeep(Picture::kTexture, 64, 64, 12).View(), options).status().code(),
            StatusCode::kCancelled);
}

// Noise: weak and dark, but in the last sixteen columns strong and bright.
Image DarkBesideBright(int width, int height) {
  Random random(4);
  Image image = Image::OfDepth(16, width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const bool is_bright = x >= width - 16;
      const int sample =
          (is_bright ? 20000 : 100) + random.Below(40) + (is_bright ? random.Below(2000) : 0);
      image.SetSample(y, x, static_cast<uint16_t>(sample));
    }
  return image;
}

// Where steps differ, an error costs what it is in the image's samples, not in coded ones.
TEST(DepthTest, ErrorsOfLargeStepsCostMore) {
  const Image image = DarkBesideBright(256, 64);
  EncodeOptions options;
  options.coder = Coder::kPatterns;
  options.preset = Preset::kFast;
  options.lambda = 0.05;
  const Coded coded = Code(image, options);
  const auto mse = [&](int x, int width) {
    return Mse(image.View().Crop(x, 0, width, 64), coded.decoded.View().Crop(x, 0, width, 64));
  };
  EXPECT_LT(mse(240, 16), 20 * mse(0, 240));
  for (const int threads : {2, 5}) {
    options.threads = threads;
    EXPECT_EQ(MustEncode(image.View(), options), coded.file);
  }
}

}  // namespace
}  // namespace mmp
