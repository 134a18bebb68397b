// Per-target include (Highway): all samples of a rectangle, in raster order.
#if defined(MMP_CODEC_PIXEL_PIXEL_CODEC_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MMP_CODEC_PIXEL_PIXEL_CODEC_INL_H_
#undef MMP_CODEC_PIXEL_PIXEL_CODEC_INL_H_
#else
#define MMP_CODEC_PIXEL_PIXEL_CODEC_INL_H_
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "codec/pixel/context_hash.h"
#include "codec/pixel/decision_coder-inl.h"
#include "codec/pixel/fast_decision_coder-inl.h"
#include "codec/pixel/pixel_codec.h"
#include "codec/pixel/sample_modeller-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mmp {
namespace HWY_NAMESPACE {

template <int kEffort>
class PixelCodec {
 public:
  using Effort = PixelEffort<kEffort>;

  PixelCodec(BitPort& port, const PixelPlane& plane)
      : plane_(plane),
        port_(port),
        tables_(GetPixelTables()),
        samples_(plane.width, Middle(plane)),
        modeller_(tables_, plane.width, plane.values),
        decisions_(tables_, port, plane.exact ? &exact_.emplace(Effort::kExactSizes) : nullptr,
                   plane.values) {}

  // False if `goes_on` says so at the end of a row.
  bool Run(const GoesOn& goes_on) {
    for (int y = 0; y < plane_.height; ++y) {
      BeginRow(y);
      for (int x = 0; x < plane_.width; ++x) {
        if (y == 0) ContinueUpwards(x);
        CodeSample(x, plane_.samples[static_cast<ptrdiff_t>(y) * plane_.stride + x]);
      }
      modeller_.EndRow();
      samples_.FillRight(samples_.At(plane_.width - 1, 0));
      samples_.NextRow();
      if (!goes_on()) return false;
    }
    return true;
  }

 private:
  // What is taken for samples where there are none.
  static double Middle(const PixelPlane& plane) {
    const int middle = plane.values / 2;
    return middle;
  }

  void BeginRow(int y) {
    modeller_.BeginRow();
    const double middle = Middle(plane_);
    samples_.FillLeft(y == 0 ? &middle : samples_.At(0, 1));
  }

  // In the first row all samples above, from column x on, are as the one on the left.
  void ContinueUpwards(int x) {
    const double west = *samples_.At(x - 1, 0);
    for (int row = 1; row < kSampleRows; ++row)
      std::fill_n(samples_.At(x, row), kPixelMargin, west);
  }

  void CodeSample(int x, uint16_t& sample) {
    PixelNear near;
    for (size_t i = 0; i < near.size(); ++i)
      near[i] = *samples_.At(x + kPixelNeighbours[i].x, -kPixelNeighbours[i].y);
    modeller_.Model(x, near, model_);
    if (exact_) {
      exact_->BeginSample(near.data(), Effort::kExactSizes == kExactContexts ? WideHash(x) : 0);
      if (exact_->CandidateCount() > 0)
        model_.context[0] = Effort::kPlainContexts + exact_->CandidateContext();
    }
    const int value = plane_.reach == 0 ? CodeExactly(sample) : CodeNearly(sample);
    if (exact_) exact_->Learn(value);
    sample = static_cast<uint16_t>(value);
    *samples_.At(x, 0) = static_cast<double>(value);
    modeller_.Learn(x, static_cast<double>(value), model_);
  }

  uint32_t WideHash(int x) const {
    uint32_t hash = 77;
    for (int dx = -7; dx < 0; ++dx)
      hash = AddToHash(hash, static_cast<uint32_t>(*samples_.At(x + dx, 0)));
    for (int row = 1; row < kSampleRows; ++row)
      for (int dx = -7; dx <= 7; ++dx)
        hash = AddToHash(hash, static_cast<uint32_t>(*samples_.At(x + dx, row)));
    return hash;
  }

  int CodeExactly(int sample) {
    model_.base = -0.5;
    model_.step = 1.0;
    model_.cells = plane_.values;
    return CodeCell(sample);
  }

  // Cells of 2 reach + 1 values, one of them around the prediction.
  int CodeNearly(int sample) {
    const int step = 2 * plane_.reach + 1;
    const int centre = static_cast<int>(modeller_.Centre() + 0.5);
    const int cells_below = (centre + plane_.reach) / step;
    const int cells_above = (plane_.values - 1 - centre + plane_.reach) / step;
    const int first = centre - cells_below * step;  // the middle of the lowest cell
    model_.base = static_cast<double>(first - plane_.reach) - 0.5;
    model_.step = static_cast<double>(step);
    model_.cells = cells_below + cells_above + 1;
    const int cell = CodeCell((sample - first + plane_.reach) / step);
    const int middle = first + cell * step;
    return plane_.by_means ? MeanOf(cell, middle) : std::clamp(middle, 0, plane_.values - 1);
  }

  // The value nearest to the mean that is expected of a cell.
  int MeanOf(int cell, int middle) const {
    const int mean = static_cast<int>(std::max(decisions_.MeanInside(cell), 0.0) + 0.5);
    return std::clamp(mean, std::max(middle - plane_.reach, 0),
                      std::min(middle + plane_.reach, plane_.values - 1));
  }

  int CodeCell(int cell) {
    decisions_.BeginSample(model_);
    if (exact_ && plane_.reach == 0)
      for (int i = 0; i < exact_->CandidateCount(); ++i)
        if (decisions_.IsCandidate(cell, exact_->Candidate(i), i)) return exact_->Candidate(i);
    CodeTail(cell, CodeQuantile(cell));
    while (decisions_.high() - decisions_.low() > 1) CodeHalf(cell);
    return decisions_.low();
  }

  // The first cell whose lower edge is at `position` or nearest to it.
  int SplitAt(double position) const {
    const double offset = position - model_.base;  // which is also the quotient if cells are values
    const double split = (plane_.reach == 0 ? offset : offset / model_.step) + 0.5;
    return static_cast<int>(std::min(std::max(split, static_cast<double>(decisions_.low())),
                                     static_cast<double>(decisions_.high())));
  }

  // Four levels of a tree of quantiles. Returns the leaf, in [16, 32).
  int CodeQuantile(int cell) {
    static constexpr std::array<double, 16> kQuantile = {0.0,  0.0,  -0.87, 0.87,  -1.55, -0.38,
                                                         0.38, 1.55, -2.3,  -1.17, -0.62, -0.19,
                                                         0.19, 0.62, 1.17,  2.3};
    int node = 1;
    while (node < 16) {
      const int split = SplitAt(modeller_.Centre() + modeller_.Scale() * kQuantile[node]);
      node = node * 2 + decisions_.IsUpper(cell, split, node);
    }
    return node;
  }

  // Steps outwards from the outermost leaves.
  void CodeTail(int cell, int leaf) {
    if (leaf != 16 && leaf != 31) return;
    double distance = modeller_.Scale() * 3.5;
    for (int k = 0; k < 10 && decisions_.high() - decisions_.low() > 1; ++k) {
      const int label = std::min(k, 3);
      if (leaf == 31) {
        const int split = std::max(decisions_.low() + 1, SplitAt(modeller_.Centre() + distance));
        if (!decisions_.IsUpper(cell, split, kUpperTailLabel + label)) return;
      } else {
        const int split = std::min(decisions_.high() - 1, SplitAt(modeller_.Centre() - distance));
        if (decisions_.IsUpper(cell, split, kLowerTailLabel + label)) return;
      }
      distance = distance * 1.6;
    }
  }

  void CodeHalf(int cell) {
    const int cells = decisions_.high() - decisions_.low();
    const int split = decisions_.low() + cells / 2;
    const int by_cells = cells == 2 ? 0 : cells == 3 ? 1 : cells < 6 ? 2 : 3;
    const double edge = model_.base + static_cast<double>(split) * model_.step;
    decisions_.IsUpper(cell, split, kHalfLabel + by_cells + (edge > modeller_.Centre() ? 4 : 0));
  }

  const PixelPlane plane_;
  BitPort& port_;
  const PixelTables& tables_;
  std::optional<ExactContexts> exact_;
  SampleRows samples_;
  SampleModeller<kEffort> modeller_;
  DecisionCoder<kEffort> decisions_;
  SampleModel<kEffort> model_{};
};

}  // namespace HWY_NAMESPACE
}  // namespace mmp
HWY_AFTER_NAMESPACE();

#endif  // MMP_CODEC_PIXEL_PIXEL_CODEC_INL_H_
