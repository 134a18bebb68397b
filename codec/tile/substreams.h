// Substreams: parts of a tile's stream that are coded side by side, front by front.
// Normative: docs/format.md, "Substreams".
#ifndef MMP_CODEC_TILE_SUBSTREAMS_H_
#define MMP_CODEC_TILE_SUBSTREAMS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "codec/base/levels.h"
#include "codec/base/macroblock_order.h"
#include "codec/base/parameters.h"
#include "codec/tile/mode_model.h"
#include "codec/tile/neighbour_indices.h"
#include "codec/tile/network_flags.h"

namespace mmp {

inline constexpr int kMostSubstreams = 8;

// Those of a tile of width x height pixels: 1, 2, 4 or 8.
int SubstreamCount(const CodecParameters& parameters, int width, int height);
// The one, of so many, that has the macroblock.
constexpr int SubstreamOf(MacroblockPlace place, int count) {
  return place.y / kMacroblockSize % count;
}

// What is learnt of a substream's own symbols, at once.
struct SubstreamModels {
  explicit SubstreamModels(FlagMaps& maps) : flags(maps) {}

  NetworkFlags flags;  // with tool kFlagNetwork
  std::array<ModeModel::Mixer, kLevelCount> mode_mixers;
  std::array<NeighbourIndices, kLevelCount> indices;  // with tool kNeighbourIndices, above 1x1
};

// The stream of a tile whose substreams these are.
std::vector<uint8_t> JoinSubstreams(std::vector<std::vector<uint8_t>> substreams);
// The `count` substreams of a tile's stream; nothing if it is too short.
std::optional<std::vector<std::span<const uint8_t>>> SplitSubstreams(
    std::span<const uint8_t> stream, int count);

}  // namespace mmp

#endif  // MMP_CODEC_TILE_SUBSTREAMS_H_
