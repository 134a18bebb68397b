#include "codec/postfilter/wiener_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "codec/base/parameters.h"
#include "codec/postfilter/filter_blocks.h"
#include "common/crc32c.h"
#include "common/metrics.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

// They are part of the format: docs/format.md says where they stand, this that nobody touches them.
TEST(WienerWeightsTest, AreThoseOfTheFormat) {
  uint32_t crc = 0;
  for (const auto& strength : kWienerWeights) {
    for (const auto& weights : strength) {
      for (const int16_t weight : weights) {
        const uint8_t bytes[] = {static_cast<uint8_t>(weight), static_cast<uint8_t>(weight >> 8)};
        crc = Crc32c(bytes, crc);
      }
    }
  }
  EXPECT_EQ(crc, 0x56787942u);
}

// docs/format.md, "Wiener filter", word for word.
class PlainFilter {
 public:
  PlainFilter(const Image& image, int strength, const WienerCorrections& corrections = {},
              WienerBase base = WienerBase::kTrained)
      : image_(image), strength_(strength), corrections_(corrections), base_(base) {}

  int Pixel(int y, int x) const {
    constexpr int kTaps[12][2] = {{0, 1}, {0, 2}, {0, 3},  {1, -2}, {1, -1}, {1, 0},
                                  {1, 1}, {1, 2}, {2, -1}, {2, 0},  {2, 1},  {3, 0}};
    int v = 0, h = 0, d = 0, e = 0;
    for (int i = y - 2; i <= y + 2; ++i) {
      for (int j = x - 2; j <= x + 2; ++j) {
        v += std::abs(2 * P(i, j) - P(i - 1, j) - P(i + 1, j));
        h += std::abs(2 * P(i, j) - P(i, j - 1) - P(i, j + 1));
        d += std::abs(2 * P(i, j) - P(i - 1, j - 1) - P(i + 1, j + 1));
        e += std::abs(2 * P(i, j) - P(i - 1, j + 1) - P(i + 1, j - 1));
      }
    }
    const bool straight = std::max(v, h) * std::min(d, e) > std::max(d, e) * std::min(v, h);
    const int most = straight ? std::max(v, h) : std::max(d, e);
    const int least = straight ? std::min(v, h) : std::min(d, e);
    const int grade = 2 * most > 9 * least ? 2 : most > 2 * least ? 1 : 0;
    const int limit = kWienerLimits[strength_ - 1];
    int which = grade == 0 ? 0 : grade + (straight ? 2 : 0);
    for (const int bound : {3, 6, 12, 20, 32, 55, 100}) which += v + h >= bound * limit ? 5 : 0;
    const auto& weights = kWienerWeights[strength_ - 1][which];
    int sum = 128;
    for (int t = 0; t < 12; ++t) {
      int a = kTaps[t][0], b = kTaps[t][1];
      if (grade != 0 && straight && v > h) std::swap(a, b);
      if (grade != 0 && !straight && d > e) b = -b;
      const int q = P(y + a, x + b) - P(y, x), r = P(y - a, x - b) - P(y, x);
      auto weight = [&](int term) {
        const int known = base_ == WienerBase::kTrained ? weights[term] : 0;
        if (corrections_.sets.empty()) return known;
        const int correction = corrections_.sets[corrections_.set[which]][term];
        return known + correction * (1 << corrections_.step);
      };
      sum += weight(t) * (q + r);
      sum += weight(12 + t) * (std::clamp(q, -limit, limit) + std::clamp(r, -limit, limit));
    }
    return std::clamp(P(y, x) + (sum >> 8), 0, 255);
  }

 private:
  int P(int y, int x) const {
    return image_.Row(std::clamp(y, 0, image_.height() - 1))[std::clamp(x, 0, image_.width() - 1)];
  }

  const Image& image_;
  const int strength_;
  const WienerCorrections corrections_;
  const WienerBase base_;
};

// Of all magnitudes that there are, or the greatest alone.
WienerCorrections RandomCorrections(Random& random, bool greatest) {
  constexpr int kMost = (1 << kCorrectionBits) - 1;
  WienerCorrections corrections;
  corrections.step = greatest ? kCorrectionSteps - 1 : random.Below(kCorrectionSteps);
  corrections.sets.resize(1 + random.Below(kMostCorrectionSets));
  for (uint8_t& set : corrections.set)
    set = static_cast<uint8_t>(random.Below(static_cast<int>(corrections.sets.size())));
  for (WienerCorrections::Set& set : corrections.sets)
    for (int16_t& correction : set)
      correction = static_cast<int16_t>(greatest ? (random.OneIn(2) ? kMost : -kMost)
                                                 : random.Between(-20, 20));
  return corrections;
}

class WienerFilterTest : public testing::TestWithParam<Picture> {};

TEST_P(WienerFilterTest, EqualsTheDefinition) {
  for (const auto& [width, height] : {std::pair{16, 16}, {48, 32}, {16, 80}}) {
    const Image image = Draw(GetParam(), width, height, 5);
    const WienerFilter filter(image.pixels(), width, height);
    for (int strength = 1; strength <= kWienerStrengths; ++strength) {
      const PlainFilter plain(image, strength);
      std::vector<uint8_t> expected;
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          expected.push_back(static_cast<uint8_t>(plain.Pixel(y, x)));
          // What weights are trained on.
          int16_t terms[kWienerTerms];
          const auto& weights = kWienerWeights[strength - 1][filter.Terms(y, x, strength, terms)];
          const int sum = std::inner_product(weights.begin(), weights.end(), terms, 128);
          ASSERT_EQ(std::clamp(image.Row(y)[x] + (sum >> 8), 0, 255), expected.back())
              << "strength " << strength << " at row " << y << ", column " << x;
        }
      }
      ForEachSimdTarget([&] { EXPECT_EQ(filter.Filter(strength), expected); });
    }
  }
}

TEST_P(WienerFilterTest, CorrectedWeightsEqualTheDefinition) {
  Random random(9);
  constexpr int kWidth = 48, kHeight = 32;
  const Image image = Draw(GetParam(), kWidth, kHeight, 6);
  const WienerFilter filter(image.pixels(), kWidth, kHeight);
  for (int strength = 1; strength <= kWienerStrengths; ++strength) {
    for (const bool greatest : {false, true}) {
      const WienerCorrections corrections = RandomCorrections(random, greatest);
      for (const WienerBase base : {WienerBase::kTrained, WienerBase::kZeros}) {
        const PlainFilter plain(image, strength, corrections, base);
        std::vector<uint8_t> expected;
        for (int y = 0; y < kHeight; ++y)
          for (int x = 0; x < kWidth; ++x)
            expected.push_back(static_cast<uint8_t>(plain.Pixel(y, x)));
        ForEachSimdTarget([&] {
          EXPECT_EQ(filter.Filter(strength, corrections, TaskPool::Alone(), base), expected);
        });
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Pictures, WienerFilterTest, testing::ValuesIn(kAllPictures),
                         [](const auto& test) { return std::string(PictureName(test.param)); });

TEST(ApplyWienerTest, ReplacesTheChosenBlocks) {
  constexpr int kWidth = 80, kHeight = 48;
  ASSERT_EQ(FilterBlocks(kWidth, kHeight), 6);
  const Image image = Draw(Picture::kNoise, kWidth, kHeight, 6);
  const WienerFilter filter(image.pixels(), kWidth, kHeight);
  Random random(10);
  const WienerCorrections corrections = RandomCorrections(random, false);
  const std::vector<uint8_t> trained = filter.Filter(kWienerStrengths);
  const std::vector<uint8_t> corrected = filter.Filter(kWienerStrengths, corrections);
  ASSERT_NE(trained, corrected);
  constexpr auto kOff = WienerBlock::kUnfiltered, kOn = WienerBlock::kTrained,
                 kAgain = WienerBlock::kCorrected;
  const WienerChoice choice = {
      kWienerStrengths, corrections, {kOff, kOn, kOn, kAgain, kOff, kAgain}};
  std::vector<uint8_t> plane = image.pixels();
  ApplyWiener(choice, kWidth, kHeight, plane);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const size_t at = static_cast<size_t>(y) * kWidth + x;
      const WienerBlock block = choice.blocks[y / 32 * 3 + x / 32];
      ASSERT_EQ(plane[at], block == kOff  ? image.pixels()[at]
                           : block == kOn ? trained[at]
                                          : corrected[at])
          << "row " << y << ", " << x;
    }
  }
  EXPECT_NE(plane, image.pixels());
}

TEST(ApplyWienerTest, StrengthZeroChangesNothing) {
  const Image image = Draw(Picture::kNoise, 32, 32, 7);
  std::vector<uint8_t> plane = image.pixels();
  ApplyWiener({}, 32, 32, plane);
  EXPECT_EQ(plane, image.pixels());
}

// The encoder filters where that helps: never worse, and better where there is texture.
TEST(WienerToolTest, LowersTheError) {
  for (const Picture picture : kAllPictures) {
    const Image image = Draw(picture, 64, 64, 8);
    EncodeOptions options;
    options.lambda = 60;
    options.prediction_level = 15;
    auto error = [&](uint32_t tools) {
      options.tools = tools;
      EncodeStats stats;
      const auto decoded = Decode(MustEncode(image.View(), options, &stats));
      EXPECT_TRUE(decoded.ok());
      const uint64_t sum = SumSquaredError(image.View(), decoded->image.View());
      EXPECT_EQ(sum, stats.sum_squared_error);
      return sum;
    };
    const uint64_t without = error(0), with = error(kWiener);
    EXPECT_LE(with, without) << PictureName(picture);
    EXPECT_EQ(error(kCorrections), without) << "corrections without a filter";
    if (picture == Picture::kTexture) {
      EXPECT_LT(with, without);
    }
  }
}

}  // namespace
}  // namespace mmp
