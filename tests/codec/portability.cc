#include "tests/codec/portability.h"

#include <utility>

#include "codec/base/sample_map.h"
#include "common/crc32c.h"
#include "mmp/mmp.h"
#include "tests/support/pictures.h"

namespace mmp {
namespace {

constexpr std::pair<double, MacroblockOrder> kLambdasAndOrders[] = {
    {0, MacroblockOrder::kRaster},
    {20, MacroblockOrder::kRaster},
    {20, MacroblockOrder::kWavefront}};

// 16 bits: dark, with noise and a few bright points, so that steps differ.
Image DrawDeep() {
  const Image shades = Draw(Picture::kTexture, 48, 32, 78);
  Random random(79);
  Image image = Image::OfDepth(16, 48, 32);
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      image.SetSample(
          y, x,
          700 + 3 * shades.View().Sample(y, x) + random.Below(20) + (random.OneIn(50) ? 20000 : 0));
  return image;
}

// Of samples of two bytes the lower one first, wherever it lies in memory.
uint32_t SamplesCrc(const Image& image) {
  uint32_t crc = 0;
  for (int y = 0; y < image.height(); ++y)
    crc = RowCrc(image.Row(y), image.width(), image.depth(), crc);
  return crc;
}

PortableResult EncodePortably(const std::string& name, const Image& image,
                              const EncodeOptions& options) {
  const auto file = Encode(image.View(), options);
  const bool good = file.ok() && Decode(*file).ok();
  return {name + " " + std::string(PresetName(options.preset)), good ? Crc32c(*file) : 0};
}

void RunShallowCases(std::vector<PortableResult>& results) {
  for (const Picture picture : {Picture::kTexture, Picture::kText, Picture::kNoise}) {
    const Image image = Draw(picture, 48, 32, 77);
    for (const Preset preset : {Preset::kThesis, Preset::kFast, Preset::kBest}) {
      for (const auto& [lambda, order] : kLambdasAndOrders) {
        EncodeOptions options;
        options.preset = preset;
        options.lambda = lambda;
        options.order = order;
        options.threads = 2;
        const std::string name = std::string(PictureName(picture)) + " " +
                                 std::to_string(static_cast<int>(lambda)) + " " +
                                 std::string(OrderName(order));
        results.push_back(EncodePortably(name, image, options));
      }
    }
  }
}

void RunDeepCases(std::vector<PortableResult>& results) {
  const Image image = DrawDeep();
  for (const Preset preset : {Preset::kFast, Preset::kBest}) {
    EncodeOptions options;
    options.preset = preset;
    options.threads = 2;
    for (const int max_error : {0, 3}) {
      options.max_error = max_error;
      results.push_back(EncodePortably("deep within " + std::to_string(max_error), image, options));
    }
    options.max_error.reset();
    options.coder = Coder::kPatterns;
    for (const double lambda : {0.001, 0.1}) {
      options.lambda = lambda;
      results.push_back(EncodePortably("deep " + std::to_string(lambda), image, options));
    }
  }
}

}  // namespace

std::vector<PortableResult> RunPortableCases() {
  std::vector<PortableResult> results;
  RunShallowCases(results);
  RunDeepCases(results);
  return results;
}

PortableResult DecodePortably(const std::string& name, std::span<const uint8_t> file) {
  const auto decoded = Decode(file);
  return {name, decoded.ok() ? SamplesCrc(decoded->image) : 0};
}

}  // namespace mmp
