#include "codec/rdo/similar_blocks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

namespace mmp {
namespace {

constexpr int kSignCell = 2;
constexpr int kSignCells = SimilarBlocks::kSide / kSignCell;  // across a block
constexpr int kAllSignCells = kSignCells * kSignCells;
constexpr int kSignatures = 1 << kAllSignCells;
constexpr int kSignedTogether = 32;  // rows
// Between the sums of the brightest and the darkest cell of a block that is not flat: 12 levels.
constexpr int kLeastContrast = 12 * kSignCell * kSignCell;
// The cells nearest to the mean may be brighter than it or not: all signatures are looked up.
constexpr int kUncertainCells = 2;
constexpr int kMostOfSignature = 128;  // compared with a block, of each signature

void Insert(SimilarBlocks::Found found, SimilarBlocks::Matches& to) {
  int k = std::min(to.count, SimilarBlocks::kMostFound - 1);
  for (; k > 0 && found.squared_error < to.found[k - 1].squared_error; --k)
    to.found[k] = to.found[k - 1];
  to.found[k] = found;
  to.count = std::min(to.count + 1, SimilarBlocks::kMostFound);
}

}  // namespace

SimilarBlocks::SimilarBlocks(const ImageView& image, TaskPool& pool)
    : image_(image), places_(kSignatures, static_cast<size_t>(image.width) * image.height) {
  const size_t pixels = static_cast<size_t>(image.width) * image.height;
  signatures_ = std::make_unique_for_overwrite<uint16_t[]>(pixels);
  pool.ForEach((image.height + kSignedTogether - 1) / kSignedTogether, [&](int i, int /*member*/) {
    const int first = i * kSignedTogether;
    SignRows(first, std::min(first + kSignedTogether, image_.height));
  });
}

void SimilarBlocks::SignRows(int first, int last) {
  const int width = image_.width, across = width - kSide + 1;
  const int end = std::min(last, image_.height - kSide + 1);  // of the rows where blocks begin
  uint16_t* to = &signatures_[static_cast<size_t>(first) * width];
  std::fill_n(to, static_cast<size_t>(last - first) * width, uint16_t{0});
  if (across <= 0 || first >= end) return;
  // Of the cell at each place.
  const int cells_across = width - kSignCell + 1, cell_rows = end - first + kSide - kSignCell;
  std::vector<int16_t> sums(static_cast<size_t>(cell_rows) * cells_across);
  for (int y = 0; y < cell_rows; ++y) {
    const uint8_t* row = image_.Row(first + y);
    const uint8_t* next = image_.Row(first + y + 1);
    int16_t* sum = &sums[static_cast<size_t>(y) * cells_across];
    for (int x = 0; x < cells_across; ++x)
      sum[x] = static_cast<int16_t>(row[x] + row[x + 1] + next[x] + next[x + 1]);
  }
  std::vector<int16_t> block(across), least(across), most(across);
  std::vector<uint16_t> signs(across);
  for (int y = first; y < end; ++y, to += width) {
    const auto cell = [&](int k) {
      return &sums[static_cast<size_t>(y - first + k / kSignCells * kSignCell) * cells_across +
                   k % kSignCells * kSignCell];
    };
    std::ranges::fill(block, int16_t{0});
    std::ranges::fill(least, std::numeric_limits<int16_t>::max());
    std::ranges::fill(most, int16_t{0});
    std::ranges::fill(signs, uint16_t{0});
    for (int k = 0; k < kAllSignCells; ++k) {
      const int16_t* sum = cell(k);
      for (int x = 0; x < across; ++x) {
        block[x] = static_cast<int16_t>(block[x] + sum[x]);
        least[x] = std::min(least[x], sum[x]);
        most[x] = std::max(most[x], sum[x]);
      }
    }
    for (int k = 0; k < kAllSignCells; ++k) {
      const int16_t* sum = cell(k);
      const auto bit = static_cast<int16_t>(1 << k);
      for (int x = 0; x < across; ++x) {
        const auto times = static_cast<int16_t>(sum[x] * kAllSignCells);
        signs[x] = static_cast<uint16_t>(signs[x] | (times > block[x] ? bit : 0));
      }
    }
    for (int x = 0; x < across; ++x)
      to[x] = most[x] - least[x] >= kLeastContrast ? signs[x] : uint16_t{0};
  }
}

void SimilarBlocks::Add(int y, int x) {
  const int32_t place = y * image_.width + x;
  const uint16_t signature = signatures_[place];
  if (signature != 0) places_.Add(signature, place);
}

SimilarBlocks::Matches SimilarBlocks::Find(int y, int x) const {
  Matches matches;
  const uint16_t signature = signatures_[static_cast<size_t>(y) * image_.width + x];
  if (signature == 0) return matches;
  std::array<std::pair<int, int>, kAllSignCells> uncertain;  // how far from the mean, which cell
  int block = 0;
  for (int k = 0; k < kAllSignCells; ++k) {
    const uint8_t* row =
        image_.Row(y + k / kSignCells * kSignCell) + x + k % kSignCells * kSignCell;
    const uint8_t* next =
        image_.Row(y + k / kSignCells * kSignCell + 1) + x + k % kSignCells * kSignCell;
    const int sum = row[0] + row[1] + next[0] + next[1];
    uncertain[k] = {sum * kAllSignCells, k};
    block += sum;
  }
  for (auto& [distance, cell] : uncertain) distance = std::abs(distance - block);
  std::partial_sort(uncertain.begin(), uncertain.begin() + kUncertainCells, uncertain.end());
  constexpr int kLists = 1 << kUncertainCells;
  std::array<int32_t, kLists> next;
  for (int flips = 0; flips < kLists; ++flips) {
    int flipped = 0;
    for (int k = 0; k < kUncertainCells; ++k) flipped |= (flips >> k & 1) << uncertain[k].second;
    next[flips] = places_.Latest(signature ^ flipped);
  }
  // Side by side, as each place must be waited for.
  std::array<int32_t, kLists * kMostOfSignature> places;
  int count = 0;
  for (int k = 0; k < kMostOfSignature; ++k) {
    for (int32_t& place : next) {
      if (place < 0) continue;
      places[count++] = place;
      place = places_.Before(place);
    }
  }
  for (int k = 0; k < count; ++k) {
    const int at_y = places[k] / image_.width, at_x = places[k] % image_.width;
    if (at_y > y) continue;
    const int32_t error = SquaredError(y, x, at_y, at_x);
    if (matches.count < kMostFound || error < matches.found[kMostFound - 1].squared_error)
      Insert({error, at_y, at_x}, matches);
  }
  return matches;
}

int32_t SimilarBlocks::SquaredError(int y, int x, int other_y, int other_x) const {
  int32_t sum = 0;
  for (int i = 0; i < kSide; ++i) {
    const uint8_t* row = image_.Row(y + i) + x;
    const uint8_t* other = image_.Row(other_y + i) + other_x;
    for (int j = 0; j < kSide; ++j) {
      const int difference = row[j] - other[j];
      sum += difference * difference;
    }
  }
  return sum;
}

}  // namespace mmp
