// The syntax of a tile, written down once. Encoder and decoder both walk it: they differ only
// in the port that codes a symbol, which writes the one the search chose or reads the one in the
// file. Normative: docs/format.md, "Macroblock".
#ifndef MMP_CODEC_MACROBLOCK_CODER_H_
#define MMP_CODEC_MACROBLOCK_CODER_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "codec/canvas.h"
#include "codec/decode_observer.h"
#include "codec/levels.h"
#include "codec/predict.h"
#include "codec/predictors.h"
#include "codec/tile_state.h"

namespace mmp {

// Port: `int Prediction(rect, context, allowed)`, `int Residual(rect, allowed)`, `int Mode(rect,
// allowed)` and `int Index(rect)` code one symbol of a block of the macroblock, `int CopyCount()`,
// `int CopyClass(axis)` and `int CopyBits(count)` one of its copy vectors, `int WienerStrength()`
// and `int WienerBlock()` one of the tile, and update its model, if it has one. They are called
// only where more than one symbol is allowed. Observer: has the functions of NullObserver, and is
// told of every symbol of a block after it has been coded, also of those that are not, as no other
// is allowed, of the copy vectors and of the tile's filter.
template <typename Port, typename Observer = NullObserver>
class MacroblockCoder {
 public:
  MacroblockCoder(TileState& tile, Port& port, Observer observer = {})
      : tile_(tile), port_(port), observer_(observer) {}

  // Codes the vectors that are new for the macroblock whose top left pixel is (y, x) of the tile.
  // Code must follow.
  void CodeCopies(int y, int x) {
    if (!tile_.parameters.MayCopy()) return;
    for (int count = port_.CopyCount(); count > 0; --count) {
      const int32_t up = CopyComponent(0), across = CopyComponent(1);
      tile_.copy_vectors.Add({-up, across});
    }
    observer_.OnCopyVectors(tile_.copy_vectors);
    LoadCopies(tile_.copy_vectors, tile_.plane.data(), tile_.width, y, x, tile_.copies);
  }

  // Codes the macroblock and puts its reconstruction into the tile's. Learn must follow.
  void Code(int y, int x) {
    y_ = y;
    x_ = x;
    copies_used_ = 0;
    concatenations_.Clear();
    LoadCanvas(tile_.plane.data(), tile_.width, tile_.width, tile_.height, y, x, canvas_);
    CodePredictionNode({0, 0, kMacroblockLevel});
    for (int i = 0; i < kMacroblockSize; ++i)
      std::memcpy(&tile_.plane[static_cast<size_t>(y + i) * tile_.width + x],
                  canvas_.pixels + Canvas::Index(i, 0), kMacroblockSize);
  }

  // After the last macroblock: codes how the tile is filtered, and filters its reconstruction.
  void Finish() {
    if (!tile_.parameters.Uses(kWiener)) return;
    WienerChoice choice;
    choice.strength = port_.WienerStrength();
    if (choice.strength > 0) choice.blocks.resize(WienerBlocks(tile_.width, tile_.height));
    for (uint8_t& block : choice.blocks) block = static_cast<uint8_t>(port_.WienerBlock());
    observer_.OnFilter(choice);
    ApplyWiener(choice, tile_.width, tile_.height, tile_.plane);
  }

  // Enters what was coded into the tile's dictionary.
  void Learn() {
    tile_.dictionary.Insert(concatenations_, tile_.parameters.redundancy_threshold);
    tile_.AddSymbols(IndexModel::kNewCount, PatternOrigin::kGrown);
    tile_.copy_vectors.MoveToFront(copies_used_);
  }

 private:
  void CodePredictionNode(BlockRect rect) {
    const uint32_t allowed = AllowedPredictionFlags(rect.level, tile_.parameters.prediction_level);
    const int flag =
        std::has_single_bit(allowed) ? kLeaf : port_.Prediction(rect, LeafContext(rect), allowed);
    observer_.OnElement(CodedElement::kPredictionFlag, rect, flag);
    if (flag == kSplitBothVertical || flag == kSplitBothHorizontal) {
      const Split split = flag == kSplitBothVertical ? Split::kVertical : Split::kHorizontal;
      CodePredictionNode(rect.Half(split, 0));
      CodePredictionNode(rect.Half(split, 1));
      return;
    }
    uint8_t prediction[kMacroblockPixels];
    int16_t residual[kMacroblockPixels];
    Predict(rect, prediction);
    CodeResidual(rect, flag == kLeaf ? kPattern : flag - kSplitResidualVertical + 1, residual);
    observer_.OnBlock(rect, prediction, residual);
    Reconstruct(rect, prediction, residual);
  }

  // Axis 1 has a sign.
  int32_t CopyComponent(int axis) {
    const int bits = port_.CopyClass(axis);
    if (bits == 0) return 0;
    const int32_t size = 1 << (bits - 1) | (bits > 1 ? port_.CopyBits(bits - 1) : 0);
    return axis == 1 && port_.CopyBits(1) != 0 ? -size : size;
  }

  int LeafContext(BlockRect rect) const {
    return tile_.leaves.Context(y_ + rect.y, x_ + rect.x, rect.level);
  }

  void Predict(BlockRect rect, uint8_t* prediction) {
    BlockBorder border;
    LoadBorder(canvas_, rect, border);
    const uint32_t modes = AvailableModes(border, tile_.copies, rect) & tile_.parameters.modes;
    const int mode = std::has_single_bit(modes) ? std::countr_zero(modes) : port_.Mode(rect, modes);
    observer_.OnElement(CodedElement::kMode, rect, mode);
    copies_used_ |= 1u << mode & kAllCopyModes;
    mmp::Predict(canvas_, border, tile_.copies, rect, mode, prediction);
  }

  // Codes a residual block whose root decision is `flag`; residual[i * width + j].
  void CodeResidual(BlockRect rect, int flag, int16_t* residual) {
    if (flag == kPattern) {
      const int index = port_.Index(rect);
      observer_.OnElement(CodedElement::kIndex, rect, index);
      tile_.dictionary.Copy(rect.level, index, residual);
      tile_.leaves.Mark(y_ + rect.y, x_ + rect.x, rect.level);
      return;
    }
    const Split split = flag == kSplitVertical ? Split::kVertical : Split::kHorizontal;
    const int half_level = HalfLevel(rect.level, split);
    const int half_pixels = kLevelShapes[half_level].pixels();
    int16_t halves[kMacroblockPixels];
    for (int half = 0; half < 2; ++half) {
      const uint32_t allowed = AllowedResidualFlags(half_level);
      const BlockRect part = rect.Half(split, half);
      const int half_flag = std::has_single_bit(allowed) ? kPattern : port_.Residual(part, allowed);
      observer_.OnElement(CodedElement::kResidualFlag, part, half_flag);
      CodeResidual(part, half_flag, halves + half * half_pixels);
    }
    if (split == Split::kHorizontal) {
      std::copy_n(halves, 2 * half_pixels, residual);
    } else {
      const int half_width = kLevelShapes[half_level].width();
      for (int i = 0; i < rect.height(); ++i)
        for (int half = 0; half < 2; ++half)
          std::copy_n(halves + half * half_pixels + i * half_width, half_width,
                      residual + (2 * i + half) * half_width);
    }
    concatenations_.Add(rect.level, residual);
  }

  void Reconstruct(BlockRect rect, const uint8_t* prediction, const int16_t* residual) {
    for (int i = 0; i < rect.height(); ++i) {
      uint8_t* row = canvas_.pixels + Canvas::Index(rect.y + i, rect.x);
      for (int j = 0; j < rect.width(); ++j) {
        const int k = i * rect.width() + j;
        row[j] = static_cast<uint8_t>(std::clamp(prediction[k] + residual[k], 0, 255));
      }
    }
    MarkAvailable(canvas_, rect);
  }

  TileState& tile_;
  Port& port_;
  [[no_unique_address]] Observer observer_;
  int y_ = 0, x_ = 0;  // top left pixel of the macroblock
  uint32_t copies_used_ = 0;
  Canvas canvas_;
  PatternList concatenations_;
};

}  // namespace mmp

#endif  // MMP_CODEC_MACROBLOCK_CODER_H_
