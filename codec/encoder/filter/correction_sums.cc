#include "codec/encoder/filter/correction_sums.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "codec/postfilter/filter_blocks.h"

namespace mmp {
namespace {

// Sums the pixels of a class as soon as there are kTermColumns of them.
class TermCollector {
 public:
  // The terms of the pixel at x of a row, and what the reconstruction lacks there.
  void Add(const WienerRowTerms& terms, int x, int error) {
    const int which = terms.Class(x);
    int& count = counts_[which];
    terms.Copy(x, &rows_[which][0][count], kTermColumns);
    rows_[which][kWienerTerms][count] = static_cast<int16_t>(error);
    if (++count == kTermColumns) Sum(which);
  }

  // Those of a class; once for each.
  void AddTo(ClassSums& sums, int which) {
    for (auto& row : rows_[which]) std::fill(row + counts_[which], row + kTermColumns, 0);
    Sum(which);
    sums.pixels += sums_[which].pixels;
    for (int k = 0; k < kTermProducts; ++k) sums.products[k] += sums_[which].products[k];
  }

 private:
  void Sum(int which) {
    if (counts_[which] == 0) return;
    AddTermProducts(rows_[which][0], sums_[which].products.data());
    sums_[which].pixels += counts_[which];
    counts_[which] = 0;
  }

  int16_t rows_[kWienerClasses][kTermRows][kTermColumns];
  std::array<int, kWienerClasses> counts_{};
  CorrectionSums sums_;
};

}  // namespace

CorrectionSums SumCorrections(const WienerFilter& filter, const WienerChoice& choice,
                              const ImageView& original, const uint8_t* plane, int stride,
                              int sampling, TaskPool& pool) {
  const int row_step = std::min(sampling, 2), column_step = sampling / row_step;
  const int columns = FilterBlocksAcross(stride);
  std::vector<std::unique_ptr<TermCollector>> collectors(pool.size());
  auto add_row = [&](int y, WienerRowTerms& terms, TermCollector& collector) {
    const WienerBlock* blocks = &choice.blocks[size_t{1} * (y / kFilterBlockSize) * columns];
    const uint8_t* from = plane + static_cast<size_t>(y) * stride;
    filter.FindTerms(y, choice.strength, terms);
    for (int x = y / row_step % column_step; x < original.width; x += column_step) {
      if (blocks[x / kFilterBlockSize] == WienerBlock::kUnfiltered) continue;
      collector.Add(terms, x, original.Row(y)[x] - from[x]);
    }
  };
  constexpr int kRows = kFilterBlockSize;
  pool.ForEach((original.height + kRows - 1) / kRows, [&](int band, int member) {
    WienerRowTerms terms;
    if (!collectors[member]) collectors[member] = std::make_unique<TermCollector>();
    for (int y = band * kRows; y < std::min((band + 1) * kRows, original.height); y += row_step)
      add_row(y, terms, *collectors[member]);
  });
  CorrectionSums sums;
  pool.ForEach(kWienerClasses, [&](int which, int /*member*/) {
    ClassSums& of_class = sums[which];
    for (const auto& collector : collectors)
      if (collector) collector->AddTo(of_class, which);
    of_class.pixels *= sampling;
    for (int64_t& product : of_class.products) product *= sampling;
  });
  return sums;
}

}  // namespace mmp
