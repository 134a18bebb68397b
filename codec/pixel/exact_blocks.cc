#include "codec/pixel/exact_blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>

#include "codec/pixel/repeat_coder.h"

namespace mmp {
namespace {

constexpr int kMostLevels = 256;

// Whether each block is exact, by whether those left, above and beside that are.
void CodeWhichBlocks(BitPort& port, ExactBlocks& blocks) {
  std::array<CountedProbability, 16> probabilities;
  probabilities.fill({0.5, 0.0});
  const int across = blocks.across();
  const int down = static_cast<int>(blocks.is_exact.size()) / across;
  const auto at = [&](int y, int x) {
    return y >= 0 && x >= 0 && x < across && blocks.is_exact[static_cast<size_t>(y) * across + x];
  };
  for (int y = 0; y < down; ++y) {
    for (int x = 0; x < across; ++x) {
      CountedProbability& probability = probabilities[at(y, x - 1) + 2 * at(y - 1, x) +
                                                      4 * at(y - 1, x - 1) + 8 * at(y - 1, x + 1)];
      uint8_t& is_exact = blocks.is_exact[static_cast<size_t>(y) * across + x];
      is_exact = static_cast<uint8_t>(CodeBit(port, is_exact, probability.probability));
      probability.Adapt(is_exact);
    }
  }
}

// The gray levels of exact samples, in ascending order: how many, and each within what those before
// leave.
void CodeLevels(BitPort& port, std::vector<uint8_t>& levels) {
  const int count = 1 + port.EvenBits(8, static_cast<int>(levels.size()) - 1);
  levels.resize(static_cast<size_t>(count));
  int least = 0;
  for (int i = 0; i < count; ++i) {
    const int most = kMostLevels - count + i;
    const int bits = std::bit_width(static_cast<uint32_t>(most - least));
    const int above = port.EvenBits(bits, levels[i] - least);
    levels[i] = static_cast<uint8_t>(std::min(least + above, most));
    least = levels[i] + 1;
  }
}

struct Levels {
  std::vector<uint8_t> levels;
  int most_frequent = 0;  // its number
};

Levels LevelsOf(const ExactBlocks& blocks) {
  std::array<size_t, kMostLevels> counts{};
  for (int y = 0; y < blocks.height; ++y)
    for (int x = 0; x < blocks.width; ++x)
      if (blocks.Has(y, x)) ++counts[blocks.samples[static_cast<size_t>(y) * blocks.width + x]];
  Levels levels;
  size_t most = 0;
  for (int level = 0; level < kMostLevels; ++level) {
    if (counts[level] == 0) continue;
    if (counts[level] > most) levels.most_frequent = static_cast<int>(levels.levels.size());
    most = std::max(most, counts[level]);
    levels.levels.push_back(static_cast<uint8_t>(level));
  }
  return levels;
}

}  // namespace

ExactBlocks::ExactBlocks(int tile_width, int tile_height)
    : width(tile_width),
      height(tile_height),
      is_exact(static_cast<size_t>(across()) * ((height + kSize - 1) / kSize)),
      samples(static_cast<size_t>(width) * height) {}

void CodeExactBlocks(BitPort& port, ExactBlocks& blocks, const ExactRowCoded& goes_on) {
  CodeWhichBlocks(port, blocks);
  Levels levels;
  if (port.Encodes()) levels = LevelsOf(blocks);
  CodeLevels(port, levels.levels);
  const int count = static_cast<int>(levels.levels.size());
  const int background = std::min(
      port.EvenBits(std::bit_width(static_cast<uint32_t>(count - 1)), levels.most_frequent),
      count - 1);
  if (std::find(blocks.is_exact.begin(), blocks.is_exact.end(), 1) == blocks.is_exact.end()) return;

  // By their numbers; all others are taken to be the background.
  std::vector<uint16_t> numbers(blocks.samples.size(), static_cast<uint16_t>(background));
  if (port.Encodes()) {
    std::array<uint16_t, kMostLevels> number_of{};
    for (int i = 0; i < count; ++i) number_of[levels.levels[i]] = static_cast<uint16_t>(i);
    for (int y = 0; y < blocks.height; ++y)
      for (int x = 0; x < blocks.width; ++x)
        if (const size_t at = static_cast<size_t>(y) * blocks.width + x; blocks.Has(y, x))
          numbers[at] = number_of[blocks.samples[at]];
  }
  const PixelPlane plane = {numbers.data(), blocks.width, blocks.width, blocks.height, count, 0,
                            false,          false};
  std::make_unique<RepeatCoder>(port, plane, background)->RunOn(blocks, goes_on);
  for (size_t i = 0; i < numbers.size(); ++i) blocks.samples[i] = levels.levels[numbers[i]];
}

void ApplyExactBlocks(const ExactBlocks& blocks, ptrdiff_t stride, uint8_t* plane) {
  constexpr int kSize = ExactBlocks::kSize;
  const int across = blocks.across();
  for (int y = 0; blocks.IsUsed() && y < blocks.height; ++y) {
    for (int block = 0; block < across; ++block) {
      const int x = block * kSize;
      if (blocks.Has(y, x))
        std::memcpy(plane + y * stride + x,
                    &blocks.samples[static_cast<size_t>(y) * blocks.width + x],
                    std::min(kSize, blocks.width - x));
    }
  }
}

}  // namespace mmp
