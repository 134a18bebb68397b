#include "codec/base/sample_map.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "common/crc32c.h"

namespace mmp {

SampleMap::SampleMap(int depth, SampleRange range) : depth_(depth), range_(range) {
  std::array<uint64_t, 256> below;  // the sum of the steps below
  uint64_t sum = 0;
  for (int v = 0; v < 256; ++v) {
    below[v] = sum;
    sum += StepSize(range.steps[v / kRunSteps]);
  }
  const uint64_t span = static_cast<uint64_t>(range.high - range.low), whole = below[255];
  for (int v = 0; v < 256; ++v)
    expanded_[v] = static_cast<uint16_t>(static_cast<uint64_t>(range.low) +
                                         (2 * span * below[v] + whole) / (2 * whole));
}

uint8_t SampleMap::Coded(int sample) const {
  const int span = range_.high - range_.low;
  if (span == 0) return 0;
  if (range_.IsEven())
    return static_cast<uint8_t>((2 * 255 * (sample - range_.low) + span) / (2 * span));
  const auto above = std::lower_bound(expanded_.begin(), expanded_.end(), sample);
  if (above == expanded_.begin()) return 0;
  const bool is_above_nearer = *above - sample < sample - above[-1];
  return static_cast<uint8_t>(above - expanded_.begin() - (is_above_nearer ? 0 : 1));
}

int SampleMap::TwoSteps(int coded) const {
  const int below = std::max(coded - 1, 0), above = std::min(coded + 1, 255);
  return std::max(2 * (expanded_[above] - expanded_[below]) / (above - below), 2);
}

std::vector<uint64_t> CountSamples(const ImageView& image) {
  std::vector<uint64_t> counts(LargestSample(image.depth) + 1);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) ++counts[image.Sample(y, x)];
  return counts;
}

double MeanSquaredStep(const ImageView& image, SampleRange range) {
  const SampleMap map(image.depth, range);
  const std::vector<uint64_t> counts = CountSamples(image);
  uint64_t sum = 0;  // of the squares of twice the steps
  for (int sample = range.low; sample <= range.high; ++sample) {
    if (counts[sample] == 0) continue;
    const auto size = static_cast<uint64_t>(map.TwoSteps(map.Coded(sample)));
    sum += counts[sample] * size * size;
  }
  return static_cast<double>(sum) / 4 / (1.0 * image.width * image.height);
}

SampleRange RangeOf(const ImageView& image) {
  SampleRange range = {image.Sample(0, 0), image.Sample(0, 0)};
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      range.low = std::min(range.low, image.Sample(y, x));
      range.high = std::max(range.high, image.Sample(y, x));
    }
  }
  return range;
}

Image CodedImage(const ImageView& image, const SampleMap& map) {
  Image coded(image.width, image.height);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) coded.Row(y)[x] = map.Coded(image.Sample(y, x));
  return coded;
}

uint32_t RowCrc(const uint8_t* row, int width, int depth, uint32_t crc) {
  const size_t bytes = static_cast<size_t>(width) * SampleBytes(depth);
  if (depth <= 8 || std::endian::native == std::endian::little) return Crc32c({row, bytes}, crc);
  std::vector<uint8_t> swapped(row, row + bytes);
  for (size_t i = 0; i < bytes; i += 2) std::swap(swapped[i], swapped[i + 1]);
  return Crc32c(swapped, crc);
}

}  // namespace mmp
