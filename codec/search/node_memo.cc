#include "codec/search/node_memo.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace mmp {
namespace {

uint64_t HashWords(const uint8_t* bytes, int size) {
  // Four independent chains, so that their multiplications overlap; `size` is a multiple of 8.
  uint64_t h[4] = {1, 2, 3, 4};
  int k = 0;
  auto mix = [&](int chain) {
    uint64_t word;
    std::memcpy(&word, bytes + k, sizeof(word));
    h[chain] = (std::rotl(h[chain], 29) ^ word) * 0x9e3779b97f4a7c15u;
    k += 8;
  };
  while (k + 32 <= size)
    for (int chain = 0; chain < 4; ++chain) mix(chain);
  while (k < size) mix(0);
  uint64_t hash = 0;
  for (const uint64_t part : h) hash = (std::rotl(hash, 31) ^ part) * 0xbf58476d1ce4e5b9u;
  return hash ^ hash >> 32;
}

}  // namespace

NodeContext::NodeContext(const Canvas& canvas, BlockRect rect, bool far) {
  uint8_t* to = bytes;
  auto copy = [&](int y, int x, int count) {
    const int index = Canvas::Index(y, x);
    std::memcpy(to, canvas.pixels + index, count);
    std::memcpy(to + count, canvas.available + index, count);
    to += 2 * count;
  };
  if (far) {
    for (int i = 0; i < kMacroblockSize; ++i) copy(i, 0, kMacroblockSize);
    Finish(to);
    return;
  }
  const int h = rect.height(), w = rect.width();
  // Whole words, so a little more than is read on the right.
  const int above = std::max(8, w) + 2 * kReach;
  for (int i = 1; i <= kReach; ++i) copy(rect.y - i, rect.x - kReach, above);
  // The down-left directions read on along the row above.
  if (h > kReach) copy(rect.y - 1, rect.x + w, h);
  for (int i = 0; i < std::min(h + kReach, kMacroblockSize - rect.y); ++i)
    copy(rect.y + i, rect.x - kReach, kReach);
  Finish(to);
}

void NodeContext::Finish(const uint8_t* end) {
  size = static_cast<int>(end - bytes);
  hash = HashWords(bytes, size);
}

}  // namespace mmp
