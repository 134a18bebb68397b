// The Wiener filter.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "codec/postfilter/wiener_row.h"
#include "codec/postfilter/wiener_textures.h"
#include "tools/kernels/kernel_table.h"
#include "tools/kernels/output.h"

namespace mmp::kernels {
namespace {

constexpr int kReach = 3;  // pixels around a row's
constexpr int kTextures = 15;
constexpr int kTaps[kWienerTaps][2] = {{0, 1}, {0, 2}, {0, 3},  {1, -2}, {1, -1}, {1, 0},
                                       {1, 1}, {1, 2}, {2, -1}, {2, 0},  {2, 1},  {3, 0}};

enum class Pixels { kNoise, kBlackAndWhite, kWhite, kStripes, kCount };
constexpr const char* kPixelNames[] = {"noise", "black or white", "white", "stripes"};

uint8_t PixelOf(Pixels pixels, Random& random, int k) {
  switch (pixels) {
    case Pixels::kNoise:
      return static_cast<uint8_t>(random.Below(256));
    case Pixels::kBlackAndWhite:
      return random.OneIn(2) ? 0 : 255;
    case Pixels::kWhite:
      return 255;
    default:
      return k % 2 == 0 ? 0 : 255;
  }
}

class WienerCase : public Case {
 public:
  // most_weight: of the weights' magnitudes.
  WienerCase(Random& random, int width, Pixels pixels, int most_weight)
      : width_(width), pixels_kind_(pixels), most_weight_(most_weight), filtered_(width) {
    const int stride = width + 2 * kReach;
    for (int k = 0; k < stride * (2 * kReach + 1); ++k)
      pixels_.push_back(PixelOf(pixels, random, k));
    constexpr int kLimits[] = {2, 32, 0, 255};
    rules_.limit = kLimits[random.Below(4)];
    for (int k = 0; k < kWienerTaps; ++k) rules_.offsets[k] = kTaps[k][0] * stride + kTaps[k][1];
    const int most_activity = random.OneIn(2) ? 65535 : 800;
    for (int& bound : rules_.activity_bounds) bound = random.Between(0, most_activity);
    std::sort(rules_.activity_bounds.begin(), rules_.activity_bounds.end());
    for (int x = 0; x < width; ++x) {
      // On the bounds, beside them, anywhere.
      const int bound = rules_.activity_bounds[random.Below(kWienerActivities - 1)];
      const int activity =
          random.OneIn(2) ? bound + random.Between(-1, 1) : random.Between(0, most_activity);
      activities_.push_back(static_cast<uint16_t>(std::clamp(activity, 0, 65535)));
      textures_.push_back(static_cast<uint8_t>(random.Below(kTextures)));
    }
    for (int k = 0; k < kWienerActivities * kTextures * kWienerTaps; ++k) {
      const uint32_t high = Weight(random), low = Weight(random);
      weights_.push_back(high << 16 | low);
    }
    rules_.weights = weights_.data();
    rules_.texture_count = kTextures;
  }

  std::string Describe() const override {
    return "row of " + std::to_string(width_) + " pixels, " +
           kPixelNames[static_cast<int>(pixels_kind_)] + ", weights up to " +
           std::to_string(most_weight_) + ", limit " + std::to_string(rules_.limit);
  }
  double Work() const override { return width_; }
  std::string Place(size_t index) const override { return "column " + std::to_string(index); }

  void RunKernel() override {
    FilterWienerRow(rules_, Centre(), activities_.data(), textures_.data(), width_,
                    filtered_.data());
  }
  void RunTwin() override {
    for (int x = 0; x < width_; ++x) filtered_.data()[x] = PlainPixel(x);
  }
  std::vector<int64_t> TakeOutput() override { return filtered_.Take(); }

 private:
  const uint8_t* Centre() const { return pixels_.data() + kReach * (width_ + 2 * kReach) + kReach; }

  uint32_t Weight(Random& random) const {
    const int weight = random.OneIn(2)   ? random.Between(-most_weight_, most_weight_)
                       : random.OneIn(2) ? most_weight_
                                         : -most_weight_;
    return static_cast<uint16_t>(weight);
  }

  // docs/format.md, "Wiener filter".
  uint8_t PlainPixel(int x) const {
    int which = 0;
    for (const int bound : rules_.activity_bounds) which += activities_[x] >= bound ? 1 : 0;
    const int first = (which * kTextures + textures_[x]) * kWienerTaps;
    const uint8_t* p = Centre() + x;
    int64_t sum = 128;
    for (int k = 0; k < kWienerTaps; ++k) {
      const int q = p[rules_.offsets[k]] - p[0], r = p[-rules_.offsets[k]] - p[0];
      const int limit = rules_.limit;
      sum += static_cast<int16_t>(weights_[first + k] & 0xffff) * (q + r);
      sum += static_cast<int16_t>(weights_[first + k] >> 16) *
             (std::clamp(q, -limit, limit) + std::clamp(r, -limit, limit));
    }
    return static_cast<uint8_t>(std::clamp<int64_t>(p[0] + (sum >> 8), 0, 255));
  }

  const int width_;
  const Pixels pixels_kind_;
  const int most_weight_;
  WienerRowRules rules_;
  std::vector<uint8_t> pixels_, textures_;
  std::vector<uint16_t> activities_;
  std::vector<uint32_t> weights_;
  Output<uint8_t> filtered_;
};

class TexturesCase : public Case {
 public:
  TexturesCase(Random& random, int width, int rows, Pixels pixels)
      : width_(width),
        rows_(rows),
        stride_(width + 2 * kTextureReach),
        pixels_kind_(pixels),
        activities_(static_cast<size_t>(width) * rows),
        textures_(static_cast<size_t>(width) * rows) {
    const int count = stride_ * (rows + 2 * kTextureReach) + kTextureOverrun;
    for (int k = 0; k < count; ++k) pixels_.push_back(PixelOf(pixels, random, k));
  }

  std::string Describe() const override {
    return std::to_string(rows_) + " rows of " + std::to_string(width_) + " pixels, " +
           kPixelNames[static_cast<int>(pixels_kind_)];
  }
  double Work() const override { return static_cast<double>(width_) * rows_; }
  std::string Place(size_t index) const override {
    return "value " + std::to_string(index) + " of the activities and, behind them, the textures";
  }

  void RunKernel() override {
    FindWienerTextures(Pixel(0, 0), stride_, width_, rows_, activities_.data(), textures_.data());
  }
  void RunTwin() override {
    for (int y = 0; y < rows_; ++y)
      for (int x = 0; x < width_; ++x) PlainPixel(y, x);
  }
  std::vector<int64_t> TakeOutput() override {
    std::vector<int64_t> output = activities_.Take();
    textures_.Take(output);
    return output;
  }

 private:
  const uint8_t* Pixel(int y, int x) const {
    return &pixels_[static_cast<size_t>(y + kTextureReach) * stride_ + x + kTextureReach];
  }

  // docs/format.md, "Wiener filter".
  void PlainPixel(int y, int x) {
    const int steps[] = {stride_, 1, stride_ + 1, stride_ - 1};
    int64_t v = 0, h = 0, d = 0, e = 0;
    int64_t* const sums[] = {&v, &h, &d, &e};
    for (int i = -2; i <= 2; ++i) {
      for (int j = -2; j <= 2; ++j) {
        const uint8_t* p = Pixel(y + i, x + j);
        for (int k = 0; k < 4; ++k) *sums[k] += std::abs(2 * p[0] - p[-steps[k]] - p[steps[k]]);
      }
    }
    const bool straight = std::max(v, h) * std::min(d, e) > std::max(d, e) * std::min(v, h);
    const int64_t most = straight ? std::max(v, h) : std::max(d, e);
    const int64_t least = straight ? std::min(v, h) : std::min(d, e);
    const int strength = 2 * most > 9 * least ? 2 : most > 2 * least ? 1 : 0;
    int turn = kAsIs;
    if (strength > 0 && straight && v > h) turn = kTransposed;
    if (strength > 0 && !straight && d > e) turn = kMirrored;
    const size_t at = static_cast<size_t>(y) * width_ + x;
    activities_.data()[at] = static_cast<uint16_t>(v + h);
    textures_.data()[at] = static_cast<uint8_t>(WienerTexture(strength == 0 ? 0
                                                              : straight    ? strength + 2
                                                                            : strength,
                                                              turn));
  }

  const int width_, rows_, stride_;
  const Pixels pixels_kind_;
  std::vector<uint8_t> pixels_;
  Output<uint16_t> activities_;
  Output<uint8_t> textures_;
};

}  // namespace

void AddWienerKernels(std::vector<Kernel>& table) {
  table.push_back({.name = "FilterWienerRow",
                   .targets = SimdTargetList(),
                   .unit = "pixels",
                   .cases = 300,
                   .make = [](Random& random, int number) -> std::unique_ptr<Case> {
                     constexpr int kMostWeights[] = {60, 32767, 1, 1000};
                     const auto pixels =
                         static_cast<Pixels>(number / 4 % static_cast<int>(Pixels::kCount));
                     return std::make_unique<WienerCase>(random, 16 * random.Below(6), pixels,
                                                         kMostWeights[number % 4]);
                   },
                   .size_name = "pixels",
                   .sizes = {16, 512},
                   .make_sized = [](Random& random, int width) -> std::unique_ptr<Case> {
                     return std::make_unique<WienerCase>(random, width, Pixels::kNoise, 60);
                   }});
  table.push_back({.name = "FindWienerTextures",
                   .targets = SimdTargetList(),
                   .unit = "pixels",
                   .cases = 300,
                   .make = [](Random& random, int number) -> std::unique_ptr<Case> {
                     const auto pixels =
                         static_cast<Pixels>(number % static_cast<int>(Pixels::kCount));
                     return std::make_unique<TexturesCase>(random, random.Between(1, 100),
                                                           random.Between(1, 20), pixels);
                   },
                   .size_name = "pixels",
                   .sizes = {16, 512},
                   .make_sized = [](Random& random, int width) -> std::unique_ptr<Case> {
                     return std::make_unique<TexturesCase>(random, width, 64, Pixels::kNoise);
                   }});
}

}  // namespace mmp::kernels
