#include "codec/encoder/find_exact_blocks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace mmp {
namespace {

constexpr int kSize = ExactBlocks::kSize;
constexpr int kMostLevels = 4;      // of a block of text and lines
constexpr int kLeastContrast = 32;  // of such levels
// With fewer blocks of text and lines, or where they are a smaller part, nothing is gained that is
// worth another encode. Nor where too many blocks of few levels are a part of something else.
constexpr int kLeastBlocks = 16;
constexpr int kLeastPart = 128;
constexpr int kLeastAmongDrawnQ4 = 11;
constexpr int kLeastSurePart = 4;

enum class Kind : uint8_t {
  kFlat,
  kDrawn,  // of few levels, which are far from each other
  kOther,
};

Kind KindOf(const ImageView& block) {
  std::array<uint8_t, kMostLevels> levels;
  int count = 0;
  for (int y = 0; y < block.height; ++y) {
    const uint8_t* row = block.Row(y);
    for (int x = 0; x < block.width; ++x) {
      if (std::find(levels.begin(), levels.begin() + count, row[x]) != levels.begin() + count)
        continue;
      if (count == kMostLevels) return Kind::kOther;
      levels[count++] = row[x];
    }
  }
  if (count == 1) return Kind::kFlat;
  const auto [least, most] = std::minmax_element(levels.begin(), levels.begin() + count);
  return *most - *least < kLeastContrast ? Kind::kOther : Kind::kDrawn;
}

// The blocks of an image.
class BlockGrid {
 public:
  explicit BlockGrid(const ImageView& image)
      : image_(image),
        across_((image.width + kSize - 1) / kSize),
        down_((image.height + kSize - 1) / kSize) {}

  size_t size() const { return static_cast<size_t>(across_) * down_; }
  ImageView Block(size_t block) const {
    const int x = static_cast<int>(block % across_) * kSize,
              y = static_cast<int>(block / across_) * kSize;
    return image_.Crop(x, y, std::min(kSize, image_.width - x), std::min(kSize, image_.height - y));
  }
  // Calls body(block) for those that are at most so many blocks away, itself among them.
  template <typename Body>
  void ForEachNear(size_t block, int distance, Body body) const {
    const int x = static_cast<int>(block % across_), y = static_cast<int>(block / across_);
    for (int i = std::max(y - distance, 0); i <= std::min(y + distance, down_ - 1); ++i)
      for (int j = std::max(x - distance, 0); j <= std::min(x + distance, across_ - 1); ++j)
        body(static_cast<size_t>(i) * across_ + j);
  }

 private:
  const ImageView image_;
  const int across_, down_;
};

// The most frequent of counted levels.
class Histogram {
 public:
  void Add(const ImageView& block) {
    for (int y = 0; y < block.height; ++y)
      for (int x = 0; x < block.width; ++x) ++counts_[block.Row(y)[x]];
  }
  uint8_t MostFrequent() const {
    return static_cast<uint8_t>(std::max_element(counts_.begin(), counts_.end()) - counts_.begin());
  }

 private:
  std::array<int, 256> counts_{};
};

// How many blocks there are.
struct Counts {
  ptrdiff_t all = 0, flat = 0, drawn = 0;
  // Of letters with gray edges, some blocks have few levels, too: most around these are not drawn.
  ptrdiff_t among_drawn = 0;

  bool AreEnough() const {
    return among_drawn >= kLeastBlocks && among_drawn * kLeastPart >= all &&
           16 * among_drawn >= kLeastAmongDrawnQ4 * drawn;
  }
  bool AreSure() const { return among_drawn * kLeastSurePart >= all - flat; }
};

Counts CountBlocks(const BlockGrid& grid, const std::vector<Kind>& kinds) {
  constexpr int kDistance = 2;
  Counts counts = {.all = static_cast<ptrdiff_t>(grid.size())};
  for (size_t block = 0; block < grid.size(); ++block) {
    counts.flat += kinds[block] == Kind::kFlat;
    if (kinds[block] != Kind::kDrawn) continue;
    int drawn = 0, other = 0;
    grid.ForEachNear(block, kDistance, [&](size_t near) {
      drawn += kinds[near] == Kind::kDrawn;
      other += kinds[near] == Kind::kOther;
    });
    ++counts.drawn;
    counts.among_drawn += other <= drawn;
  }
  return counts;
}

// The drawn blocks, and the flat ones beside them.
std::vector<uint8_t> DrawnAndBeside(const BlockGrid& grid, const std::vector<Kind>& kinds) {
  std::vector<uint8_t> is_exact(grid.size());
  for (size_t block = 0; block < grid.size(); ++block) {
    if (kinds[block] == Kind::kOther) continue;
    const int distance = kinds[block] == Kind::kFlat ? 1 : 0;
    grid.ForEachNear(block, distance,
                     [&](size_t near) { is_exact[block] |= kinds[near] == Kind::kDrawn; });
  }
  return is_exact;
}

// The image with exact blocks as flat as what is most frequent around.
Image Filled(const ImageView& image, const BlockGrid& grid, const std::vector<uint8_t>& is_exact) {
  constexpr int kDistance = 2;
  Image filled(image.width, image.height);
  for (int y = 0; y < image.height; ++y) std::copy_n(image.Row(y), image.width, filled.Row(y));
  const BlockGrid to_fill(filled.View());
  for (size_t block = 0; block < grid.size(); ++block) {
    if (!is_exact[block]) continue;
    Histogram around;
    grid.ForEachNear(block, kDistance, [&](size_t near) {
      if (is_exact[near]) around.Add(grid.Block(near));
    });
    const ImageView at = to_fill.Block(block);
    const uint8_t level = around.MostFrequent();
    for (int y = 0; y < at.height; ++y)
      std::fill_n(filled.pixels().begin() + (at.Row(y) - filled.Row(0)), at.width, level);
  }
  return filled;
}

}  // namespace

std::optional<ExactRegions> FindExactRegions(const ImageView& image) {
  const BlockGrid grid(image);
  std::vector<Kind> kinds(grid.size());
  for (size_t block = 0; block < grid.size(); ++block) kinds[block] = KindOf(grid.Block(block));
  const Counts counts = CountBlocks(grid, kinds);
  if (!counts.AreEnough()) return {};
  ExactRegions regions;
  regions.are_sure = counts.AreSure();
  regions.is_exact = DrawnAndBeside(grid, kinds);
  regions.filled = Filled(image, grid, regions.is_exact);
  return regions;
}

ExactBlocks ExactBlocksOf(const ExactRegions* regions, const ImageView& image,
                          const TileInfo& tile) {
  if (regions == nullptr) return {};
  ExactBlocks blocks(tile.width, tile.height);
  const int across = (image.width + kSize - 1) / kSize;
  bool has_any = false;
  for (int y = 0; y < tile.height; ++y) {
    const uint8_t* row = image.Row(tile.y + y) + tile.x;
    std::copy_n(row, tile.width, &blocks.samples[static_cast<size_t>(y) * tile.width]);
    if (y % kSize != 0) continue;
    for (int x = 0; x < blocks.across(); ++x) {
      const uint8_t is_exact =
          regions
              ->is_exact[static_cast<size_t>((tile.y + y) / kSize) * across + tile.x / kSize + x];
      blocks.is_exact[static_cast<size_t>(y / kSize) * blocks.across() + x] = is_exact;
      has_any |= is_exact != 0;
    }
  }
  return has_any ? blocks : ExactBlocks();
}

}  // namespace mmp
