#include "codec/bitstream/container.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/crc32c.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

FileHeader OneTileHeader(int width, int height) {
  FileHeader header;
  header.width = header.tile_width = width;
  header.height = header.tile_height = height;
  return header;
}

// Every header is followed by this tile, or by such tiles.
EncodedTile RandomTile(Random& random, int most_bytes) {
  const size_t size = random.Below(most_bytes + 1);
  return {RandomBytes(random, size), random.Bits()};
}

void CheckParsed(const FileHeader& header, const std::vector<EncodedTile>& tiles) {
  const std::vector<uint8_t> preview(header.preview_bytes, 77);
  const std::vector<uint8_t> file = WriteFileBytes(header, tiles, {}, preview);
  const Result<ParsedFile> parsed = ParseFile(file, kNoLimit);
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(parsed->header.width, header.width);
  EXPECT_EQ(parsed->header.height, header.height);
  EXPECT_EQ(parsed->header.preset, header.preset);
  EXPECT_EQ(parsed->header.lossless, header.lossless);
  EXPECT_EQ(parsed->header.depth, header.depth);
  EXPECT_EQ(parsed->header.coder, header.coder);
  EXPECT_EQ(parsed->header.max_error, header.max_error);
  EXPECT_EQ(parsed->header.range, header.range);
  EXPECT_EQ(parsed->header.parameters, header.parameters);
  EXPECT_EQ(parsed->header.tile_width, header.tile_width);
  EXPECT_EQ(parsed->header.tile_height, header.tile_height);
  ASSERT_EQ(parsed->tiles.size(), tiles.size());
  ASSERT_EQ(parsed->damage.size(), tiles.size());
  ASSERT_EQ(parsed->header.preview_bytes, header.preview_bytes);
  EXPECT_EQ(ParseFileBeginning(file)->header_bytes, parsed->header_bytes);
  uint64_t end = parsed->header_bytes + header.preview_bytes;
  EXPECT_TRUE(std::equal(preview.begin(), preview.end(),
                         file.begin() + static_cast<std::ptrdiff_t>(parsed->header_bytes)));
  for (size_t i = 0; i < tiles.size(); ++i) {
    const TileInfo& info = parsed->tiles[i];
    EXPECT_TRUE(parsed->damage[i].empty()) << parsed->damage[i];
    EXPECT_EQ(info.offset, end);
    ASSERT_EQ(info.bytes, tiles[i].bytes.size());
    EXPECT_TRUE(
        std::equal(tiles[i].bytes.begin(), tiles[i].bytes.end(), file.begin() + info.offset));
    EXPECT_EQ(info.reconstruction_crc, parsed->is_small ? 0 : tiles[i].reconstruction_crc);
    EXPECT_TRUE(IsReconstruction(*parsed, i, tiles[i].bytes, tiles[i].reconstruction_crc));
    EXPECT_FALSE(IsReconstruction(*parsed, i, tiles[i].bytes, tiles[i].reconstruction_crc ^ 1));
    end = info.offset + info.bytes;
  }
  EXPECT_EQ(end, file.size());
}

TEST(ThresholdTest, CodesAreValues) {
  uint32_t last = 0;
  for (int code = 0; code < 256; ++code) {
    const uint32_t value = DecodeThreshold(static_cast<uint8_t>(code));
    EXPECT_EQ(EncodeThreshold(value), code);
    if (code > 0) {
      EXPECT_GT(value, last);
      EXPECT_EQ(EncodeThreshold(value - 1), code - 1);
    }
    last = value;
  }
  EXPECT_EQ(DecodeThreshold(0), 0u);
  EXPECT_GE(last, 65536u);  // the largest lambda
  EXPECT_EQ(EncodeThreshold(std::numeric_limits<uint32_t>::max()), 255);
}

TEST(ThresholdTest, IsNearestBelow) {
  for (uint32_t threshold = 0; threshold <= 70000; ++threshold) {
    const uint32_t value = DecodeThreshold(EncodeThreshold(threshold));
    ASSERT_LE(value, threshold);
    ASSERT_LE(threshold - value, threshold / 16);
  }
}

TEST(TileGridTest, CoversTheImageInRasterOrder) {
  constexpr int kSizes[][4] = {{1, 1, 16, 16},   {16, 16, 16, 16},  {17, 16, 16, 16},
                               {15, 33, 16, 16}, {100, 70, 32, 48}, {64, 64, 64, 64}};
  for (const auto& [width, height, tile_width, tile_height] : kSizes) {
    SCOPED_TRACE(testing::Message() << width << "x" << height);
    const std::vector<TileInfo> grid = TileGrid(width, height, tile_width, tile_height);
    size_t next = 0;
    for (int y = 0; y < height; y += tile_height) {
      for (int x = 0; x < width; x += tile_width) {
        ASSERT_LT(next, grid.size());
        const TileInfo& tile = grid[next++];
        EXPECT_EQ(tile.x, x);
        EXPECT_EQ(tile.y, y);
        EXPECT_EQ(tile.width, std::min(tile_width, width - x));
        EXPECT_EQ(tile.height, std::min(tile_height, height - y));
      }
    }
    EXPECT_EQ(next, grid.size());
  }
}

// Of any depth, by either coder, whole and in tiles.
TEST(FormatTest, DepthsAndCodersComeBack) {
  Random random(3);
  for (int depth = 1; depth <= kMaxDepth; ++depth) {
    for (const bool is_tiled : {false, true}) {
      SCOPED_TRACE(depth);
      FileHeader header = OneTileHeader(100, 40);
      if (is_tiled) header.tile_width = header.tile_height = 32;
      header.depth = depth;
      const int most = LargestSample(depth);
      FileHeader by_pixels = header;
      by_pixels.coder = Coder::kPixels;
      by_pixels.preset = depth % 2 == 0 ? Preset::kFast : Preset::kBest;
      by_pixels.parameters = PresetParameters(by_pixels.preset);
      by_pixels.may_be_jpeg = depth == 8;  // as in all files of version 7
      by_pixels.max_error = depth % 3 == 0 ? 0 : random.Between(1, most);
      by_pixels.lossless = by_pixels.max_error == 0;
      by_pixels.by_means = !by_pixels.lossless && depth % 2 == 0;
      if (depth != 8) {
        header.range.low = random.Between(0, most);
        header.range.high = random.Between(header.range.low, most);
        if (header.range.low < header.range.high)
          for (uint8_t& code : header.range.steps)
            code = static_cast<uint8_t>(random.Between(0, kMostStepCode));
      }
      header.parameters = PresetParameters(header.preset);
      header.parameters.pattern_scale = 5;
      for (const FileHeader& h : {header, by_pixels}) {
        std::vector<EncodedTile> tiles(CountTiles(h));
        for (EncodedTile& tile : tiles) tile = RandomTile(random, 5);
        CheckParsed(h, tiles);
        EXPECT_TRUE(CheckWritten(WriteFileBytes(h, tiles), h, tiles).ok());
      }
    }
  }
}

// The bytes of a file by the pixel coder, with one of its header's bytes replaced.
StatusCode ParseChanged(const FileHeader& header, size_t position, uint8_t byte) {
  std::vector<uint8_t> file = WriteFileBytes(header, {EncodedTile{}});
  file[position] = byte;
  return ParseFile(file, kNoLimit).status().code();
}

TEST(FormatTest, ImpossibleDepthsAndCodersAreRefused) {
  FileHeader header = OneTileHeader(3, 2);
  header.coder = Coder::kPixels;
  header.depth = 4;
  header.is_signed = true;  // or else a small file says it
  header.max_error = 15;
  header.parameters = PresetParameters(header.preset);
  constexpr size_t kFlags = 4, kLargestError = 8;
  EXPECT_EQ(ParseChanged(header, kLargestError, 15), StatusCode::kOk);
  EXPECT_EQ(ParseChanged(header, kLargestError, 16), StatusCode::kCorrupt);
  EXPECT_EQ(ParseChanged(header, kLargestError, 0), StatusCode::kCorrupt);  // but not lossless
  EXPECT_EQ(ParseChanged(header, kFlags, 0x82 | 0x40), StatusCode::kOk);
  for (const uint8_t bit : {0x08, 0x20})
    EXPECT_EQ(ParseChanged(header, kFlags, 0x82 | bit), StatusCode::kCorrupt);
  FileHeader lossless = header;
  lossless.max_error = 0;
  lossless.lossless = true;
  EXPECT_EQ(ParseChanged(lossless, kFlags, 0x82 | 0x20), StatusCode::kOk);
  EXPECT_EQ(ParseChanged(lossless, kFlags, 0x82 | 0x20 | 0x40), StatusCode::kCorrupt);

  header.coder = Coder::kPatterns;
  header.max_error = 0;
  header.range = {3, 9};
  header.parameters.pattern_scale = 5;
  constexpr size_t kLow = 8, kHigh = 10, kSteps = 12;
  EXPECT_EQ(ParseChanged(header, kLow, 9), StatusCode::kOk);
  EXPECT_EQ(ParseChanged(header, kHigh, 15), StatusCode::kOk);
  EXPECT_EQ(ParseChanged(header, kHigh, 16), StatusCode::kCorrupt);
  header.range.steps = {1, 2};  // the larger one comes first
  EXPECT_EQ(ParseChanged(header, kLow, 15), StatusCode::kOk);
  EXPECT_EQ(ParseChanged(header, kLow, 16), StatusCode::kCorrupt);
  for (int run = 0; run < kStepRuns; ++run) {
    EXPECT_EQ(ParseChanged(header, kSteps + run, kMostStepCode), StatusCode::kOk);
    EXPECT_EQ(ParseChanged(header, kSteps + run, kMostStepCode + 1), StatusCode::kCorrupt);
  }
}

// All that a header can say about an image of one tile takes at most 33 bytes.
TEST(FormatTest, PreviewsComeBack) {
  Random random(8);
  for (const bool is_tiled : {false, true}) {
    FileHeader header = OneTileHeader(100, 40);  // whose preview has 13x5 pixels
    if (is_tiled) header.tile_width = header.tile_height = 32;
    std::vector<EncodedTile> tiles;
    for (uint64_t i = 0; i < CountTiles(header); ++i) tiles.push_back(RandomTile(random, 40));
    for (const uint32_t bytes : {1, 64, 1284}) {
      header.preview_bytes = bytes;
      ASSERT_NO_FATAL_FAILURE(CheckParsed(header, tiles));
    }
    header.preview_bytes = 1285;
    EXPECT_EQ(ParseFile(WriteFileBytes(header, tiles, {}, std::vector<uint8_t>(1285)), kNoLimit)
                  .status()
                  .code(),
              StatusCode::kCorrupt);
  }
}

TEST(FormatTest, OneTileHeadersComeBackAndAreShort) {
  Random random(1);
  const EncodedTile tile = {RandomBytes(random, 10), random.Bits()};
  size_t longest = 0;
  for (const int width : {1, 2, 128, 129, 16384, 16385, 65535}) {
    for (const int height : {1, 16384}) {
      for (const int dictionary_size : {69, 1024, 65536}) {
        for (const int prediction_level : {0, 8, 25}) {
          for (const uint32_t modes : {4u, 0x3ffu}) {
            for (const uint8_t threshold : {0x00, 0x0a, 0xff}) {
              FileHeader header = OneTileHeader(width, height);
              header.preset = dictionary_size == 69 ? Preset::kFast : Preset::kThesis;
              header.lossless = prediction_level == 0;
              header.parameters = {dictionary_size, prediction_level, modes,
                                   DecodeThreshold(threshold),
                                   prediction_level > 0 ? kAllTools : 0};
              if (threshold == 0x0a) header.parameters.order = MacroblockOrder::kWavefront;
              ASSERT_NO_FATAL_FAILURE(CheckParsed(header, {tile}));
              const size_t header_bytes = WriteFileBytes(header, {tile}).size() - tile.bytes.size();
              longest = std::max(longest, header_bytes);
            }
          }
        }
      }
    }
  }
  EXPECT_LE(longest, 34u);
}

TEST(FormatTest, DefaultParametersAreNotSpelledOut) {
  FileHeader header = OneTileHeader(512, 512);
  header.parameters = PresetParameters(header.preset);
  const size_t short_size = WriteFileBytes(header, {EncodedTile()}).size();
  header.parameters.redundancy_threshold = 10;
  EXPECT_EQ(WriteFileBytes(header, {EncodedTile()}).size(), short_size);
  header.parameters.order = MacroblockOrder::kWavefront;
  EXPECT_EQ(WriteFileBytes(header, {EncodedTile()}).size(), short_size);
  header.parameters.dictionary_size = 1025;
  EXPECT_GT(WriteFileBytes(header, {EncodedTile()}).size(), short_size);
}

// Both orders are in the flags, bit 6.
TEST(FormatTest, TheOrderIsAFlag) {
  FileHeader header = OneTileHeader(64, 48);
  header.parameters = PresetParameters(header.preset);
  for (const auto& [order, flag] :
       {std::pair(MacroblockOrder::kRaster, 0), std::pair(MacroblockOrder::kWavefront, 0x40)}) {
    header.parameters.order = order;
    const EncodedTile tile = {std::vector<uint8_t>(kMaxSmallStream + 1), 0};
    const std::vector<uint8_t> file = WriteFileBytes(header, {tile});
    EXPECT_EQ(file[4] & 0xc0, flag);
    const Result<FileInfo> info = ReadInfo(file);
    ASSERT_TRUE(info.ok()) << info.status().message();
    EXPECT_EQ(info->order, order);
    ASSERT_NO_FATAL_FAILURE(CheckParsed(header, {tile}));
  }
}

// What can be small is, up to the longest stream: 10 bytes beside it. Longer ones have all of both
// checksums.
TEST(FormatTest, SmallFilesAreShortAndChecked) {
  Random random(6);
  FileHeader header = OneTileHeader(512, 512);
  header.parameters = PresetParameters(header.preset);
  header.parameters.redundancy_threshold = DecodeThreshold(0x5c);
  header.parameters.pattern_scale = PatternScaleOf(header.parameters.redundancy_threshold);
  header.parameters.order = MacroblockOrder::kWavefront;
  for (const size_t bytes : {size_t{0}, size_t{502}, kMaxSmallStream, kMaxSmallStream + 1}) {
    SCOPED_TRACE(bytes);
    const bool is_small = bytes <= kMaxSmallStream;
    const EncodedTile tile = {RandomBytes(random, bytes), random.Bits()};
    ASSERT_NO_FATAL_FAILURE(CheckParsed(header, {tile}));
    std::vector<uint8_t> file = WriteFileBytes(header, {tile});
    EXPECT_EQ(file.size() - bytes, is_small ? 10u : 19u);
    const Result<ParsedFile> parsed = ParseFile(file, kNoLimit);
    EXPECT_EQ(parsed->is_small, is_small);
    EXPECT_TRUE(CheckWritten(file, header, {tile}).ok());
    for (int round = 0; round < 100; ++round) {  // in the stream and its checks
      std::vector<uint8_t> other = file;
      other[8 + random.Below(static_cast<int>(file.size() - 8))] ^= 1u << random.Below(8);
      EXPECT_FALSE(CheckWritten(other, header, {tile}).ok());
    }
    if (!is_small) continue;
    file.insert(file.end(), kMaxSmallStream + 1 - bytes, 0);
    EXPECT_EQ(ParseFile(file, kNoLimit).status().code(), StatusCode::kCorrupt);
  }
}

TEST(FormatTest, TiledFilesComeBack) {
  Random random(2);
  constexpr int kSizes[][4] = {{17, 1, 16, 16},   {100, 70, 32, 48},       {100, 70, 112, 16},
                               {100, 70, 16, 80}, {65535, 40, 1024, 1024}, {40, 65535, 48, 4096},
                               {129, 129, 64, 64}};
  for (const auto& [width, height, tile_width, tile_height] : kSizes) {
    SCOPED_TRACE(testing::Message() << width << "x" << height);
    FileHeader header = OneTileHeader(width, height);
    header.tile_width = tile_width;
    header.tile_height = tile_height;
    ASSERT_TRUE(header.tiled());
    std::vector<EncodedTile> tiles(TileGrid(width, height, tile_width, tile_height).size());
    for (EncodedTile& tile : tiles) tile = RandomTile(random, 40);
    ASSERT_NO_FATAL_FAILURE(CheckParsed(header, tiles));
  }
}

TEST(FormatTest, InfoIsWhatTheHeaderSays) {
  Random random(3);
  FileHeader header = OneTileHeader(100, 70);
  header.preset = Preset::kFast;
  header.lossless = true;
  header.parameters = {500, 15, 0x205, 12, kAllTools};
  header.parameters.order = MacroblockOrder::kWavefront;
  header.tile_width = 64;
  header.tile_height = 48;
  std::vector<EncodedTile> tiles(4);
  for (EncodedTile& tile : tiles) tile = RandomTile(random, 40);
  const std::vector<uint8_t> file = WriteFileBytes(header, tiles);
  const Result<FileInfo> info = ReadInfo(file);
  ASSERT_TRUE(info.ok()) << info.status().message();
  EXPECT_EQ(info->format_version, kFormatVersion);
  EXPECT_EQ(info->width, 100);
  EXPECT_EQ(info->height, 70);
  EXPECT_EQ(info->preset, Preset::kFast);
  EXPECT_EQ(info->dictionary_size, 500);
  EXPECT_EQ(info->prediction_level, 15);
  EXPECT_EQ(info->modes, 0x205u);
  EXPECT_EQ(info->redundancy_threshold, 12u);
  EXPECT_EQ(info->tools, kAllTools);
  EXPECT_TRUE(info->lossless);
  EXPECT_EQ(info->tile_width, 64);
  EXPECT_EQ(info->tile_height, 48);
  EXPECT_EQ(info->order, MacroblockOrder::kWavefront);
  EXPECT_EQ(info->file_bytes, file.size());
  ASSERT_EQ(info->tiles.size(), 4u);
  EXPECT_EQ(info->tiles[3].x, 64);
  EXPECT_EQ(info->tiles[3].y, 48);
  EXPECT_EQ(info->tiles[3].width, 36);
  EXPECT_EQ(info->tiles[3].height, 22);
  uint64_t bytes = info->header_bytes;
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(info->tiles[i].crc, Crc32c(tiles[i].bytes));
    bytes += info->tiles[i].bytes;
  }
  EXPECT_EQ(bytes, file.size());
}

TEST(FormatTest, SizeIsKnownFromTheBeginning) {
  FileHeader header = OneTileHeader(kMaxImageSide, 40000);
  header.parameters = {500, 15, 0x205, 12};
  header.tile_width = header.tile_height = 16384;  // the longest fields there are
  const std::vector<uint8_t> file = WriteFileBytes(header, std::vector<EncodedTile>(12));
  const std::span<const uint8_t> all = file;
  const Result<ImageSize> size = ReadSize(all.first(kMaxHeaderBytes));
  ASSERT_TRUE(size.ok()) << size.status().message();
  EXPECT_EQ(size->width, kMaxImageSide);
  EXPECT_EQ(size->height, 40000);
  for (size_t bytes = 0; bytes < 18; ++bytes)
    EXPECT_FALSE(ReadSize(all.first(bytes)).ok()) << bytes;
  EXPECT_EQ(ReadSize(all.subspan(1)).status().code(), StatusCode::kUnsupported);
}

// Damage to one tile's bytes is that tile's alone; damage to the header fails the file.
TEST(FormatTest, DamageIsFoundWhereItIs) {
  Random random(4);
  FileHeader header = OneTileHeader(100, 20);
  header.tile_width = 32;
  header.tile_height = 32;
  std::vector<EncodedTile> tiles(4);
  for (EncodedTile& tile : tiles) tile = {RandomBytes(random, 9), random.Bits()};
  const std::vector<uint8_t> file = WriteFileBytes(header, tiles);
  const size_t header_bytes = ParseFile(file, kNoLimit)->header_bytes;
  for (size_t at = 0; at < file.size(); ++at) {
    SCOPED_TRACE(at);
    std::vector<uint8_t> damaged = file;
    damaged[at] ^= static_cast<uint8_t>(1 + random.Below(255));
    const Result<ParsedFile> parsed = ParseFile(damaged, kNoLimit);
    EXPECT_FALSE(ReadInfo(damaged).ok());
    if (at < header_bytes) {
      EXPECT_FALSE(parsed.ok());
      continue;
    }
    ASSERT_TRUE(parsed.ok());
    for (size_t i = 0; i < 4; ++i)
      EXPECT_EQ(parsed->damage[i].empty(), i != (at - header_bytes) / 9) << "tile " << i;
  }
}

// A tile has at most 2^30 pixels, those that fill it up to whole macroblocks counted, so that
// numbers of them fit into 31 bits.
TEST(FormatTest, OverLargeTilesAreRefused) {
  const auto parse = [](FileHeader header) {
    return ParseFileHeader(WriteFileBytes(header, std::vector<EncodedTile>(2))).status();
  };
  EXPECT_TRUE(parse(OneTileHeader(32768, 32768)).ok());
  EXPECT_TRUE(parse(OneTileHeader(65535, 16370)).ok());
  for (const FileHeader& header : {OneTileHeader(32768, 32769), OneTileHeader(16385, 65521),
                                   OneTileHeader(kMaxImageSide, kMaxImageSide)})
    EXPECT_EQ(parse(header).code(), StatusCode::kCorrupt);
  FileHeader tiled = OneTileHeader(40000, kMaxImageSide);
  tiled.tile_height = 16384;
  tiled.tile_width = 65536;
  EXPECT_TRUE(parse(tiled).ok());
  tiled.tile_height = 32768;
  EXPECT_EQ(parse(tiled).code(), StatusCode::kCorrupt);
}

TEST(FormatTest, TileSidesThatNoFileCanSayAreMadeToFit) {
  constexpr int kHuge = 1 << 30;
  const auto fit = [](int width, int height, int tile_width, int tile_height) {
    FileHeader header = OneTileHeader(width, height);
    header.tile_width = tile_width;
    header.tile_height = tile_height;
    FitTiles(header);
    return std::pair(header.tile_width, header.tile_height);
  };
  EXPECT_EQ(fit(64, 64, kHuge, 16), std::pair(65536, 16));
  EXPECT_EQ(fit(64, 64, 16, kHuge), std::pair(16, 65536));
  EXPECT_EQ(fit(70, 64, kHuge, kHuge), std::pair(70, 64));
  EXPECT_EQ(fit(70, 64, 80, 64), std::pair(70, 64));
  EXPECT_EQ(fit(70, 64, 80, 48), std::pair(80, 48));
}

TEST(FormatTest, StreamsHaveAtMost32BitsOfBytes) {
  EXPECT_TRUE(CheckStreamSize(0xffffffff).ok());
  const Status status = CheckStreamSize(uint64_t{1} << 32);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("smaller tiles"), std::string::npos) << status.message();
}

// What is not read as it was meant is found before it is handed out.
TEST(FormatTest, WrittenFilesAreChecked) {
  FileHeader header = OneTileHeader(100, 20);
  header.tile_width = 32;
  header.tile_height = 32;
  const std::vector<EncodedTile> tiles(4, EncodedTile{{1, 2, 3}, 4});
  const std::vector<uint8_t> file = WriteFileBytes(header, tiles);
  EXPECT_TRUE(CheckWritten(file, header, tiles).ok());
  for (size_t at = 0; at < file.size(); ++at) {
    std::vector<uint8_t> other = file;
    ++other[at];
    EXPECT_EQ(CheckWritten(other, header, tiles).code(), StatusCode::kCorrupt) << at;
  }
  FileHeader other = header;
  other.tile_width = 48;
  EXPECT_FALSE(CheckWritten(file, other, tiles).ok());
  EXPECT_FALSE(CheckWritten(file, header, {4, EncodedTile{{1, 2, 3}, 5}}).ok());
}

TEST(FormatTest, OverLargeImagesAreRefused) {
  const std::vector<uint8_t> file = WriteFileBytes(OneTileHeader(1000, 500), {EncodedTile()});
  EXPECT_TRUE(ParseFile(file, 500000).ok());
  const Result<ParsedFile> parsed = ParseFile(file, 499999);
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.status().code(), StatusCode::kLimitExceeded);
}

TEST(NamesTest, OfPresetsBackendsAndOrders) {
  EXPECT_EQ(PresetName(Preset::kThesis), "thesis");
  EXPECT_EQ(PresetName(Preset::kFast), "fast");
  EXPECT_EQ(PresetName(Preset::kBest), "best");
  EXPECT_EQ(BackendName(Backend::kAuto), "auto");
  EXPECT_EQ(BackendName(Backend::kCpu), "cpu");
  EXPECT_EQ(BackendName(Backend::kCuda), "cuda");
  EXPECT_EQ(OrderName(MacroblockOrder::kAuto), "auto");
  EXPECT_EQ(OrderName(MacroblockOrder::kRaster), "raster");
  EXPECT_EQ(OrderName(MacroblockOrder::kWavefront), "wavefront");
}

}  // namespace
}  // namespace mmp
