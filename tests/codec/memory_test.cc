// Memory that runs out, in every place: the library says so, leaks nothing and goes on working. And
// memory that is taken: no more than is said before.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
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

INSTANTIATE_TEST_SUITE_P(Threads, OutOfMemoryTest, testing::Values(1, 4));

TEST(OutOfMemoryElsewhereTest, Info) {
  const File file = MustEncode(Draw(Picture::kTexture, 40, 24, 1).View(), Options(1, 16));
  FailEverywhere([&] { return ReadInfo(file).status(); });
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

}  // namespace
}  // namespace mmp
