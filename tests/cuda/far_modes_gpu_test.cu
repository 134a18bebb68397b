// Block least squares and template prediction by many threads against the host's functions.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codec/intra/block_lsp.h"
#include "codec/intra/template_match.h"
#include "tests/cuda/device.h"
#include "tests/cuda/places.h"
#include "tests/cuda/predictions.cuh"

namespace mmp::cuda {
namespace {

using Kernel = void (*)(const Place*, Prediction*);
using Function = void (*)(const Canvas&, BlockRect, uint8_t*);

class FarModes : public DeviceTest {
 protected:
  // Blocks of every level below `levels`, by several numbers of threads.
  static void Check(int levels, Kernel kernel, Function function) {
    std::vector<std::string> names;
    const std::vector<Place> places = RandomPlaces(
        levels, 40,
        [](const Canvas& canvas, BlockRect rect) {
          return canvas.Available(rect.y - 2, rect.x - 2);
        },
        names);
    const DeviceArray<Place> in(places);
    for (const int threads : {32, 96, 320}) {
      SCOPED_TRACE(testing::Message() << threads << " threads");
      const DeviceArray<Prediction> out(places.size());
      kernel<<<static_cast<int>(places.size()), threads>>>(in.data(), out.data());
      Finish();
      const std::vector<Prediction> predictions = out.Read();
      for (size_t k = 0; k < places.size(); ++k) {
        const BlockRect rect = places[k].rect;
        uint8_t expected[kMacroblockPixels];
        function(places[k].canvas, rect, expected);
        for (int p = 0; p < rect.pixels(); ++p)
          ASSERT_EQ(predictions[k].pixels[p], expected[p])
              << names[k] << "; row " << p / rect.width() << ", column " << p % rect.width();
      }
    }
  }
};

TEST_F(FarModes, BlockLeastSquaresEqualsTheHosts) {
  Check(kMacroblockLevel, PredictByBlockLsp, PredictBlockLsp);
}
TEST_F(FarModes, TemplateEqualsTheHosts) { Check(kLevelCount, PredictByTemplate, PredictTemplate); }

}  // namespace
}  // namespace mmp::cuda
