// What each effort takes part in coding a sample. Normative: docs/format-pixel.md, "Efforts".
#ifndef MMP_CODEC_PIXEL_PIXEL_EFFORT_H_
#define MMP_CODEC_PIXEL_PIXEL_EFFORT_H_

#include <array>

namespace mmp {

// Labels of decisions: 1-15 nodes of the tree of quantiles, 16-19 and 20-23 steps into the upper
// and lower tail, 24-31 halves of what is left, 36 and 37 candidates.
inline constexpr int kLabels = 40;
inline constexpr int kUpperTailLabel = 16;
inline constexpr int kLowerTailLabel = 20;
inline constexpr int kHalfLabel = 24;
inline constexpr int kCandidateLabel = 36;
inline constexpr int kContextSize = 1024;

// Predictors, by effort. Their errors are kept in this order, that of the blend behind them.
template <int kEffort>
struct PixelEffort;

template <>
struct PixelEffort<1> {
  static constexpr int kPredictors = 3;  // least squares, median, gradient
  static constexpr int kComponents = 2;
  static constexpr std::array<int, kComponents> kShape = {1, 1};
  static constexpr std::array<int, kComponents> kDeviationContexts = {1024, 64};
  static constexpr int kContexts = 2;
  static constexpr int kExactSizes = 1;       // of exact contexts, see ExactContexts
  static constexpr int kPlainContexts = 125;  // of the first kind; then those of candidates
  static constexpr double kFirstWeight = 0.5;
};

template <>
struct PixelEffort<2> {
  // Least squares of four orders, median, gradient, normalised LMS, least squares of all these.
  static constexpr int kPredictors = 8;
  static constexpr int kComponents = 12;
  static constexpr std::array<int, kComponents> kShape = {0, 1, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0};
  static constexpr std::array<int, kComponents> kDeviationContexts = {64, 1024, 1024, 4096, 64, 64,
                                                                      64, 64,   64,   64,   64, 64};
  static constexpr int kContexts = 6;
  static constexpr int kExactSizes = 6;
  static constexpr int kPlainContexts = 64;
  static constexpr double kFirstWeight = 0.18;
};

}  // namespace mmp

#endif  // MMP_CODEC_PIXEL_PIXEL_EFFORT_H_
