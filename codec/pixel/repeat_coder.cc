#include "codec/pixel/repeat_coder.h"

#include <algorithm>
#include <bit>

namespace mmp {

RepeatCoder::RepeatCoder(BitPort& port, const PixelPlane& plane, int outside)
    : port_(port),
      tables_(GetPixelTables()),
      plane_(plane),
      rows_(plane.width, static_cast<uint8_t>(outside)),
      wide_(plane.samples, plane.stride, plane.width),
      narrow_(plane.samples, plane.stride, plane.width) {
  for (Inputs& weights : kind_weights_)
    std::fill_n(weights.begin(), kRepeatContexts + kRepeatMatches, 0.18);
  refined_.fill(FirstRefinedCurve(tables_));
}

bool RepeatCoder::Run(const GoesOn& goes_on) {
  return RunWhere([](int /*y*/, int /*x*/) { return true; },
                  [&](int /*samples*/) { return goes_on(); });
}

bool RepeatCoder::RunOn(const ExactBlocks& blocks, const ExactRowCoded& goes_on) {
  return RunWhere([&](int y, int x) { return blocks.Has(y, x); }, goes_on);
}

// Codes the samples that there are; goes_on(how many of the row) is asked behind each row.
template <typename Has, typename RowCoded>
bool RepeatCoder::RunWhere(const Has& has, const RowCoded& goes_on) {
  for (int y = 0; y < plane_.height; ++y) {
    if (y > 0) rows_.NextRow();
    int coded = 0;
    for (int x = 0; x < plane_.width; ++x) {
      if (has(y, x)) {
        Code(x, y);
        ++coded;
      } else {
        wide_.Leave();
        narrow_.Leave();
      }
    }
    if (!goes_on(coded)) return false;
  }
  return true;
}

void RepeatCoder::Code(int x, int y) {
  uint16_t& sample = plane_.samples[y * plane_.stride + x];
  BeginSample(x, y);
  const int value = CodeSample(sample);
  sample = static_cast<uint16_t>(value);
  rows_.Set(x, value);
  wide_.Learn(value);
  narrow_.Learn(value);
}

void RepeatCoder::BeginSample(int x, int y) {
  hashes_ = HashSurroundings(rows_, x);
  const int64_t position = int64_t{y} * plane_.width + x;
  wide_.Begin(position, hashes_[kWideBox]);
  narrow_.Begin(position, HashNarrowBox(rows_, x));
  FindCandidates(x);
}

void RepeatCoder::FindCandidates(int x) {
  const int west = rows_.At(x - 1, 0), north = rows_.At(x, 1), north_west = rows_.At(x - 1, 1),
            north_east = rows_.At(x + 1, 1), second_west = rows_.At(x - 2, 0),
            second_north = rows_.At(x, 2);
  equal_ = (west == north) + 2 * (north == north_west) + 4 * (north == north_east) +
           8 * (west == second_west) + 16 * (north == second_north);
  candidate_count_ = 0;
  const int most = std::min(kMostCandidates, plane_.values - 1);
  const auto add = [&](int value) {
    const auto end = candidates_.begin() + candidate_count_;
    if (candidate_count_ < most && std::find(candidates_.begin(), end, value) == end)
      candidates_[candidate_count_++] = value;
  };
  for (const int value : {west, north, north_east, north_west, second_west, second_north})
    add(value);
}

int RepeatCoder::CodeSample(int sample) {
  for (int i = 0; i < candidate_count_; ++i) {
    const int value = candidates_[i];
    if (Decide(sample == value, i, static_cast<uint32_t>(value), value)) return value;
  }
  if (candidate_count_ < plane_.values - 1) return CodeByTree(sample);
  int last = 0;  // the only value that is left
  const auto end = candidates_.begin() + candidate_count_;
  while (std::find(candidates_.begin(), end, last) != end) ++last;
  return last;
}

int RepeatCoder::CodeByTree(int sample) {
  int value = 0;
  for (int i = std::bit_width(static_cast<uint32_t>(plane_.values - 1)) - 1; i >= 0; --i) {
    const int upper = value + (1 << i);
    if (upper >= plane_.values) continue;
    const uint32_t node = static_cast<uint32_t>(upper >> i);
    const uint32_t key = (node << 4 | static_cast<uint32_t>(i + 1)) << 8;
    if (Decide(sample >> i & 1, kTreeKind, key, RepeatMatch::kNone)) value = upper;
  }
  return value;
}

// 0: nothing is expected; 1 ... 3: the value is; 4 ... 6: another one is.
int RepeatCoder::MatchState(int kind, int value) const {
  const int confidence = kind == kTreeKind ? 0 : wide_.Confidence();
  return confidence == 0 || wide_.Expected() == value ? confidence : 3 + confidence;
}

int RepeatCoder::Decide(int bit, int kind, uint32_t key, int value) {
  Inputs input;
  histories_.Predict(tables_, hashes_, key, input.data());
  input[kRepeatContexts] = wide_.Predict(tables_, value);
  input[kRepeatContexts + 1] = narrow_.Predict(tables_, value);
  input.back() = 0.3;

  const int match = MatchState(kind, value);
  const int by_equal = equal_ * kKinds + kind;
  const std::array<Inputs*, 3> sets = {
      &kind_weights_[kind], &known_weights_[(histories_.Known() * 7 + match) * kKinds + kind],
      &equal_weights_[by_equal]};
  const double rate = 0.001 + 0.006 / (1.0 + static_cast<double>(decisions_++) * 0.0002);
  const int by_match = match == 0 ? 0 : match <= 3 ? 1 : 2;
  bit = CodeMixed(port_, tables_, bit, input, sets, refined_[by_equal * 3 + by_match], {0.8, 0.2},
                  rate);
  histories_.Learn(bit);
  wide_.LearnDecision(bit);
  narrow_.LearnDecision(bit);
  return bit;
}

}  // namespace mmp
