// Least-squares prediction by a team of warps against PredictLsp.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codec/intra/lsp.h"
#include "tests/cuda/device.h"
#include "tests/cuda/places.h"
#include "tests/cuda/predictions.cuh"
#include "tests/support/test_support.h"

namespace mmp::cuda {
namespace {

class LspByTeam : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    places_ = RandomPlaces(
        kMacroblockLevel, 30,
        [](const Canvas& canvas, BlockRect rect) {
          return canvas.Available(rect.y - 1, rect.x) && canvas.Available(rect.y, rect.x - 1);
        },
        names_);
  }

  template <int kWarps>
  void Check() {
    SCOPED_TRACE(testing::Message() << kWarps << " warps");
    const DeviceArray<Place> in(places_);
    const DeviceArray<Prediction> out(places_.size());
    PredictByLsp<kWarps><<<static_cast<int>(places_.size()), 32 * kWarps>>>(in.data(), out.data());
    Finish();
    const std::vector<Prediction> predictions = out.Read();
    for (size_t k = 0; k < places_.size(); ++k) {
      const BlockRect rect = places_[k].rect;
      uint8_t expected[kMacroblockPixels];
      PredictLsp(places_[k].canvas, rect, expected);
      for (int p = 0; p < rect.pixels(); ++p)
        ASSERT_EQ(predictions[k].pixels[p], expected[p])
            << names_[k] << "; row " << p / rect.width() << ", column " << p % rect.width();
    }
  }

  std::vector<Place> places_;
  std::vector<std::string> names_;
};

TEST_F(LspByTeam, EqualsPredictLsp) {
  Check<1>();
  Check<2>();
  Check<7>();
  Check<16>();
}

}  // namespace
}  // namespace mmp::cuda
