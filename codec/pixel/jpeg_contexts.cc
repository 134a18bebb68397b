#include "codec/pixel/jpeg_contexts.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

#include "codec/pixel/context_hash.h"

namespace mmp {
namespace {

// The level of a magnitude in 16ths, below JpegSurroundings::kLevels.
int LevelOf(int64_t value) {
  constexpr std::array<int, JpegSurroundings::kLevels - 1> kLimits = {4,  8,  13,  19,  32,
                                                                      48, 80, 144, 272, 640};
  const int64_t magnitude = std::abs(value);
  int level = 0;
  while (level < JpegSurroundings::kLevels - 1 && magnitude >= kLimits[level]) ++level;
  return level;
}

// The same with the sign, in [0, 2 kLevels - 1).
int SignedLevelOf(int64_t value) {
  const int level = LevelOf(value);
  return level > 0 && value < 0 ? JpegSurroundings::kLevels - 1 + level : level;
}

int SignOf(int value) { return value > 0 ? 1 : value < 0 ? 2 : 0; }
int Limited(int value) { return std::clamp(value, -3, 3) + 3; }

// What a frequency adds at the edge of a block, where all cosines are 1, times 2^15.
int64_t AtEdge(int frequency) { return frequency == 0 ? 11585 : 16384; }

}  // namespace

JpegHashes JpegSurroundings::HashesOf(int decision) const {
  JpegHashes hashes;
  int next = 0;
  const auto add = [&](std::initializer_list<int> values) {
    uint32_t hash = AddToHash(is_first() ? 1 : 2, static_cast<uint32_t>(decision));
    for (const int value : values) hash = AddToHash(hash, static_cast<uint32_t>(value));
    hashes[next++] = hash;
  };
  if (is_first()) {
    const int64_t rest = 16 * int64_t{expected_};
    add({difference_});
    add({activity_});
    add({difference_, activity_});
    add({std::min(nonzero_, 40)});
    add({SignedLevelOf(4 * (by_both_ - rest))});
    add({known_, difference_});
    add({SignedLevelOf(by_left_ - by_above_)});
    add({std::min(nonzero_, 15), difference_});
    add({SignedLevelOf(by_above_ - rest), SignedLevelOf(by_left_ - rest)});
    return hashes;
  }
  const int above = SignedLevelOf(by_above_ * 3 / 2), left = SignedLevelOf(by_left_ * 3 / 2);
  if (decision == kJpegSign) {
    const int both = SignedLevelOf(2 * by_both_);
    add({place_, above});
    add({place_, left});
    add({place_, both});
    add({place_, SignOf(above_), SignOf(left_)});
    add({both, kind_});
    add({place_, SignedLevelOf(8 * (above_ + left_))});
    add({above, left});
    add({kind_, SignedLevelOf(4 * by_both_)});
    add({place_});
    return hashes;
  }
  add({place_, above});
  add({place_, left});
  add({place_, std::min(nonzero_, 40)});
  add({place_, other_, near_});
  add({place_, Limited(above_), Limited(left_)});
  add({around_ * kLevels + other_, near_,
       std::min(place_ / kCosineSide + place_ % kCosineSide, 7)});
  add({place_});
  add({place_, near_, SignedLevelOf(by_both_ * 3 / 2)});
  add({std::min(nonzero_, 30), other_, order_ / 4});
  return hashes;
}

int JpegSurroundings::PlaceSet(int decision) const {
  return std::min(decision, kFirstJpegSize) * kCosinePixels + place_;
}

int JpegSurroundings::SizeSet(int decision) const {
  const int levels = around_ * kLevels + near_;
  if (decision == kJpegZero) return levels;
  constexpr int kSigned = 2 * kLevels - 1;
  if (decision == kJpegSign)
    return kLevels * kLevels + kind_ * kSigned + SignedLevelOf(by_both_ * 3 / 2);
  return kLevels * kLevels + 4 * kSigned +
         std::min(decision - kFirstJpegSize, 7) * kLevels * kLevels + levels;
}

int JpegSurroundings::Curve(int decision) const {
  if (decision == kJpegZero) return kind_;
  if (decision == kJpegSign) return 4 + kind_;
  return 8 + kind_ * 4 + std::min(decision - kFirstJpegSize, 3);
}

JpegBlockContexts::JpegBlockContexts(const JpegPicture& picture, int row, int column,
                                     const int16_t* samples, int stride)
    : picture_(picture),
      row_(row),
      column_(column),
      has_above_(row > 0),
      has_left_(column > 0),
      has_right_(column + 1 < picture.across) {
  // Samples beside the edge, extrapolated by half a distance, twice as large.
  std::array<int32_t, kCosineSide> edge;
  if (has_above_) {
    for (int x = 0; x < kCosineSide; ++x)
      edge[x] = 3 * samples[x - stride] - samples[x - 2 * stride];
    for (int v = 0; v < kCosineSide; ++v)
      for (int x = 0; x < kCosineSide; ++x) above_[v] += int64_t{CosineOf(v, x)} * edge[x];
  }
  if (has_left_) {
    for (int y = 0; y < kCosineSide; ++y)
      edge[y] = 3 * samples[y * stride - 1] - samples[y * stride - 2];
    for (int u = 0; u < kCosineSide; ++u)
      for (int y = 0; y < kCosineSide; ++y) left_[u] += int64_t{CosineOf(u, y)} * edge[y];
  }
}

int JpegBlockContexts::Magnitude(int row, int column, int u, int v) const {
  if (row < 0 || column < 0 || column >= picture_.across || u < 0 || v < 0 || u >= kCosineSide ||
      v >= kCosineSide)
    return 0;
  return std::abs(
      picture_.blocks[static_cast<size_t>(row) * picture_.across + column][u * kCosineSide + v]);
}

JpegSurroundings JpegBlockContexts::Of(int order) const {
  const int place = kJpegOrder[order], u = place / kCosineSide, v = place % kCosineSide;
  const int step = picture_.steps[place];
  JpegSurroundings of;
  of.place_ = place;
  of.order_ = order;
  of.kind_ = (u == 0 ? 1 : 0) + (v == 0 ? 2 : 0);
  of.known_ = (has_above_ ? 1 : 0) + (has_left_ ? 2 : 0);
  of.nonzero_ = nonzero_;
  const auto block = [&](int up, int left) {
    return picture_
        .blocks[static_cast<size_t>(row_ - up) * picture_.across + column_ - left][place];
  };
  of.above_ = has_above_ ? block(1, 0) : 0;
  of.left_ = has_left_ ? block(0, 1) : 0;

  of.by_above_ = has_above_ ? above_[v] * 16 / (AtEdge(u) * step) : 0;
  of.by_left_ = has_left_ ? left_[u] * 16 / (AtEdge(v) * step) : 0;
  of.by_both_ = !has_left_                     ? of.by_above_
                : !has_above_ || of.kind_ == 2 ? of.by_left_
                : of.kind_ == 1                ? of.by_above_
                                               : (of.by_above_ + of.by_left_) / 2;

  const int weights = (has_above_ ? 2 : 0) + (has_left_ ? 2 : 0) +
                      (has_above_ && has_left_ ? 1 : 0) + (has_above_ && has_right_ ? 1 : 0);
  const int around =
      2 * Magnitude(row_ - 1, column_, u, v) + 2 * Magnitude(row_, column_ - 1, u, v) +
      Magnitude(row_ - 1, column_ - 1, u, v) + Magnitude(row_ - 1, column_ + 1, u, v);
  of.around_ = LevelOf(weights > 0 ? 16 * around / weights : 0);
  const auto inside = [&](int down, int right) {
    return Magnitude(row_, column_, u + down, v + right);
  };
  of.near_ = LevelOf(10 * (inside(1, 0) + inside(0, 1)) + 7 * inside(1, 1) +
                     5 * (inside(2, 0) + inside(0, 2)) + 3 * (inside(3, 0) + inside(0, 3)));
  int other = 0;
  for (const auto& [down, right] : {std::array{0, 0}, {0, 1}, {1, 0}, {1, 1}, {-1, 0}, {0, -1}})
    if (u + down > 0 || v + right > 0)
      other += Magnitude(row_ - 1, column_, u + down, v + right) +
               Magnitude(row_, column_ - 1, u + down, v + right);
  of.other_ = LevelOf(5 * other);
  if (place == 0) {
    const int64_t expected = of.by_both_ + (of.by_both_ < 0 ? -8 : 8);
    of.expected_ =
        static_cast<int>(std::clamp<int64_t>(expected / 16, -kMostJpegMultiple, kMostJpegMultiple));
    of.difference_ = LevelOf((of.by_above_ - of.by_left_) * step / 16);
    of.activity_ = LevelOf(activity_);
  }
  return of;
}

void JpegBlockContexts::Add(int order, int multiple) {
  const int place = kJpegOrder[order], u = place / kCosineSide, v = place % kCosineSide;
  const int64_t coefficient = int64_t{multiple} * picture_.steps[place];
  above_[v] -= AtEdge(u) * coefficient;
  left_[u] -= AtEdge(v) * coefficient;
  if (multiple == 0) return;
  ++nonzero_;
  activity_ += static_cast<int>(std::abs(coefficient) / 4);
}

}  // namespace mmp
