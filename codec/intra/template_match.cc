#include "codec/intra/template_match.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

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

// The best matches of those that were added, in any order.
class MatchList {
 public:
  // One that costs more is not among the best.
  int32_t most() const { return most_; }
  const TemplateMatches& best() const { return best_; }

  void Add(const TemplateMatch& match) {
    int place = best_.count < kTemplateMatches ? best_.count : kTemplateMatches - 1;
    if (place < best_.count && !IsBetter(match, best_.matches[place])) return;
    best_.count = std::max(best_.count, place + 1);
    for (; place > 0 && IsBetter(match, best_.matches[place - 1]); --place)
      best_.matches[place] = best_.matches[place - 1];
    best_.matches[place] = match;
    if (best_.count == kTemplateMatches) most_ = best_.matches[kTemplateMatches - 1].cost;
  }

 private:
  static bool IsBetter(const TemplateMatch& a, const TemplateMatch& b) {
    if (a.cost != b.cost) return a.cost < b.cost;
    return a.y < b.y || (a.y == b.y && a.x < b.x);
  }

  TemplateMatches best_;
  int32_t most_ = std::numeric_limits<int32_t>::max();
};

// The costs of the places of a row, first those at even distances from its first, then at odd ones.
struct RowCosts {
  static constexpr int kHalf = kPlaces / 2;
  static int Place(int k) { return 2 * (k % kHalf) + k / kHalf; }

  alignas(64) int32_t costs[kPlaces];
  uint32_t few;  // a bit for each that is small enough to be of interest
};
static_assert(kPlaces == 32);

#if HWY_TARGET == HWY_SCALAR

// The costs of places to match a block.
class RowMatcher {
 public:
  RowMatcher(const Canvas& canvas, BlockRect rect, int /*first_row*/)
      : canvas_(canvas), rect_(rect) {}

  void Compare(int y, int x, int32_t most, RowCosts& row) const {
    row.few = 0;
    for (int k = 0; k < kPlaces; ++k) {
      row.costs[k] = Cost(y, x + RowCosts::Place(k));
      if (row.costs[k] <= most) row.few |= 1u << k;
    }
  }

 private:
  int32_t Cost(int y, int x) const {
    int32_t cost = 0;
    for (int i = -kTemplateWidth; i < rect_.height(); ++i) {
      for (int j = -kTemplateWidth; j < (i < 0 ? rect_.width() : 0); ++j) {
        const int difference =
            canvas_.Pixel(y + i, x + j) - canvas_.Pixel(rect_.y + i, rect_.x + j);
        cost += difference * difference;
      }
    }
    return cost;
  }

  const Canvas& canvas_;
  const BlockRect rect_;
};

#else

// The costs of places to match a block. Pixels are widened to 16 bits, so that a 32-bit lane holds
// one and its right neighbour; in the next lane is the place two pixels further.
class RowMatcher {
 public:
  // Reads no row before `first_row`.
  RowMatcher(const Canvas& canvas, BlockRect rect, int first_row) {
    const hn::CappedTag<int16_t, Canvas::kStride> d16;
    const hn::Rebind<uint8_t, decltype(d16)> d8;
    for (int k = Canvas::Index(first_row, -Canvas::kLeft); k < Canvas::kRows * Canvas::kStride;
         k += static_cast<int>(hn::Lanes(d16)))
      hn::Store(hn::PromoteTo(d16, hn::Load(d8, canvas.pixels + k)), d16, pixels_ + k);
    LoadTemplate(rect);
  }

  // The squared differences of the template and those of the kPlaces places from (y, x) on; those
  // up to `most` are of interest.
  void Compare(int y, int x, int32_t most, RowCosts& row) const;

 private:
  static_assert(kTemplateWidth % 2 == 0 && kPlaces % 2 == 0);
  static constexpr int kMostPairs = kTemplateWidth * (2 * kMacroblockSize + kTemplateWidth) / 2;
  // Two pixels of the template side by side.
  struct Pair {
    int offset;  // of the left one from the block's first pixel
    int32_t values;
  };

  void LoadTemplate(BlockRect rect);
  void AddPair(const int16_t* first, int i, int j) {
    Pair& pair = pairs_[count_++];
    pair.offset = i * Canvas::kStride + j;
    std::memcpy(&pair.values, first + pair.offset, sizeof(pair.values));
  }

  alignas(64) int16_t pixels_[Canvas::kRows * Canvas::kStride];
  Pair pairs_[kMostPairs];
  int count_ = 0;
  int whole_ = 0;           // pairs; of those behind them only the left pixel is the template's
  int32_t left_pixel_ = 0;  // a mask of it
};

void RowMatcher::LoadTemplate(BlockRect rect) {
  const int16_t* first = pixels_ + Canvas::Index(rect.y, rect.x);
  const int w = rect.width();
  for (int i = -kTemplateWidth; i < rect.height(); ++i)
    for (int j = -kTemplateWidth; j + 1 < (i < 0 ? w : 0); j += 2) AddPair(first, i, j);
  whole_ = count_;
  if (w % 2 == 0) return;
  for (int i = -kTemplateWidth; i < 0; ++i) AddPair(first, i, w - 1);
  constexpr int16_t kLeftPixel[2] = {-1, 0};
  std::memcpy(&left_pixel_, kLeftPixel, sizeof(left_pixel_));
}

// Writes the costs of a vector's places, and which of them are at most `most`.
template <class D>
HWY_INLINE void StoreCosts(D d, hn::Vec<D> costs, int32_t most, int to, RowCosts& row) {
  hn::Store(costs, d, row.costs + to);
  // Not all versions of Highway have <= of integers.
  uint8_t bits[8] = {};
  hn::StoreMaskBits(d, hn::Not(hn::Gt(costs, hn::Set(d, most))), bits);
  row.few |= (bits[0] | uint32_t{bits[1]} << 8) << to;
}

void RowMatcher::Compare(int y, int x, int32_t most, RowCosts& row) const {
  const hn::CappedTag<int32_t, RowCosts::kHalf> d32;
  const hn::Repartition<int16_t, decltype(d32)> d16;
  const int16_t* first = pixels_ + Canvas::Index(y, x);
  row.few = 0;
  for (int q = 0; q < RowCosts::kHalf; q += static_cast<int>(hn::Lanes(d32))) {
    // Two sums each, as an addition waits for the one before it.
    auto even = hn::Zero(d32), odd = even, even2 = even, odd2 = even;
    auto difference = [&](const Pair& pair, int place) HWY_ATTR {
      return hn::BitCast(d32, hn::Sub(hn::LoadU(d16, first + pair.offset + place),
                                      hn::BitCast(d16, hn::Set(d32, pair.values))));
    };
    auto add = [&](const Pair& pair, auto mask, auto& even_sum, auto& odd_sum) HWY_ATTR {
      const auto at_even = hn::And(mask, difference(pair, 2 * q));
      const auto at_odd = hn::And(mask, difference(pair, 2 * q + 1));
      even_sum = PairDotAdd(d32, even_sum, at_even, at_even);
      odd_sum = PairDotAdd(d32, odd_sum, at_odd, at_odd);
    };
    const auto both = hn::Set(d32, -1);
    int k = 0;
    for (; k + 2 <= whole_; k += 2) {
      add(pairs_[k], both, even, odd);
      add(pairs_[k + 1], both, even2, odd2);
    }
    if (k < whole_) add(pairs_[k++], both, even, odd);
    for (; k < count_; ++k) add(pairs_[k], hn::Set(d32, left_pixel_), even2, odd2);
    StoreCosts(d32, hn::Add(even, even2), most, q, row);
    StoreCosts(d32, hn::Add(odd, odd2), most, RowCosts::kHalf + q, row);
  }
}

#endif

TemplateMatches FindMatches(const Canvas& canvas, BlockRect rect) {
  const LevelShape shape = kLevelShapes[rect.level];
  const int left = rect.x - kTemplateReachLeft, top = rect.y - kTemplateReachUp;
  const RowMatcher matcher(canvas, rect, top - kTemplateWidth);
  MatchList list;
  auto add_row = [&](int y) {
    RowCosts row;
    matcher.Compare(y, left, list.most(), row);
    for (; row.few != 0; row.few &= row.few - 1) {
      const int k = std::countr_zero(row.few);
      const int x = left + RowCosts::Place(k);
      if (row.costs[k] <= list.most() && IsTemplateCandidate(canvas, shape, y, x))
        list.Add({row.costs[k], static_cast<int16_t>(y), static_cast<int16_t>(x)});
    }
  };
  // First the rows right above the block, where the best matches often are: most places of the
  // others are then passed over at once.
  const int nearest = rect.y - shape.height();
  for (int y = nearest; y >= top; --y) add_row(y);
  for (int y = nearest + 1; y <= kMacroblockSize - shape.height(); ++y) add_row(y);
  return list.best();
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
