#include "codec/rdo/equal_blocks.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace mmp {
namespace {

constexpr int kMostOfHash = 32;  // whose hashes are compared with a block's
constexpr int kTableBits = 16;
constexpr int kHashedTogether = 32;  // rows; the seven below these are hashed twice

constexpr uint32_t kRowFactor = 0x9e3779b1;
constexpr uint32_t kColumnFactor = 0x85ebca6b;

}  // namespace

EqualBlocks::EqualBlocks(const ImageView& image, TaskPool& pool)
    : image_(image),
      places_(size_t{1} << kTableBits, static_cast<size_t>(image.width) * image.height) {
  const size_t pixels = static_cast<size_t>(image.width) * image.height;
  // Whoever writes first to memory waits until there is some: threads do it together.
  hashes_ = std::make_unique_for_overwrite<uint32_t[]>(pixels);
  pool.ForEach((image.height + kHashedTogether - 1) / kHashedTogether, [&](int i, int /*member*/) {
    const int first = i * kHashedTogether;
    HashRows(first, std::min(first + kHashedTogether, image_.height));
  });
}

// First of rows of pixels from each place, then of columns of such rows.
void EqualBlocks::HashRows(int first, int last) {
  const int width = image_.width, across = width - kSide + 1;
  const int end = std::min(last, image_.height - kSide + 1);  // of the rows where blocks begin
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
      std::make_unique_for_overwrite<Row[]>(static_cast<size_t>(end - first + kSide - 1) * across);
  for (int y = first; y < end + kSide - 1; ++y) {
    const uint8_t* from = image_.Row(y);
    Row* row = &rows[static_cast<size_t>(y - first) * across];
    for (int x = 0; x < across; ++x) {
      uint32_t hash = 0;
      bool flat = true;
      for (int k = 0; k < kSide; ++k) {
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
      for (int k = 0; k < kSide; ++k, row += across) {
        hash = (std::rotl(hash, 15) ^ row->hash) * kColumnFactor;
        flat &= row->is_flat && row->hash == top;
      }
      to[x] = flat ? 0 : hash | 1;
    }
  }
}

void EqualBlocks::Add(int y, int x) {
  const int32_t place = y * image_.width + x;
  const uint32_t hash = hashes_[place];
  if (hash != 0) places_.Add(hash >> (32 - kTableBits), place);
}

std::vector<EqualBlocks::Place> EqualBlocks::Find(int y, int x) const {
  std::vector<Place> places;
  const uint32_t hash = hashes_[static_cast<size_t>(y) * image_.width + x];
  if (hash == 0) return places;
  int32_t place = places_.Latest(hash >> (32 - kTableBits));
  for (int k = 0; k < kMostOfHash && place >= 0; ++k, place = places_.Before(place)) {
    const Place found = {place / image_.width, place % image_.width};
    if (hashes_[place] == hash && found.y <= y) places.push_back(found);
  }
  return places;
}

}  // namespace mmp
