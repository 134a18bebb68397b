// The choice of a tile's filter: its symbols, the sums that corrections are fitted to, the fit.
#include "codec/encoder/filter/choose_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <vector>

#include "codec/encoder/filter/correction_equations.h"
#include "codec/encoder/filter/correction_sums.h"
#include "codec/encoder/filter/filter_symbols.h"
#include "codec/encoder/filter/fit_corrections.h"
#include "codec/postfilter/filter_blocks.h"
#include "codec/postfilter/network_filter.h"
#include "codec/postfilter/tile_filter.h"
#include "codec/tile/filter_coder.h"
#include "codec/tile/read_port.h"
#include "codec/tile/tile_models.h"
#include "codec/tile/tile_state.h"
#include "codec/tile/write_port.h"
#include "common/metrics.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

using Vector = std::array<double, kWienerTerms>;

constexpr int kMostCorrection = (1 << kCorrectionBits) - 1;

constexpr uint32_t kBlocks = 20;

CodecParameters RandomTools(Random& random) {
  return {.tools = random.Bits() & (kWiener | kCorrections | kFilterNetwork | kSmallNetwork |
                                    kTwoNetworks | kLevelMaps)};
}

WienerCorrections RandomCorrections(Random& random, int sets) {
  WienerCorrections corrections;
  corrections.sets.resize(sets);
  if (sets > 0) {
    corrections.step = random.Below(kCorrectionSteps);
    for (uint8_t& set : corrections.set) set = static_cast<uint8_t>(random.Below(sets));
  }
  for (WienerCorrections::Set& set : corrections.sets) {
    const int most = kMostCorrection >> random.Below(10);
    for (int16_t& value : set) value = static_cast<int16_t>(random.Between(-most, most));
  }
  return corrections;
}

LevelMap RandomMap(Random& random) {
  LevelMap map;
  const int steepness = random.Between(1, 60);
  int level = random.Below(steepness);
  for (uint8_t& to : map) {
    to = static_cast<uint8_t>(std::min(level, 255));
    level += random.OneIn(3) ? random.Below(steepness) : random.Below(3);
  }
  return map;
}

JpegLattice RandomLattice(Random& random) {
  JpegLattice lattice = {.is_used = true,
                         .row = random.Below(kCosineSide),
                         .column = random.Below(kCosineSide),
                         .quality = random.Below(128)};
  for (auto& [pull, step] : lattice.frequencies) {
    if (random.OneIn(3)) continue;
    pull = static_cast<uint8_t>(random.Between(1, kJpegPulls - 1));
    step = static_cast<uint8_t>(random.Between(1, kLargestJpegStep));
  }
  return lattice;
}

// Whatever there is by the tools.
FilterChoice RandomChoice(Random& random, const CodecParameters& parameters) {
  FilterChoice choice;
  auto& [network, wiener, jpeg_lattice, level_maps, exact_blocks] = choice;
  if (parameters.Uses(kJpegLattice) && random.OneIn(2)) jpeg_lattice = RandomLattice(random);
  if (parameters.Uses(kLevelMaps)) level_maps.kind = random.Below(kLevelMapsKinds);
  for (int i = 0; i < level_maps.count(); ++i) level_maps.maps[i] = RandomMap(random);
  network.networks = NetworksOf(parameters);
  if (parameters.Uses(kFilterNetwork)) network.level = random.Below(kNetworkLevels + 1);
  if (network.level > 0) {
    wiener.base = WienerBase::kZeros;
    for (uint32_t block = 0; block < kBlocks; ++block)
      network.blocks.push_back(
          static_cast<uint8_t>(random.Below(static_cast<int>(network.networks.size()) + 1)));
    // What no block has is not told from the other.
    if (HasNetworkPairs(parameters) && std::ranges::count(network.blocks, 2) > 0 &&
        random.OneIn(2)) {
      network.networks = NetworksOf(parameters, NetworkPair::kThird);
      network.origin = {random.Below(2), random.Below(2)};
    }
  }
  const bool is_trained = wiener.base == WienerBase::kTrained;
  const bool has_corrections = parameters.Uses(kCorrections);
  if (!parameters.Uses(kWiener) || (!is_trained && !has_corrections)) return choice;
  wiener.strength = random.Below(kWienerStrengths + 1);
  if (wiener.strength == 0) return choice;
  if (has_corrections)
    wiener.corrections =
        RandomCorrections(random, random.Between(is_trained ? 0 : 1, kMostCorrectionSets));
  const bool is_corrected = !wiener.corrections.sets.empty();
  for (uint32_t block = 0; block < kBlocks; ++block) {
    const WienerBlock filtered = is_corrected && (!is_trained || random.OneIn(2))
                                     ? WienerBlock::kCorrected
                                     : WienerBlock::kTrained;
    wiener.blocks.push_back(random.OneIn(2) ? WienerBlock::kUnfiltered : filtered);
  }
  return choice;
}

void ExpectEqual(const FilterChoice& a, const FilterChoice& b) {
  EXPECT_EQ(a.level_maps.kind, b.level_maps.kind);
  EXPECT_EQ(a.level_maps.maps, b.level_maps.maps);
  EXPECT_EQ(a.network.level, b.network.level);
  EXPECT_EQ(a.network.blocks, b.network.blocks);
  if (a.network.level > 0) {
    EXPECT_TRUE(std::ranges::equal(a.network.networks, b.network.networks));
    EXPECT_EQ(a.network.origin, b.network.origin);
  }
  EXPECT_EQ(a.wiener.base, b.wiener.base);
  EXPECT_EQ(a.wiener.strength, b.wiener.strength);
  EXPECT_EQ(a.wiener.corrections.step, b.wiener.corrections.step);
  EXPECT_EQ(a.wiener.corrections.set, b.wiener.corrections.set);
  EXPECT_EQ(a.wiener.corrections.sets, b.wiener.corrections.sets);
  EXPECT_EQ(a.wiener.blocks, b.wiener.blocks);
}

TEST(FilterSymbolsTest, AreReadAsTheyWereWritten) {
  Random random(1);
  for (int round = 0; round < 600; ++round) {
    const CodecParameters parameters = RandomTools(random);
    const FilterChoice choice = RandomChoice(random, parameters);
    const MacroblockSymbols symbols = FilterSymbols(choice, parameters);
    TileState tile(CodecParameters{}, 16, 16);
    RangeEncoder encoder;
    SymbolStats stats;
    WritePort write_port(tile, {&encoder, 1}, stats);
    write_port.Take(symbols);
    ExpectEqual(CodeFilterChoice(write_port, parameters, kBlocks), choice);
    EXPECT_TRUE(write_port.AllTaken());
    EXPECT_EQ(static_cast<double>(FilterRateQ12(choice, parameters)) / 4096, stats.filter_bits);
    const std::vector<uint8_t> bytes = encoder.Finish();
    RangeDecoder decoder(bytes);
    TileState tile_read(CodecParameters{}, 16, 16);
    ReadPort read_port(tile_read, 0, decoder);
    ExpectEqual(CodeFilterChoice(read_port, parameters, kBlocks), choice);
    EXPECT_TRUE(decoder.AllRead());
    EXPECT_FALSE(decoder.Overrun());
  }
}

void ExpectInBounds(const WienerCorrections& corrections) {
  ASSERT_LE(corrections.sets.size(), size_t{kMostCorrectionSets});
  ASSERT_LT(corrections.step, kCorrectionSteps);
  for (const uint8_t set : corrections.set)
    ASSERT_LT(set, std::max<size_t>(corrections.sets.size(), 1));
  for (const WienerCorrections::Set& set : corrections.sets)
    for (const int value : set) ASSERT_LE(std::abs(value), kMostCorrection);
}

void ExpectInBounds(const JpegLattice& lattice) {
  ASSERT_GE(lattice.row, 0);
  ASSERT_LT(lattice.row, kCosineSide);
  ASSERT_GE(lattice.column, 0);
  ASSERT_LT(lattice.column, kCosineSide);
  for (const auto& [pull, step] : lattice.frequencies) {
    ASSERT_LT(pull, kJpegPulls);
    ASSERT_EQ(pull > 0, step > 0);
  }
}

void ExpectInBounds(const FilterChoice& choice) {
  const auto& [network, wiener, jpeg_lattice, level_maps, exact_blocks] = choice;
  ASSERT_NO_FATAL_FAILURE(ExpectInBounds(jpeg_lattice));
  ASSERT_LT(level_maps.kind, kLevelMapsKinds);
  for (const LevelMap& map : level_maps.maps) EXPECT_TRUE(std::ranges::is_sorted(map));
  ASSERT_LE(network.level, kNetworkLevels);
  ASSERT_EQ(network.blocks.size(), network.level > 0 ? kBlocks : 0u);
  ASSERT_EQ(wiener.base, network.level > 0 ? WienerBase::kZeros : WienerBase::kTrained);
  ASSERT_LE(wiener.strength, kWienerStrengths);
  ASSERT_EQ(wiener.blocks.size(), wiener.strength > 0 ? kBlocks : 0u);
  ASSERT_NO_FATAL_FAILURE(ExpectInBounds(wiener.corrections));
  for (const WienerBlock block : wiener.blocks) {
    ASSERT_LE(block, WienerBlock::kCorrected);
    if (block == WienerBlock::kTrained) {
      ASSERT_EQ(wiener.base, WienerBase::kTrained);
    }
    if (block == WienerBlock::kCorrected) {
      ASSERT_FALSE(wiener.corrections.sets.empty());
    }
  }
}

// Whatever the bytes, what is read from them is in the bounds that the filters rely on.
TEST(FilterSymbolsTest, AnyBytesAreInBounds) {
  Random random(2);
  bool has_most_sets = false, has_most_corrections = false, has_highest_level = false;
  for (int round = 0; round < 4000; ++round) {
    std::vector<uint8_t> bytes(random.Below(400));
    const int most = random.OneIn(4) ? 256 : 1 + random.Below(256);
    for (uint8_t& byte : bytes)
      byte = static_cast<uint8_t>(random.OneIn(3) ? 255 : random.Below(most));
    RangeDecoder decoder(bytes);
    TileState tile(CodecParameters{}, 16, 16);
    ReadPort port(tile, 0, decoder);
    const FilterChoice choice = CodeFilterChoice(port, RandomTools(random), kBlocks);
    ASSERT_NO_FATAL_FAILURE(ExpectInBounds(choice));
    for (const WienerCorrections::Set& set : choice.wiener.corrections.sets)
      for (const int value : set) has_most_corrections |= std::abs(value) == kMostCorrection;
    has_most_sets |= choice.wiener.corrections.sets.size() == kMostCorrectionSets;
    has_highest_level |= choice.network.level == kNetworkLevels;
  }
  EXPECT_TRUE(has_most_sets);
  EXPECT_TRUE(has_most_corrections);
  EXPECT_TRUE(has_highest_level);
}

TEST(SumCorrectionsTest, AreThePlainSums) {
  constexpr int kWidth = 80, kHeight = 48;  // the tile's; the image is smaller
  const Image plane = Draw(Picture::kTexture, kWidth, kHeight, 1);
  const Image image = Draw(Picture::kNoise, 70, 41, 2);
  const WienerFilter filter(plane.pixels(), kWidth, kHeight);
  constexpr auto kOff = WienerBlock::kUnfiltered, kOn = WienerBlock::kTrained;
  const WienerChoice choice = {4, {}, {kOn, kOff, kOn, kOff, kOn, kOn}};
  for (const int sampling : {1, 2, 4}) {
    CorrectionSums expected;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) {
        if (sampling > 1 && y % 2 != 0) continue;
        if (sampling == 4 && x % 2 != y / 2 % 2) continue;
        if (choice.blocks[y / 32 * 3 + x / 32] == kOff) continue;
        int16_t terms[kTermRows];
        ClassSums& sums = expected[filter.Terms(y, x, choice.strength, terms)];
        terms[kWienerTerms] = static_cast<int16_t>(image.Row(y)[x] - plane.Row(y)[x]);
        sums.pixels += sampling;
        for (int a = 0, k = 0; a < kTermRows; ++a)
          for (int b = a; b < kTermRows; ++b, ++k)
            sums.products[k] += sampling * terms[a] * terms[b];
      }
    }
    for (const int threads : {1, 3}) {
      TaskPool pool(threads);
      const CorrectionSums sums = SumCorrections(filter, choice, image.View(),
                                                 plane.pixels().data(), kWidth, sampling, pool);
      for (int which = 0; which < kWienerClasses; ++which) {
        EXPECT_EQ(sums[which].pixels, expected[which].pixels) << "class " << which;
        EXPECT_EQ(sums[which].products, expected[which].products) << "class " << which;
      }
    }
  }
}

// Of weights w that solve A w = b, the gain is w b.
TEST(CorrectionEquationsTest, GainIsThatOfTheSolution) {
  Random random(1);
  Vector solution{};
  CorrectionEquations parts[2];
  for (double& weight : solution) weight = random.Between(-200, 200);
  // Sums of products of random terms, as those of pixels are.
  for (int pixel = 0; pixel < 200; ++pixel) {
    CorrectionEquations& part = parts[pixel % 2];
    Vector terms;
    for (double& term : terms) term = random.Between(-40, 40);
    for (int a = 0; a < kWienerTerms; ++a)
      for (int b = 0; b < kWienerTerms; ++b) part.matrix[a][b] += terms[a] * terms[b];
  }
  double expected = 0;
  for (int a = 0; a < kWienerTerms; ++a) {
    const double diagonal = parts[0].matrix[a][a] + parts[1].matrix[a][a];
    double right = CorrectionRidge(diagonal) * solution[a];
    for (int b = 0; b < kWienerTerms; ++b)
      right += (parts[0].matrix[a][b] + parts[1].matrix[a][b]) * solution[b];
    parts[0].right[a] = right / 4;
    parts[1].right[a] = right - right / 4;
    expected += right * solution[a];
  }
  std::optional<double> first;
  ForEachSimdTarget([&] {
    const double gain = GainOfBoth(parts[0], parts[1]);
    EXPECT_NEAR(gain, expected, expected * 1e-9);
    EXPECT_EQ(gain, first.value_or(gain));  // to the last bit
    first = gain;
  });
}

// Of a picture that is what corrections make of its reconstruction.
class FitTest : public testing::Test {
 protected:
  static constexpr int kSide = 96, kStrength = 3;

  FitTest() {
    known_.step = 1;
    known_.sets = {{8, -4, 0, 0, 3, 10, 3, 0, 0, -4, 0, 1}, {-6, 0, 0, 0, 2, -6, 2}};
    for (int which = 0; which < kWienerClasses; ++which)
      known_.set[which] = which < kWienerClasses / 2 ? 0 : 1;
    original_.pixels() = filter_.Filter(kStrength, known_);
  }

  WienerCorrections Fit(double lambda) const {
    const WienerChoice choice = {kStrength, {}, std::vector(9, WienerBlock::kTrained)};
    const CorrectionSums sums = SumCorrections(filter_, choice, original_.View(),
                                               plane_.pixels().data(), kSide, 1, TaskPool::Alone());
    return FitCorrections(sums, kStrength, {static_cast<int32_t>(256 * lambda)});
  }
  uint64_t Error(const std::vector<uint8_t>& filtered) const {
    return SumSquaredError(original_.View(), {filtered.data(), kSide, kSide, kSide});
  }

  const Image plane_ = Draw(Picture::kTexture, kSide, kSide, 3);
  const WienerFilter filter_{plane_.pixels(), kSide, kSide};
  WienerCorrections known_;
  Image original_{kSide, kSide};
};

TEST_F(FitTest, FindsCorrectionsThatAreWorthTheirBits) {
  const WienerCorrections found = Fit(1);
  ASSERT_FALSE(found.sets.empty());
  const uint64_t trained = Error(filter_.Filter(kStrength));
  const uint64_t corrected = Error(filter_.Filter(kStrength, found));
  EXPECT_LT(corrected, trained / 10);
  EXPECT_LT(
      corrected + static_cast<uint64_t>(CorrectionsRateQ12(found, WienerBase::kTrained) / 4096),
      trained);
}

// Without trained weights the corrections are all that there is.
TEST_F(FitTest, FindsWeightsOfTheirOwn) {
  const std::vector<uint8_t> plain =
      filter_.Filter(kStrength, known_, TaskPool::Alone(), WienerBase::kZeros);
  original_.pixels() = plain;
  const WienerChoice choice = {
      kStrength, {}, std::vector(9, WienerBlock::kCorrected), WienerBase::kZeros};
  const CorrectionSums sums = SumCorrections(filter_, choice, original_.View(),
                                             plane_.pixels().data(), kSide, 1, TaskPool::Alone());
  const WienerCorrections found = FitCorrections(sums, kStrength, {256}, WienerBase::kZeros);
  ASSERT_FALSE(found.sets.empty());
  EXPECT_LT(Error(filter_.Filter(kStrength, found, TaskPool::Alone(), WienerBase::kZeros)),
            Error(plane_.pixels()) / 10);
}

TEST_F(FitTest, FindsNoneThatAreNot) { EXPECT_TRUE(Fit(100000).sets.empty()); }

TEST_F(FitTest, SendsFewerWhereBitsAreDear) {
  int64_t before = INT64_MAX;
  for (const double lambda : {0.1, 1., 10., 100.}) {
    const int64_t rate = CorrectionsRateQ12(Fit(lambda), WienerBase::kTrained);
    EXPECT_LE(rate, before) << "lambda " << lambda;
    before = rate;
  }
}

TEST(FitCorrectionsTest, NoPixelsNoCorrections) {
  EXPECT_TRUE(FitCorrections({}, 1, {256}).sets.empty());
}

// Sums of the largest tile and the largest differences.
TEST(FitCorrectionsTest, TheLargestSums) {
  Random random(4);
  CorrectionSums sums;
  for (ClassSums& of_class : sums) {
    of_class.pixels = int64_t{1} << 30;
    for (int a = 0; a < kTermRows; ++a)
      for (int b = a; b < kTermRows; ++b)
        of_class.products[TermProduct(a, b)] =
            (int64_t{510} * 510 << 30) / (a == b ? 1 : -random.Between(-3, -1));
  }
  const WienerCorrections found = FitCorrections(sums, 6, {256});
  for (const WienerCorrections::Set& set : found.sets)
    for (const int value : set) EXPECT_LE(std::abs(value), kMostCorrection);
}

// What a tile's symbols say, as its decoder reads them.
FilterChoice ChoiceOf(const MacroblockSymbols& symbols, const CodecParameters& parameters,
                      uint32_t blocks) {
  TileState tile(CodecParameters{}, 16, 16);
  RangeEncoder encoder;
  SymbolStats stats;
  WritePort port(tile, {&encoder, 1}, stats);
  port.Take(symbols);
  return CodeFilterChoice(port, parameters, blocks);
}

// Around the original, which was predicted.
void AddNoise(Random& random, const Image& image, int most, TileState& tile) {
  for (int y = 0; y < tile.height; ++y) {
    for (int x = 0; x < tile.width; ++x) {
      const int sample = image.Row(std::min(y, image.height() - 1))[std::min(x, image.width() - 1)];
      const size_t at = static_cast<size_t>(y) * tile.width + x;
      if (!tile.prediction.empty()) tile.prediction[at] = static_cast<uint8_t>(sample);
      tile.plane[at] =
          static_cast<uint8_t>(std::clamp(sample + random.Between(-most, most), 0, 255));
    }
  }
}

class ChooseNetworkTest : public testing::TestWithParam<uint32_t> {};

// For one picture after another, and any noise.
TEST_P(ChooseNetworkTest, GivesThePlaneThatTheChosenFilterMakes) {
  Random random(7);
  const CodecParameters parameters = {.tools = kCorrections | kFilterNetwork | kTwoNetworks |
                                               kLevelMaps | GetParam()};
  int chosen_networks = 0, others = 0;
  for (const auto picture : {Picture::kTexture, Picture::kGradient, Picture::kNoise}) {
    const Image image = Draw(picture, 90, 75, 3);
    for (const int most : {0, 2, 5, 9, 14}) {
      TileState tile(parameters, image.width(), image.height());
      AddNoise(random, image, most, tile);
      const ChosenFilter chosen = ChooseFilter(
          tile, image.View(), {.q8 = 256 * most * most}, StepWeights(),
          {.is_hurried = (GetParam() & kSmallNetwork) != 0}, nullptr, TaskPool::Alone());
      const FilterChoice choice =
          ChoiceOf(chosen.symbols, parameters, FilterBlocks(tile.width, tile.height));
      (choice.network.level == 0 ? others : chosen_networks) += 1;
      std::vector<uint8_t> expected = tile.plane;
      ApplyFilter(choice, tile.prediction, tile.Size(), expected);
      EXPECT_EQ(chosen.filtered, expected);
      EXPECT_TRUE(choice.network.level == 0 || expected != tile.plane);
    }
  }
  EXPECT_GE(chosen_networks, 3);
  EXPECT_GE(others, 3);
}

// What is chosen for the tile of a picture, which is what was filtered.
FilterChoice ChosenForJpeg(const TileState& tile, const Image& image) {
  const ChosenFilter chosen = ChooseFilter(tile, image.View(), {.q8 = 256 * 16}, StepWeights(), {},
                                           nullptr, TaskPool::Alone());
  FilterChoice choice =
      ChoiceOf(chosen.symbols, tile.parameters, FilterBlocks(tile.width, tile.height));
  std::vector<uint8_t> expected = tile.plane;
  ApplyFilter(choice, tile.prediction, tile.Size(), expected);
  EXPECT_EQ(chosen.filtered, expected);
  return choice;
}

TEST(ChooseFilterTest, PicturesThatWereJpegFilesHaveTheThird) {
  const CodecParameters parameters = {.tools =
                                          kCorrections | kFilterNetwork | kTwoNetworks | kWiener};
  Random random(8);
  for (const NetworkOrigin origin : {NetworkOrigin{0, 0}, {0, 1}, {1, 0}, {1, 1}}) {
    const Image image = DrawJpeg(130, 110, 6 + origin.column, 2 + origin.row, 3);
    TileState tile(parameters, image.width(), image.height());
    AddNoise(random, image, 4, tile);
    const FilterChoice choice = ChosenForJpeg(tile, image);
    ASSERT_EQ(choice.network.networks.size(), 2);
    EXPECT_EQ(choice.network.networks[1], NetworkKind::kThirdDeep);
    EXPECT_EQ(choice.network.origin, origin);
  }
}

TEST(ChooseFilterTest, PicturesThatWereJpegFilesHaveTheirLattice) {
  Random random(9);
  for (const uint32_t others : {0u, uint32_t{kWiener | kLevelMaps}}) {
    const CodecParameters parameters = {.tools = kJpegLattice | others};
    const Image image = DrawJpeg(130, 110, 3, 6, 4);
    TileState tile(parameters, image.width(), image.height());
    AddNoise(random, image, 4, tile);
    const FilterChoice choice = ChosenForJpeg(tile, image);
    ASSERT_TRUE(choice.jpeg_lattice.is_used);
    EXPECT_EQ(choice.jpeg_lattice.row, 6);
    EXPECT_EQ(choice.jpeg_lattice.column, 3);
  }
}

INSTANTIATE_TEST_SUITE_P(Tools, ChooseNetworkTest,
                         testing::Values(kWiener, kWiener | kSmallNetwork, kSmallNetwork));

}  // namespace
}  // namespace mmp
