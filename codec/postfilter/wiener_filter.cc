#include "codec/postfilter/wiener_filter.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "codec/base/levels.h"
#include "codec/postfilter/filter_blocks.h"
#include "codec/postfilter/wiener_row.h"
#include "codec/postfilter/wiener_textures.h"

namespace mmp {
namespace {

struct Offset {
  int y, x;
};

// One pixel of each pair; the other lies opposite.
constexpr Offset kTaps[kWienerTaps] = {{0, 1}, {0, 2}, {0, 3},  {1, -2}, {1, -1}, {1, 0},
                                       {1, 1}, {1, 2}, {2, -1}, {2, 0},  {2, 1},  {3, 0}};

constexpr Offset Turned(Offset tap, int turn) {
  if (turn == kTransposed) return {tap.x, tap.y};
  if (turn == kMirrored) return {tap.y, -tap.x};
  return tap;
}

// By turn: where each tap's pair is among the taps as they are.
constexpr auto kPairOfTap = [] {
  std::array<std::array<int, kWienerTaps>, kWienerTurns> pairs{};
  for (int turn = 0; turn < kWienerTurns; ++turn) {
    for (int k = 0; k < kWienerTaps; ++k) {
      const Offset tap = Turned(kTaps[k], turn);
      for (int pair = 0; pair < kWienerTaps; ++pair) {
        const Offset other = kTaps[pair];
        if ((tap.y == other.y && tap.x == other.x) || (tap.y == -other.y && tap.x == -other.x))
          pairs[turn][k] = pair;
      }
    }
  }
  return pairs;
}();

constexpr int kTextures = WienerTexture(kWienerDirections, kAsIs);

// The activities' bounds, times the limit of the strength.
constexpr int kActivityBounds[kWienerActivities - 1] = {3, 6, 12, 20, 32, 55, 100};

int ClassOf(int activity, int texture, int limit) {
  int activity_class = 0;
  for (const int bound : kActivityBounds) activity_class += activity >= bound * limit;
  return activity_class * kWienerDirections + texture / kWienerTurns;
}

// The terms of a pair, before any turn, for `width` pixels.
void FindPairTerms(const uint8_t* pixels, ptrdiff_t offset, int16_t limit, size_t width,
                   int16_t* __restrict differences, int16_t* __restrict limited) {
  const uint8_t *one = pixels + offset, *opposite = pixels - offset;
  for (size_t x = 0; x < width; ++x) {
    const auto a = static_cast<int16_t>(one[x] - pixels[x]);
    const auto b = static_cast<int16_t>(opposite[x] - pixels[x]);
    const auto least = static_cast<int16_t>(-limit);
    differences[x] = static_cast<int16_t>(a + b);
    limited[x] = static_cast<int16_t>(std::clamp(a, least, limit) + std::clamp(b, least, limit));
  }
}

// The weights by class, turn and pair, as WienerRowRules has them.
std::vector<uint32_t> RowWeights(WienerBase base, int strength,
                                 const WienerCorrections& corrections) {
  std::vector<uint32_t> weights(kWienerClasses * kWienerTurns * kWienerTaps);
  for (int which = 0; which < kWienerClasses; ++which) {
    auto weight = [&](int term) {
      const int correction = corrections.sets.empty() ? 0 : corrections.Of(which, term);
      return static_cast<uint16_t>(BaseWeight(base, strength, which, term) + correction);
    };
    for (int turn = 0; turn < kWienerTurns; ++turn)
      for (int k = 0; k < kWienerTaps; ++k)
        weights[(which * kWienerTurns + turn) * kWienerTaps + kPairOfTap[turn][k]] =
            weight(k) | static_cast<uint32_t>(weight(kWienerTaps + k)) << 16;
  }
  return weights;
}

}  // namespace

WienerFilter::WienerFilter(const std::vector<uint8_t>& plane, int width, int height, TaskPool& pool)
    : width_(width),
      height_(height),
      stride_(width + 2 * kMargin),
      padded_(static_cast<size_t>(stride_) * (height + 2 * kMargin) + kTextureOverrun) {
  static_assert(kMargin >= kTextureReach);
  for (int y = -kMargin; y < height + kMargin; ++y) {
    const uint8_t* from = &plane[static_cast<size_t>(std::clamp(y, 0, height - 1)) * width];
    uint8_t* row = padded_.data() + static_cast<size_t>(y + kMargin) * stride_;
    std::memset(row, from[0], kMargin);
    std::memcpy(row + kMargin, from, width);
    std::memset(row + kMargin + width, from[width - 1], kMargin);
  }
  for (int k = 0; k < kWienerTaps; ++k) offsets_[k] = kTaps[k].y * stride_ + kTaps[k].x;
  activities_.resize(static_cast<size_t>(width_) * height_);
  textures_.resize(activities_.size());
  ForBands(pool, [this](int first, int last) {
    const size_t at = static_cast<size_t>(first) * width_;
    FindWienerTextures(Pixel(first, 0), stride_, width_, last - first, &activities_[at],
                       &textures_[at]);
  });
}

template <typename Body>
void WienerFilter::ForBands(TaskPool& pool, const Body& body) const {
  constexpr int kRows = 64;
  pool.ForEach((height_ + kRows - 1) / kRows, [&](int band, int /*member*/) {
    body(band * kRows, std::min((band + 1) * kRows, height_));
  });
}

int WienerFilter::Terms(int y, int x, int strength, int16_t* terms) const {
  const size_t at = static_cast<size_t>(y) * width_ + x;
  const int turn = textures_[at] % kWienerTurns;
  const int limit = kWienerLimits[strength - 1];
  const uint8_t* pixel = Pixel(y, x);
  for (int k = 0; k < kWienerTaps; ++k) {
    const int offset = offsets_[kPairOfTap[turn][k]];
    const int a = pixel[offset] - pixel[0], b = pixel[-offset] - pixel[0];
    terms[k] = static_cast<int16_t>(a + b);
    terms[kWienerTaps + k] =
        static_cast<int16_t>(std::clamp(a, -limit, limit) + std::clamp(b, -limit, limit));
  }
  return ClassOf(activities_[at], textures_[at], limit);
}

void WienerFilter::FindTerms(int y, int strength, WienerRowTerms& row) const {
  const size_t width = static_cast<size_t>(width_), at = y * width;
  const auto limit = static_cast<int16_t>(kWienerLimits[strength - 1]);
  const uint8_t* pixels = Pixel(y, 0);
  for (int pair = 0; pair < kWienerTaps; ++pair) {
    row.differences_[pair].resize(width);
    row.limited_[pair].resize(width);
    FindPairTerms(pixels, offsets_[pair], limit, width, row.differences_[pair].data(),
                  row.limited_[pair].data());
  }
  row.classes_.resize(width);
  row.pair_of_tap_.resize(width);
  for (size_t x = 0; x < width; ++x) {
    row.classes_[x] = static_cast<uint8_t>(ClassOf(activities_[at + x], textures_[at + x], limit));
    row.pair_of_tap_[x] = &kPairOfTap[textures_[at + x] % kWienerTurns];
  }
}

void WienerFilter::Apply(const WienerChoice& choice, std::vector<uint8_t>& plane,
                         TaskPool& pool) const {
  assert(width_ % kMacroblockSize == 0);
  if (choice.strength == 0) return;
  WienerRowRules rules;
  rules.offsets = offsets_;
  rules.limit = kWienerLimits[choice.strength - 1];
  for (int i = 0; i < kWienerActivities - 1; ++i)
    rules.activity_bounds[i] = kActivityBounds[i] * rules.limit;
  rules.texture_count = kTextures;
  const auto trained = RowWeights(choice.base, choice.strength, {});
  const auto corrected = choice.corrections.sets.empty()
                             ? std::vector<uint32_t>()
                             : RowWeights(choice.base, choice.strength, choice.corrections);
  const int columns = FilterBlocksAcross(width_);
  pool.ForEach(FilterBlocksAcross(height_), [&](int row, int /*member*/) {
    WienerRowRules row_rules = rules;
    const WienerBlock* blocks = &choice.blocks[static_cast<size_t>(row) * columns];
    int end = 0;  // of blocks alike, which are filtered together
    for (int begin = 0; begin < columns; begin = end) {
      while (end < columns && blocks[end] == blocks[begin]) ++end;
      if (blocks[begin] == WienerBlock::kUnfiltered) continue;
      row_rules.weights = (blocks[begin] == WienerBlock::kTrained ? trained : corrected).data();
      const int x = begin * kFilterBlockSize, first = row * kFilterBlockSize;
      const int width = std::min(end * kFilterBlockSize, width_) - x;
      for (int y = first; y < std::min(first + kFilterBlockSize, height_); ++y) {
        const size_t at = static_cast<size_t>(y) * width_ + x;
        FilterWienerRow(row_rules, Pixel(y, x), &activities_[at], &textures_[at], width,
                        &plane[at]);
      }
    }
  });
}

std::vector<uint8_t> WienerFilter::Filter(int strength, const WienerCorrections& corrections,
                                          TaskPool& pool, WienerBase base) const {
  const WienerBlock all =
      corrections.sets.empty() ? WienerBlock::kTrained : WienerBlock::kCorrected;
  std::vector<uint8_t> filtered(activities_.size());
  Apply({strength, corrections, std::vector(FilterBlocks(width_, height_), all), base}, filtered,
        pool);
  return filtered;
}

void ApplyWiener(const WienerChoice& choice, int width, int height, std::vector<uint8_t>& plane,
                 TaskPool& pool) {
  if (choice.strength == 0) return;
  WienerFilter(plane, width, height, pool).Apply(choice, plane, pool);
}

}  // namespace mmp
