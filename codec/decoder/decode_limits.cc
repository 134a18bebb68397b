#include "codec/decoder/decode_limits.h"

#include <algorithm>
#include <string>

#include "codec/base/decode_work.h"
#include "codec/base/levels.h"
#include "codec/base/macroblock_order.h"
#include "codec/decoder/front_pipeline.h"
#include "codec/decoder/pixel_tile.h"
#include "codec/dictionary/dictionary.h"
#include "codec/postfilter/network_filter.h"
#include "codec/tile/coded_front.h"
#include "codec/tile/learnt_later.h"
#include "codec/tile/pattern_features.h"
#include "codec/tile/substreams.h"
#include "mmp/mmp.h"

namespace mmp {
namespace {

// Of a pattern in a PatternTable, of its symbol in an IndexModel, and of its features and what
// NeighbourIndices makes of it.
constexpr uint64_t PatternBytes(int pixels, bool has_features, int substreams) {
  const uint64_t values = 2 * static_cast<uint64_t>(pixels), packed = (values + 3) / 4 * 4;
  constexpr uint64_t kSketch = 8, kNorms = 2 * 4, kCounts = 4 * 4;
  constexpr uint64_t kMember = sizeof(PatternGroup) / PatternGroup::kMost + 1;
  const uint64_t by_neighbours =
      has_features ? kPatternFeatures + 1 + kMember + 4 * static_cast<uint64_t>(substreams) : 0;
  return values + packed + kSketch + kNorms + kCounts + by_neighbours;
}

// A vector that grows takes up to twice what it holds, and before that is freed, half of it again.
constexpr uint64_t kGrowth = 3;

constexpr uint64_t kTableBytes = 256;    // of what a tile's row of the table becomes, and of what
                                         // says where the tile and its stream are
constexpr uint64_t kTileBytes = 512;     // of what is kept of each tile that is decoded
constexpr uint64_t kMetadataCopies = 2;  // the file's and the image's
constexpr uint64_t kPlanes = 2 + 5;      // bytes a pixel of a tile: the plane of TileState and
                                         // what it keeps of each row, the planes of WienerFilter
constexpr uint64_t kNetworkPlanes = 2;   // of the prediction, and of what the network filters
constexpr uint64_t kColumnBytes = 256;   // of WienerFilter, a column of a tile
constexpr uint64_t kFixedBytes = uint64_t{1} << 20;  // of the small models, the canvas and the like

// Of the pixel coder at an effort, beside the tile's samples.
struct PixelCoderBytes {
  uint64_t fixed;   // what it learns in contexts, and the values of a tile, which grow to 2^16
  uint64_t column;  // what it keeps of each column of a tile
};

// Measured with all values of 16 bits: 9.2 MB and 4868 bytes; 656 bytes at effort 1, which has one
// table of exact contexts in place of six.
constexpr PixelCoderBytes BytesOfEffort(int effort) {
  return effort == 1 ? PixelCoderBytes{9 << 19, 704} : PixelCoderBytes{10 << 20, 5 << 10};
}

// Of what was a JPEG file, in place of that: what is learnt of its coefficients, and, of all blocks
// that a tile has a part of, these and their samples.
uint64_t JpegTileBytes(const FileHeader& header) {
  constexpr uint64_t kLearnt = 10 << 20, kBytesOfSample = 2 * sizeof(int16_t);
  const auto blocks = [](int tile, int side) {
    return static_cast<uint64_t>(PaddedToMacroblocks(std::min(tile, side))) + kMacroblockSize;
  };
  return kLearnt + kBytesOfSample * blocks(header.tile_width, header.width) *
                       blocks(header.tile_height, header.height);
}

// Samples of one byte are decoded as two, beside the image.
uint64_t PixelTileBytes(const FileHeader& header) {
  const PixelCoderBytes bytes = BytesOfEffort(PixelFormatOf(header).effort);
  const uint64_t samples = SampleBytes(header.depth) == 1 ? sizeof(uint16_t) : 0;
  const uint64_t coder =
      bytes.fixed + bytes.column * static_cast<uint64_t>(std::min(header.tile_width, header.width));
  return samples * static_cast<uint64_t>(LargestTilePixels(header)) +
         std::max(coder, header.may_be_jpeg ? JpegTileBytes(header) : 0);
}

// Of exact blocks: what RepeatCoder learns, and keeps of each column and each sample of the largest
// tile. 4.6 MB, 22 bytes and 3 bytes.
uint64_t ExactBlocksMemory(const FileHeader& header) {
  constexpr uint64_t kLearnt = 5 << 20, kColumn = 32, kSample = 4;
  return kLearnt + kColumn * static_cast<uint64_t>(std::min(header.tile_width, header.width)) +
         kSample * static_cast<uint64_t>(LargestTilePixels(header));
}

// Of the network filter, in the largest tile.
uint64_t NetworkMemory(const FileHeader& header) {
  uint64_t bytes = 0;
  for (const NetworkKind kind : NetworksOf(header.parameters))
    bytes += NetworkFilter::Memory(
        ShapeOfNetwork(kind), PaddedToMacroblocks(std::min(header.tile_width, header.width)),
        PaddedToMacroblocks(std::min(header.tile_height, header.height)));
  return bytes;
}

// A macroblock has at most so many concatenations: one for each cut of a block.
constexpr uint64_t kMostConcatenations = kMacroblockPixels - 1;

// Of a macroblock of a front: what is kept of it while the front waits to be reconstructed, and its
// concatenations, whose values are its pixels once for each of eight cuts.
constexpr uint64_t kFrontBytes =
    kGrowth * ((FrontPipeline::kMostAhead + 1) * sizeof(CodedMacroblock) +
               8 * sizeof(int16_t) * kMacroblockPixels + 8 * kMostConcatenations + sizeof(int));
// And what models learn later: a mode and an index for each pixel at most.
constexpr uint64_t kLearntLaterBytes =
    kGrowth * (2 * kMacroblockPixels * sizeof(LearntSymbol) + sizeof(LearntSymbols));

uint64_t ImageBytes(const FileHeader& header) {
  return static_cast<uint64_t>(header.width) * static_cast<uint64_t>(header.height) *
         SampleBytes(header.depth);
}

}  // namespace

// Measured, see docs/performance.md, "What decoding takes at most"; the work of the network filter
// and of exact blocks follows from the pixels alone.
uint64_t DefaultMaxWork(uint64_t file_bytes, uint64_t pixels) {
  return (uint64_t{1} << 34) + (file_bytes << 19) + (pixels << 14) +
         pixels * (2 * kDeepNetworkWork + kExactSampleWork);
}

uint64_t DefaultMaxMemory(uint64_t pixels, int dictionary_size) {
  return (uint64_t{1} << 28) + 16 * pixels + (static_cast<uint64_t>(dictionary_size) << 15);
}

uint64_t DefaultMaxMemoryOf(const FileHeader& header, const DecodeMemory& memory) {
  const uint64_t pixels =
      static_cast<uint64_t>(header.width) * static_cast<uint64_t>(header.height);
  const uint64_t limit = DefaultMaxMemory(pixels, header.parameters.dictionary_size);
  return header.coder == Coder::kPatterns ? limit
                                          : std::max(limit, memory.shared + memory.each_thread);
}

WorkLimit::WorkLimit(uint64_t limit, uint64_t before, int tiles)
    : limit_(limit), before_(before), by_tile_(tiles), all_(before), last_(tiles) {}

Status WorkLimit::Reach(int tile, uint64_t work) {
  if (IsGivenUp(tile)) return {StatusCode::kCancelled, "a tile before it failed"};
  const uint64_t added = work - by_tile_[tile].exchange(work);
  if (all_.fetch_add(added) + added <= limit_ || WorkUpTo(tile) <= limit_) return {};
  return Exceeded();
}

int WorkLimit::FirstExceeding() const {
  const int tiles = static_cast<int>(by_tile_.size());
  uint64_t sum = before_;
  for (int i = 0; i < tiles; ++i) {
    sum += by_tile_[i];
    if (sum > limit_) return i;
  }
  return tiles;
}

Status WorkLimit::Exceeded() const {
  return {StatusCode::kLimitExceeded, "decoding takes more work than the limit of " +
                                          std::to_string(limit_) +
                                          "; raise max_work if you trust the file"};
}

void WorkLimit::GiveUpAfter(int tile) {
  int last = last_;
  while (tile < last && !last_.compare_exchange_weak(last, tile)) {
  }
}

uint64_t WorkLimit::WorkUpTo(int tile) const {
  uint64_t sum = before_;
  for (int i = 0; i <= tile; ++i) sum += by_tile_[i];
  return sum;
}

Status DecodeMemory::Check(uint64_t limit, uint64_t addressable) const {
  const uint64_t bytes = shared + each_thread;
  if (bytes <= std::min(limit, addressable)) return {};
  const std::string taken =
      "decoding may take " + std::to_string(bytes) + " bytes of memory, more than ";
  if (bytes > addressable)
    return {StatusCode::kLimitExceeded,
            taken + "a program can have here; decode the file on a machine of 64 bits"};
  return {StatusCode::kLimitExceeded, taken + "the limit of " + std::to_string(limit) +
                                          "; raise max_memory to decode the file"};
}

int DecodeMemory::MostThreads(uint64_t limit, int threads, uint64_t addressable) const {
  const uint64_t most = (std::max(std::min(limit, addressable), shared) - shared) / each_thread;
  return static_cast<int>(std::clamp<uint64_t>(most, 1, threads));
}

uint64_t TableMemory(const FileHeader& header) { return kTableBytes * CountTiles(header); }

uint64_t MetadataMemory(const FileHeader& header) {
  return kMetadataCopies * header.metadata_bytes;
}

DecodeMemory RegionMemoryOf(const FileHeader& header, const FileHeader& of_tiles,
                            const TrainedPatterns* trained) {
  DecodeMemory memory = DecodeMemoryOf(of_tiles, trained);
  // The image of the region, and beside it the tiles that reach out of it.
  memory.shared += TableMemory(header) + ImageBytes(of_tiles);
  return memory;
}

DecodeMemory DecodeMemoryOf(const FileHeader& header, const TrainedPatterns* trained) {
  const uint64_t tile_pixels = static_cast<uint64_t>(LargestTilePixels(header));
  const uint64_t shared =
      kFixedBytes + kTileBytes * CountTiles(header) + ImageBytes(header) + MetadataMemory(header);
  if (header.coder == Coder::kPixels)
    return {.shared = shared, .each_thread = PixelTileBytes(header)};
  const uint64_t grown = tile_pixels / kMacroblockPixels * kMostConcatenations;
  const int substreams =
      SubstreamCount(header.parameters, std::min(header.tile_width, header.width),
                     std::min(header.tile_height, header.height));
  const uint64_t capacity = static_cast<uint64_t>(header.parameters.dictionary_size);
  DecodeMemory memory;
  memory.shared = shared;
  memory.each_thread =
      kFixedBytes + kPlanes * tile_pixels +
      kColumnBytes * static_cast<uint64_t>(std::min(header.tile_width, header.width)) +
      (kFrontBytes + (header.parameters.LearnsByFronts() ? kLearntLaterBytes : 0)) *
          LargestFront(header.parameters.order, std::min(header.tile_width, header.width),
                       std::min(header.tile_height, header.height));
  memory.each_thread += static_cast<uint64_t>(substreams - 1) * sizeof(SubstreamModels);
  if (header.parameters.Uses(kExactBlocks)) memory.each_thread += ExactBlocksMemory(header);
  if (header.parameters.Uses(kFilterNetwork))
    memory.each_thread += kNetworkPlanes * tile_pixels + NetworkMemory(header);
  for (int level = 0; level < kLevelCount; ++level) {
    const uint64_t bytes =
        kGrowth * PatternBytes(kLevelShapes[level].pixels(),
                               header.parameters.Uses(kNeighbourIndices), substreams);
    const uint64_t initial = level == 0 ? kPixelPatterns : kInitialPatterns;
    const uint64_t more = trained == nullptr ? 0 : trained->levels[level].counts.size();
    // Each class may have a group of patterns that is not full.
    const uint64_t groups = header.parameters.Uses(kNeighbourIndices)
                                ? kGrowth * kPatternClasses * sizeof(PatternGroup)
                                : 0;
    memory.shared += groups + bytes * std::min(std::max(capacity, initial), initial + more);
    memory.each_thread += groups + bytes * std::min(std::max(capacity, initial),
                                                    initial + more + (level == 0 ? 0 : grown));
  }
  return memory;
}

}  // namespace mmp
