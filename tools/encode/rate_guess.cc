#include "tools/encode/rate_guess.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <utility>

#include "tools/encode/encode_trial.h"

namespace mmp {
namespace {

constexpr int kSquareSide = 48;
constexpr int kMostSquares = 4;  // a side

// Of part `i` of `count` equal ones.
int Middle(int64_t length, int i, int count) {
  return static_cast<int>(length * (2 * i + 1) / (2 * count));
}

}  // namespace

std::optional<Image> SampleImage(const ImageView& image) {
  assert(image.depth <= 8);
  const int count =
      std::min({kMostSquares, image.width / kSquareSide / 2, image.height / kSquareSide / 2});
  if (count < 2) return std::nullopt;
  Image sample = Image::OfDepth(image.depth, count * kSquareSide, count * kSquareSide);
  for (int row = 0; row < count; ++row) {
    for (int column = 0; column < count; ++column) {
      const int y = Middle(image.height, row, count) - kSquareSide / 2;
      const int x = Middle(image.width, column, count) - kSquareSide / 2;
      for (int i = 0; i < kSquareSide; ++i) {
        std::copy_n(image.Row(y + i) + x, kSquareSide,
                    sample.Row(row * kSquareSide + i) + column * kSquareSide);
      }
    }
  }
  return sample;
}

double InterpolateLambda(const std::vector<RateTrial>& trials, const RateTarget& target) {
  const auto level = [&target](const RateTrial& trial) {
    return target.kind == RateTarget::Kind::kPsnr ? trial.psnr : std::log2(trial.bits_per_pixel);
  };
  const double wanted =
      target.kind == RateTarget::Kind::kPsnr ? target.value : std::log2(target.value);
  size_t i = 1;
  while (i + 1 < trials.size() && level(trials[i]) < wanted) ++i;
  const RateTrial& a = trials[i - 1];
  const RateTrial& b = trials[i];
  const double rise = level(b) - level(a);
  const double part = rise > 0 ? std::clamp((wanted - level(a)) / rise, -1.0, 2.0) : 0.5;
  const double exponent = std::lerp(std::log2(a.lambda), std::log2(b.lambda), part);
  return std::clamp(std::exp2(exponent), 1.0 / 8, kMaxLambda);
}

Result<std::optional<double>> GuessLambda(const ImageView& image, const EncodeOptions& options,
                                          const RateTarget& target) {
  const std::optional<Image> sample = SampleImage(image);
  if (!sample) return std::optional<double>();
  EncodeOptions quick = options;
  quick.preset = Preset::kFast;
  quick.effort = {};
  quick.tile_width = quick.tile_height = 0;
  quick.progress = {};
  const Result<std::vector<EncodeTrial>> encodes =
      EncodeTrials(sample->View(), quick, {2048, 512, 128, 32, 8, 2, 0.5});
  if (!encodes.ok()) return encodes.status();
  std::vector<RateTrial> trials;
  for (const EncodeTrial& encode : *encodes) trials.push_back(encode.result);
  return std::optional<double>(InterpolateLambda(trials, target));
}

}  // namespace mmp
