// Per-target include (Highway): what each decision was, lately, in the contexts of a sample.
#if defined(MMP_CODEC_PIXEL_ADAPTIVE_CONTEXTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MMP_CODEC_PIXEL_ADAPTIVE_CONTEXTS_INL_H_
#undef MMP_CODEC_PIXEL_ADAPTIVE_CONTEXTS_INL_H_
#else
#define MMP_CODEC_PIXEL_ADAPTIVE_CONTEXTS_INL_H_
#endif

#include <algorithm>
#include <array>
#include <bitset>
#include <cassert>
#include <cstddef>
#include <memory>

#include "codec/pixel/pixel_effort.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {

// Of kContexts kinds.
template <int kContexts>
class AdaptiveContexts {
 public:
  // `contexts`: the sample's of each kind, below kContextSize.
  void Begin(const std::array<int, kContexts>& contexts) {
    for (int i = 0; i < kContexts; ++i) of_sample_[i] = &Context(i, contexts[i]);
  }

  // Of a decision by its label, in the context of kind i.
  double Probability(int i, int label) const { return (*of_sample_[i])[label].probability; }

  // The decision was `target`, 0 or 1.
  void Learn(int label, double target) {
    for (ByLabel* context : of_sample_) Adapt((*context)[label], target);
  }

 private:
  struct Adaptive {
    double probability;
    double count;
  };
  using ByLabel = std::array<Adaptive, kLabels>;
  static constexpr size_t kAllContexts = size_t{kContexts} * kContextSize;

  // What is known in context `context` of kind `kind`. Most contexts never occur in a small
  // picture: their memory is not touched.
  ByLabel& Context(int kind, int context) {
    assert(context >= 0 && context < kContextSize);
    const size_t number = static_cast<size_t>(kind) * kContextSize + static_cast<size_t>(context);
    if (!has_occurred_[number]) {
      has_occurred_[number] = true;
      by_context_[number].fill({0.5, 0.0});
    }
    return by_context_[number];
  }

  static void Adapt(Adaptive& context, double target) {
    const double probability =
        context.probability + (target - context.probability) / (context.count + 1.6);
    context.probability = std::min(std::max(probability, 1.0 / 4096.0), 4095.0 / 4096.0);
    if (context.count < 250.0) context.count = context.count + 1.0;
  }

  const std::unique_ptr<ByLabel[]> by_context_ =
      std::make_unique_for_overwrite<ByLabel[]>(kAllContexts);  // those that have occurred
  std::bitset<kAllContexts> has_occurred_;
  std::array<ByLabel*, kContexts> of_sample_{};
};

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#endif  // MMP_CODEC_PIXEL_ADAPTIVE_CONTEXTS_INL_H_
