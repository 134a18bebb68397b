#include "tests/tools/sweep/report/report_sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/file_io.h"
#include "common/image_files/image_io.h"
#include "common/metrics.h"
#include "mmp/image.h"
#include "mmp/mmp.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

constexpr int kWidth = 112, kHeight = 80;
constexpr double kLambdas[] = {0, 20, 60, 180, 540};

enum SampleCodec : size_t { kMmp, kNear, kFar };

class SampleMaker {
 public:
  explicit SampleMaker(std::string folder) : folder_(std::move(folder)) {
    results_.command = "mmp sweep a.png --lambda 0,20";
    results_.date = "2024-05-31T16:20:00Z";
    results_.codecs = {{"mmp", "mmp 1.2", "lambda", true},
                       {"near <hostile>", "near.csv", "QP", false},
                       {"far", "far 3", "quality", false}};
    results_.failures = {{kHostileName, "", 0, "it is not an image"}};
  }

  void AddImage(const std::string& name, const Image& image) {
    const size_t number = results_.images.size();
    const std::string path = folder_ + "/original" + std::to_string(number) + ".png";
    EXPECT_TRUE(WriteImage(path, image.View()).ok());
    results_.images.push_back({name, path, "00", image.width(), image.height()});
    for (const double lambda : kLambdas) AddPoints(number, image, lambda);
  }

  SweepResults Take() {
    std::stable_sort(results_.points.begin(), results_.points.end(),
                     [](const RdPoint& a, const RdPoint& b) {
                       return std::tie(a.image, a.codec, a.bits_per_pixel) <
                              std::tie(b.image, b.codec, b.bits_per_pixel);
                     });
    return std::move(results_);
  }

 private:
  void AddPoints(size_t number, const Image& image, double lambda) {
    EncodeOptions options;
    options.lambda = lambda;
    options.preset = Preset::kFast;
    options.dictionary_size = 100;  // for speed
    options.prediction_level = 15;
    const std::vector<uint8_t> file = MustEncode(image.View(), options);
    const Result<DecodedImage> decoded = Decode(file);
    ASSERT_TRUE(decoded.ok());
    RdPoint point;
    point.image = number;
    point.parameter = lambda;
    point.bytes = file.size();
    point.bits_per_pixel = 8.0 * static_cast<double>(file.size()) / (kWidth * kHeight);
    point.psnr = Psnr(image.View(), decoded->image.View());
    point.ssim = Ssim(image.View(), decoded->image.View());
    point.encode_seconds = 0.1 + lambda / 1000;
    point.command = "mmp encode --lambda " + std::to_string(static_cast<int>(lambda));
    point.bitstream_path = "file" + std::to_string(results_.points.size()) + ".mmp";
    ASSERT_TRUE(WriteFile(folder_ + "/" + point.bitstream_path, file).ok());
    results_.points.push_back(point);
    if (std::isinf(point.psnr)) return;
    AddOther(kNear, point, 1.1, decoded->image);
    AddOther(kFar, point, 3, decoded->image);
  }

  // The same quality at another rate.
  void AddOther(SampleCodec codec, RdPoint point, double factor, const Image& decoded) {
    point.codec = codec;
    point.bytes = static_cast<uint64_t>(static_cast<double>(point.bytes) * factor);
    point.bits_per_pixel *= factor;
    point.bitstream_path = "";
    if (codec == kNear) {
      point.decoded_path = "decoded" + std::to_string(results_.points.size()) + ".png";
      ASSERT_TRUE(WriteImage(folder_ + "/" + point.decoded_path, decoded.View()).ok());
    }
    results_.points.push_back(point);
  }

  std::string folder_;
  SweepResults results_;
};

}  // namespace

SweepResults MakeSampleResults(const std::string& folder) {
  SampleMaker maker(folder);
  maker.AddImage("plain", Draw(Picture::kTexture, kWidth, kHeight, 1));
  maker.AddImage(kHostileName, Draw(Picture::kTexture, kWidth, kHeight, 2));
  return maker.Take();
}

}  // namespace mmp
