#include "codec/rdo/block_vector_search.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "codec/base/fixed_log2.h"
#include "codec/base/levels.h"

namespace mmp {
namespace {

constexpr int kBlock = 8;  // side of the blocks that are looked up
static_assert(kBlock == EqualBlocks::kSide && kBlock == SimilarBlocks::kSide);
constexpr int kStep = 4;  // between the blocks of a macroblock that are looked up
// What a vector must save beyond its own bits, as estimates are rough.
constexpr int64_t kBit = 1 << kRateShift;
constexpr int64_t kLeastGain = 15 * kBit;

void AddOnce(BlockVector vector, std::vector<BlockVector>& vectors) {
  if (std::find(vectors.begin(), vectors.end(), vector) == vectors.end()) vectors.push_back(vector);
}

// About what it costs to send it: its classes, three to four bits each, and what these leave open.
int BitsOf(BlockVector vector) {
  return 7 + BlockVectorClass(vector.y) + BlockVectorClass(vector.x);
}

}  // namespace

BlockVectorSearch::BlockVectorSearch(const ImageView& image, const CodecParameters& parameters,
                                     Lambda lambda, TaskPool& pool)
    : image_(image), costs_(image, parameters, lambda), equal_(image, pool) {
  if (parameters.order == MacroblockOrder::kRaster) similar_.emplace(image, pool);
}

void BlockVectorSearch::CollectVectors(MacroblockPlace place,
                                       std::vector<BlockVector>& vectors) const {
  const int bottom = std::min(place.y + kMacroblockSize, image_.height) - kBlock;
  const int right = std::min(place.x + kMacroblockSize, image_.width) - kBlock;
  for (int y = place.y; y <= bottom; y += kStep) {
    for (int x = place.x; x <= right; x += kStep) {
      for (const auto& found : equal_.Find(y, x)) AddOnce({found.y - y, found.x - x}, vectors);
      if (!similar_) continue;
      const SimilarBlocks::Matches matches = similar_->Find(y, x);
      for (int k = 0; k < matches.count; ++k)
        AddOnce({matches.found[k].y - y, matches.found[k].x - x}, vectors);
    }
  }
}

CellCosts BlockVectorSearch::CostWith(const BlockVectorList& vectors, MacroblockPlace place) const {
  CellCosts costs = costs_.Predicted(place), copy;
  for (int k = 0; k < vectors.count(); ++k)
    if (costs_.Copied(vectors[k], place, copy)) Improve(copy, costs);
  return costs;
}

BlockVectorSearch::Choice BlockVectorSearch::Choose(const BlockVectorList& known,
                                                    std::span<const MacroblockPlace> front) const {
  std::vector<CellCosts> costs(front.size());
  if (front.empty()) return {};
  if (similar_) {
    // Most of a page is paper, where no vector is worth looking for.
    costs[0] = CostWith(known, front[0]);
    if (SumOf(costs[0]) <= kLeastGain) return {};
  }
  std::vector<BlockVector> vectors;
  for (const MacroblockPlace place : front) CollectVectors(place, vectors);
  const std::vector<Candidate> candidates = CostCandidates(vectors, front);
  if (!similar_) {
    std::vector<bool> copied(front.size());
    for (const Candidate& candidate : candidates)
      for (const Copy& copy : candidate.copies) copied[copy.macroblock] = true;
    for (size_t i = 0; i < front.size(); ++i)
      if (copied[i]) costs[i] = CostWith(known, front[i]);
  }
  Choice choice;
  while (static_cast<int>(choice.vectors.size()) < kMostNewBlockVectors) {
    const Candidate* best = nullptr;
    int64_t most = kLeastGain;
    for (const Candidate& candidate : candidates) {
      int64_t gain = -BitsOf(candidate.vector) * kBit;
      for (const Copy& copy : candidate.copies) {
        CellCosts improved = costs[copy.macroblock];
        gain += Improve(copy.costs, improved);
      }
      if (gain <= most) continue;
      most = gain;
      best = &candidate;
    }
    if (best == nullptr) break;
    choice.vectors.push_back(best->vector);
    choice.saved += most;
    for (const Copy& copy : best->copies) Improve(copy.costs, costs[copy.macroblock]);
  }
  return choice;
}

std::vector<BlockVectorSearch::Candidate> BlockVectorSearch::CostCandidates(
    const std::vector<BlockVector>& vectors, std::span<const MacroblockPlace> front) const {
  std::vector<Candidate> candidates;
  for (const BlockVector vector : vectors) {
    Candidate candidate = {vector, {}};
    for (size_t i = 0; i < front.size(); ++i) {
      Copy copy = {i, {}};
      if (costs_.Copied(vector, front[i], copy.costs)) candidate.copies.push_back(copy);
    }
    if (!candidate.copies.empty()) candidates.push_back(std::move(candidate));
  }
  return candidates;
}

void BlockVectorSearch::Add(std::span<const MacroblockPlace> front) {
  for (const MacroblockPlace place : front) {
    // The blocks whose last pixel, or a pixel of whose last row or column, lies in the macroblock:
    // everything above and on the left has been coded.
    const int bottom = std::min(place.y + kMacroblockSize, image_.height) - kBlock;
    const int right = std::min(place.x + kMacroblockSize, image_.width) - kBlock;
    for (int y = std::max(0, place.y - kBlock + 1); y <= bottom; ++y) {
      for (int x = std::max(0, place.x - kBlock + 1); x <= right; ++x) {
        equal_.Add(y, x);
        if (similar_) similar_->Add(y, x);
      }
    }
  }
}

bool BlockVectorSearch::PayInRasterOrder(const ImageView& image, const CodecParameters& parameters,
                                         Lambda lambda) {
  constexpr int kMostSide = 512;
  constexpr int kSampled = 7;      // every seventh macroblock, where half of the window is known
  constexpr int kLeastShare = 25;  // one bit in so many is to be saved
  CodecParameters in_raster_order = parameters;
  in_raster_order.order = MacroblockOrder::kRaster;
  const int width = std::min(image.width, kMostSide), height = std::min(image.height, kMostSide);
  const int windows = image.width > kMostSide || image.height > kMostSide ? 2 : 1;
  int64_t cost = 0, saved = 0;
  for (int k = 1; k <= windows; ++k) {
    const ImageView window = image.Crop((image.width - width) * k / (windows + 1),
                                        (image.height - height) * k / (windows + 1), width, height);
    BlockVectorSearch search(window, in_raster_order, lambda, TaskPool::Alone());
    FrontWalk walk(MacroblockOrder::kRaster, PaddedToMacroblocks(width),
                   PaddedToMacroblocks(height));
    for (int number = 0; walk.Next(); ++number) {
      const auto front = walk.front();
      if (front[0].y >= height / 2 && number % kSampled == 0) {
        cost += SumOf(search.costs_.Predicted(front[0]));
        saved += search.Choose({}, front).saved;
      }
      search.Add(front);
    }
  }
  return saved * kLeastShare > cost;
}

}  // namespace mmp
