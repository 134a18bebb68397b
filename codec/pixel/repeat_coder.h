// Lossless coding of samples of few values by what followed the same surroundings before: text,
// screens and drawings, whose shapes come again exactly. Normative: docs/format-pixel.md,
// "Repeats".
#ifndef MMP_CODEC_PIXEL_REPEAT_CODER_H_
#define MMP_CODEC_PIXEL_REPEAT_CODER_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/pixel/bit_port.h"
#include "codec/pixel/exact_blocks.h"
#include "codec/pixel/mixed_decision.h"
#include "codec/pixel/pixel_codec.h"
#include "codec/pixel/repeat_models.h"

namespace mmp {

inline constexpr int kMostRepeatValues = 256;

class RepeatCoder {
 public:
  // `plane` has at most kMostRepeatValues values. `outside` is the value that samples outside of
  // the rectangle are taken to have.
  RepeatCoder(BitPort& port, const PixelPlane& plane, int outside);

  // As CodePixelPlane.
  bool Run(const GoesOn& goes_on);
  // The same of exact blocks: of others, whose samples must be those outside of the rectangle,
  // nothing is coded, and nothing learnt.
  bool RunOn(const ExactBlocks& blocks, const ExactRowCoded& goes_on);

 private:
  static constexpr int kKinds = 3;  // of decisions: the first candidate, the second, the tree
  static constexpr int kTreeKind = kKinds - 1;
  static constexpr int kMostCandidates = 2;
  static constexpr int kInputs = kRepeatContexts + kRepeatMatches + 1;
  using Inputs = std::array<double, kInputs>;

  template <typename Has, typename RowCoded>
  bool RunWhere(const Has& has, const RowCoded& goes_on);
  void Code(int x, int y);
  void BeginSample(int x, int y);
  void FindCandidates(int x);
  int CodeSample(int sample);
  int CodeByTree(int sample);
  // A decision; `value`: whether the sample is this one, or, of the tree, none.
  int Decide(int bit, int kind, uint32_t key, int value);
  int MatchState(int kind, int value) const;

  BitPort& port_;
  const PixelTables& tables_;
  const PixelPlane plane_;
  RepeatRows rows_;
  BitHistories histories_;
  RepeatMatch wide_, narrow_;
  RepeatHashes hashes_{};
  std::array<int, kMostCandidates> candidates_{};
  int candidate_count_ = 0;
  int equal_ = 0;          // which of five pairs of neighbours are equal, below 32
  int64_t decisions_ = 0;  // so far
  std::array<Inputs, kKinds> kind_weights_{};
  std::array<Inputs, 7 * 7 * kKinds> known_weights_{};
  std::array<Inputs, 32 * kKinds> equal_weights_{};
  std::array<RefinedCurve, 32 * kKinds * 3> refined_;
};

}  // namespace mmp

#endif  // MMP_CODEC_PIXEL_REPEAT_CODER_H_
