// Memory that runs out, in every place: the library says so, leaks nothing and goes on working. And
// memory that is taken: no more than is said before.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "codec/bitstream/container.h"
#include "codec/decoder/decode_limits.h"
#include "codec/training/training.h"
#include "common/image_files/image_io.h"
#include "mmp/mmp.h"
#include "tests/support/failing_allocations.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

using File = std::vector<uint8_t>;

// Whether it is ok; else it must say that there is no memory.
bool IsOk(const Status& status) {
  if (status.ok()) return true;
  EXPECT_EQ(status.code(), StatusCode::kOutOfMemory) << status.message();
  EXPECT_NE(status.message().find("memory"), std::string::npos) << status.message();
  return false;
}

// Fails each allocation of `call`, which returns a Status.
template <typename Call>
void FailEverywhere(const Call& call) {
  for (const Failing failing : {Failing::kOne, Failing::kAll}) {
    SCOPED_TRACE(failing == Failing::kOne ? "one" : "all after it, too");
    EXPECT_GT(FailAllocations(failing, [&] { return IsOk(call()); }), 2);
  }
}

// A picture of samples of some bits: those of `picture`, in the highest bits, above some noise.
Image DrawDeep(Picture picture, int width, int height, int depth) {
  const Image drawn = Draw(picture, width, height, 1);
  Image image = Image::OfDepth(depth, width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int more = depth - 8, sample = drawn.Row(y)[x];
      image.SetSample(y, x,
                      more < 0 ? sample >> -more : sample << more | (x * 7 + y) % (1 << more));
    }
  }
  return image;
}

EncodeOptions Options(int threads, int tile_side) {
  EncodeOptions options;
  options.preset = Preset::kFast;
  options.dictionary_size = 100;
  options.threads = threads;
  options.tile_width = options.tile_height = tile_side;
  return options;
}

class OutOfMemoryTest : public testing::TestWithParam<int> {
 protected:
  const Image image_ = Draw(Picture::kTexture, 28, 16, 1);
};

TEST_P(OutOfMemoryTest, Encode) {
  for (const int tile_side : {0, 16}) {
    EncodeOptions options = Options(GetParam(), tile_side);
    FailEverywhere([&] { return Encode(image_.View(), options).status(); });
  }
  // Branches of one tile's search on several threads.
  EncodeOptions options = Options(GetParam(), 0);
  options.preset = Preset::kThesis;
  options.prediction_level = 20;
  const Image small = Draw(Picture::kTexture, 16, 16, 1);
  FailEverywhere([&] { return Encode(small.View(), options).status(); });
}

TEST_P(OutOfMemoryTest, EncodeMany) {
  std::vector<EncodeJob> jobs(3);
  for (EncodeJob& job : jobs) {
    job.options = Options(1, 16);
    job.load = [this]() -> Result<ImageView> { return image_.View(); };
  }
  FailEverywhere([&] {
    const auto files = EncodeMany(jobs, {.threads = GetParam()});
    if (files.empty()) return Status(StatusCode::kOutOfMemory, "no memory");
    EXPECT_EQ(files.size(), jobs.size());
    Status failure;
    for (const auto& file : files)
      if (!IsOk(file.status())) failure = {StatusCode::kOutOfMemory, "no memory"};
    return failure;
  });
  // Each job ends once. Where one fails, the others need not.
  int failures = 0, successes = 0;
  FailAllocations(Failing::kOne, [&] {
    std::array<std::atomic<int>, 3> ends{};
    std::atomic<int> failed{0};
    EncodeMany(jobs, {.threads = GetParam()},
               [&](size_t job, const Result<File>& file, const EncodeStats&) {
                 ++ends[job];
                 failed += !file.ok();
               });
    for (const auto& count : ends) EXPECT_EQ(count, 1);
    failures += failed;
    successes += 3 - failed;
    return failed == 0;
  });
  EXPECT_GT(failures, 10);
  EXPECT_GT(successes, failures);
}

TEST_P(OutOfMemoryTest, Decode) {
  for (const int tile_side : {0, 16}) {
    EncodeOptions encode = Options(1, tile_side);
    encode.preset = Preset::kBest;
    const File file = MustEncode(image_.View(), encode);
    for (const bool keep_going : {false, true}) {
      DecodeOptions options;
      options.threads = GetParam();
      options.keep_going = keep_going;
      FailEverywhere([&] { return Decode(file, options).status(); });
    }
    EXPECT_TRUE(Decode(file).ok());
  }
}

TEST_P(OutOfMemoryTest, PixelCoder) {
  const Image image = DrawDeep(Picture::kText, 28, 16, 16);
  for (const int tile_side : {0, 16}) {
    EncodeOptions options = Options(GetParam(), tile_side);
    options.coder = Coder::kPixels;
    options.lambda = 0;
    FailEverywhere([&] { return Encode(image.View(), options).status(); });
    const File file = MustEncode(image.View(), options);
    for (const bool keep_going : {false, true}) {
      DecodeOptions decode;
      decode.threads = GetParam();
      decode.keep_going = keep_going;
      FailEverywhere([&] { return Decode(file, decode).status(); });
    }
    EXPECT_EQ(Decode(file)->image, image);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, OutOfMemoryTest, testing::Values(1, 4));

TEST(OutOfMemoryElsewhereTest, Info) {
  const File file = MustEncode(Draw(Picture::kTexture, 40, 24, 1).View(), Options(1, 16));
  FailEverywhere([&] { return ReadInfo(file).status(); });
  const ByteSource source = {file.size(), [&](uint64_t offset, std::span<uint8_t> bytes) {
                               std::copy_n(file.data() + offset, bytes.size(), bytes.data());
                               return Status();
                             }};
  FailEverywhere([&] { return ReadInfoFrom(source).status(); });
}

TEST(OutOfMemoryElsewhereTest, Images) {
  const Image image = Draw(Picture::kTexture, 40, 24, 1);
  for (const File& file : {EncodePng(image.View()), EncodePgm(image.View())})
    FailAllocations(Failing::kAll, [&] { return IsOk(ParseImage(file, "it").status()); });
}

TEST(OutOfMemoryElsewhereTest, Training) {
  TrainingOptions options;
  options.patterns = 2;
  options.rounds = 1;
  options.threads = 2;
  const std::vector<Image> images = {Draw(Picture::kTexture, 16, 16, 1)};
  int64_t succeeding = 1;
  for (int round = 0; round < 12; ++round, succeeding *= 4) {
    BeginFailing(succeeding, Failing::kOne);
    const Status status = TrainDictionary(images, options).status();
    const bool failed = EndFailing();
    if (!failed || !status.ok()) {
      EXPECT_EQ(IsOk(status), !failed);
    }
    if (!failed) break;
  }
}

// What decoding takes is known from the header.
TEST(DecodeMemoryTest, IsWhatIsSaidAtMost) {
  for (const int dictionary_size : {69, 1024, 65536}) {
    for (const int tile_side : {0, 32}) {
      for (const int threads : {1, 3}) {
        SCOPED_TRACE(testing::Message() << dictionary_size << " " << tile_side << " " << threads);
        EncodeOptions options = Options(1, tile_side);
        options.preset = Preset::kBest;
        options.lambda = 2;
        options.prediction_level = kNoPredictionSplit;
        options.dictionary_size = dictionary_size;
        const File file = MustEncode(Draw(Picture::kNoise, 64, 48, 1).View(), options);
        const ParsedFile parsed = *ParseFile(file, std::numeric_limits<uint64_t>::max());
        const auto patterns = *FindPatterns(parsed.header.parameters, {});
        const DecodeMemory memory = DecodeMemoryOf(parsed.header, patterns.get());
        CountBytes();
        ASSERT_TRUE(Decode(file, {.threads = threads}).ok());
        EXPECT_LT(MostBytes(), static_cast<int64_t>(memory.shared + threads * memory.each_thread));
        // With memory for one thread, there is one.
        DecodeOptions limited;
        limited.threads = threads;
        limited.max_memory = memory.shared + memory.each_thread;
        CountBytes();
        ASSERT_TRUE(Decode(file, limited).ok());
        EXPECT_LT(MostBytes(), static_cast<int64_t>(*limited.max_memory));
      }
    }
  }
}

// Decoding takes no more than is said, on so many threads, and with memory for one of them; nor
// much less, so that what is said does not refuse what would do.
void ExpectMemoryAsSaid(const File& file, int threads, double most_times) {
  const ParsedFile parsed = *ParseFile(file, std::numeric_limits<uint64_t>::max());
  std::shared_ptr<const TrainedPatterns> patterns;
  if (parsed.header.coder == Coder::kPatterns)
    patterns = *FindPatterns(parsed.header.parameters, {});
  const DecodeMemory memory = DecodeMemoryOf(parsed.header, patterns.get());
  EXPECT_TRUE(memory.Check(DefaultMaxMemoryOf(parsed.header, memory)).ok());
  CountBytes();
  ASSERT_TRUE(Decode(file, {.threads = threads}).ok());
  EXPECT_LT(MostBytes(), static_cast<int64_t>(memory.shared + threads * memory.each_thread));
  DecodeOptions limited;
  limited.threads = threads;
  limited.max_memory = memory.shared + memory.each_thread;
  CountBytes();
  ASSERT_TRUE(Decode(file, limited).ok());
  const double taken = static_cast<double>(MostBytes());
  EXPECT_LT(taken, static_cast<double>(*limited.max_memory));
  EXPECT_GT(taken * most_times, static_cast<double>(*limited.max_memory));
  limited.max_memory = *limited.max_memory - 1;
  EXPECT_EQ(Decode(file, limited).status().code(), StatusCode::kLimitExceeded);
}

EncodeOptions PixelOptions(Preset preset, int max_error) {
  EncodeOptions options;
  options.coder = Coder::kPixels;
  options.preset = preset;
  options.max_error = max_error;
  return options;
}

class PixelCoderMemoryTest : public testing::TestWithParam<std::tuple<Preset, int>> {
 protected:
  // Text without a loss has exact contexts, which take the most, or repeats, which take less.
  void ExpectAsSaid(int width, int height, int tile_side, int threads, double most_times = 4.5) {
    const auto [preset, depth] = GetParam();
    for (const Picture picture : {Picture::kText, Picture::kNoise}) {
      for (const int max_error : {0, 3}) {
        SCOPED_TRACE(testing::Message() << PictureName(picture) << " " << width << " x " << height
                                        << ", error " << max_error);
        EncodeOptions options = PixelOptions(preset, max_error);
        options.tile_width = options.tile_height = tile_side;
        const Image image = DrawDeep(picture, width, height, depth);
        ExpectMemoryAsSaid(MustEncode(image.View(), options), threads,
                           picture == Picture::kText ? 2 * most_times : most_times);
      }
    }
  }
};

// One column of text is flat, and then takes next to nothing.
TEST_P(PixelCoderMemoryTest, Narrow) { ExpectAsSaid(1, 70, 0, 1, 1e9); }
TEST_P(PixelCoderMemoryTest, Ordinary) { ExpectAsSaid(300, 20, 0, 1); }
TEST_P(PixelCoderMemoryTest, Wide) { ExpectAsSaid(4000, 2, 0, 1); }
TEST_P(PixelCoderMemoryTest, Tiles) { ExpectAsSaid(100, 40, 32, 3); }
// Tiles that are wider than the image are no wider.
TEST_P(PixelCoderMemoryTest, WideTiles) {
  const auto [preset, depth] = GetParam();
  EncodeOptions options = PixelOptions(preset, 0);
  options.tile_width = 1 << 16;
  options.tile_height = 16;
  const Image image = DrawDeep(Picture::kText, 40, 20, depth);
  ExpectMemoryAsSaid(MustEncode(image.View(), options), 2, 4.5);
}

INSTANTIATE_TEST_SUITE_P(Efforts, PixelCoderMemoryTest,
                         testing::Combine(testing::Values(Preset::kFast, Preset::kBest),
                                          testing::Values(8, 16)));

// What is allowed by default is enough for the longest rows.
TEST(PixelCoderMemoryLimitTest, LongestRows) {
  for (const int depth : {8, 16}) {
    const Image image = DrawDeep(Picture::kGradient, kMaxImageSide, 1, depth);
    ExpectMemoryAsSaid(MustEncode(image.View(), PixelOptions(Preset::kBest, 0)), 1, 1.1);
  }
}

// Patterns' samples of 8 bits beside the image's of two bytes.
TEST(DecodeMemoryTest, DeepImagesByPatterns) {
  for (const int tile_side : {0, 32}) {
    EncodeOptions options = Options(1, tile_side);
    options.lambda = 0.1;
    options.coder = Coder::kPatterns;
    const Image image = DrawDeep(Picture::kTexture, 96, 64, 16);
    ExpectMemoryAsSaid(MustEncode(image.View(), options), 2, 100);
  }
}

// A file of tiles of a byte each, none of which is a tile's; header and table are undamaged.
File ManyTiles(int side) {
  FileHeader header;
  header.width = header.height = side;
  header.tile_width = header.tile_height = kMacroblockSize;
  header.parameters = PresetParameters(header.preset);
  return WriteFileBytes(header, std::vector<EncodedTile>(CountTiles(header), {{1}, 0}));
}

// What a table becomes once it is read is memory, too: it is not read where that is too much.
TEST(DecodeMemoryTest, TablesAreRefusedBeforeTheyTakeAny) {
  const File file = ManyTiles(2048);
  DecodeOptions options;
  for (const bool of_region : {false, true}) {
    options.max_memory = 1 << 16;
    if (of_region) options.region = Region{0, 0, 16, 16};
    CountBytes();
    EXPECT_EQ(Decode(file, options).status().code(), StatusCode::kLimitExceeded);
    EXPECT_LT(MostBytes(), 1 << 16);
  }
  // Just enough for the table, of which not more is made before the rest is refused.
  options.region.reset();
  options.max_memory = TableMemory(*ParseFileHeader(file)) + 1;
  for (const bool keep_going : {false, true}) {
    options.keep_going = keep_going;
    CountBytes();
    EXPECT_EQ(Decode(file, options).status().code(), StatusCode::kLimitExceeded);
    EXPECT_LT(MostBytes(), static_cast<int64_t>(*options.max_memory));
  }
}

// As many as there are, each with the reason.
TEST(DecodeMemoryTest, DamagedTilesAsSaid) {
  File file = ManyTiles(1024);
  const DecodeMemory memory = DecodeMemoryOf(*ParseFileHeader(file), nullptr);
  DecodeOptions options;
  options.threads = 1;
  options.keep_going = true;
  options.max_memory = memory.shared + memory.each_thread;
  for (const bool are_there : {true, false}) {
    constexpr size_t kTiles = 64 * 64;
    if (!are_there) file.resize(file.size() - kTiles);
    CountBytes();
    const auto decoded = Decode(file, options);
    EXPECT_LT(MostBytes(), static_cast<int64_t>(memory.shared + memory.each_thread));
    ASSERT_TRUE(decoded.ok()) << decoded.status().message();
    EXPECT_EQ(decoded->damaged_tiles.size(), kTiles);
  }
}

// Metadata are handed out beside the image.
TEST(DecodeMemoryTest, MetadataAsSaid) {
  EncodeOptions options = Options(1, 0);
  for (int i = 0; i < 4; ++i) options.metadata.push_back({5, std::vector<uint8_t>(4'000'000)});
  const File file = MustEncode(Draw(Picture::kFlat, 16, 16, 1).View(), options);
  ExpectMemoryAsSaid(file, 1, 100);
}

}  // namespace
}  // namespace mmp
