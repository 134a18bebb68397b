#include "codec/search/cpu_search.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "codec/base/stopwatch.h"
#include "codec/intra/canvas.h"
#include "codec/rdo/longest_first.h"
#include "codec/rdo/symbol_costs.h"
#include "codec/search/branch_search.h"

namespace mmp {
namespace {

class CpuSearch : public MacroblockSearch {
 public:
  CpuSearch(const SpeedFeatures& speed_features, bool timing)
      : speed_features_(speed_features), timing_(timing) {}

  Status Search(const TileState& tile, Lambda lambda, std::span<SearchedMacroblock> front,
                TaskPool& pool, const std::function<void()>& beside) override {
    while (static_cast<int>(company_.size()) < pool.size())
      company_.push_back(std::make_unique<BranchSearch>(
          speed_features_, company_, static_cast<int>(company_.size()), timing_));
    {
      const StageTimer timer(timing_, seconds_costs_);
      symbol_costs_.Update(tile, lambda, pool);
    }
    ++fronts_;
    const int macroblocks = static_cast<int>(front.size());
    if (macroblocks == 1 && beside) beside();  // a single one has work for other members itself
    const bool has_beside = macroblocks > 1 && beside;
    if (pool.size() > 1) order_.Order(front);
    pool.ForEach(macroblocks + (has_beside ? 1 : 0), [&](int i, int member) {
      if (i == macroblocks) return beside();
      SearchMacroblock(tile, front[pool.size() > 1 ? order_.Macroblock(i) : i], pool,
                       *company_[member]);
    });
    return {};
  }

  SearchStats Stats() const override {
    SearchStats stats;
    stats.seconds_costs = seconds_costs_;
    for (const auto& branch : company_) stats += branch->Stats();
    return stats;
  }

 private:
  void SearchMacroblock(const TileState& tile, SearchedMacroblock& macroblock, TaskPool& pool,
                        BranchSearch& search) {
    const auto [y, x] = macroblock.place;
    BlockCopies copies;
    LoadBlockCopies(tile.block_vectors, tile.parameters.order, tile.plane.data(), tile.width,
                    macroblock.place, copies);
    Canvas canvas;
    LoadCanvas(tile.plane.data(), tile.width, tile.width, tile.height, y, x, canvas);
    const BranchContext context = {&symbol_costs_, &copies, &macroblock.original, fronts_,
                                   ++macroblocks_};
    search.Search(context, canvas, pool, macroblock.symbols);
  }

  const SpeedFeatures speed_features_;
  const bool timing_;
  double seconds_costs_ = 0;
  SymbolCosts symbol_costs_;
  BranchSearch::Company company_;
  LongestFirst order_;
  uint64_t fronts_ = 0;
  std::atomic<uint64_t> macroblocks_{0};
};

}  // namespace

std::unique_ptr<MacroblockSearch> MakeCpuSearch(const SpeedFeatures& speed_features, bool timing) {
  return std::make_unique<CpuSearch>(speed_features, timing);
}

}  // namespace mmp
