#include "codec/postfilter/network_filter.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <utility>

#include "codec/base/levels.h"
#include "codec/postfilter/filter_blocks.h"
#include "codec/postfilter/network_rows.h"

namespace mmp {
namespace {

constexpr int kBlockPositions = kFilterBlockSize / 2;  // across a block

// Of an area that is worked on by itself, in positions, a multiple of kBlockPositions. The rows of
// all layers that are kept of it stay in a core's cache. What lies around an area is computed for
// its neighbours, too: where there are many threads, areas are lower and then narrower, but no
// smaller than this.
constexpr int kMostAcross = 256, kLeastAcross = 64;
constexpr int kLeastShared = 2;  // rows of blocks

constexpr int kRowsKept = 3;  // of each layer

}  // namespace

bool HasNetworkPairs(const CodecParameters& parameters) {
  return parameters.Uses(kTwoNetworks) && !parameters.Uses(kSmallNetwork);
}

std::span<const NetworkKind> NetworksOf(const CodecParameters& parameters, NetworkPair pair) {
  using enum NetworkKind;
  static constexpr std::array kOneSmall = {kSmall}, kOneLarge = {kLarge};
  static constexpr std::array kTwoSmall = {kFirstSmall, kSecondSmall};
  static constexpr std::array kTwoDeep = {kFirstDeep, kSecondDeep};
  static constexpr std::array kWithThird = {kFirstDeep, kThirdDeep};
  using Kinds = std::span<const NetworkKind>;
  const bool are_small = parameters.Uses(kSmallNetwork);
  if (HasNetworkPairs(parameters))
    return pair == NetworkPair::kThird ? Kinds(kWithThird) : Kinds(kTwoDeep);
  if (parameters.Uses(kTwoNetworks)) return kTwoSmall;
  return are_small ? Kinds(kOneSmall) : Kinds(kOneLarge);
}

std::vector<NetworkBlocks> BlocksByNetwork(const NetworkChoice& choice) {
  std::vector<NetworkBlocks> by_network;
  for (size_t place = 0; place < choice.networks.size(); ++place) {
    const NetworkKind kind = choice.networks[place];
    NetworkBlocks blocks = {kind, OriginOf(kind, choice.origin), {}};
    bool filters_any = false;
    for (const uint8_t block : choice.blocks) {
      blocks.is_filtered.push_back(block == place + 1 ? 1 : 0);
      filters_any |= block == place + 1;
    }
    if (filters_any) by_network.push_back(std::move(blocks));
  }
  return by_network;
}

// The positions that have an area's pixels, row by row: of each layer the last rows are kept, and
// the layers follow each other at a distance of one row. Rows are folded, see FoldedRow.
class NetworkFilter::Strip {
 public:
  Strip(const NetworkFilter& filter, const PredictedTile& tile, const NetworkArea& area)
      : filter_(filter),
        tile_(tile),
        seen_(Within(tile, filter.origin_)),
        written_(area),
        area_(Covering(area, filter.origin_, seen_)),
        layers_(filter.shape_.layers()),
        columns_(Columns(filter.shape_, area_.columns())),
        beyond_{std::max(layers_ - area_.left, 0),
                std::max(area_.right + layers_ - seen_.width / 2, 0)},
        rows_(layers_) {
    for (int stage = 0; stage < layers_; ++stage)
      rows_[stage].resize(RowValues(filter.shape_, columns_, stage) * kRowsKept);
    corrections_.resize(size_t{PackedLayer::kOutputGroup} * area_.columns());
  }

  // `blocks`, `filtered`, `goes_on`: as Apply takes them.
  void Run(const std::vector<uint8_t>& blocks, uint8_t* filtered, const GoesOn& goes_on) {
    // Stage 0 is the input, stage s the result of layer s - 1. One that is followed by n layers is
    // needed n rows and columns around the area.
    for (int step = area_.top - layers_; step < area_.bottom + layers_; ++step) {
      if (goes_on && !goes_on()) return;
      for (int stage = 0; stage <= layers_; ++stage) {
        const int y = step - stage, around = layers_ - stage;
        if (y < area_.top - around || y >= area_.bottom + around) continue;
        const bool is_of_tile = y >= 0 && y < seen_.height / 2;
        if (stage == layers_) {
          Convolve(stage, y, corrections_.data());
          Correct(y, blocks, filtered);
        } else if (is_of_tile) {
          Compute(stage, y);
        } else {
          std::fill_n(Row(stage, y), RowValues(filter_.shape_, columns_, stage), int16_t{0});
        }
      }
    }
  }

  // `across`: of the area; there may be two positions more.
  static uint64_t Memory(NetworkShape shape, int across) {
    across += 2;
    uint64_t values = uint64_t{PackedLayer::kOutputGroup} * across;
    for (int stage = 0; stage < shape.layers(); ++stage)
      values += RowValues(shape, Columns(shape, across), stage) * kRowsKept;
    return values * sizeof(int16_t);
  }

  // The positions that have the pixels of an area, an even number across, the last of which may be
  // beyond what is seen.
  static NetworkArea Covering(NetworkArea area, NetworkOrigin origin, const PredictedTile& seen) {
    area.top = std::max(area.top - origin.row, 0);
    area.bottom = std::min(area.bottom, seen.height / 2);
    area.left = std::max(area.left - origin.column, 0);
    area.right = std::min(area.right, seen.width / 2);
    area.right += area.columns() % kHalves;
    return area;
  }

 private:
  static constexpr int kHalves = FoldedRow::kHalves;
  static constexpr int kRowPixels = 2;  // of a position, in each of two rows
  static constexpr int16_t kZeros[2] = {};

  // Kept of an area: those that the first layer needs, and the one behind the fold.
  static int Columns(NetworkShape shape, int across) {
    return across / kHalves + shape.layers() + 1;
  }
  // Of a position.
  static int Values(NetworkShape shape, int stage) {
    return stage == 0 ? kNetworkInputs : shape.channels;
  }
  int Values(int stage) const { return Values(filter_.shape_, stage); }
  static size_t RowValues(NetworkShape shape, int columns, int stage) {
    return size_t{kHalves} * columns * Values(shape, stage);
  }

  // Row y of a stage but the last. Column s of the left half is position area_.left - layers_ + s.
  // Positions that lie beyond the tile are 0.
  int16_t* Row(int stage, int y) {
    const int slot = (y + kRowsKept * layers_) % kRowsKept;
    return rows_[stage].data() + RowValues(filter_.shape_, columns_, stage) * slot;
  }
  int16_t* Column(int stage, int y, int column) {
    return Row(stage, y) + size_t{kHalves} * column * Values(stage);
  }
  // The first column that a stage has of a half: what is before it is not needed, or not there.
  int First(int stage, int half) const { return std::max(stage, beyond_[half]); }
  int First(int stage) const { return std::min(First(stage, 0), First(stage, 1)); }

  // Row y, which the tile has, of a stage but the last.
  void Compute(int stage, int y) {
    const int first = First(stage), values = Values(stage);
    if (stage == 0)
      LoadInputs(y);
    else
      Convolve(stage, y, Column(stage, y, first));
    for (int half = 0; half < kHalves; ++half)
      for (int column = first; column < First(stage, half); ++column) {
        int16_t* const beyond = Column(stage, y, column);
        for (int k = 0; k < values; k += 2) CopyPair(kZeros, beyond + FoldedRow::Index(k, half));
      }
    // Beside the last position of the one half lies that of the other.
    const int16_t* const last = Column(stage, y, columns_ - 2);
    int16_t* const behind = Column(stage, y, columns_ - 1);
    for (int half = 0; half < kHalves; ++half)
      for (int k = 0; k < values; k += 2)
        CopyPair(last + FoldedRow::Index(k, 1 - half), behind + FoldedRow::Index(k, half));
  }

  void Convolve(int stage, int y, int16_t* to) {
    const int first = First(stage);
    ConvolvedRow row;
    for (int k = 0; k < 3; ++k) row.from[k] = Column(stage - 1, y + k - 1, first - 1);
    row.columns = columns_ - 1 - first;
    row.rule = RuleOfLayer(stage - 1, layers_);
    row.added = row.rule == OutputRule::kAdded ? Column(stage - 2, y, first) : nullptr;
    row.to = to;
    ConvolveRow(filter_.layers_[stage - 1], row);
  }

  void LoadInputs(int y) {
    constexpr int kAtOnce = 64;
    int16_t of_pixels[kRowPixels * kAtOnce], of_prediction[kRowPixels * kAtOnce];
    const int end = area_.right + layers_ - First(0, 1);
    for (int left = area_.left - layers_ + First(0, 0); left < end; left += kAtOnce) {
      const int count = std::min(kAtOnce, end - left);
      for (int a = 0; a < 2; ++a) {
        const size_t at = (size_t{2} * y + a) * seen_.stride + kRowPixels * left;
        InputsOfRow(&seen_.pixels[at], &seen_.prediction[at], kRowPixels * count,
                    filter_.scale_.input, of_pixels, of_prediction);
        for (int k = 0; k < count; ++k) {
          const auto [from_edge, half] = FoldedPlace(left + k);
          int16_t* const to = Column(0, y, from_edge + layers_);
          CopyPair(of_pixels + kRowPixels * k, to + FoldedRow::Index(kRowPixels * a, half));
          CopyPair(of_prediction + kRowPixels * k, to + FoldedRow::Index(4 + kRowPixels * a, half));
        }
      }
    }
  }

  // Of a position: how many columns it lies behind the area's edge, seen from that of its half, and
  // the half.
  std::pair<int, int> FoldedPlace(int x) const {
    if (x < area_.left + area_.columns() / kHalves) return {x - area_.left, 0};
    return {area_.right - 1 - x, 1};
  }

  // Two values of a position, which lie side by side in folded rows, too: those of one row of its
  // pixels.
  static void CopyPair(const int16_t* from, int16_t* to) { std::memcpy(to, from, 2 * sizeof *to); }

  // Writes those pixels of row y of positions, of which there are corrections, that are the area's.
  void Correct(int y, const std::vector<uint8_t>& blocks, uint8_t* filtered) const {
    const auto [first_row, first_column] = filter_.origin_;
    const int left = std::max(2 * written_.left, first_column);
    const int right = std::min(2 * written_.right, tile_.width - first_column);
    for (int a = 0; a < 2; ++a) {
      const int row = 2 * y + a + first_row;
      if (row < 2 * written_.top || row >= 2 * written_.bottom) continue;
      const uint8_t* const is_filtered =
          &blocks[size_t{1} * (row / kFilterBlockSize) * FilterBlocksAcross(tile_.width)];
      for (int x = left, end; x < right; x = end) {
        end = std::min((x / kFilterBlockSize + 1) * kFilterBlockSize, right);
        if (is_filtered[x / kFilterBlockSize] == 0) continue;
        // Of whole positions, the first of which may begin a pixel before.
        int16_t corrections[kFilterBlockSize + 2 * kRowPixels];
        const int first = (x - first_column) / kRowPixels;
        for (int k = 0; first_column + kRowPixels * (first + k) < end; ++k)
          CopyPair(CorrectionsOf(first + k, a), corrections + kRowPixels * k);
        const size_t at = row * tile_.stride + x;
        CorrectRow(&tile_.pixels[at], corrections + (x - first_column) % kRowPixels, end - x,
                   filter_.scale_.output, &filtered[at]);
      }
    }
  }

  // Those of a position's upper (0) or lower (1) pixels, in the row that was computed last.
  const int16_t* CorrectionsOf(int x, int a) const {
    const auto [column, half] = FoldedPlace(x);
    return &corrections_[size_t{kHalves} * column * PackedLayer::kOutputGroup +
                         FoldedRow::Index(kRowPixels * a, half)];
  }

  const NetworkFilter& filter_;
  const PredictedTile& tile_;
  const PredictedTile seen_;
  const NetworkArea written_, area_;
  const int layers_, columns_;
  const std::array<int, kHalves> beyond_;     // of each half: columns that lie beyond the tile
  std::vector<AlignedVector<int16_t>> rows_;  // by stage
  AlignedVector<int16_t> corrections_;        // of a row of the area
};

NetworkFilter::NetworkFilter(const NetworkWeights& weights, int level, NetworkOrigin origin)
    : shape_(weights.shape), scale_(kNetworkScales[level - 1]), origin_(origin) {
  for (const NetworkLayer& layer : weights.layers) layers_.emplace_back(layer, level);
}

std::vector<NetworkArea> NetworkFilter::Areas(const PredictedTile& tile,
                                              const std::vector<uint8_t>& blocks, int threads,
                                              int most_rows) {
  const int width = tile.width / 2, height = tile.height / 2;
  const int block_columns = FilterBlocksAcross(tile.width);
  const int rows = FilterBlocksAcross(tile.height);
  int across = kMostAcross, strips = 0;
  const auto is_enough = [&] {
    strips = (width + across - 1) / across;
    return strips * ((rows + kLeastShared - 1) / kLeastShared) >= threads;
  };
  while (!is_enough() && across > kLeastAcross) across /= 2;
  const int shared = threads == 1 ? rows : std::max(rows * strips / threads, kLeastShared);
  const int most_height = std::min(shared, most_rows) * kBlockPositions;
  std::vector<NetworkArea> areas;
  for (int left = 0; left < width; left += across) {
    const int right = std::min(left + across, width);
    auto is_filtered = [&](int y) {
      const uint8_t* row = &blocks[size_t{1} * (y / kBlockPositions) * block_columns];
      return std::any_of(row + left / kBlockPositions,
                         row + (right + kBlockPositions - 1) / kBlockPositions,
                         [](uint8_t block) { return block != 0; });
    };
    for (int top = 0; top < height; top += kBlockPositions) {
      if (!is_filtered(top)) continue;
      const int bottom = std::min(top + kBlockPositions, height);
      // Rows of blocks below each other are one area.
      NetworkArea* above = areas.empty() ? nullptr : &areas.back();
      if (above != nullptr && above->left == left && above->bottom == top &&
          bottom - above->top <= most_height)
        above->bottom = bottom;
      else
        areas.push_back({.top = top, .bottom = bottom, .left = left, .right = right});
    }
  }
  return areas;
}

void NetworkFilter::Apply(const PredictedTile& tile, const std::vector<uint8_t>& blocks,
                          uint8_t* filtered, TaskPool& pool, const GoesOn& goes_on) const {
  assert(tile.width % kMacroblockSize == 0 && tile.height % kMacroblockSize == 0);
  const std::vector<NetworkArea> areas =
      Areas(tile, blocks, pool.size(), FilterBlocksAcross(tile.height));
  pool.ForEach(static_cast<int>(areas.size()),
               [&](int i, int /*member*/) { ApplyTo(areas[i], tile, blocks, filtered, goes_on); });
}

MacroblockPlace NetworkFilter::LastNeeded(const PredictedTile& tile,
                                          const NetworkArea& area) const {
  const NetworkArea computed = Strip::Covering(area, origin_, Within(tile, origin_));
  const int around = shape_.layers();
  return {std::min(2 * (computed.bottom + around) + origin_.row, tile.height) - 1,
          std::min(2 * (computed.right + around) + origin_.column, tile.width) - 1};
}

std::vector<NetworkFilter::AreaBehind> NetworkFilter::AreasBehind(
    const PredictedTile& tile, MacroblockOrder order, const std::vector<uint8_t>& blocks,
    int threads, int most_rows) const {
  const FrontWalk walk(order, tile.width, tile.height);
  std::vector<AreaBehind> areas;
  for (const NetworkArea& area : Areas(tile, blocks, threads, most_rows)) {
    const MacroblockPlace last = LastNeeded(tile, area);
    areas.push_back({walk.NumberOf(last.y, last.x), area});
  }
  std::sort(areas.begin(), areas.end(),
            [](const AreaBehind& a, const AreaBehind& b) { return a.front < b.front; });
  return areas;
}

void NetworkFilter::ApplyTo(const NetworkArea& area, const PredictedTile& tile,
                            const std::vector<uint8_t>& blocks, uint8_t* filtered,
                            const GoesOn& goes_on) const {
  Strip(*this, tile, area).Run(blocks, filtered, goes_on);
}

uint64_t NetworkFilter::Memory(NetworkShape shape, int width, int height) {
  const int across = std::min(width / 2, kMostAcross);
  const uint64_t areas = uint64_t{1} * ((width / 2 + across - 1) / across) *
                         ((FilterBlocksAcross(height) + kLeastShared - 1) / kLeastShared);
  const uint64_t weight_bytes = uint64_t{9} * shape.layers() * shape.channels *
                                (shape.channels + PackedLayer::kOutputGroup) * FoldedRow::kHalves *
                                sizeof(int16_t);
  constexpr uint64_t kGrowth = 3;  // of a vector, while it grows
  return weight_bytes + kGrowth * areas * sizeof(NetworkArea) +
         std::min<uint64_t>(areas, TaskPool::kMostMembers) * Strip::Memory(shape, across);
}

void ApplyNetwork(const NetworkChoice& choice, const std::vector<uint8_t>& prediction, int width,
                  int height, std::vector<uint8_t>& plane, TaskPool& pool, const GoesOn& goes_on) {
  if (choice.level == 0) return;
  const std::vector<uint8_t> pixels = plane;
  for (const auto& [kind, origin, is_filtered] : BlocksByNetwork(choice))
    NetworkFilter(StandardNetwork(kind), choice.level, origin)
        .Apply({pixels.data(), prediction.data(), width, height}, is_filtered, plane.data(), pool,
               goes_on);
}

}  // namespace mmp
