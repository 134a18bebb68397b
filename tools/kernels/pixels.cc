// The pixel coder. Its twin is the same code on the target that needs nothing of the machine.
#include <string>

#include "codec/pixel/pixel_coder.h"
#include "mmp/image.h"
#include "tests/support/simd_targets.h"
#include "tools/kernels/kernel_table.h"

namespace mmp::kernels {
namespace {

class PixelsCase : public Case {
 public:
  PixelsCase(Random& random, Picture picture, int side, PixelFormat format)
      : picture_(picture), side_(side), format_(format) {
    const Image image = Draw(picture, side, side, random.Bits());
    const int most = LargestSample(format.depth);
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x)
        samples_.push_back(static_cast<uint16_t>((image.Row(y)[x] * 257) & most));
  }

  std::string Describe() const override {
    return std::string(PictureName(picture_)) + " of " + std::to_string(side_) + "x" +
           std::to_string(side_) + " samples of " + std::to_string(format_.depth) +
           " bits, error at most " + std::to_string(format_.max_error) + ", effort " +
           std::to_string(format_.effort);
  }
  double Work() const override { return static_cast<double>(samples_.size()); }

  void RunKernel() override {
    stream_ = EncodePixels({samples_.data(), side_, side_, side_}, format_, &reconstruction_);
  }
  void RunTwin() override {
    UseSimdTarget(SimdTargets().back());
    RunKernel();
  }
  std::vector<int64_t> TakeOutput() override {
    std::vector<int64_t> values(stream_.begin(), stream_.end());
    values.insert(values.end(), reconstruction_.begin(), reconstruction_.end());
    return values;
  }

 private:
  const Picture picture_;
  const int side_;
  const PixelFormat format_;
  std::vector<uint16_t> samples_;
  std::vector<uint8_t> stream_;
  std::vector<uint16_t> reconstruction_;
};

}  // namespace

void AddPixelKernels(std::vector<Kernel>& table) {
  table.push_back({.name = "CodePixelPlane",
                   .targets = SimdTargetList(),
                   .unit = "pixels",
                   .cases = 48,
                   .make = [](Random& random, int number) -> std::unique_ptr<Case> {
                     const PixelFormat format = {.depth = 1 + number % kMaxDepth,
                                                 .max_error = random.OneIn(2) ? 0 : number % 3,
                                                 .effort = 1 + number / kMaxDepth % 2};
                     return std::make_unique<PixelsCase>(random, kAllPictures[number % 6],
                                                         random.Between(1, 30), format);
                   },
                   .size_name = "effort",
                   .sizes = {1, 2},
                   .make_sized = [](Random& random, int effort) -> std::unique_ptr<Case> {
                     return std::make_unique<PixelsCase>(random, Picture::kTexture, 64,
                                                         PixelFormat{.effort = effort});
                   }});
}

}  // namespace mmp::kernels
