// The library's functions called as they are not meant to be: each says what is wrong.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "mmp/mmp.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

using File = std::vector<uint8_t>;

void ExpectInvalid(const Status& status, const std::string& words) {
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << words;
  EXPECT_NE(status.message().find(words), std::string::npos) << status.message();
}

Status EncodeError(const ImageView& view, const EncodeOptions& options = {}) {
  return Encode(view, options).status();
}

template <typename Change>
Status OptionError(const Change& change) {
  EncodeOptions options;
  change(options);
  return EncodeError(Image(20, 20).View(), options);
}

EncodeOptions QuickOptions() {
  EncodeOptions options;
  options.preset = Preset::kFast;
  options.dictionary_size = 100;
  return options;
}

File SmallFile() { return MustEncode(Draw(Picture::kTexture, 40, 40, 1).View(), QuickOptions()); }

TEST(ApiChecksTest, ImagesThatAreNone) {
  const Image image(20, 20);
  const uint8_t* const data = image.Row(0);
  ExpectInvalid(EncodeError({nullptr, 20, 20, 20}), "its data is null");
  ExpectInvalid(EncodeError({data, 20, 20, 19}), "rows of 20 pixels are only 19 bytes apart");
  ExpectInvalid(EncodeError({data, 20, 20, 0}), "stride is too small");
  ExpectInvalid(EncodeError({data, 20, 20, SIZE_MAX - 19}), "more than memory has");
  ExpectInvalid(EncodeError({data, 20, 2, size_t{PTRDIFF_MAX} + 1}), "more than memory has");
  EXPECT_TRUE(EncodeError({data, 20, 1, SIZE_MAX}).ok());  // there is no next row
  ExpectInvalid(EncodeError({data, 0, 20, 20}), "1 to 65535 pixels a side, not 0x20");
  ExpectInvalid(EncodeError({data, 20, -3, 20}), "not 20x-3");
  ExpectInvalid(EncodeError({data, 65536, 1, 65536}), "not 65536x1");
  ExpectInvalid(EncodeError({}), "not 0x0");
}

TEST(ApiChecksTest, ImagesThatJobsLoad) {
  std::vector<EncodeJob> jobs(2);
  for (EncodeJob& job : jobs) job.options = QuickOptions();
  const Image image(16, 16);
  jobs[0].load = [&]() -> Result<ImageView> { return ImageView{nullptr, 16, 16, 16}; };
  jobs[1].image = image.View();
  const auto files = EncodeMany(jobs);
  ExpectInvalid(files[0].status(), "its data is null");
  EXPECT_TRUE(files[1].ok()) << files[1].status().message();
}

TEST(ApiChecksTest, ValuesThatHaveNoName) {
  ExpectInvalid(OptionError([](EncodeOptions& o) { o.preset = static_cast<Preset>(77); }),
                "there is no preset number 77");
  ExpectInvalid(OptionError([](EncodeOptions& o) { o.backend = static_cast<Backend>(9); }),
                "there is no backend number 9");
  ExpectInvalid(OptionError([](EncodeOptions& o) { o.order = static_cast<MacroblockOrder>(3); }),
                "there is no order number 3");
}

TEST(ApiChecksTest, NamesOfValuesThatThereAreNot) {
  EXPECT_EQ(PresetName(static_cast<Preset>(9)), "unknown");
  EXPECT_EQ(BackendName(static_cast<Backend>(9)), "unknown");
  EXPECT_EQ(OrderName(static_cast<MacroblockOrder>(9)), "unknown");
  EXPECT_EQ(CoderName(static_cast<Coder>(9)), "unknown");
}

// A status is kept longer than the result that it is of.
TEST(ApiChecksTest, TheStatusOfATemporaryResult) {
  const Status& status = Encode(ImageView{}, {}).status();
  ExpectInvalid(status, "1 to 65535 pixels a side, not 0x0");
  static_assert(std::is_same_v<decltype(Decode({}).status()), Status>);
}

TEST(ApiChecksTest, Threads) {
  for (const int threads : {-1, kMaxThreads + 1}) {
    const std::string words =
        "threads must be between 0, which is one a core, and 1024, not " + std::to_string(threads);
    ExpectInvalid(OptionError([&](EncodeOptions& o) { o.threads = threads; }), words);
    ExpectInvalid(Decode(SmallFile(), {.threads = threads}).status(), words);
    std::vector<EncodeJob> jobs(3);
    const auto files = EncodeMany(jobs, {.threads = threads});
    ASSERT_EQ(files.size(), 3u);
    for (const auto& file : files) ExpectInvalid(file.status(), words);
  }
  EncodeOptions many = QuickOptions();
  many.threads = kMaxThreads;
  EXPECT_TRUE(EncodeError(Image(20, 20).View(), many).ok());
}

TEST(ApiChecksTest, NothingToDecode) {
  EXPECT_EQ(Decode({}).status().code(), StatusCode::kCorrupt);
  EXPECT_EQ(ReadInfo({}).status().code(), StatusCode::kCorrupt);
  EXPECT_EQ(ReadSize({}).status().code(), StatusCode::kCorrupt);
  EXPECT_TRUE(EncodeMany({}).empty());
}

// What a callback throws comes out of the function that was called, on the caller's thread, when no
// thread works any more; also what elsewhere says that there is no memory.
class ThrowingCallbackTest : public testing::TestWithParam<int> {
 protected:
  // Nothing may call back once it has thrown.
  bool Throw() {
    EXPECT_FALSE(thrown_.exchange(true));
    throw std::length_error("from the callback");
  }
  template <typename Function>
  void ExpectThrown(const Function& function) {
    try {
      function();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::length_error& error) {
      EXPECT_STREQ(error.what(), "from the callback");
    }
    thrown_ = false;
  }
  std::vector<EncodeJob> Jobs(int count) {
    std::vector<EncodeJob> jobs(count);
    for (EncodeJob& job : jobs) {
      job.image = image_.View();
      job.options = TiledOptions();
    }
    return jobs;
  }
  EncodeOptions TiledOptions() const {
    EncodeOptions options = QuickOptions();
    options.threads = GetParam();
    options.tile_width = options.tile_height = 16;
    return options;
  }

  const Image image_ = Draw(Picture::kTexture, 64, 48, 1);

 private:
  std::atomic<bool> thrown_{false};
};

TEST_P(ThrowingCallbackTest, EncodesProgress) {
  EncodeOptions options = TiledOptions();
  options.progress = [this](double) { return Throw(); };
  ExpectThrown([&] { (void)Encode(image_.View(), options); });
  options.tile_width = options.tile_height = 0;
  ExpectThrown([&] { (void)Encode(image_.View(), options); });
  options.preview = true;
  ExpectThrown([&] { (void)Encode(image_.View(), options); });
}

TEST_P(ThrowingCallbackTest, DecodesProgress) {
  const File file = MustEncode(image_.View(), TiledOptions());
  DecodeOptions options;
  options.threads = GetParam();
  options.progress = [this](double) { return Throw(); };
  ExpectThrown([&] { (void)Decode(file, options); });
}

TEST_P(ThrowingCallbackTest, ReadsOfASource) {
  const ByteSource source = {100, [this](uint64_t, std::span<uint8_t>) {
                               Throw();
                               return Status();
                             }};
  ExpectThrown([&] { (void)DecodeFrom(source, {.threads = GetParam()}); });
  ExpectThrown([&] { (void)ReadInfoFrom(source); });
}

TEST_P(ThrowingCallbackTest, ProgressOfMany) {
  const auto jobs = Jobs(3);
  const EncodeManyOptions options = {
      .threads = GetParam(), .progress = [this](const EncodeManyProgress&) { return Throw(); }};
  ExpectThrown([&] { (void)EncodeMany(jobs, options); });
}

TEST_P(ThrowingCallbackTest, LoadOfMany) {
  auto jobs = Jobs(5);
  jobs[3].load = [this]() -> Result<ImageView> {
    Throw();
    return image_.View();
  };
  ExpectThrown([&] { (void)EncodeMany(jobs, {.threads = GetParam()}); });
}

TEST_P(ThrowingCallbackTest, DoneOfMany) {
  const auto jobs = Jobs(4);
  std::atomic<bool> first{true};
  ExpectThrown([&] {
    EncodeMany(jobs, {.threads = GetParam()}, [&](size_t, const Result<File>&, const EncodeStats&) {
      if (first.exchange(false)) Throw();
    });
  });
}

TEST_P(ThrowingCallbackTest, AnEmptyDoneOfMany) {
  const auto jobs = Jobs(2);
  EXPECT_THROW(EncodeMany(jobs, {.threads = GetParam()}, EncodedCallback()),
               std::bad_function_call);
}

INSTANTIATE_TEST_SUITE_P(Threads, ThrowingCallbackTest, testing::Values(1, 2, 5));

}  // namespace
}  // namespace mmp
