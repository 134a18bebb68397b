// What pictures with few values or repeated shapes (text, drawings, flat backgrounds) are predicted
// by: samples and decisions that followed equal neighbourhoods.
// Normative: docs/format-pixel.md, "Exact contexts".
#ifndef MMP_CODEC_PIXEL_EXACT_CONTEXTS_H_
#define MMP_CODEC_PIXEL_EXACT_CONTEXTS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "codec/pixel/pixel_tables.h"

namespace mmp {

inline constexpr int kExactContexts = 6;  // sizes of neighbourhoods that decisions are seen in
inline constexpr int kMostCandidates = 2;

class ExactContexts {
 public:
  // `sizes`: how many sizes of neighbourhoods decisions are seen in, the first ones of all.
  explicit ExactContexts(int sizes);

  // `near` has the 30 samples nearest to the one to come, in the order of kPixelNeighbours; `wide`
  // is the hash of all samples at most six rows above and seven columns beside it, which only the
  // last size looks at.
  void BeginSample(const double* near, uint32_t wide);
  void Learn(int value);

  // Values that are asked for before others, each different.
  int CandidateCount() const { return candidate_count_; }
  int Candidate(int i) const { return candidates_[i]; }
  // What is known of the first candidate, below 192.
  int CandidateContext() const { return candidate_context_; }
  // Of the same, below 31, 0 being what pictures without exact contexts have.
  int WeightSet() const { return weight_set_; }

  // Writes the stretched probabilities, one a size, of the decision that `key` names.
  void Decide(const PixelTables& tables, uint32_t key, double* stretched);
  void LearnDecision(int bit);

 private:
  struct Decision {
    uint16_t probability;
    uint8_t count;
    uint8_t check;
  };
  struct Follower {
    uint16_t value;
    uint8_t count;
    uint8_t check;
  };
  static constexpr int kFollowers = 3;
  static constexpr int kDecisionBits = 17;
  static constexpr int kFollowerBits = 16;

  const int sizes_;
  std::array<std::vector<Decision>, kExactContexts> decisions_;
  std::array<std::vector<Follower>, kFollowers> followers_;
  std::array<uint32_t, kExactContexts> hashes_{};
  std::array<Decision*, kExactContexts> decided_{};
  std::array<Follower*, kFollowers> follower_{};
  std::array<double, 192> hit_rate_;
  std::array<int, kMostCandidates> candidates_{};
  int candidate_count_ = 0;
  int candidate_context_ = 0;
  int first_candidate_ = 0;
  int weight_set_ = 0;
};

}  // namespace mmp

#endif  // MMP_CODEC_PIXEL_EXACT_CONTEXTS_H_
