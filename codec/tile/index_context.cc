#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/tile/index_context.cc"
#include "hwy/foreach_target.h"
// clang-format off: the order matters
#include "hwy/highway.h"
// clang-format on

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "codec/base/pair_dot-inl.h"
#include "codec/tile/index_context.h"

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Inputs have four bits behind the point.
constexpr int kToContext = 4 + IndexWeights::kInputBits - IndexWeights::kModeBits;

constexpr int kFactorBits = 6;  // of the size of a factor
static_assert(1 << kFactorBits == IndexContext::kMostFactor + 1);
static_assert(16 - kFactorBits == IndexContext::kMostShift);

// `exact` in the least unit 2^shift in which no factor is too large.
IndexContext RoundedContext(const std::array<int16_t, kPatternFeatures>& exact) {
  const hn::CappedTag<int16_t, kPatternFeatures> d;
  const hn::Rebind<int8_t, decltype(d)> d8;
  const int lanes = static_cast<int>(hn::Lanes(d));
  std::array<int16_t, kPatternFeatures> sizes;  // all of them ored are as long as the largest
  for (int k = 0; k < kPatternFeatures; k += lanes)
    hn::StoreU(hn::Abs(hn::LoadU(d, &exact[k])), d, &sizes[k]);
  std::array<uint64_t, kPatternFeatures / 4> fours;
  std::memcpy(fours.data(), sizes.data(), sizeof fours);
  uint64_t all = 0;
  for (const uint64_t four : fours) all |= four;
  all |= all >> 32;
  const int bits = static_cast<int>(std::bit_width(static_cast<uint16_t>(all | all >> 16)));
  IndexContext context;
  context.shift = static_cast<uint8_t>(std::max(bits - kFactorBits, 0));
  const auto most = hn::Set(d, IndexContext::kMostFactor);
  for (int k = 0; k < kPatternFeatures; k += lanes) {
    auto factors = hn::LoadU(d, &exact[k]);
    if (context.shift > 0) {
      const auto twice = hn::ShiftRightSame(factors, context.shift - 1);
      factors = hn::ShiftRight<1>(hn::Add(twice, hn::Set(d, 1)));
    }
    const auto limited = hn::Min(hn::Max(factors, hn::Neg(most)), most);
    hn::StoreU(hn::DemoteTo(d8, limited), d8, &context.factors[k]);
  }
  return context;
}

IndexContext ContextOf(const IndexWeights& weights, int level, int mode,
                       const ContextInputs& inputs) {
  const hn::CappedTag<int32_t, kPatternFeatures> d;
  const hn::Rebind<int16_t, decltype(d)> d16;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto& of_level = weights.inputs[level - 1];
  std::array<int16_t, kPatternFeatures> exact;
  for (int k = 0; k < kPatternFeatures; k += lanes) {
    const auto sum =
        SumPairProducts(d, inputs.data(), kContextInputs / 2, of_level[0][k], 2 * kPatternFeatures);
    const auto of_mode = hn::PromoteTo(d, hn::LoadU(d16, &weights.modes[mode][k]));
    // What does not fit is limited.
    hn::StoreU(hn::DemoteTo(d16, hn::Add(hn::ShiftRight<kToContext>(sum), of_mode)), d16,
               &exact[k]);
  }
  return RoundedContext(exact);
}

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mmp {
namespace {

HWY_EXPORT(ContextOf);

constexpr IndexWeights kWeights = {
#include "codec/tile/index_weights.inc"
};

constexpr int kOne = 16;  // of an input

// Of its pattern, what a cell keeps.
constexpr std::array<PatternFeature, 5> kKept = {kEnergy, kLogEnergy, kStepsAcross, kStepsDown,
                                                 kMean};

}  // namespace

IndexContext IndexWeights::ContextOf(int level, int mode, const ContextInputs& in) const {
  return HWY_DYNAMIC_DISPATCH(ContextOf)(*this, level, mode, in);
}

IndexContext IndexWeights::PlainContextOf(int level, int mode, const ContextInputs& in) const {
  constexpr int kMost = IndexContext::kMostFactor;
  std::array<int, kPatternFeatures> exact;
  for (int k = 0; k < kPatternFeatures; ++k) {
    int64_t sum = 0;
    for (int i = 0; i < kContextInputs; ++i) sum += inputs[level - 1][i / 2][k][i % 2] * in[i];
    exact[k] =
        static_cast<int>(std::clamp<int64_t>((sum >> 6) + modes[mode][k], INT16_MIN, INT16_MAX));
  }
  IndexContext context;
  while (std::any_of(exact.begin(), exact.end(), [&](int factor) {
    return std::abs(factor) > ((kMost + 1) << context.shift) - 1;
  }))
    ++context.shift;
  for (int k = 0; k < kPatternFeatures; ++k)
    context.factors[k] = static_cast<int8_t>(
        std::clamp((exact[k] + (1 << context.shift >> 1)) >> context.shift, -kMost, kMost));
  return context;
}

const IndexWeights& StandardIndexWeights() { return kWeights; }

LeafBorders::Side LeafBorders::SideOf(const Cell* cells, int log2_count,
                                      const ResidualScale& scale) {
  Side side{};
  std::array<int16_t, kMacroblockSize> values;
  int energy = 0;
  for (int i = 0; i < 1 << log2_count; ++i) {
    values[i] = cells[i].value;
    energy += std::abs(cells[i].value);
    for (size_t k = 0; k < side.features.size(); ++k) side.features[k] += cells[i].features[k];
  }
  side.quarters = scale.Quarters(values.data(), log2_count);
  side.energy = scale.Mean(energy, log2_count);
  for (int& feature : side.features) feature >>= log2_count;
  return side;
}

ContextInputs LeafBorders::InputsOf(const LeafPlace& place, const ResidualScale& scale) const {
  const LevelShape shape = kLevelShapes[place.leaf.level];
  const int y = place.macroblock.y + place.leaf.y, x = place.macroblock.x + place.leaf.x;
  const Side left = SideOf(&rows_[y], shape.log2_height, scale);
  const Side above = SideOf(&columns_[x], shape.log2_width, scale);
  // Whether they are of the same block.
  const int left_is_within = place.leaf.x > place.block.x ? 1 : 0;
  const int above_is_within = place.leaf.y > place.block.y ? 1 : 0;
  ContextInputs inputs;
  int16_t* next = inputs.data();
  const auto add = [&next](int value) { *next++ = static_cast<int16_t>(value); };
  add(kOne);
  add(kOne * left_is_within);
  add(kOne * above_is_within);
  add(2 * kLevelShapes[place.block.level].log2_pixels());
  add(place.leaf.level == place.block.level ? kOne : 0);
  for (const int quarter : left.quarters) add(quarter);
  for (const int quarter : above.quarters) add(quarter);
  for (const int quarter : left.quarters) add(quarter * left_is_within);
  for (const int quarter : above.quarters) add(quarter * above_is_within);
  for (const int energy : {left.energy, above.energy}) add(energy);
  add(left.energy * left_is_within);
  add(above.energy * above_is_within);
  for (const Side* side : {&left, &above})
    for (const int feature : side->features) add(feature);
  add(x > 0 ? kOne : 0);
  add(y > 0 ? kOne : 0);
  *next = 0;
  return inputs;
}

void LeafBorders::Add(const LeafPlace& place, const int16_t* values,
                      const FeaturesOfPattern& features) {
  const int height = place.leaf.height(), width = place.leaf.width();
  Cell* rows = &rows_[place.macroblock.y + place.leaf.y];
  Cell* columns = &columns_[place.macroblock.x + place.leaf.x];
  Cell cell{};
  for (size_t k = 0; k < kKept.size(); ++k) cell.features[k] = features[kKept[k]];
  for (int i = 0; i < height; ++i) {
    cell.value = values[i * width + width - 1];
    rows[i] = cell;
  }
  for (int j = 0; j < width; ++j) {
    cell.value = values[(height - 1) * width + j];
    columns[j] = cell;
  }
}

}  // namespace mmp
#endif  // HWY_ONCE
