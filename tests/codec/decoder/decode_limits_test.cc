// The limits of a decode: work that is the same whatever the threads, memory that is known before.
#include "codec/decoder/decode_limits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "codec/bitstream/container.h"
#include "codec/tile/tile_start.h"
#include "mmp/mmp.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

EncodeOptions Options(int tile_side) {
  EncodeOptions options;
  options.lambda = 5;
  options.preset = Preset::kFast;
  options.tile_width = options.tile_height = tile_side;
  return options;
}

struct Encoded {
  std::vector<uint8_t> file;
  EncodeStats stats;
};

Encoded EncodeWithStats(const Image& image, const EncodeOptions& options) {
  Encoded encoded;
  encoded.file = *Encode(image.View(), options, &encoded.stats);
  return encoded;
}

TEST(WorkLimitTest, TilesEndAsIfOneWereDecodedAfterTheOther) {
  WorkLimit limit(100, 10, 3);
  EXPECT_TRUE(limit.Reach(1, 40).ok());
  EXPECT_TRUE(limit.Reach(2, 40).ok());
  EXPECT_EQ(limit.FirstExceeding(), 3);
  // Too much in all, but not yet for the first tile, nor for the second.
  EXPECT_TRUE(limit.Reach(0, 20).ok());
  EXPECT_TRUE(limit.Reach(0, 50).ok());
  EXPECT_TRUE(limit.Reach(1, 40).ok());
  EXPECT_EQ(limit.Reach(2, 41).code(), StatusCode::kLimitExceeded);
  EXPECT_EQ(limit.FirstExceeding(), 2);
  EXPECT_EQ(limit.Reach(1, 41).code(), StatusCode::kLimitExceeded);
  EXPECT_EQ(limit.FirstExceeding(), 1);
  EXPECT_EQ(limit.Reach(0, 91).code(), StatusCode::kLimitExceeded);
  EXPECT_EQ(limit.FirstExceeding(), 0);
  EXPECT_NE(limit.Exceeded().message().find("limit of 100; raise max_work"), std::string::npos);
}

TEST(WorkLimitTest, AllowsWhatTheOnlyTileMayReach) {
  WorkLimit limit(100, 30, 1);
  EXPECT_TRUE(limit.Allows(70));
  EXPECT_TRUE(limit.Reach(0, 70).ok());
  EXPECT_FALSE(limit.Allows(71));
  EXPECT_EQ(limit.Reach(0, 71).code(), StatusCode::kLimitExceeded);
}

TEST(WorkLimitTest, OnlyTilesBehindAFailureAreGivenUp) {
  WorkLimit limit(kNoLimit, 0, 5);
  for (int tile = 0; tile < 5; ++tile) EXPECT_FALSE(limit.IsGivenUp(tile));
  limit.GiveUpAfter(3);
  limit.GiveUpAfter(1);
  limit.GiveUpAfter(2);
  for (int tile = 0; tile < 5; ++tile) EXPECT_EQ(limit.IsGivenUp(tile), tile > 1);
  EXPECT_TRUE(limit.Reach(1, 7).ok());
  EXPECT_EQ(limit.Reach(2, 7).code(), StatusCode::kCancelled);
}

// Not only behind a whole tile, which may be the image.
TEST(DecodeLimitsTest, ThePixelCoderStopsWithinATile) {
  EncodeOptions encode;
  encode.max_error = 0;
  encode.preset = Preset::kFast;
  encode.tile_width = 64;
  encode.tile_height = 400;
  const auto file = Encode(Draw(Picture::kTexture, 64, 400, 1).View(), encode);
  ASSERT_TRUE(file.ok());
  for (const bool stops : {false, true}) {
    std::vector<double> calls;
    DecodeOptions options;
    options.threads = 1;
    options.progress = [&](double done) {
      calls.push_back(done);
      return !stops;
    };
    EXPECT_EQ(Decode(*file, options).status().code(),
              stops ? StatusCode::kCancelled : StatusCode::kOk);
    ASSERT_FALSE(calls.empty());
    EXPECT_LT(calls.front(), 0.1);
    EXPECT_EQ(calls.back(), stops ? calls.front() : 1);
  }
}

// When all macroblocks are decoded.
TEST(DecodeLimitsTest, TheNetworkFilterStops) {
  EncodeOptions encode;
  encode.preset = Preset::kFast;
  encode.coder = Coder::kPatterns;
  encode.lambda = 100;
  const auto file = Encode(Draw(Picture::kTexture, 64, 64, 1).View(), encode);
  ASSERT_TRUE(file.ok());
  for (const int threads : {1, 2}) {
    SCOPED_TRACE(threads);
    int calls_at_end = 0;
    DecodeOptions options;
    options.threads = threads;
    options.progress = [&](double done) {
      if (done < 1) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(30));  // for another call to be due
      return ++calls_at_end < 2;
    };
    EXPECT_EQ(Decode(*file, options).status().code(), StatusCode::kCancelled);
    EXPECT_EQ(calls_at_end, 2);
  }
}

// The encoder says what decoding takes, to the unit.
TEST(DecodeLimitsTest, WorkIsWhatTheEncoderSays) {
  const Image image = Draw(Picture::kTexture, 70, 50, 1);
  for (const int tile_side : {0, 16, 32}) {
    for (const Preset preset : {Preset::kFast, Preset::kThesis}) {
      SCOPED_TRACE(testing::Message() << tile_side << " " << PresetName(preset));
      EncodeOptions encode = Options(tile_side);
      encode.preset = preset;
      encode.prediction_level = 20;
      const Encoded encoded = EncodeWithStats(image, encode);
      DecodeOptions options;
      for (const int threads : {1, 2, 5}) {
        for (const bool keep_going : {false, true}) {
          options.threads = threads;
          options.keep_going = keep_going;
          options.max_work = encoded.stats.decode_work;
          EXPECT_TRUE(Decode(encoded.file, options).ok());
          --*options.max_work;
          EXPECT_EQ(Decode(encoded.file, options).status().code(), StatusCode::kLimitExceeded);
        }
      }
    }
  }
}

// Files of the presets stay far below what a decoder allows.
TEST(DecodeLimitsTest, PresetsNeedATenthOfTheDefault) {
  for (const Picture picture : {Picture::kNoise, Picture::kTexture, Picture::kText}) {
    for (const Preset preset : {Preset::kFast, Preset::kBest}) {
      EncodeOptions options;
      options.preset = preset;
      options.lambda = 0;
      const Encoded encoded = EncodeWithStats(Draw(picture, 64, 48, 2), options);
      EXPECT_LT(encoded.stats.decode_work, DefaultMaxWork(encoded.file.size(), 64 * 48) / 10);
    }
  }
}

// The file's tiles, to be changed and put together again.
struct Parts {
  FileHeader header;
  std::vector<EncodedTile> tiles;

  explicit Parts(const std::vector<uint8_t>& file) {
    const ParsedFile parsed = *ParseFile(file, kNoLimit);
    header = parsed.header;
    for (const TileInfo& info : parsed.tiles) {
      const auto begin = file.begin() + static_cast<ptrdiff_t>(info.offset);
      tiles.push_back(
          {{begin, begin + static_cast<ptrdiff_t>(info.bytes)}, info.reconstruction_crc});
    }
  }
  std::vector<uint8_t> File() const { return WriteFileBytes(header, tiles); }
};

// Of several failures the one of the first tile counts, on any number of threads.
TEST(DecodeLimitsTest, TheFirstFailureCounts) {
  const Encoded encoded = EncodeWithStats(Draw(Picture::kTexture, 96, 64, 1), Options(16));
  Parts parts(encoded.file);
  parts.tiles[7].reconstruction_crc ^= 1;         // found at the tile's end
  parts.tiles[8].bytes.clear();                   // at its beginning
  parts.tiles[20].bytes.assign({1, 2, 3, 4, 5});  // somewhere
  const std::vector<uint8_t> file = parts.File();
  for (const uint64_t max_work : {kNoLimit, encoded.stats.decode_work, uint64_t{30'000'000}}) {
    DecodeOptions options;
    options.threads = 1;
    options.max_work = max_work;
    const Status first = Decode(file, options).status();
    ASSERT_FALSE(first.ok());
    if (max_work == kNoLimit) {
      EXPECT_NE(first.message().find("tile index 7 (of 24 tiles)"), std::string::npos)
          << first.message();
    }
    for (int round = 0; round < 20; ++round) {
      options.threads = 2 + round % 7;
      const Status status = Decode(file, options).status();
      EXPECT_EQ(status.code(), first.code());
      EXPECT_EQ(status.message(), first.message());
    }
  }
}

// No tile is begun after one that is damaged: 1024 of them take no time.
TEST(DecodeLimitsTest, NoTileIsBegunAfterTheFirstDamagedOne) {
  FileHeader header;
  header.width = header.height = 512;
  header.tile_width = header.tile_height = 16;
  header.parameters = PresetParameters(header.preset);
  header.parameters.pattern_scale = PatternScaleOf(40);
  const std::vector<uint8_t> file = WriteFileBytes(header, std::vector<EncodedTile>(1024));
  DecodeOptions options;
  options.threads = 3;
  int begun = 0;
  options.progress = [&](double) {
    ++begun;
    return true;
  };
  EXPECT_EQ(Decode(file, options).status().code(), StatusCode::kCorrupt);
  EXPECT_LE(begun, 3);
  // The set-up of tiles is work, too.
  options.keep_going = true;
  options.max_work = 1 << 28;
  EXPECT_EQ(Decode(file, options).status().code(), StatusCode::kLimitExceeded);
}

TEST(DecodeMemoryTest, ThreadsAreAsManyAsThereIsMemoryFor) {
  const DecodeMemory memory = {1000, 100};
  EXPECT_TRUE(memory.Check(1100).ok());
  const Status status = memory.Check(1099);
  EXPECT_EQ(status.code(), StatusCode::kLimitExceeded);
  EXPECT_NE(status.message().find("limit of 1099; raise max_memory"), std::string::npos);
  EXPECT_EQ(memory.MostThreads(1100, 8), 1);
  EXPECT_EQ(memory.MostThreads(1399, 8), 3);
  EXPECT_EQ(memory.MostThreads(kNoLimit, 8), 8);
}

// As where addresses have 32 bits: no limit that is raised helps.
TEST(DecodeMemoryTest, NoMoreThanCanBeAddressed) {
  constexpr uint64_t kAddressable = std::numeric_limits<int32_t>::max();
  const DecodeMemory memory = {kAddressable - 100, 100};
  EXPECT_TRUE(memory.Check(kNoLimit, kAddressable).ok());
  EXPECT_EQ(memory.MostThreads(kNoLimit, 8, kAddressable), 1);
  const Status status = memory.Check(kNoLimit, kAddressable - 1);
  EXPECT_EQ(status.code(), StatusCode::kLimitExceeded);
  EXPECT_NE(status.message().find("on a machine of 64 bits"), std::string::npos);
  EXPECT_EQ(status.message().find("max_memory"), std::string::npos);
}

// Whatever a header says, the default is enough for one thread.
TEST(DecodeMemoryTest, DefaultIsEnoughForEveryFile) {
  const TrainedPatterns patterns = [] {
    TrainedPatterns full;
    for (int level = 1; level < kLevelCount; ++level) full.levels[level].counts.assign(32767, 1);
    return full;
  }();
  FileHeader header;
  for (const int width : {1, 16, 1000, 16384, 65535}) {
    for (const int height : {1, 100, 16384}) {
      for (const int tile_side : {0, 16, 1024}) {
        for (const int capacity : {69, 1024, 65536}) {
          header.width = header.tile_width = width;
          header.height = header.tile_height = height;
          if (tile_side > 0 && (tile_side < width || tile_side < height))
            header.tile_width = header.tile_height = tile_side;
          // A table of tiles is as long as the file.
          if (tile_side == 16 && int64_t{width} * height > 1 << 24) continue;
          header.parameters.dictionary_size = capacity;
          header.metadata_bytes = kMaxMetadataBytes;
          const uint64_t pixels = static_cast<uint64_t>(width) * static_cast<uint64_t>(height);
          for (const uint32_t tools : {0u, uint32_t{kFilterNetwork}, kPresetTools}) {
            header.parameters.tools = tools;
            EXPECT_TRUE(
                DecodeMemoryOf(header, &patterns).Check(DefaultMaxMemory(pixels, capacity)).ok())
                << width << "x" << height << " " << tile_side << " " << capacity;
            // As a region of a file of half a million tiles.
            FileHeader file = header, region = header;
            file.width = file.height = 23000;
            for (FileHeader* of : {&file, &region}) of->tile_width = of->tile_height = 32;
            EXPECT_TRUE(RegionMemoryOf(file, region, &patterns)
                            .Check(DefaultMaxMemory(pixels, capacity))
                            .ok())
                << width << "x" << height << " " << tile_side << " " << capacity;
          }
        }
      }
    }
  }
}

TEST(DecodeMemoryTest, TheDefaultIsEnoughForEveryFileOfThePixelCoder) {
  FileHeader header;
  header.coder = Coder::kPixels;
  for (const Preset preset : {Preset::kFast, Preset::kBest}) {
    for (const int depth : {1, 8, 9, 16}) {
      header.may_be_jpeg = depth == 8;
      for (const int width : {1, 1000, 16384, 65535}) {
        for (const int height : {1, 100, 1000, 4096}) {
          header.preset = preset;
          header.depth = depth;
          header.width = header.tile_width = width;
          header.height = header.tile_height = height;
          const DecodeMemory memory = DecodeMemoryOf(header, nullptr);
          const uint64_t limit = DefaultMaxMemoryOf(header, memory);
          EXPECT_TRUE(memory.Check(limit).ok()) << width << "x" << height << " of " << depth;
          EXPECT_GE(limit, DefaultMaxMemory(static_cast<uint64_t>(width) * height, 0));
        }
      }
    }
  }
}

// What is asked for decides which files a limit refuses: a change is one of what is promised.
TEST(DecodeMemoryTest, IsPinned) {
  const auto standard = *FindPatterns({.tools = kTrainedPatterns, .pattern_scale = 1}, {});
  using Bytes = std::pair<uint64_t, uint64_t>;  // shared, for each thread
  const auto memory_of = [](int width, int height, int tile, int capacity,
                            const TrainedPatterns* patterns, uint32_t tools = 0) {
    FileHeader header;
    header.width = width;
    header.height = height;
    header.tile_width = std::min(tile, width);
    header.tile_height = std::min(tile, height);
    header.parameters.dictionary_size = capacity;
    header.parameters.tools = tools;
    const DecodeMemory memory = DecodeMemoryOf(header, patterns);
    return Bytes(memory.shared, memory.each_thread);
  };
  EXPECT_EQ(memory_of(1, 1, 16, 69, nullptr), (Bytes{2061199, 2178246}));
  EXPECT_EQ(memory_of(512, 500, 1 << 20, 1024, nullptr), (Bytes{2317198, 17344198}));
  EXPECT_EQ(memory_of(512, 500, 1 << 20, 1024, standard.get()), (Bytes{9369406, 17344198}));
  EXPECT_EQ(memory_of(4000, 33, 32, 65536, standard.get()), (Bytes{9372894, 23344246}));
  EXPECT_EQ(memory_of(1, 1, 16, 69, nullptr, kFilterNetwork), (Bytes{2061199, 2718486}));
  EXPECT_EQ(memory_of(4000, 500, 1 << 20, 1024, nullptr, kFilterNetwork),
            (Bytes{4061198, 76806854}));
  // In wave fronts, by the tools of best: of so many substreams.
  const auto memory_by_substreams = [&](int width, int height) {
    FileHeader header;
    header.width = header.tile_width = width;
    header.height = header.tile_height = height;
    header.parameters = PresetParameters(Preset::kBest);
    header.parameters.order = MacroblockOrder::kWavefront;
    return DecodeMemoryOf(header, standard.get()).each_thread;
  };
  EXPECT_EQ(memory_by_substreams(512, 500), 49430230u);
  EXPECT_EQ(memory_by_substreams(2048, 2048), 235755250u);
  const auto memory_by_pixels = [](int width, int tile_width, int depth, Preset preset) {
    FileHeader header;
    header.coder = Coder::kPixels;
    header.preset = preset;
    header.depth = depth;
    header.width = width;
    header.tile_width = tile_width;
    header.height = header.tile_height = 16;
    const DecodeMemory memory = DecodeMemoryOf(header, nullptr);
    return Bytes(memory.shared, memory.each_thread);
  };
  EXPECT_EQ(memory_by_pixels(100, 100, 8, Preset::kFast), (Bytes{1050688, 4792576}));
  EXPECT_EQ(memory_by_pixels(100, 32, 8, Preset::kBest), (Bytes{1052224, 10650624}));
  EXPECT_EQ(memory_by_pixels(100, 65536, 8, Preset::kBest), (Bytes{1050688, 11001344}));
  EXPECT_EQ(memory_by_pixels(100, 100, 12, Preset::kBest), (Bytes{1052288, 10997760}));
  FileHeader jpeg;
  jpeg.coder = Coder::kPixels;
  jpeg.may_be_jpeg = true;
  jpeg.width = jpeg.tile_width = jpeg.height = jpeg.tile_height = 1000;
  EXPECT_EQ(DecodeMemoryOf(jpeg, nullptr).each_thread, 17637888u);
  EXPECT_EQ(DefaultMaxMemory(1000, 100), 271728256u);
  EXPECT_EQ(DefaultMaxWork(1000, 100), 17715625984u);
}

TEST(DecodeMemoryTest, FilesThatMayTakeMoreAreRefusedBeforeTheyTakeIt) {
  const std::vector<uint8_t> file =
      EncodeWithStats(Draw(Picture::kTexture, 64, 64, 1), Options(32)).file;
  const ParsedFile parsed = *ParseFile(file, kNoLimit);
  const auto patterns = *FindPatterns(parsed.header.parameters, {});
  const DecodeMemory memory = DecodeMemoryOf(parsed.header, patterns.get());
  DecodeOptions options;
  options.threads = 4;
  options.max_memory = memory.shared + memory.each_thread;
  EXPECT_TRUE(Decode(file, options).ok());
  --*options.max_memory;
  EXPECT_EQ(Decode(file, options).status().code(), StatusCode::kLimitExceeded);
}

}  // namespace
}  // namespace mmp
