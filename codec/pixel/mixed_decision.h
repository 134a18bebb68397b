// A decision whose probability is mixed of inputs, logits to base 2, by the sum of three sets of
// weights, and refined by what such mixtures have meant. Normative: docs/format-pixel.md,
// "Repeats", and docs/format-jpeg.md, "Block".
#ifndef MMP_CODEC_PIXEL_MIXED_DECISION_H_
#define MMP_CODEC_PIXEL_MIXED_DECISION_H_

#include <algorithm>
#include <array>
#include <cstddef>

#include "codec/pixel/bit_port.h"
#include "codec/pixel/pixel_tables.h"

namespace mmp {

// Refined probabilities of mixtures from -16 to 16.
using RefinedCurve = std::array<double, 33>;

inline RefinedCurve FirstRefinedCurve(const PixelTables& tables) {
  RefinedCurve curve;
  for (size_t i = 0; i < curve.size(); ++i)
    curve[i] = TableLogistic(tables, static_cast<double>(i) - 16.0);
  return curve;
}

// How much of the probability is that of the mixture, and how much the refined one.
struct RefinedShares {
  double mixed, refined;
};

// Codes the bit, and lets weights, at this rate, and curve learn from it. Returns it.
template <size_t kInputs>
int CodeMixed(BitPort& port, const PixelTables& tables, int bit,
              const std::array<double, kInputs>& input,
              const std::array<std::array<double, kInputs>*, 3>& sets, RefinedCurve& curve,
              RefinedShares shares, double rate) {
  double mixed = 0.0;
  for (size_t i = 0; i < kInputs; ++i)
    mixed = mixed + (((*sets[0])[i] + (*sets[1])[i]) + (*sets[2])[i]) * input[i];
  mixed = std::min(std::max(mixed, -15.0), 15.0);
  const double probability = TableLogistic(tables, mixed);

  const double position = mixed + 16.0;
  const int step = static_cast<int>(position);
  const double part = position - static_cast<double>(step);
  double* const refined = &curve[static_cast<size_t>(step)];
  bit = CodeBit(port, bit,
                probability * shares.mixed +
                    (refined[0] * (1.0 - part) + refined[1] * part) * shares.refined);

  const double target = bit ? 1.0 : 0.0;
  const double error = (target - probability) * rate;
  for (std::array<double, kInputs>* weights : sets)
    for (size_t i = 0; i < kInputs; ++i) (*weights)[i] = (*weights)[i] + error * input[i];
  refined[0] = refined[0] + (target - refined[0]) * (0.02 * (1.0 - part));
  refined[1] = refined[1] + (target - refined[1]) * (0.02 * part);
  return bit;
}

}  // namespace mmp

#endif  // MMP_CODEC_PIXEL_MIXED_DECISION_H_
