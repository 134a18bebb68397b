// Pinned outcomes: what becomes of each golden file, and of each input of the decoder's fuzzing
// corpus. The latter are damaged in ways that reach every rule of the decoder, and are decoded here
// without comparing checksums (MMP_FUZZING). Which files are accepted, and as what picture, is the
// format: a change is explained in its commit, and so is one of the work that decoding is counted
// as. MMP_UPDATE_OUTCOMES=1 outcomes_test writes the list anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "codec/decoder/decode_observed.h"
#include "codec/tile/tile_observer.h"
#include "common/crc32c.h"
#include "mmp/mmp.h"

namespace mmp {
namespace {

namespace fs = std::filesystem;

const std::string kList = std::string(MMP_TEST_DATA) + "/outcomes.txt";

std::vector<fs::path> InputFiles() {
  std::vector<fs::path> paths;
  for (const char* folder : {MMP_TEST_DATA "/golden", MMP_FUZZ_CORPUS "/decode"}) {
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() != ".txt") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end(),
            [](const fs::path& a, const fs::path& b) { return a.filename() < b.filename(); });
  return paths;
}

DecodeOptions Options(bool keep_going) {
  DecodeOptions options;
  options.threads = 1;
  options.max_pixels = 1 << 18;
  options.max_work = uint64_t{1} << 36;
  options.keep_going = keep_going;
  return options;
}

// "decoded", the picture's checksum and how many of its tiles are damaged, or "refused" and the
// code.
std::string OutcomeOf(const std::vector<uint8_t>& file, bool keep_going) {
  const Result<DecodedImage> decoded = Decode(file, Options(keep_going));
  char text[64];
  if (decoded.ok())
    std::snprintf(text, sizeof(text), "decoded %08x %zu", Crc32c(decoded->image.pixels()),
                  decoded->damaged_tiles.size());
  else
    std::snprintf(text, sizeof(text), "refused %d", static_cast<int>(decoded.status().code()));
  return text;
}

bool DecodesWith(const std::vector<uint8_t>& file, uint64_t max_work) {
  DecodeOptions options = Options(false);
  options.max_work = max_work;
  return Decode(file, options).ok();
}

// The least limit of work with which a file decodes that does so.
uint64_t LeastWork(const std::vector<uint8_t>& file) {
  uint64_t too_little = 0, enough = *Options(false).max_work;
  while (enough - too_little > 1) {
    const uint64_t middle = too_little + (enough - too_little) / 2;
    (DecodesWith(file, middle) ? enough : too_little) = middle;
  }
  return enough;
}

struct Outcome {
  std::string text;
  uint64_t work = 0;  // the least that it decodes with; 0 if it does not
};

std::vector<uint8_t> Bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  return {bytes.begin(), bytes.end()};
}

std::string TextOf(const std::vector<uint8_t>& file) {
  return OutcomeOf(file, false) + ", keeping going " + OutcomeOf(file, true);
}

// Lines "name, work, outcome", by name.
std::map<std::string, Outcome> Pinned() {
  std::map<std::string, Outcome> pinned;
  std::ifstream in(kList);
  std::string name;
  Outcome outcome;
  while (in >> name >> outcome.work && std::getline(in >> std::ws, outcome.text))
    pinned[name] = outcome;
  return pinned;
}

void Update() {
  std::ofstream out(kList);
  for (const fs::path& path : InputFiles()) {
    const std::vector<uint8_t> file = Bytes(path);
    const std::string text = TextOf(file);
    out << path.filename().string() << " " << (text.starts_with("decoded") ? LeastWork(file) : 0)
        << " " << text << "\n";
  }
}

TEST(OutcomesTest, AreThePinnedOnes) {
  if (std::getenv("MMP_UPDATE_OUTCOMES") != nullptr) return Update();
  std::map<std::string, Outcome> pinned = Pinned();
  ASSERT_GE(pinned.size(), 100U);
  for (const fs::path& path : InputFiles()) {
    const std::string name = path.filename();
    SCOPED_TRACE(name);
    ASSERT_TRUE(pinned.contains(name)) << "not in " << kList;
    const Outcome expected = pinned.extract(name).mapped();
    const std::vector<uint8_t> file = Bytes(path);
    EXPECT_EQ(TextOf(file), expected.text);
    if (expected.work == 0) continue;
    EXPECT_TRUE(DecodesWith(file, expected.work));
    EXPECT_FALSE(DecodesWith(file, expected.work - 1));
  }
  for (const auto& [name, outcome] : pinned) ADD_FAILURE() << name << " is not there any more";
}

// Whoever watches sees the same picture, or hears that there are no blocks of 8 bits to be seen.
TEST(OutcomesTest, AreTheSameUnderObservation) {
  int seen = 0, by_pixels = 0, deep = 0;
  for (const fs::path& path : InputFiles()) {
    SCOPED_TRACE(path.filename());
    const std::vector<uint8_t> file = Bytes(path);
    const Result<DecodedImage> decoded = Decode(file, Options(false));
    if (!decoded.ok()) continue;
    TileObserver observer;
    const Result<DecodedImage> observed =
        DecodeObserved(file, Options(false), [&](int) -> TileObserver& { return observer; });
    const Result<FileInfo> info = ReadInfo(file);
    ASSERT_TRUE(info.ok());
    if (info->coder == Coder::kPatterns && info->depth == 8) {
      ASSERT_TRUE(observed.ok()) << observed.status().message();
      EXPECT_EQ(observed->image, decoded->image);
      ++seen;
    } else {
      EXPECT_EQ(observed.status().code(), StatusCode::kUnsupported);
      ++(info->coder == Coder::kPixels ? by_pixels : deep);
    }
  }
  EXPECT_GT(seen, 0);
  EXPECT_GT(by_pixels, 0);
  EXPECT_GT(deep, 0);
}

}  // namespace
}  // namespace mmp
