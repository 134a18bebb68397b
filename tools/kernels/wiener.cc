// The Wiener filter.
#include <algorithm>
#include <string>

#include "codec/postfilter/wiener_row.h"
#include "tools/kernels/kernel_table.h"
#include "tools/kernels/output.h"

namespace mmp::kernels {
namespace {

constexpr int kReach = 3;  // pixels around a row's
constexpr int kTextures = 15;
constexpr int kTaps[kWienerTaps][2] = {{0, 1}, {0, 2}, {0, 3},  {1, -2}, {1, -1}, {1, 0},
                                       {1, 1}, {1, 2}, {2, -1}, {2, 0},  {2, 1},  {3, 0}};

enum class Pixels { kNoise, kBlackAndWhite, kWhite, kStripes, kCount };

class WienerCase : public Case {
 public:
  // most_weight: of the weights' magnitudes.
  WienerCase(Random& random, int width, Pixels pixels, int most_weight)
      : width_(width), pixels_kind_(pixels), most_weight_(most_weight), filtered_(width) {
    const int stride = width + 2 * kReach;
    for (int k = 0; k < stride * (2 * kReach + 1); ++k) pixels_.push_back(Pixel(random, k));
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
    constexpr const char* kNames[] = {"noise", "black or white", "white", "stripes"};
    return "row of " + std::to_string(width_) + " pixels, " +
           kNames[static_cast<int>(pixels_kind_)] + ", weights up to " +
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

  uint8_t Pixel(Random& random, int k) const {
    switch (pixels_kind_) {
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
}

}  // namespace mmp::kernels
