// What the trainers that learn from indices have in common: each index with what was known then.
#ifndef MMP_TOOLS_TRAIN_MODELS_LEAF_OBSERVER_H_
#define MMP_TOOLS_TRAIN_MODELS_LEAF_OBSERVER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/base/levels.h"
#include "codec/base/macroblock_order.h"
#include "codec/base/parameters.h"
#include "codec/bitstream/container.h"
#include "codec/decoder/decode_observed.h"
#include "codec/dictionary/dictionary.h"
#include "codec/tile/index_context.h"
#include "codec/tile/pattern_features.h"

namespace mmp {

// Follows the leaves of a tile as the coder of indices does.
class LeafObserver : public TileObserver {
 public:
  LeafObserver(const CodecParameters& parameters, const TileInfo& tile)
      : scale_(parameters),
        borders_(PaddedToMacroblocks(tile.width), PaddedToMacroblocks(tile.height)) {}

  void OnStart(const Dictionary& dictionary) override { dictionary_ = &dictionary; }
  void OnMacroblock(MacroblockPlace place) override { place_.macroblock = place; }
  void OnElement(CodedElement element, BlockRect rect, int value, double /*bits*/) override {
    if (element == CodedElement::kMode) {
      place_.block = rect;
      place_.mode = value;
    }
    if (element != CodedElement::kIndex) return;
    place_.leaf = rect;
    OnIndex(value);
    std::array<int16_t, kMacroblockPixels> values;
    dictionary_->Copy(rect.level, value, values.data());
    borders_.Add(place_, values.data(), FeaturesOf(rect.level, value));
  }

 protected:
  // The index of the leaf of place(); of level 1x1, too.
  virtual void OnIndex(int index) = 0;

  const LeafPlace& place() const { return place_; }
  const Dictionary& dictionary() const { return *dictionary_; }
  ContextInputs Inputs() const { return borders_.InputsOf(place_, scale_); }
  // Those of a pattern of dictionary().
  const FeaturesOfPattern& FeaturesOf(int level, int index) {
    std::vector<FeaturesOfPattern>& known = features_[level];
    std::array<int16_t, kMacroblockPixels> values;
    while (known.size() <= static_cast<size_t>(index)) {
      dictionary_->Copy(level, static_cast<int>(known.size()), values.data());
      known.push_back(scale_.Features(values.data(), kLevelShapes[level]));
    }
    return known[index];
  }

 private:
  ResidualScale scale_;
  LeafBorders borders_;
  std::array<std::vector<FeaturesOfPattern>, kLevelCount> features_;  // of the first patterns
  const Dictionary* dictionary_ = nullptr;
  LeafPlace place_{};
};

}  // namespace mmp

#endif  // MMP_TOOLS_TRAIN_MODELS_LEAF_OBSERVER_H_
