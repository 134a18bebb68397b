#include "codec/copy_search.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace mmp {
namespace {

constexpr int kBlock = 8;  // side of the blocks that are looked up
constexpr int kStep = 4;   // between the blocks of a macroblock that are looked up
constexpr int kCell = 4;
constexpr int kMostPlaces = 32;  // looked at for a block
constexpr int kTableBits = 16;
// Cells that a vector must copy beyond those that others do: what it costs, about twenty bits, is
// less than theirs.
constexpr int kLeastCells = 3;

constexpr uint32_t kRowFactor = 0x9e3779b1;
constexpr uint32_t kColumnFactor = 0x85ebca6b;

}  // namespace

CopySearch::CopySearch(const ImageView& image) : image_(image) {
  const int width = image.width, height = image.height;
  const size_t pixels = static_cast<size_t>(width) * height;
  hashes_.assign(pixels, 0);
  places_.latest.assign(size_t{1} << kTableBits, -1);
  places_.earlier.assign(pixels, -1);
  if (width < kBlock || height < kBlock) return;
  // Of a row of pixels from each place, then of a column of such rows.
  std::vector<uint32_t> rows(pixels);
  std::vector<uint8_t> is_flat(pixels);  // the row
  for (int y = 0; y < height; ++y) {
    const uint8_t* from = image.Row(y);
    const size_t at = static_cast<size_t>(y) * width;
    for (int x = 0; x + kBlock <= width; ++x) {
      uint32_t hash = 0;
      bool flat = true;
      for (int k = 0; k < kBlock; ++k) {
        hash = hash * kRowFactor + from[x + k] + 1;
        flat &= from[x + k] == from[x];
      }
      rows[at + x] = hash;
      is_flat[at + x] = flat;
    }
  }
  for (int y = 0; y + kBlock <= height; ++y) {
    for (int x = 0; x + kBlock <= width; ++x) {
      const size_t at = static_cast<size_t>(y) * width + x;
      uint32_t hash = 0;
      bool flat = true;
      for (int k = 0; k < kBlock; ++k) {
        const size_t row = at + static_cast<size_t>(k) * width;
        hash = (std::rotl(hash, 15) ^ rows[row]) * kColumnFactor;
        flat &= is_flat[row] && rows[row] == rows[at];
      }
      hashes_[at] = flat ? 0 : hash | 1;
    }
  }
}

// Those with more than one gray level.
CopySearch::Cells CopySearch::RichCells(int y, int x) const {
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
CopySearch::Cells CopySearch::CellsCopied(CopyVector vector, int y, int x) const {
  const int bottom = std::min(y + kMacroblockSize, image_.height);
  const int right = std::min(x + kMacroblockSize, image_.width);
  Cells copied = 0;
  for (int top = y; top < bottom; top += kCell) {
    for (int left = x; left < right; left += kCell) {
      const int height = std::min(kCell, bottom - top), width = std::min(kCell, right - left);
      const int from_y = top + vector.y, from_x = left + vector.x;
      if (from_y < 0 || from_x < 0 || from_x + width > image_.width) continue;
      if (from_y + height > y && from_x + width > x) continue;
      bool equal = true;
      for (int i = 0; i < height; ++i)
        equal &= std::equal(image_.Row(top + i) + left, image_.Row(top + i) + left + width,
                            image_.Row(from_y + i) + from_x);
      if (equal) copied |= 1u << ((top - y) / kCell * kCell + (left - x) / kCell);
    }
  }
  return copied;
}

void CopySearch::CollectCandidates(int y, int x, std::vector<CopyVector>& candidates) const {
  candidates.clear();
  for (int i = y; i + kBlock <= std::min(y + kMacroblockSize, image_.height); i += kStep) {
    for (int j = x; j + kBlock <= std::min(x + kMacroblockSize, image_.width); j += kStep) {
      const uint32_t hash = hashes_[static_cast<size_t>(i) * image_.width + j];
      if (hash == 0) continue;
      int32_t place = places_.latest[hash >> (32 - kTableBits)];
      for (int k = 0; k < kMostPlaces && place >= 0; ++k, place = places_.earlier[place]) {
        if (hashes_[place] != hash) continue;
        const CopyVector vector = {place / image_.width - i, place % image_.width - j};
        if (vector.y > 0) continue;  // in the macroblock on the left
        if (std::find(candidates.begin(), candidates.end(), vector) == candidates.end())
          candidates.push_back(vector);
      }
    }
  }
}

std::vector<CopyVector> CopySearch::FindNew(const CopyVectors& known, int y, int x) {
  std::vector<CopyVector> found;
  std::vector<CopyVector> candidates;
  CollectCandidates(y, x, candidates);
  if (candidates.empty()) return found;
  Cells wanted = RichCells(y, x);
  for (int k = 0; k < known.count(); ++k) wanted &= ~CellsCopied(known[k], y, x);
  while (static_cast<int>(found.size()) < kMostNewCopyVectors) {
    CopyVector best{};
    int most = kLeastCells - 1;
    for (const CopyVector& vector : candidates) {
      const int cells = std::popcount(CellsCopied(vector, y, x) & wanted);
      const int cost = CopyClass(vector.y) + CopyClass(vector.x);
      if (cells < most ||
          (cells == most && (cells < kLeastCells || cost >= CopyClass(best.y) + CopyClass(best.x))))
        continue;
      most = cells;
      best = vector;
    }
    if (most < kLeastCells) break;
    found.push_back(best);
    wanted &= ~CellsCopied(best, y, x);
  }
  return found;
}

void CopySearch::Add(int y, int x) {
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
