// Whole encodes and decodes in memory, over pictures, sizes and parameters.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "codec/bitstream/container.h"
#include "common/metrics.h"
#include "mmp/mmp.h"
#include "tests/support/pictures.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

struct Size {
  int width, height;
};
constexpr Size kSizes[] = {{1, 1},   {1, 9},   {40, 1}, {15, 16}, {16, 15},
                           {17, 17}, {33, 31}, {65, 3}, {48, 32}, {9, 50}};
constexpr MacroblockOrder kOrders[] = {MacroblockOrder::kAuto, MacroblockOrder::kWavefront,
                                       MacroblockOrder::kRaster};
constexpr double kLambdas[] = {0, 0.01, 1, 10, 300, 65536};

// Encodes, decodes and checks what must hold of every file.
Image RoundTrip(const Image& image, const EncodeOptions& options) {
  EncodeStats stats;
  const std::vector<uint8_t> file = MustEncode(image.View(), options, &stats);
  const Result<DecodedImage> decoded = Decode(file);
  EXPECT_TRUE(decoded.ok()) << decoded.status().message();
  if (!decoded.ok()) return {};
  EXPECT_EQ(decoded->image.width(), image.width());
  EXPECT_EQ(decoded->image.height(), image.height());
  EXPECT_EQ(SumSquaredError(image.View(), decoded->image.View()), stats.sum_squared_error);
  if (options.lambda == 0) {
    EXPECT_EQ(decoded->image, image);
  }
  const Result<FileInfo> info = ReadInfo(file);
  EXPECT_TRUE(info.ok()) << info.status().message();
  if (info.ok() && info->tiles.size() == 1) {
    EXPECT_LE(info->header_bytes, 27u);
    EXPECT_EQ(info->tiles[0].reconstruction_crc, PixelsCrc(decoded->image.View()));
  }
  return decoded->image;
}

// Every two of them meet.
TEST(RoundTripTest, AllPicturesSizesAndLambdas) {
  uint32_t combination = 0, seed = 0;
  for (const Picture picture : kAllPictures) {
    for (const Size size : kSizes) {
      ++combination;
      for (const double lambda : kLambdas) {
        if (++combination % 2 == 0) continue;
        SCOPED_TRACE(std::string(PictureName(picture)) + " " + std::to_string(size.width) + "x" +
                     std::to_string(size.height) + " lambda " + std::to_string(lambda));
        EncodeOptions options;
        options.lambda = lambda;
        options.preset = static_cast<Preset>(++seed % 3);
        options.prediction_level = 15;  // for speed
        options.threads = 1 + static_cast<int>(seed % 3);
        options.order = kOrders[seed / 3 % 3];
        RoundTrip(Draw(picture, size.width, size.height, seed), options);
      }
    }
  }
}

TEST(RoundTripTest, Parameters) {
  Random random(7);
  const int dictionaries[] = {69, 70, 100, 1024, 65536};
  const int levels[] = {0, 3, 8, 15, 20, 25};
  for (int k = 0; k < 24; ++k) {
    EncodeOptions options;
    options.lambda = kLambdas[random.Below(6)];
    options.dictionary_size = dictionaries[random.Below(5)];
    options.prediction_level = levels[k % 6];
    options.modes = 1u + random.Bits() % (random.OneIn(2) ? kAllModes : kAllReferenceModes);
    if (random.OneIn(2)) options.tools = random.Bits() & kAllTools;
    options.order = kOrders[k % 3];
    SCOPED_TRACE("dictionary " + std::to_string(*options.dictionary_size) + " level " +
                 std::to_string(*options.prediction_level) + " modes " +
                 std::to_string(*options.modes) + " lambda " + std::to_string(options.lambda));
    const int side = *options.prediction_level < 8 ? 17 : 37;
    const Image image = Draw(kAllPictures[random.Below(6)], side, side, random.Bits());
    RoundTrip(image, options);
  }
}

// Tiles of every shape: one column, one row, and fronts of several macroblocks.
TEST(RoundTripTest, WaveFrontsOfTiles) {
  Random random(8);
  for (int k = 0; k < 18; ++k) {
    EncodeOptions options;
    options.order = MacroblockOrder::kWavefront;
    options.preset = static_cast<Preset>(k % 3);
    options.lambda = k % 4 == 0 ? 0 : kLambdas[random.Below(6)];
    options.prediction_level = 15;  // for speed
    options.dictionary_size = random.OneIn(2) ? 100 : 1024;
    options.threads = 1 + k % 5;
    options.tile_width = 16 * random.Between(1, 7);
    options.tile_height = 16 * random.Between(1, 5);
    const int width = random.Between(1, 100), height = random.Between(1, 70);
    SCOPED_TRACE(testing::Message() << width << "x" << height << " in " << options.tile_width << "x"
                                    << options.tile_height << ", lambda " << options.lambda);
    const Image image = Draw(kAllPictures[random.Below(6)], width, height, random.Bits());
    RoundTrip(image, options);
  }
}

// The left picture beside columns of all gray levels.
Image BesideAllLevels(const Image& left) {
  constexpr int kAcross = 64;
  Image image(left.width() + kAcross, left.height());
  for (int y = 0; y < left.height(); ++y) {
    std::copy_n(left.Row(y), left.width(), image.Row(y));
    for (int x = 0; x < kAcross; ++x)
      image.Row(y)[left.width() + x] = static_cast<uint8_t>(4 * x + y % 4);
  }
  return image;
}

// Who asks for no order has wave fronts, but for drawings, print and the preset of the thesis.
TEST(RoundTripTest, TheOrderThatIsChosen) {
  const auto chosen = [](Picture picture, Preset preset, MacroblockOrder order) {
    EncodeOptions options;
    options.preset = preset;
    options.order = order;
    options.prediction_level = 15;  // for speed
    return ReadInfo(MustEncode(Draw(picture, 64, 48, 1).View(), options))->order;
  };
  for (const Preset preset : {Preset::kThesis, Preset::kQuick, Preset::kFast, Preset::kBest}) {
    SCOPED_TRACE(PresetName(preset));
    EXPECT_EQ(chosen(Picture::kNoise, preset, MacroblockOrder::kAuto),
              preset == Preset::kThesis ? MacroblockOrder::kRaster : MacroblockOrder::kWavefront);
    EXPECT_EQ(chosen(Picture::kText, preset, MacroblockOrder::kAuto), MacroblockOrder::kRaster);
    for (const MacroblockOrder order : {MacroblockOrder::kRaster, MacroblockOrder::kWavefront}) {
      EXPECT_EQ(chosen(Picture::kNoise, preset, order), order);
      EXPECT_EQ(chosen(Picture::kText, preset, order), order);
    }
  }
}

// The same text twice, on paper that is not flat: each sample is up to `noise` from what was drawn.
Image PageOfRepeats(int noise) {
  const Image line = Draw(Picture::kText, 64, 80, 1);
  Image page(64, 160);
  Random random(2);
  for (int y = 0; y < page.height(); ++y)
    for (int x = 0; x < page.width(); ++x)
      page.Row(y)[x] = static_cast<uint8_t>(
          std::clamp(line.Row(y % 80)[x] + random.Between(-noise, noise), 0, 255));
  return page;
}

// A picture on a page of text is print; where nothing is steep, flat paper alone makes none. Paper
// that is not flat does not matter where much is copied from what is similar.
TEST(RoundTripTest, TheOrderOfPrint) {
  const auto chosen = [](const Image& image) {
    EncodeOptions options;
    options.preset = Preset::kFast;
    options.prediction_level = 15;
    options.tools = kPresetTools & ~kExactBlocks;  // or text is not there for patterns
    return ReadInfo(MustEncode(image.View(), options))->order;
  };
  EXPECT_EQ(chosen(BesideAllLevels(Draw(Picture::kText, 96, 48, 1))), MacroblockOrder::kRaster);
  EXPECT_EQ(chosen(BesideAllLevels(Draw(Picture::kFlat, 96, 48, 1))), MacroblockOrder::kWavefront);
  EXPECT_EQ(chosen(BesideAllLevels(Draw(Picture::kNoise, 96, 48, 1))), MacroblockOrder::kWavefront);
  EXPECT_EQ(chosen(BesideAllLevels(PageOfRepeats(6))), MacroblockOrder::kRaster);
  EXPECT_EQ(chosen(Draw(Picture::kNoise, 64, 160, 1)), MacroblockOrder::kWavefront);
}

// In wave fronts, areas of which are filtered while others are being decoded.
TEST(RoundTripTest, PicturesThatWereJpegFiles) {
  for (const int row : {2, 5})
    for (const int column : {0, 7}) {
      const Image image = DrawJpeg(212, 190, column, row, 5);
      EncodeOptions options;
      options.preset = Preset::kFast;
      options.lambda = 12;
      options.exact_lambda = true;  // by patterns
      options.order = MacroblockOrder::kWavefront;
      options.backend = Backend::kCpu;
      const Image decoded = RoundTrip(image, options);
      const std::vector<uint8_t> file = MustEncode(image.View(), options);
      for (const int threads : {1, 3, 8}) {
        const auto again = Decode(file, {.threads = threads});
        ASSERT_TRUE(again.ok()) << again.status().message();
        EXPECT_EQ(again->image, decoded) << threads << " threads";
      }
    }
}

// Text among pictures is coded exactly where that costs less, in all tiles and orders.
TEST(RoundTripTest, TextAmongPictures) {
  const Image image = DrawTextBeside(Picture::kNoise, 208, 140, 96);
  for (const int tile : {0, 64}) {
    for (const MacroblockOrder order : kOrders) {
      EncodeOptions options;
      options.preset = Preset::kFast;
      options.lambda = 60;
      options.exact_lambda = true;  // by patterns
      options.order = order;
      options.tile_width = options.tile_height = tile;
      SCOPED_TRACE("tiles of " + std::to_string(tile));
      const Image decoded = RoundTrip(image, options);
      EXPECT_EQ(
          SumSquaredError(decoded.View().Crop(0, 0, 96, 140), image.View().Crop(0, 0, 96, 140)),
          0u);
      EncodeStats stats;
      const std::vector<uint8_t> file = MustEncode(image.View(), options, &stats);
      EXPECT_GT(stats.exact_block_bits, 0);
      for (const int threads : {1, 3})
        EXPECT_EQ(Decode(file, {.threads = threads})->image, decoded);
      options.tools = kPresetTools & ~kExactBlocks;
      EXPECT_LT(file.size(), MustEncode(image.View(), options, &stats).size());
      EXPECT_EQ(stats.exact_block_bits, 0);
    }
  }
}

TEST(RoundTripTest, TilesAreIndependent) {
  const Image image = Draw(Picture::kTexture, 52, 36, 3);
  for (const Size tile : {Size{16, 16}, Size{32, 48}, Size{48, 16}, Size{80, 64}}) {
    EncodeOptions options;
    options.preset = Preset::kThesis;  // the others look at the whole image
    options.prediction_level = 15;
    options.tile_width = tile.width;
    options.tile_height = tile.height;
    const Image decoded = RoundTrip(image, options);
    for (const TileInfo& t : TileGrid(52, 36, tile.width, tile.height)) {
      // A tile's pixels are those of its part encoded alone.
      EncodeOptions alone;
      alone.preset = Preset::kThesis;
      alone.prediction_level = 15;
      const auto file = MustEncode(image.View().Crop(t.x, t.y, t.width, t.height), alone);
      const auto part = Decode(file);
      ASSERT_TRUE(part.ok());
      EXPECT_EQ(
          SumSquaredError(part->image.View(), decoded.View().Crop(t.x, t.y, t.width, t.height)),
          0u);
    }
  }
}

TEST(RoundTripTest, BytesDependOnImageAndParametersOnly) {
  for (const Picture picture : {Picture::kTexture, Picture::kText}) {
    const Image image = Draw(picture, 48, 32, 11);
    for (const Preset preset : {Preset::kThesis, Preset::kQuick, Preset::kFast, Preset::kBest}) {
      for (const double lambda : {0.0, 20.0}) {
        EncodeOptions options;
        options.preset = preset;
        options.lambda = lambda;
        options.threads = 1;
        const std::vector<uint8_t> file = MustEncode(image.View(), options);
        for (const int threads : {1, 2, 5}) {
          options.threads = threads;
          options.time_stages = threads == 2;
          EXPECT_EQ(MustEncode(image.View(), options), file) << threads << " threads";
        }
      }
    }
  }
}

// Threads share the macroblocks of a front, and where these are too few, one's branches.
TEST(RoundTripTest, BytesOfWaveFrontsDoNotDependOnThreads) {
  for (const Picture picture : {Picture::kTexture, Picture::kText}) {
    const Image image = Draw(picture, 112, 64, 11);
    for (const Preset preset : {Preset::kThesis, Preset::kQuick, Preset::kFast, Preset::kBest}) {
      for (const double lambda : {0.0, 20.0}) {
        SCOPED_TRACE(testing::Message()
                     << PictureName(picture) << " " << PresetName(preset) << " lambda " << lambda);
        EncodeOptions options;
        options.order = MacroblockOrder::kWavefront;
        options.preset = preset;
        options.lambda = lambda;
        options.exact_lambda = true;
        options.prediction_level = 15;  // for speed
        options.threads = 1;
        const std::vector<uint8_t> file = MustEncode(image.View(), options);
        const auto decoded = Decode(file, {.threads = 1});
        ASSERT_TRUE(decoded.ok()) << decoded.status().message();
        for (int threads = 2; threads <= 5; ++threads) {
          options.threads = threads;
          EXPECT_EQ(MustEncode(image.View(), options), file) << threads << " threads";
          const auto again = Decode(file, {.threads = threads});
          ASSERT_TRUE(again.ok()) << again.status().message();
          EXPECT_EQ(again->image, decoded->image) << threads << " threads";
        }
      }
    }
  }
}

// Enough macroblocks that threads reconstruct what one parses ahead.
TEST(RoundTripTest, PixelsDoNotDependOnTheDecodersThreads) {
  for (const Picture picture : {Picture::kTexture, Picture::kText}) {
    const Image image = Draw(picture, 400, 300, 13);
    for (const MacroblockOrder order : {MacroblockOrder::kRaster, MacroblockOrder::kWavefront}) {
      SCOPED_TRACE(testing::Message() << PictureName(picture) << " " << OrderName(order));
      EncodeOptions options;
      options.order = order;
      options.preset = Preset::kFast;
      options.lambda = 300;
      options.exact_lambda = true;
      options.prediction_level = 15;  // this and the next: for speed
      options.dictionary_size = 100;
      const std::vector<uint8_t> file = MustEncode(image.View(), options);
      const auto decoded = Decode(file, {.threads = 1});
      ASSERT_TRUE(decoded.ok()) << decoded.status().message();
      for (int threads = 2; threads <= 5; ++threads) {
        const auto again = Decode(file, {.threads = threads});
        ASSERT_TRUE(again.ok()) << again.status().message();
        EXPECT_EQ(again->image, decoded->image) << threads << " threads";
      }
    }
  }
}

TEST(RoundTripTest, TiledBytesDoNotDependOnThreads) {
  const Image image = Draw(Picture::kText, 100, 70, 12);
  EncodeOptions options;
  options.preset = Preset::kFast;
  options.tile_width = 32;
  options.tile_height = 16;
  options.threads = 1;
  const std::vector<uint8_t> file = MustEncode(image.View(), options);
  DecodeOptions decode;
  decode.threads = 1;
  const auto decoded = Decode(file, decode);
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  for (const int threads : {2, 3, 7, 40}) {
    options.threads = decode.threads = threads;
    EXPECT_EQ(MustEncode(image.View(), options), file) << threads << " threads";
    const auto again = Decode(file, decode);
    ASSERT_TRUE(again.ok()) << again.status().message();
    EXPECT_EQ(again->image, decoded->image) << threads << " threads";
    EXPECT_TRUE(again->damaged_tiles.empty());
  }
  const auto info = ReadInfo(file);
  ASSERT_TRUE(info.ok()) << info.status().message();
  ASSERT_EQ(info->tiles.size(), 20u);
  for (const TileInfo& t : info->tiles)
    EXPECT_EQ(t.reconstruction_crc,
              PixelsCrc(decoded->image.View().Crop(t.x, t.y, t.width, t.height)));
}

TEST(RoundTripTest, RowsMayBeFarApart) {
  const Image wide = Draw(Picture::kTexture, 64, 20, 5);
  Image narrow(24, 20);
  for (int y = 0; y < 20; ++y)
    for (int x = 0; x < 24; ++x) narrow.Row(y)[x] = wide.Row(y)[x + 8];
  EXPECT_EQ(MustEncode(wide.View().Crop(8, 0, 24, 20), {}), MustEncode(narrow.View(), {}));
}

TEST(RoundTripTest, QualityAndRateFollowLambda) {
  const Image image = Draw(Picture::kTexture, 64, 64, 9);
  size_t bytes = SIZE_MAX;
  uint64_t error = 0;
  for (const double lambda : {0.0, 5.0, 50.0, 500.0}) {
    EncodeOptions options;
    options.lambda = lambda;
    EncodeStats stats;
    const size_t size = MustEncode(image.View(), options, &stats).size();
    EXPECT_LT(size, bytes);
    EXPECT_GE(stats.sum_squared_error, error);
    bytes = size;
    error = stats.sum_squared_error;
  }
}

TEST(RoundTripTest, StatisticsAddUp) {
  const Image image = Draw(Picture::kTexture, 64, 48, 2);
  EncodeOptions options;
  options.time_stages = true;
  EncodeStats stats;
  const std::vector<uint8_t> file = MustEncode(image.View(), options, &stats);
  EXPECT_EQ(stats.macroblocks, 12);
  EXPECT_EQ(stats.nodes, 12 * 661);
  EXPECT_LE(stats.nodes_searched, stats.nodes);
  EXPECT_GT(stats.nodes_searched, 0);
  for (int mode = 0; mode < kModes; ++mode) {
    EXPECT_LE(stats.mode_searches[mode], stats.mode_uses[mode]);
    EXPECT_LE(stats.mode_reused[mode], stats.mode_searches[mode]);
  }
  const double bits = stats.partition_bits + stats.residual_flag_bits + stats.mode_bits +
                      stats.index_bits + stats.block_vector_bits + stats.filter_bits +
                      stats.exact_block_bits + 8.0 * static_cast<double>(stats.header_bytes);
  EXPECT_NEAR(bits, 8.0 * static_cast<double>(file.size()), 0.01 * bits + 64);
  EXPECT_GT(stats.seconds_matching, 0);
  EXPECT_GT(stats.seconds_costs, 0);
  EXPECT_GT(stats.seconds_dictionary, 0);
}

// Whatever the tiles asked for, what is written can be read.
TEST(RoundTripTest, TileSidesBeyondTheImage) {
  const Image image = Draw(Picture::kText, 64, 64, 1);
  EncodeOptions options;
  options.lambda = 0;
  options.dictionary_size = 69;
  options.prediction_level = kNoPredictionSplit;
  options.modes = 1;
  constexpr int kSides[] = {16, 64, 65536, 1 << 25, (1 << 25) + 16, 1 << 30, 0x7ffffff0};
  for (const int width : kSides) {
    for (const int height : kSides) {
      if (width == 16 && height == 16) continue;
      SCOPED_TRACE(testing::Message() << width << "x" << height);
      options.tile_width = width;
      options.tile_height = height;
      const auto file = Encode(image.View(), options);
      ASSERT_TRUE(file.ok()) << file.status().message();
      const auto decoded = Decode(*file);
      ASSERT_TRUE(decoded.ok()) << decoded.status().message();
      EXPECT_EQ(decoded->image, image);
      const size_t tiles = (width < 64 ? 4u : 1u) * (height < 64 ? 4u : 1u);
      EXPECT_EQ(ReadInfo(*file)->tiles.size(), tiles);
    }
  }
}

// A tile that no decoder takes is refused before any work is done: samples are not even looked at.
TEST(RoundTripTest, TilesThatAreTooLarge) {
  const uint8_t sample = 0;
  EncodeOptions options;
  options.preset = Preset::kThesis;
  options.tools = 0;
  options.tile_width = options.tile_height = 65536;
  const auto file = Encode({&sample, kMaxImageSide, kMaxImageSide, kMaxImageSide}, options);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(file.status().message().find("smaller tiles"), std::string::npos);
}

TEST(RoundTripTest, OptionsThatMakeNoSense) {
  const Image image(20, 20);
  auto code = [&](auto change) {
    EncodeOptions options;
    change(options);
    return Encode(image.View(), options).status().code();
  };
  EXPECT_EQ(code([](EncodeOptions& o) { o.lambda = -1; }), StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](EncodeOptions& o) { o.lambda = 70000; }), StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](EncodeOptions& o) { o.lambda = 0.0 / 0.0; }), StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](EncodeOptions& o) { o.dictionary_size = 68; }), StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](EncodeOptions& o) { o.dictionary_size = 65537; }),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](EncodeOptions& o) { o.prediction_level = 26; }), StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](EncodeOptions& o) { o.modes = 0; }), StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](EncodeOptions& o) { o.modes = kAllModes + 1; }), StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](EncodeOptions& o) { o.tile_width = 16; }), StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](EncodeOptions& o) { o.tile_width = o.tile_height = 20; }),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](EncodeOptions& o) { o.order = static_cast<MacroblockOrder>(3); }),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](EncodeOptions& o) { o.backend = Backend::kCuda; }), StatusCode::kUnavailable);
  EXPECT_EQ(Encode({}, {}).status().code(), StatusCode::kInvalidArgument);
}

TEST(RoundTripTest, ProgressAndCancellation) {
  const Image image = Draw(Picture::kTexture, 160, 96, 1);
  EncodeOptions options;
  options.preset = Preset::kFast;
  double last = 0;
  int calls = 0;
  options.progress = [&](double done) {
    EXPECT_GE(done, 0);
    EXPECT_LE(done, 1);
    last = done;
    ++calls;
    return true;
  };
  const std::vector<uint8_t> file = MustEncode(image.View(), options);
  EXPECT_GE(calls, 2);
  EXPECT_EQ(last, 1);
  // One thread after the other, and forward.
  options.threads = 1;
  last = 0;
  options.progress = [&](double done) {
    EXPECT_GE(done, last);
    last = done;
    return true;
  };
  EXPECT_EQ(MustEncode(image.View(), options), file);
  EXPECT_EQ(last, 1);
  // Tiles report one at a time.
  options.threads = 4;
  options.tile_width = options.tile_height = 32;
  std::atomic<int> inside{0};
  options.progress = [&](double done) {
    EXPECT_EQ(++inside, 1);
    EXPECT_GT(done, 0);
    EXPECT_LE(done, 1);
    --inside;
    return true;
  };
  const std::vector<uint8_t> tiled = MustEncode(image.View(), options);
  DecodeOptions several;
  several.threads = 4;
  several.progress = options.progress;
  EXPECT_TRUE(Decode(tiled, several).ok());
  // Stopped on the way.
  options.progress = [](double done) { return done < 0.3; };
  EXPECT_EQ(Encode(image.View(), options).status().code(), StatusCode::kCancelled);
  options.progress = [](double) { return false; };
  EXPECT_EQ(Encode(image.View(), options).status().code(), StatusCode::kCancelled);
  DecodeOptions decode;
  decode.progress = options.progress;
  EXPECT_EQ(Decode(file, decode).status().code(), StatusCode::kCancelled);
}

TEST(RoundTripTest, DecodersWorkCanBeLimited) {
  const std::vector<uint8_t> file = MustEncode(Draw(Picture::kTexture, 48, 48, 4).View(), {});
  DecodeOptions options;
  EXPECT_TRUE(Decode(file, options).ok());
  options.max_work = 1000;
  EXPECT_EQ(Decode(file, options).status().code(), StatusCode::kLimitExceeded);
  options.keep_going = true;
  EXPECT_EQ(Decode(file, options).status().code(), StatusCode::kLimitExceeded);
}

}  // namespace
}  // namespace mmp
