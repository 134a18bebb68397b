// From what the symbols of a macroblock say to its pixels.
// Normative: docs/format.md, "Macroblock" and "Prediction".
#ifndef MMP_CODEC_TILE_RECONSTRUCT_H_
#define MMP_CODEC_TILE_RECONSTRUCT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codec/base/levels.h"
#include "codec/base/macroblock_order.h"
#include "codec/intra/block_copy.h"
#include "codec/intra/canvas.h"
#include "codec/intra/predict.h"
#include "codec/tile/coded_front.h"
#include "codec/tile/reversed_residual.h"
#include "codec/tile/tile_observer.h"

namespace mmp {

// A tile's reconstruction, padded to whole macroblocks.
struct TilePlane {
  uint8_t* samples;  // height rows of width
  int width, height;
  MacroblockOrder order;
  bool reverses = false;          // see kReversedResiduals
  uint8_t* prediction = nullptr;  // what was predicted of the samples, if it is to be kept
};

namespace internal {

// The block's reconstruction onto the canvas.
inline void AddResidual(BlockRect rect, const uint8_t* prediction, const int16_t* residual,
                        Canvas& canvas) {
  for (int i = 0; i < rect.height(); ++i) {
    uint8_t* row = canvas.pixels + Canvas::Index(rect.y + i, rect.x);
    for (int j = 0; j < rect.width(); ++j) {
      const int k = i * rect.width() + j;
      row[j] = static_cast<uint8_t>(std::clamp(prediction[k] + residual[k], 0, 255));
    }
  }
  MarkAvailable(canvas, rect);
}

// The block's prediction into the plane.
inline void KeepPrediction(MacroblockPlace place, BlockRect rect, const uint8_t* prediction,
                           const TilePlane& plane) {
  uint8_t* to =
      plane.prediction + static_cast<size_t>(place.y + rect.y) * plane.width + place.x + rect.x;
  for (int i = 0; i < rect.height(); ++i)
    std::memcpy(to + static_cast<size_t>(i) * plane.width, prediction + i * rect.width(),
                rect.width());
}

}  // namespace internal

// Reconstructs macroblock `number` of the front. Others of the front may be reconstructed at the
// same time: it reads samples of earlier fronts only, and writes its own. The observer is told of
// each block.
template <typename Observer>
void Reconstruct(const CodedFront& front, int number, const TilePlane& plane, Observer& observer) {
  const CodedMacroblock& macroblock = front[number];
  const MacroblockPlace place = macroblock.place();
  Canvas canvas;
  LoadCanvas(plane.samples, plane.width, plane.width, plane.height, place.y, place.x, canvas);
  BlockCopies copies;
  LoadBlockCopies(front.vectors(), plane.order, plane.samples, plane.width, place, copies);
  const int16_t* coded = macroblock.residual();
  for (const CodedMacroblock::Block block : macroblock.blocks()) {
    const BlockRect rect = block.rect();
    uint8_t prediction[kMacroblockPixels];
    BlockBorder border;
    LoadBorder(canvas, rect, border);
    Predict(canvas, border, copies, rect, block.mode, prediction);
    int16_t residual[kMacroblockPixels];
    std::copy_n(coded, rect.pixels(), residual);
    if (plane.reverses) ReverseWhereBright(prediction, rect.pixels(), residual);
    observer.OnBlock(place, rect, prediction, residual);
    if (plane.prediction != nullptr) internal::KeepPrediction(place, rect, prediction, plane);
    internal::AddResidual(rect, prediction, residual, canvas);
    coded += rect.pixels();
  }
  for (int i = 0; i < kMacroblockSize; ++i)
    std::memcpy(plane.samples + static_cast<size_t>(place.y + i) * plane.width + place.x,
                canvas.pixels + Canvas::Index(i, 0), kMacroblockSize);
}

inline void Reconstruct(const CodedFront& front, int number, const TilePlane& plane) {
  NullObserver observer;
  Reconstruct(front, number, plane, observer);
}

}  // namespace mmp

#endif  // MMP_CODEC_TILE_RECONSTRUCT_H_
