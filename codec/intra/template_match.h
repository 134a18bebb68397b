// Template prediction (mode 26): a block is predicted by the weighted mean of the blocks around it
// whose left and upper surroundings (their templates) are most similar to its own. One body for
// host and device. Normative: docs/format.md, "Template prediction".
#ifndef MMP_CODEC_INTRA_TEMPLATE_MATCH_H_
#define MMP_CODEC_INTRA_TEMPLATE_MATCH_H_

#include <cstdint>

#include "codec/base/levels.h"
#include "codec/intra/canvas.h"
#include "common/host_device.h"

namespace mmp {

inline constexpr int kTemplateWidth = 2;  // pixels above and on the left of a block
// Pixels that a match may be away.
inline constexpr int kTemplateReachUp = 24;
inline constexpr int kTemplateReachLeft = 24;
inline constexpr int kTemplateReachRight = 7;
inline constexpr int kTemplateMatches = 4;
inline constexpr int kTemplateWeightShift = 12;

// A place with its cost: the squared difference of the templates.
struct TemplateMatch {
  int32_t cost;
  int16_t y, x;
};

// The best matches in order of cost; of equal ones the upper, then the left one is the first.
struct TemplateMatches {
  int count = 0;
  TemplateMatch matches[kTemplateMatches];

  // Takes in a match that comes after all others in that order.
  MMP_HOST_DEVICE void Add(TemplateMatch match) {
    if (count == kTemplateMatches && match.cost >= matches[count - 1].cost) return;
    int place = count < kTemplateMatches ? count++ : kTemplateMatches - 1;
    for (; place > 0 && matches[place - 1].cost > match.cost; --place)
      matches[place] = matches[place - 1];
    matches[place] = match;
  }
};

// Number of pixels of a template.
MMP_HOST_DEVICE constexpr int TemplatePixels(LevelShape shape) {
  return kTemplateWidth * (shape.height() + shape.width() + kTemplateWidth);
}

// True if a block as large as `rect` at (y, x) and its template are available: what is available of
// a macroblock has no gap above or on the left.
MMP_HOST_DEVICE inline bool IsTemplateCandidate(const Canvas& canvas, LevelShape shape, int y,
                                                int x) {
  return canvas.Available(y - kTemplateWidth, x - kTemplateWidth) &&
         canvas.Available(y + shape.height() - 1, x + shape.width() - 1);
}

// The weight of each match, in 1 / 2^kTemplateWeightShift; their sum is 1. Loops of fixed length
// keep the matches in registers on a device.
MMP_HOST_DEVICE inline void WeighTemplateMatches(const TemplateMatches& best, LevelShape shape,
                                                 int32_t (&weights)[kTemplateMatches]) {
  const int bias = TemplatePixels(shape);
  int32_t sum = 0;
  for (int k = 0; k < kTemplateMatches; ++k) {
    weights[k] = 0;
    if (k >= best.count) continue;
    const int32_t ratio = 256 * (best.matches[0].cost + bias) / (best.matches[k].cost + bias);
    weights[k] = ratio * ratio;
    sum += weights[k];
  }
  int32_t rest = 1 << kTemplateWeightShift;
  for (int k = 1; k < kTemplateMatches; ++k) {
    if (k >= best.count) continue;
    weights[k] = (weights[k] << kTemplateWeightShift) / sum;
    rest -= weights[k];
  }
  weights[0] = rest;
}

// Predicts `rect`, whose template must be available: prediction[i * width + j]; 128 if there is no
// match. Uses the fastest instructions of this machine; the result is that of the functions above.
void PredictTemplate(const Canvas& canvas, BlockRect rect, uint8_t* prediction);

}  // namespace mmp

#endif  // MMP_CODEC_INTRA_TEMPLATE_MATCH_H_
