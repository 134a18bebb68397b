#include "codec/pixel/exact_contexts.h"

#include <algorithm>
#include <bit>

#include "codec/pixel/context_hash.h"

namespace mmp {
namespace {

constexpr double kAskedHitRate = 0.3;  // above it a candidate is worth a decision of its own

uint32_t HashOf(const double* near, int count, uint32_t seed) {
  uint32_t hash = seed;
  for (int i = 0; i < count; ++i) hash = AddToHash(hash, static_cast<uint32_t>(near[i]));
  return hash;
}

}  // namespace

ExactContexts::ExactContexts(int sizes) : sizes_(sizes) {
  for (int i = 0; i < sizes; ++i) decisions_[i].assign(1 << kDecisionBits, {32768, 0, 0});
  for (auto& table : followers_) table.assign(1 << kFollowerBits, {0, 0, 0});
  hit_rate_.fill(0.5);
}

void ExactContexts::BeginSample(const double* near, uint32_t wide) {
  hashes_ = {HashOf(near, 2, 1),  HashOf(near, 4, 2),  sizes_ > 2 ? HashOf(near, 6, 3) : 0,
             HashOf(near, 12, 4), HashOf(near, 30, 5), wide};
  const std::array<uint32_t, kFollowers> longest = {hashes_[4], hashes_[3], hashes_[1]};
  for (int i = 0; i < kFollowers; ++i) {
    Follower& follower = followers_[i][longest[i] >> (32 - kFollowerBits)];
    const uint8_t check = static_cast<uint8_t>(longest[i] >> 8);
    if (follower.check != check) follower = {0, 0, check};
    follower_[i] = &follower;
  }
  const double west = near[0], north = near[1], north_west = near[2];
  int source = 0;
  while (source < kFollowers && follower_[source]->count == 0) ++source;
  const int count = source < kFollowers ? std::min<int>(follower_[source]->count, 3) : 0;
  first_candidate_ = source < kFollowers ? follower_[source]->value : static_cast<int>(west);
  const int equal = (west == north_west) + (north == north_west) + (north == near[3]) +
                    (west == near[4]) + (north == near[5]);
  candidate_context_ = ((equal * 4 + source) * 4 + count) * 2 + (first_candidate_ == west);
  constexpr std::array<int, 4> kSourceSet = {3, 2, 1, 0};
  weight_set_ = 1 + equal * 5 + (source == 0 && count >= 2 ? 4 : kSourceSet[source]);
  candidate_count_ = 0;
  if (hit_rate_[candidate_context_] > kAskedHitRate) {
    candidates_[candidate_count_++] = first_candidate_;
    const int second = static_cast<int>(first_candidate_ != west ? west : north);
    if (second != first_candidate_) candidates_[candidate_count_++] = second;
  }
}

void ExactContexts::Learn(int value) {
  double& rate = hit_rate_[candidate_context_];
  rate = rate + ((value == first_candidate_ ? 1.0 : 0.0) - rate) * 0.02;
  for (Follower* follower : follower_) {
    if (follower->count > 0 && follower->value == value) {
      if (follower->count < 8) ++follower->count;
    } else if (follower->count > 2) {
      follower->count /= 2;
    } else {
      follower->value = static_cast<uint16_t>(value);
      follower->count = 1;
    }
  }
}

void ExactContexts::Decide(const PixelTables& tables, uint32_t key, double* stretched) {
  for (int i = 0; i < sizes_; ++i) {
    const uint32_t hash = HashOfDecision(hashes_[i], key);
    Decision& decision = decisions_[i][hash >> (32 - kDecisionBits)];
    const uint8_t check = static_cast<uint8_t>(hash);
    if (decision.check != check) decision = {32768, 0, check};
    decided_[i] = &decision;
    const double probability = static_cast<double>(decision.probability) / 65536.0;
    stretched[i] = decision.count == 0
                       ? 0.0
                       : TableLog2(tables, probability) - TableLog2(tables, 1.0 - probability);
  }
}

void ExactContexts::LearnDecision(int bit) {
  constexpr int kMostCount = 24;
  for (int i = 0; i < sizes_; ++i) {
    Decision* const decision = decided_[i];
    // Thirds of a count: 1.33, 2.33, 3.33, 5.33, 6.33 ...
    const int thirds = 3 * decision->count + (decision->count > 2 ? 7 : 4);
    const int toward = bit ? 65535 : 0;
    const int probability = decision->probability;
    decision->probability = static_cast<uint16_t>(
        std::clamp(probability + 3 * (toward - probability) / thirds, 32, 65535 - 32));
    if (decision->count < kMostCount) ++decision->count;
  }
}

}  // namespace mmp
