#include "codec/postfilter/network_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "codec/base/parameters.h"
#include "codec/postfilter/filter_blocks.h"
#include "common/image_files/image_io.h"
#include "common/metrics.h"
#include "tests/codec/postfilter/random_network.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

// docs/format.md, "Network filter", word for word, over whole planes.
class PlainNetwork {
 public:
  PlainNetwork(const NetworkWeights& network, int level, const PredictedTile& tile,
               NetworkOrigin origin = {})
      : network_(network),
        level_(level),
        whole_(tile),
        origin_(origin),
        tile_(Within(tile, origin)),
        width_(tile_.width / 2),
        height_(tile_.height / 2) {}

  std::vector<uint8_t> Filtered() const {
    Plane h = Convolved(Inputs(), 0, true);
    for (int block = 0; block < network_.shape.residual_blocks; ++block) {
      const Plane t = Convolved(h, 1 + 2 * block, true);
      const Plane r = Convolved(t, 2 + 2 * block, false);
      for (size_t k = 0; k < h.size(); ++k) h[k] = std::clamp(h[k] + r[k], -32768, 32767);
    }
    const Plane r = Convolved(h, network_.shape.layers() - 1, false);
    std::vector<uint8_t> filtered(whole_.pixels, whole_.pixels + whole_.stride * whole_.height);
    ForEachPixel([&](size_t at, int position, int c) {
      const int k = static_cast<int>(std::lround(16384 * std::exp2(level_ / 4.) / 64));
      const int change = (r[4 * position + c] * k + (1 << 13)) >> 14;
      filtered[origin_.Offset(whole_.stride) + at] =
          static_cast<uint8_t>(std::clamp(tile_.pixels[at] + change, 0, 255));
    });
    return filtered;
  }

 private:
  using Plane = std::vector<int>;  // values of positions, row by row

  // Calls body(pixel, position, channel).
  template <typename Body>
  void ForEachPixel(const Body& body) const {
    for (int y = 0; y < tile_.height; ++y)
      for (int x = 0; x < tile_.width; ++x)
        body(y * tile_.stride + x, y / 2 * width_ + x / 2, y % 2 * 2 + x % 2);
  }

  Plane Inputs() const {
    Plane inputs(static_cast<size_t>(8) * width_ * height_);
    ForEachPixel([&](size_t at, int position, int c) {
      const int m = static_cast<int>(std::lround(64 * 256 / (2 * std::exp2(level_ / 4.))));
      const int x = tile_.pixels[at], p = tile_.prediction[at];
      inputs[8 * position + c] = ((x - 128) * m + 128) >> 8;
      inputs[8 * position + 4 + c] = ((p - x) * m + 128) >> 8;
    });
    return inputs;
  }

  Plane Convolved(const Plane& from, int number, bool is_rectified) const {
    const NetworkLayer& layer = network_.layers[number];
    Plane to;
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x)
        for (int o = 0; o < layer.outputs; ++o) {
          const int r = Output(layer, from, y, x, o);
          to.push_back(is_rectified ? std::max(r, 0) : r);
        }
    return to;
  }

  int Output(const NetworkLayer& layer, const Plane& from, int y, int x, int o) const {
    int64_t sum = layer.biases[o] + int64_t{layer.slopes[o]} * (level_ - 10);
    for (int a = -1; a <= 1; ++a) {
      for (int b = -1; b <= 1; ++b) {
        if (y + a < 0 || y + a >= height_ || x + b < 0 || x + b >= width_) continue;
        const int* values = &from[static_cast<size_t>((y + a) * width_ + x + b) * layer.inputs];
        const int8_t* weights =
            &layer.weights[static_cast<size_t>((o * 3 + a + 1) * 3 + b + 1) * layer.inputs];
        for (int i = 0; i < layer.inputs; ++i) sum += weights[i] * values[i];
      }
    }
    EXPECT_LT(std::abs(sum), int64_t{1} << 31);
    const int shift = layer.shifts[o];
    const int64_t r = (sum + (int64_t{1} << (shift - 1))) >> shift;
    return static_cast<int>(std::clamp<int64_t>(r, -32768, 32767));
  }

  const NetworkWeights& network_;
  const int level_;
  const PredictedTile whole_;
  const NetworkOrigin origin_;
  const PredictedTile tile_;  // what the network sees
  const int width_, height_;
};

struct TilePictures {
  TilePictures(Picture picture, int width, int height)
      : pixels(Draw(picture, width, height, 5)), prediction(Draw(picture, width, height, 6)) {}
  PredictedTile Tile() const {
    return {pixels.pixels().data(), prediction.pixels().data(), pixels.width(), pixels.height()};
  }
  size_t Blocks() const { return FilterBlocks(pixels.width(), pixels.height()); }

  Image pixels, prediction;
};

std::vector<uint8_t> Filtered(const NetworkFilter& filter, const TilePictures& pictures,
                              int threads = 1) {
  TaskPool pool(threads);
  std::vector<uint8_t> filtered = pictures.pixels.pixels();
  filter.Apply(pictures.Tile(), std::vector<uint8_t>(pictures.Blocks(), 1), filtered.data(), pool);
  return filtered;
}

constexpr NetworkOrigin kOrigins[] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};

TEST(NetworkFilterTest, EqualsTheDefinition) {
  Random random(1);
  for (const int round : {0, 1, 2, 3}) {
    const NetworkKind kind = round % 2 == 0 ? NetworkKind::kLarge : NetworkKind::kSmall;
    const NetworkWeights network = RandomNetwork(random, kind, round >= 2);
    for (const auto& [width, height] : {std::pair{16, 16}, {48, 32}, {16, 80}}) {
      const auto picture = random.OneIn(2) ? Picture::kNoise : Picture::kTexture;
      const TilePictures pictures(picture, width, height);
      const int level = random.Between(1, kNetworkLevels);
      const std::vector<uint8_t> expected =
          PlainNetwork(network, level, pictures.Tile()).Filtered();
      ASSERT_NE(expected, pictures.pixels.pixels());
      const NetworkFilter filter(network, level);
      ForEachSimdTarget([&] { EXPECT_EQ(Filtered(filter, pictures), expected); });
    }
  }
}

TEST(NetworkFilterTest, EveryLevelEqualsTheDefinition) {
  Random random(2);
  NetworkWeights network = RandomNetwork(random, NetworkKind::kLarge, false);
  // Corrections are of all sizes, so that a factor of the outputs that is off by one shows.
  network.layers.back().shifts = {4, 5, 7, 9};
  const TilePictures pictures(Picture::kNoise, 48, 32);
  for (int level = 1; level <= kNetworkLevels; ++level)
    EXPECT_EQ(Filtered(NetworkFilter(network, level), pictures),
              PlainNetwork(network, level, pictures.Tile()).Filtered())
        << level;
}

// Areas that are worked on by themselves meet without a seam, however many threads there are.
TEST(NetworkFilterTest, LargeTilesEqualTheDefinition) {
  Random random(3);
  const NetworkWeights network = RandomNetwork(random, NetworkKind::kLarge, false);
  for (const auto& [width, height] : {std::pair{1056, 16}, {32, 208}, {528, 80}}) {
    const TilePictures pictures(Picture::kNoise, width, height);
    for (const NetworkOrigin origin : kOrigins) {
      const std::vector<uint8_t> expected =
          PlainNetwork(network, 12, pictures.Tile(), origin).Filtered();
      const NetworkFilter filter(network, 12, origin);
      for (const int threads : {1, 2, 5})
        EXPECT_EQ(Filtered(filter, pictures, threads), expected) << width << " " << threads;
    }
  }
}

TEST(NetworkFilterTest, PositionsMayBeginInTheSecondRowOrColumn) {
  Random random(7);
  const NetworkWeights network = RandomNetwork(random, NetworkKind::kSmall, false);
  for (const auto& [width, height] : {std::pair{16, 16}, {48, 32}, {64, 80}}) {
    const TilePictures pictures(Picture::kNoise, width, height);
    for (const NetworkOrigin origin : kOrigins) {
      const std::vector<uint8_t> expected =
          PlainNetwork(network, 9, pictures.Tile(), origin).Filtered();
      const NetworkFilter filter(network, 9, origin);
      ForEachSimdTarget([&] { EXPECT_EQ(Filtered(filter, pictures), expected); });
    }
  }
}

// Values all -32768, the sums as small as can be.
TEST(NetworkFilterTest, LeastValues) {
  Random random(4);
  NetworkWeights network = RandomNetwork(random, NetworkKind::kLarge, true);
  for (NetworkLayer& layer : network.layers) {
    std::fill(layer.weights.begin(), layer.weights.end(), int8_t{127});
    std::fill(layer.shifts.begin(), layer.shifts.end(), uint8_t{1});
    for (int output = 0; output < layer.outputs; ++output) {
      layer.biases[output] = -std::abs(layer.biases[output]);
      layer.slopes[output] = -std::abs(layer.slopes[output]);
    }
  }
  for (const Picture picture : {Picture::kNoise, Picture::kText}) {
    const TilePictures pictures(picture, 32, 32);
    const NetworkFilter filter(network, 22);
    const std::vector<uint8_t> expected = PlainNetwork(network, 22, pictures.Tile()).Filtered();
    ForEachSimdTarget([&] { EXPECT_EQ(Filtered(filter, pictures), expected); });
  }
}

// Areas are filtered while the rest of the tile is still being decoded.
TEST(NetworkFilterTest, AreasNeedNothingBehindTheirLastPixel) {
  Random random(6);
  const NetworkFilter filter(RandomNetwork(random, NetworkKind::kLarge, false), 9, {1, 1});
  constexpr int kWidth = 1216, kHeight = 128;
  const TilePictures whole(Picture::kNoise, kWidth, kHeight);
  const std::vector<uint8_t> expected = Filtered(filter, whole);
  const std::vector<uint8_t> blocks(whole.Blocks(), 1);
  int columns_left = 0, rows_left = 0;
  for (const NetworkArea& area : NetworkFilter::Areas(whole.Tile(), blocks, 8, 1)) {
    const MacroblockPlace last = filter.LastNeeded(whole.Tile(), area);
    TilePictures part = whole;
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        if (y <= last.y && x <= last.x) continue;
        part.pixels.Row(y)[x] ^= 255;
        part.prediction.Row(y)[x] ^= 255;
      }
    }
    columns_left += kWidth - 1 - last.x;
    rows_left += kHeight - 1 - last.y;
    std::vector<uint8_t> filtered = part.pixels.pixels();
    filter.ApplyTo(area, part.Tile(), blocks, filtered.data());
    for (int y = 2 * area.top; y < 2 * area.bottom; ++y)
      for (int x = 2 * area.left; x < 2 * area.right; ++x)
        ASSERT_EQ(filtered[y * kWidth + x], expected[y * kWidth + x])
            << "row " << y << ", column " << x;
  }
  EXPECT_GT(columns_left, 0);
  EXPECT_GT(rows_left, 0);
}

TEST(NetworkFilterTest, ReplacesTheChosenBlocks) {
  Random random(5);
  const NetworkWeights network = RandomNetwork(random, NetworkKind::kSmall, false);
  const TilePictures pictures(Picture::kNoise, 112, 144);
  for (int round = 0; round < 20; ++round) {
    const NetworkFilter filter(network, 9, kOrigins[round % 4]);
    const std::vector<uint8_t> all = Filtered(filter, pictures);
    std::vector<uint8_t> blocks(pictures.Blocks());
    for (uint8_t& block : blocks) block = random.OneIn(1 + round % 8) ? 1 : 0;
    TaskPool pool(1 + round % 3);
    std::vector<uint8_t> filtered = pictures.pixels.pixels();
    filter.Apply(pictures.Tile(), blocks, filtered.data(), pool);
    for (int y = 0; y < 144; ++y) {
      for (int x = 0; x < 112; ++x) {
        const size_t at = static_cast<size_t>(y) * 112 + x;
        const bool is_filtered = blocks[y / 32 * 4 + x / 32] != 0;
        ASSERT_EQ(filtered[at], is_filtered ? all[at] : pictures.pixels.pixels()[at])
            << "row " << y << ", column " << x;
      }
    }
  }
}

TEST(ApplyNetworkTest, LevelZeroChangesNothing) {
  const TilePictures pictures(Picture::kNoise, 32, 32);
  std::vector<uint8_t> plane = pictures.pixels.pixels();
  ApplyNetwork({}, pictures.prediction.pixels(), 32, 32, plane);
  EXPECT_EQ(plane, pictures.pixels.pixels());
}

TEST(ApplyNetworkTest, FiltersByTheStandardNetworks) {
  const TilePictures pictures(Picture::kNoise, 128, 32);
  for (const auto& [tools, pair] : {std::pair{uint32_t{kSmallNetwork}, NetworkPair::kSecond},
                                    {uint32_t{kSmallNetwork | kTwoNetworks}, NetworkPair::kSecond},
                                    {0u, NetworkPair::kSecond},
                                    {uint32_t{kTwoNetworks}, NetworkPair::kSecond},
                                    {uint32_t{kTwoNetworks}, NetworkPair::kThird}}) {
    const std::span<const NetworkKind> networks = NetworksOf({.tools = tools}, pair);
    EXPECT_EQ(networks.back() == NetworkKind::kThirdDeep, pair == NetworkPair::kThird);
    ASSERT_EQ(networks.size(), (tools & kTwoNetworks) != 0 ? 2 : 1);
    const uint8_t last = static_cast<uint8_t>(networks.size());
    const std::vector<uint8_t> blocks = {0, 1, last, 0};
    std::vector<uint8_t> plane = pictures.pixels.pixels();
    // Which that of the third network is.
    const NetworkOrigin origin = {0, 1};
    ApplyNetwork({networks, 15, blocks, origin}, pictures.prediction.pixels(), 128, 32, plane);
    std::vector<std::vector<uint8_t>> planes = {pictures.pixels.pixels()};
    for (const NetworkKind kind : networks) {
      const NetworkOrigin of_kind = kind == NetworkKind::kThirdDeep ? origin : NetworkOrigin();
      planes.push_back(Filtered(NetworkFilter(StandardNetwork(kind), 15, of_kind), pictures));
    }
    for (size_t at = 0; at < plane.size(); ++at)
      ASSERT_EQ(plane[at], planes[blocks[at % 128 / 32]][at]) << "tools " << tools << ", " << at;
  }
}

class NetworkToolTest : public testing::Test {
 protected:
  static EncodeOptions Options(double lambda, uint32_t tools) {
    EncodeOptions options;
    options.lambda = lambda;
    options.exact_lambda = true;
    options.prediction_level = 15;
    options.tools = tools;
    return options;
  }
};

// The encoder takes the network where that is better, and both make the same of it.
TEST_F(NetworkToolTest, CostIsNeverHigher) {
  for (const Picture picture : kAllPictures) {
    const Image image = Draw(picture, 72, 56, 8);
    for (const uint32_t others : {0u, uint32_t{kWiener}, uint32_t{kWiener | kCorrections}}) {
      const auto cost = [&](uint32_t tools) {
        EncodeStats stats;
        const EncodeOptions options = Options(60, tools);
        const auto decoded = Decode(MustEncode(image.View(), options, &stats));
        EXPECT_TRUE(decoded.ok()) << decoded.status().message();
        EXPECT_EQ(SumSquaredError(image.View(), decoded->image.View()), stats.sum_squared_error);
        return static_cast<double>(stats.sum_squared_error) + options.lambda * stats.filter_bits;
      };
      // That there is none takes some bits. Where the small one pays, no other filter is tried.
      EXPECT_LT(cost(others | kFilterNetwork), cost(others) + 60 * 5) << PictureName(picture);
      EXPECT_LT(cost(others | kFilterNetwork | kSmallNetwork), cost(0) + 60 * 10)
          << PictureName(picture);
    }
  }
}

// What it was trained for: a photograph becomes better by more than the bits that it takes.
TEST_F(NetworkToolTest, PaysForPhotographs) {
  const Result<LoadedImage> loaded = ReadImage(std::string(MMP_TEST_IMAGES) + "/natural.png", {});
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  const ImageView crop = loaded->image.View().Crop(64, 64, 96, 96);
  for (const double lambda : {10., 100., 400.}) {
    const auto error = [&](uint32_t tools) {
      EncodeStats stats;
      MustEncode(crop, Options(lambda, tools), &stats);
      return static_cast<double>(stats.sum_squared_error) + lambda * stats.filter_bits;
    };
    constexpr uint32_t kAll = kWiener | kCorrections | kFilterNetwork;
    const double by_wiener = error(kWiener | kCorrections);
    EXPECT_LT(error(kAll), 0.99 * by_wiener) << "lambda " << lambda;
    EXPECT_LT(error(kAll | kSmallNetwork), 0.992 * by_wiener) << "lambda " << lambda;
  }
}

// What the second ones were trained for.
TEST_F(NetworkToolTest, SecondNetworksPayForWhatIsSoft) {
  const Result<LoadedImage> loaded = ReadImage(std::string(MMP_TEST_IMAGES) + "/smooth.png", {});
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  for (const uint32_t tools : {kPresetTools, kPresetTools | kSmallNetwork}) {
    const auto error = [&](uint32_t used) {
      EncodeStats stats;
      EncodeOptions options = Options(60, used);
      options.effort = kFastEffort;
      options.prediction_level.reset();
      MustEncode(loaded->image.View(), options, &stats);
      return static_cast<double>(stats.sum_squared_error) + 60 * stats.filter_bits;
    };
    EXPECT_LT(error(tools), 0.99 * error(tools & ~kTwoNetworks)) << "tools " << tools;
  }
}

TEST_F(NetworkToolTest, LosslessFilesStayLossless) {
  const Image image = Draw(Picture::kTexture, 40, 40, 9);
  EncodeOptions options = Options(0, kFilterNetwork | kWiener | kCorrections);
  options.coder = Coder::kPatterns;
  EXPECT_EQ(Decode(MustEncode(image.View(), options))->image, image);
}

TEST_F(NetworkToolTest, ThreadsAndOrderMakeNoDifference) {
  const Image image = Draw(Picture::kTexture, 150, 100, 10);
  for (const MacroblockOrder order : {MacroblockOrder::kRaster, MacroblockOrder::kWavefront}) {
    EncodeOptions options = Options(100, kAllTools & ~kOwnDictionary);
    options.order = order;
    options.threads = 1;
    const std::vector<uint8_t> file = MustEncode(image.View(), options);
    const Image decoded = Decode(file, {.threads = 1})->image;
    for (const int threads : {2, 5}) {
      options.threads = threads;
      EXPECT_EQ(MustEncode(image.View(), options), file);
      EXPECT_EQ(Decode(file, {.threads = threads})->image, decoded);
    }
  }
}

}  // namespace
}  // namespace mmp
