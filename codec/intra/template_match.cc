#include "codec/intra/template_match.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/intra/template_match.cc"
#include "hwy/foreach_target.h"
// clang-format off: the order matters
#include "codec/base/pair_dot-inl.h"
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kPlaces = kTemplateReachLeft + 1 + kTemplateReachRight;  // in a row
constexpr int kMostTemplatePixels = kTemplateWidth * (2 * kMacroblockSize + kTemplateWidth);

// The template of a block: its pixels, and where they lie from the block's first.
struct Template {
  int offset[kMostTemplatePixels];
  int16_t value[kMostTemplatePixels];
  int count = 0;
};

void LoadTemplate(const Canvas& canvas, BlockRect rect, Template& own) {
  const uint8_t* first = canvas.pixels + Canvas::Index(rect.y, rect.x);
  for (int i = -kTemplateWidth; i < rect.height(); ++i) {
    for (int j = -kTemplateWidth; j < (i < 0 ? rect.width() : 0); ++j) {
      own.offset[own.count] = i * Canvas::kStride + j;
      own.value[own.count] = first[own.offset[own.count]];
      ++own.count;
    }
  }
}

#if HWY_TARGET == HWY_SCALAR

void CostsOfRow(const Template& own, const uint8_t* first, int32_t* costs) {
  for (int p = 0; p < kPlaces; ++p) {
    costs[p] = 0;
    for (int k = 0; k < own.count; ++k) {
      const int difference = first[own.offset[k] + p] - own.value[k];
      costs[p] += difference * difference;
    }
  }
}

#else

// costs[p]: the squared difference of the template and that of the place p pixels right of `first`,
// for p < kPlaces. The template has an even number of pixels.
void CostsOfRow(const Template& own, const uint8_t* first, int32_t* HWY_RESTRICT costs) {
  static_assert(kTemplateWidth % 2 == 0);
  const hn::CappedTag<int16_t, kPlaces> d16;
  const hn::Repartition<int32_t, decltype(d16)> d32;
  const hn::Rebind<uint8_t, decltype(d16)> d8;
  for (int p = 0; p < kPlaces; p += static_cast<int>(hn::Lanes(d16))) {
    auto low = hn::Zero(d32), high = hn::Zero(d32);
    auto difference = [&](int k) HWY_ATTR {
      return hn::Sub(hn::PromoteTo(d16, hn::LoadU(d8, first + own.offset[k] + p)),
                     hn::Set(d16, own.value[k]));
    };
    for (int k = 0; k < own.count; k += 2) {
      const auto a = difference(k), b = difference(k + 1);
      const auto ab = hn::BitCast(d32, hn::InterleaveLower(d16, a, b));
      const auto cd = hn::BitCast(d32, hn::InterleaveUpper(d16, a, b));
      low = PairDotAdd(d32, low, ab, ab);
      high = PairDotAdd(d32, high, cd, cd);
    }
    // Interleaving works on blocks of 128 bits: places 0-3, 8-11 ... are in `low`.
    constexpr int kBlock = 4;
    alignas(64) int32_t lows[kPlaces], highs[kPlaces];
    const int half = static_cast<int>(hn::Lanes(d32));
    hn::Store(low, d32, lows);
    hn::Store(high, d32, highs);
    const int block = std::min(kBlock, half);
    for (int q = 0; q < half; q += block) {
      std::memcpy(costs + p + 2 * q, lows + q, block * sizeof(int32_t));
      std::memcpy(costs + p + 2 * q + block, highs + q, block * sizeof(int32_t));
    }
  }
}

#endif

TemplateMatches FindMatches(const Canvas& canvas, BlockRect rect) {
  const LevelShape shape = kLevelShapes[rect.level];
  Template own;
  LoadTemplate(canvas, rect, own);
  TemplateMatches best;
  const int left = rect.x - kTemplateReachLeft;
  for (int y = rect.y - kTemplateReachUp; y <= kMacroblockSize - shape.height(); ++y) {
    alignas(64) int32_t costs[kPlaces];
    CostsOfRow(own, canvas.pixels + Canvas::Index(y, left), costs);
    for (int p = 0; p < kPlaces; ++p) {
      if (best.count == kTemplateMatches && costs[p] >= best.matches[best.count - 1].cost) continue;
      if (!IsTemplateCandidate(canvas, shape, y, left + p)) continue;
      best.Add({costs[p], static_cast<int16_t>(y), static_cast<int16_t>(left + p)});
    }
  }
  return best;
}

void PredictTemplate(const Canvas& canvas, BlockRect rect, uint8_t* prediction) {
  const LevelShape shape = kLevelShapes[rect.level];
  const TemplateMatches best = FindMatches(canvas, rect);
  if (best.count == 0) {
    std::memset(prediction, 128, shape.pixels());
    return;
  }
  int32_t weights[kTemplateMatches];
  WeighTemplateMatches(best, shape, weights);
  const uint8_t* matches[kTemplateMatches];
  for (int k = 0; k < kTemplateMatches; ++k) {
    const TemplateMatch& match = best.matches[k < best.count ? k : 0];
    matches[k] = canvas.pixels + Canvas::Index(match.y, match.x);
  }
  for (int i = 0; i < shape.height(); ++i) {
    for (int j = 0; j < shape.width(); ++j) {
      int32_t sum = 1 << (kTemplateWeightShift - 1);
      for (int k = 0; k < kTemplateMatches; ++k)
        sum += weights[k] * matches[k][i * Canvas::kStride + j];
      prediction[i * shape.width() + j] = static_cast<uint8_t>(sum >> kTemplateWeightShift);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {

HWY_EXPORT(PredictTemplate);

void PredictTemplate(const Canvas& canvas, BlockRect rect, uint8_t* prediction) {
  HWY_DYNAMIC_DISPATCH(PredictTemplate)(canvas, rect, prediction);
}

}  // namespace mmp
#endif  // HWY_ONCE
