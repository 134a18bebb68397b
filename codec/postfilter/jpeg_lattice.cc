#include "codec/postfilter/jpeg_lattice.h"

#include <cstddef>
#include <cstdlib>

namespace mmp {
namespace {

// By pull, less one, and 32nds of a step from the nearest multiple: how much nearer to it the
// coefficient is expected, in 512ths of a step, if errors have a Laplacian distribution; from one
// pull to the next it is narrower by the root of 2.
constexpr int kPlaces = 17;
constexpr std::array<std::array<int16_t, kPlaces>, kJpegPulls - 1> kPulls = {
    {{0, 2, 4, 5, 6, 7, 8, 8, 8, 7, 7, 6, 5, 4, 3, 1, 0},
     {0, 4, 7, 10, 12, 13, 14, 15, 14, 14, 13, 11, 9, 7, 5, 3, 0},
     {0, 7, 12, 17, 21, 24, 26, 27, 27, 26, 24, 21, 18, 14, 10, 5, 0},
     {0, 10, 19, 27, 34, 40, 44, 46, 47, 46, 43, 39, 33, 26, 18, 9, 0},
     {0, 13, 26, 37, 48, 57, 65, 70, 73, 74, 72, 66, 58, 46, 33, 17, 0},
     {0, 15, 30, 45, 58, 71, 83, 93, 100, 105, 106, 102, 92, 76, 55, 29, 0},
     {0, 16, 32, 47, 63, 78, 93, 106, 119, 129, 135, 136, 130, 114, 85, 46, 0},
     {0, 16, 32, 48, 64, 80, 96, 111, 126, 140, 152, 161, 163, 152, 123, 70, 0},
     {0, 16, 32, 48, 64, 80, 96, 112, 128, 143, 159, 172, 182, 183, 162, 101, 0},
     {0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 190, 200, 195, 139, 0},
     {0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 207, 214, 178, 0},
     {0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 222, 211, 0}}};

// What the lattice adds to a coefficient.
int32_t Pulled(const JpegLattice::Frequency& frequency, int32_t coefficient) {
  const JpegPlace place = PlaceOnLattice(std::abs(coefficient), frequency.step);
  const int32_t pull = PullOf(frequency.pull, place, frequency.step);
  return place.is_below == (coefficient < 0) ? -pull : pull;
}

void PullBlock(const JpegLattice& lattice, int stride, uint8_t* samples) {
  const CosineBlock coefficients = JpegCoefficients(samples, stride);
  CosineBlock pulls = {};
  int32_t any = 0;
  for (int i = 0; i < kCosinePixels; ++i) {
    if (lattice.frequencies[i].pull == 0) continue;
    const int place = kJpegOrder[i];
    pulls[place] = Pulled(lattice.frequencies[i], coefficients[place]);
    any |= pulls[place];
  }
  if (any == 0) return;
  const CosineBlock steps = InverseCosines(pulls);
  for (int y = 0; y < kCosineSide; ++y, samples += stride)
    for (int x = 0; x < kCosineSide; ++x)
      samples[x] =
          static_cast<uint8_t>(std::clamp(samples[x] + steps[y * kCosineSide + x], 0, 255));
}

}  // namespace

int32_t PullOf(int pull, const JpegPlace& place, int step) {
  if (pull > 0 && place.multiple > 0) pull = std::min(pull + kPullsMoreOffNought, kJpegPulls - 1);
  if (pull == 0) return 0;
  const auto& pulls = kPulls[pull - 1];
  const int at = std::min(place.distance / 16, kPlaces - 2), beyond = place.distance - 16 * at;
  const int32_t in_512ths_by_16 = pulls[at] * (16 - beyond) + pulls[at + 1] * beyond;
  return (in_512ths_by_16 * (step << kCosineFraction) + (1 << 12)) >> 13;
}

CosineBlock JpegCoefficients(const uint8_t* samples, int stride) {
  CosineBlock block;
  for (int y = 0; y < kCosineSide; ++y)
    for (int x = 0; x < kCosineSide; ++x)
      block[y * kCosineSide + x] = samples[static_cast<size_t>(y) * stride + x] - 128;
  return ForwardCosines(block);
}

void ApplyJpegLattice(const JpegLattice& lattice, int width, int height, int stride,
                      std::vector<uint8_t>& plane, TaskPool& pool) {
  if (!lattice.is_used) return;
  const int down = (height - lattice.row) / kCosineSide;
  const int across = (width - lattice.column) / kCosineSide;
  if (across <= 0) return;
  pool.ForEach(std::max(down, 0), [&](int i, int /*member*/) {
    uint8_t* samples = &plane[static_cast<size_t>(lattice.row + i * kCosineSide) * stride];
    for (int j = 0; j < across; ++j)
      PullBlock(lattice, stride, samples + lattice.column + j * kCosineSide);
  });
}

}  // namespace mmp
