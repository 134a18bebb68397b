#include "codec/encoder/image_kind.h"

#include <cstdint>
#include <cstdlib>

namespace mmp {

bool IsRepeating(const ImageView& image) {
  int64_t equal = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 1; x < image.width; ++x) equal += image.Sample(y, x) == image.Sample(y, x - 1);
  return 4 * equal > int64_t{image.width} * image.height;
}

bool IsSteep(const ImageView& image) {
  constexpr int kFar = 48;
  int64_t far = 0;
  for (int y = 0; y < image.height; ++y) {
    const uint8_t* row = image.Row(y);
    for (int x = 1; x < image.width; ++x) far += std::abs(row[x] - row[x - 1]) > kFar;
  }
  return 20 * far > int64_t{image.width} * image.height;
}

bool IsSoft(const ImageView& image) {
  int64_t slopes = 0, bends = 0;
  for (int y = 1; y + 1 < image.height; ++y) {
    const uint8_t *above = image.Row(y - 1), *row = image.Row(y), *below = image.Row(y + 1);
    for (int x = 1; x + 1 < image.width; ++x) {
      slopes += std::abs(row[x] - row[x - 1]) + std::abs(row[x] - above[x]);
      bends += std::abs(row[x - 1] - 2 * row[x] + row[x + 1]) +
               std::abs(above[x] - 2 * row[x] + below[x]);
    }
  }
  return 4 * bends < 5 * slopes;
}

}  // namespace mmp
