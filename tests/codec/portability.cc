#include "tests/codec/portability.h"

#include <utility>

#include "common/crc32c.h"
#include "mmp/mmp.h"
#include "tests/support/pictures.h"

namespace mmp {
namespace {

constexpr std::pair<double, MacroblockOrder> kLambdasAndOrders[] = {
    {0, MacroblockOrder::kRaster},
    {20, MacroblockOrder::kRaster},
    {20, MacroblockOrder::kWavefront}};

}  // namespace

std::vector<PortableResult> RunPortableCases() {
  std::vector<PortableResult> results;
  for (const Picture picture : {Picture::kTexture, Picture::kText, Picture::kNoise}) {
    const Image image = Draw(picture, 48, 32, 77);
    for (const Preset preset : {Preset::kThesis, Preset::kFast, Preset::kBest}) {
      for (const auto& [lambda, order] : kLambdasAndOrders) {
        EncodeOptions options;
        options.preset = preset;
        options.lambda = lambda;
        options.order = order;
        options.threads = 2;
        const auto file = Encode(image.View(), options);
        const bool good = file.ok() && Decode(*file).ok();
        results.push_back(
            {std::string(PictureName(picture)) + " " + std::string(PresetName(preset)) + " " +
                 std::to_string(static_cast<int>(lambda)) + " " + std::string(OrderName(order)),
             good ? Crc32c(*file) : 0});
      }
    }
  }
  return results;
}

PortableResult DecodePortably(const std::string& name, std::span<const uint8_t> file) {
  const auto decoded = Decode(file);
  return {name, decoded.ok() ? Crc32c(decoded->image.pixels()) : 0};
}

}  // namespace mmp
