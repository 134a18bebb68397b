#include "codec/rdo/block_vector_search.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>

#include "mmp/types.h"

namespace mmp {
namespace {

static_assert(kMaxTilePixels <= std::numeric_limits<int32_t>::max());
constexpr int kBlock = 8;  // side of the blocks that are looked up
constexpr int kStep = 4;   // between the blocks of a macroblock that are looked up
constexpr int kCell = 4;
constexpr int kMostPlaces = 32;  // compared with a block
constexpr int kTableBits = 16;
constexpr int kHashedTogether = 32;  // rows; the seven below these are hashed twice
// Cells that a vector must copy beyond those that others do, so that it saves more than the about
// twenty bits that it costs.
constexpr int kLeastCells = 3;

constexpr uint32_t kRowFactor = 0x9e3779b1;
constexpr uint32_t kColumnFactor = 0x85ebca6b;

}  // namespace

BlockVectorSearch::BlockVectorSearch(const ImageView& image, MacroblockOrder order, TaskPool& pool)
    : image_(image), order_(order) {
  const size_t pixels = static_cast<size_t>(image.width) * image.height;
  // Whoever writes first to memory waits until there is some: threads do it together.
  hashes_ = std::make_unique_for_overwrite<uint32_t[]>(pixels);
  places_.latest.assign(size_t{1} << kTableBits, -1);
  places_.earlier = std::make_unique_for_overwrite<int32_t[]>(pixels);
  pool.ForEach((image.height + kHashedTogether - 1) / kHashedTogether, [&](int i, int /*member*/) {
    const int first = i * kHashedTogether;
    HashRows(first, std::min(first + kHashedTogether, image_.height));
  });
}

// First of rows of pixels from each place, then of columns of such rows.
void BlockVectorSearch::HashRows(int first, int last) {
  const int width = image_.width, across = width - kBlock + 1;
  const int end = std::min(last, image_.height - kBlock + 1);  // of the rows where blocks begin
  if (across <= 0 || first >= end) {
    std::fill_n(&hashes_[static_cast<size_t>(first) * width],
                static_cast<size_t>(last - first) * width, 0u);
    return;
  }
  struct Row {
    uint32_t hash;
    bool is_flat;
  };
  const auto rows =
      std::make_unique_for_overwrite<Row[]>(static_cast<size_t>(end - first + kBlock - 1) * across);
  for (int y = first; y < end + kBlock - 1; ++y) {
    const uint8_t* from = image_.Row(y);
    Row* row = &rows[static_cast<size_t>(y - first) * across];
    for (int x = 0; x < across; ++x) {
      uint32_t hash = 0;
      bool flat = true;
      for (int k = 0; k < kBlock; ++k) {
        hash = hash * kRowFactor + from[x + k] + 1;
        flat &= from[x + k] == from[x];
      }
      row[x] = {hash, flat};
    }
  }
  for (int y = first; y < last; ++y) {
    uint32_t* to = &hashes_[static_cast<size_t>(y) * width];
    const int blocks = y < end ? across : 0;
    std::fill(to + blocks, to + width, 0u);
    for (int x = 0; x < blocks; ++x) {
      const Row* row = &rows[static_cast<size_t>(y - first) * across + x];
      const uint32_t top = row->hash;
      uint32_t hash = 0;
      bool flat = true;
      for (int k = 0; k < kBlock; ++k, row += across) {
        hash = (std::rotl(hash, 15) ^ row->hash) * kColumnFactor;
        flat &= row->is_flat && row->hash == top;
      }
      to[x] = flat ? 0 : hash | 1;
    }
  }
}

// Those with more than one gray level.
BlockVectorSearch::Cells BlockVectorSearch::RichCells(MacroblockPlace place) const {
  const auto [y, x] = place;
  Cells rich = 0;
  const int bottom = std::min(y + kMacroblockSize, image_.height);
  const int right = std::min(x + kMacroblockSize, image_.width);
  for (int i = y; i < bottom; ++i) {
    const uint8_t* row = image_.Row(i);
    for (int j = x; j < right; ++j) {
      const int top = y + (i - y) / kCell * kCell, left = x + (j - x) / kCell * kCell;
      if (row[j] != image_.Row(top)[left])
        rich |= 1u << ((i - y) / kCell * kCell + (j - x) / kCell);
    }
  }
  return rich;
}

// Those that are equal to what `vector` copies.
BlockVectorSearch::Cells BlockVectorSearch::CellsCopied(BlockVector vector,
                                                        MacroblockPlace place) const {
  const auto [y, x] = place;
  const int bottom = std::min(y + kMacroblockSize, image_.height);
  const int right = std::min(x + kMacroblockSize, image_.width);
  Cells copied = 0;
  for (int top = y; top < bottom; top += kCell) {
    for (int left = x; left < right; left += kCell) {
      const int height = std::min(kCell, bottom - top), width = std::min(kCell, right - left);
      const int from_y = top + vector.y, from_x = left + vector.x;
      if (from_y < 0 || from_x < 0 || from_x + width > image_.width) continue;
      if (!IsEarlier(from_y + height - 1, from_x + width - 1, place)) continue;
      bool equal = true;
      for (int i = 0; i < height; ++i)
        equal &= std::equal(image_.Row(top + i) + left, image_.Row(top + i) + left + width,
                            image_.Row(from_y + i) + from_x);
      if (equal) copied |= 1u << ((top - y) / kCell * kCell + (left - x) / kCell);
    }
  }
  return copied;
}

bool BlockVectorSearch::IsEarlier(int bottom, int right, MacroblockPlace place) const {
  return order_ == MacroblockOrder::kWavefront ? FrontOf(bottom, right) < FrontOf(place.y, place.x)
                                               : bottom < place.y || right < place.x;
}

void BlockVectorSearch::CollectCandidates(MacroblockPlace macroblock,
                                          std::vector<BlockVector>& candidates) const {
  const auto [y, x] = macroblock;
  for (int i = y; i + kBlock <= std::min(y + kMacroblockSize, image_.height); i += kStep) {
    for (int j = x; j + kBlock <= std::min(x + kMacroblockSize, image_.width); j += kStep) {
      const uint32_t hash = hashes_[static_cast<size_t>(i) * image_.width + j];
      if (hash == 0) continue;
      int32_t place = places_.latest[hash >> (32 - kTableBits)];
      for (int k = 0; k < kMostPlaces && place >= 0; ++k, place = places_.earlier[place]) {
        if (hashes_[place] != hash) continue;
        const BlockVector vector = {place / image_.width - i, place % image_.width - j};
        if (vector.y > 0) continue;  // in the macroblock on the left
        if (std::find(candidates.begin(), candidates.end(), vector) == candidates.end())
          candidates.push_back(vector);
      }
    }
  }
}

std::vector<BlockVector> BlockVectorSearch::FindNew(const BlockVectorList& known,
                                                    std::span<const MacroblockPlace> front) {
  std::vector<BlockVector> found;
  std::vector<BlockVector> candidates;
  for (const MacroblockPlace place : front) CollectCandidates(place, candidates);
  if (candidates.empty()) return found;
  std::vector<Cells> wanted;  // of each macroblock
  for (const MacroblockPlace place : front) wanted.push_back(RichCells(place));
  const auto drop_copied = [&](BlockVector vector) {
    for (size_t i = 0; i < front.size(); ++i) wanted[i] &= ~CellsCopied(vector, front[i]);
  };
  const auto count_copied = [&](BlockVector vector) {
    int cells = 0;
    for (size_t i = 0; i < front.size(); ++i)
      if (wanted[i] != 0) cells += std::popcount(CellsCopied(vector, front[i]) & wanted[i]);
    return cells;
  };
  for (int k = 0; k < known.count(); ++k) drop_copied(known[k]);
  while (static_cast<int>(found.size()) < kMostNewBlockVectors) {
    BlockVector best{};
    int most = kLeastCells - 1;
    for (const BlockVector& vector : candidates) {
      const int cells = count_copied(vector);
      const int cost = BlockVectorClass(vector.y) + BlockVectorClass(vector.x);
      if (cells < most ||
          (cells == most &&
           (cells < kLeastCells || cost >= BlockVectorClass(best.y) + BlockVectorClass(best.x))))
        continue;
      most = cells;
      best = vector;
    }
    if (most < kLeastCells) break;
    found.push_back(best);
    drop_copied(best);
  }
  return found;
}

void BlockVectorSearch::Add(std::span<const MacroblockPlace> front) {
  for (const MacroblockPlace place : front) Add(place);
}

void BlockVectorSearch::Add(MacroblockPlace macroblock) {
  const auto [y, x] = macroblock;
  // The blocks whose last pixel, or a pixel of whose last row or column, lies in the macroblock:
  // everything above and on the left has been coded.
  const int bottom = std::min(y + kMacroblockSize, image_.height) - kBlock;
  const int right = std::min(x + kMacroblockSize, image_.width) - kBlock;
  for (int i = std::max(0, y - kBlock + 1); i <= bottom; ++i) {
    for (int j = std::max(0, x - kBlock + 1); j <= right; ++j) {
      const int32_t place = i * image_.width + j;
      if (hashes_[place] == 0) continue;
      int32_t& latest = places_.latest[hashes_[place] >> (32 - kTableBits)];
      places_.earlier[place] = latest;
      latest = place;
    }
  }
}

}  // namespace mmp
