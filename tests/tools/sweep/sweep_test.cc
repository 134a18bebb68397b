#include "tools/sweep/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "common/image_files/image_io.h"
#include "common/metrics.h"
#include "common/sha256.h"
#include "mmp/mmp.h"
#include "tests/support/pictures.h"
#include "tests/support/temporary_folder.h"
#include "tools/sweep/results/results_files.h"

namespace mmp {
namespace {

namespace fs = std::filesystem;

class SweepTest : public testing::Test {
 protected:
  SweepTest() {
    encoder_ = folder_ / "encoder";
    // Notes what it does, and fails where there is a file of that name.
    WriteText(encoder_, "#!/bin/sh\necho $1 >> " + (folder_ / "log") + "\n[ ! -e " +
                            (folder_ / "fail-") + "$1 ] && cp picture.pgm coded.pgm\n");
    fs::permissions(encoder_, fs::perms::owner_all);
    encode_command_ = encoder_ + " {quality}";
    copier_ = {.name = "copier",
               .parameter_name = "quality",
               .qualities = {1, 2, 3},
               .debian_packages = "none",
               .version_command = "echo v1.0",
               .input = PictureFile::kPgm,
               .encode = encode_command_,
               .coded_file = "coded.pgm",
               .decode = "cp coded.pgm decoded.pgm",
               .decoded_file = "decoded.pgm"};
    request_.inputs = {Write("a.png", Draw(Picture::kTexture, 40, 33, 1)),
                       Write("b.png", Draw(Picture::kGradient, 24, 24, 2))};
    request_.lambdas = {0, 20, 200};
    request_.settings = {{Preset::kFast}};
    request_.against = {&copier_};
    request_.backend = Backend::kCpu;
    request_.folder = folder_ / "out";
    request_.command = "mmp sweep";
  }

  std::string Write(const std::string& name, const Image& image) {
    EXPECT_TRUE(WriteImage(folder_ / name, image.View()).ok());
    return folder_ / name;
  }

  SweepResults MustRun() {
    Result<SweepResults> results = RunSweep(request_);
    EXPECT_TRUE(results.ok()) << results.status().message();
    return results.ok() ? *std::move(results) : SweepResults();
  }

  // How often the encoder was started.
  size_t EncoderRuns() {
    const std::string log = ReadText(folder_ / "log");
    return static_cast<size_t>(std::count(log.begin(), log.end(), '\n'));
  }

  size_t JournalLines() {
    const std::string journal = ReadText(request_.folder + "/journal.jsonl");
    return static_cast<size_t>(std::count(journal.begin(), journal.end(), '\n'));
  }

  TemporaryFolder folder_;
  std::string encoder_, encode_command_;
  ExternalCodec copier_;
  SweepRequest request_;
};

TEST_F(SweepTest, PointsAreWhatEncodeAndDecodeGive) {
  const SweepResults results = MustRun();
  EXPECT_TRUE(results.failures.empty());
  ASSERT_EQ(results.images.size(), 2U);
  EXPECT_EQ(results.images[0].name, "a");
  EXPECT_EQ(results.images[0].width, 40);
  ASSERT_EQ(results.codecs.size(), 2U);
  EXPECT_EQ(results.codecs[0].name, "mmp fast");
  EXPECT_TRUE(results.codecs[0].is_mmp);
  EXPECT_EQ(results.codecs[1].version, "echo 1.0");
  ASSERT_EQ(results.points.size(), 12U);
  size_t checked = 0;
  for (const RdPoint& point : results.points) {
    const Image image = ReadImage(results.images[point.image].path)->image;
    EXPECT_GT(*point.encode_seconds, 0);
    EXPECT_GT(*point.decode_seconds, 0);
    EXPECT_DOUBLE_EQ(point.bits_per_pixel, 8.0 * static_cast<double>(point.bytes) /
                                               static_cast<double>(image.pixels().size()));
    if (point.codec == 1) {
      EXPECT_EQ(point.bytes, EncodePgm(image.View()).size());
      EXPECT_TRUE(std::isinf(point.psnr));
      continue;
    }
    EncodeOptions options;
    options.lambda = point.parameter;
    options.preset = Preset::kFast;
    const std::vector<uint8_t> file = *Encode(image.View(), options);
    EXPECT_EQ(point.bytes, file.size());
    const Image decoded = Decode(file)->image;
    EXPECT_EQ(point.psnr, Psnr(image.View(), decoded.View()));
    EXPECT_EQ(point.ssim, Ssim(image.View(), decoded.View()));
    EXPECT_FALSE(point.ms_ssim);  // the images are small
    double bits = 0;
    for (const auto& [element, value] : point.bits) bits += value;
    EXPECT_NEAR(bits, 8.0 * static_cast<double>(file.size()), 64);
    ++checked;
  }
  EXPECT_EQ(checked, 6U);
}

TEST_F(SweepTest, PointsAreSortedAndFilesSayTheSame) {
  const SweepResults results = MustRun();
  for (size_t i = 1; i < results.points.size(); ++i) {
    const RdPoint& a = results.points[i - 1];
    const RdPoint& b = results.points[i];
    EXPECT_TRUE(std::tie(a.image, a.codec, a.bits_per_pixel) <=
                std::tie(b.image, b.codec, b.bits_per_pixel));
  }
  EXPECT_EQ(ReadText(request_.folder + "/results.csv"), PointsCsv(results));
  EXPECT_EQ(ReadText(request_.folder + "/results.json"), ResultsJson(results));
  EXPECT_FALSE(fs::exists(request_.folder + "/scratch"));
}

TEST_F(SweepTest, NothingIsMeasuredTwice) {
  const SweepResults first = MustRun();
  EXPECT_EQ(EncoderRuns(), 6U);
  EXPECT_EQ(JournalLines(), 12U);
  const std::string journal = ReadText(request_.folder + "/journal.jsonl");
  const SweepResults second = MustRun();
  EXPECT_EQ(EncoderRuns(), 6U);
  EXPECT_EQ(ReadText(request_.folder + "/journal.jsonl"), journal);
  EXPECT_EQ(PointsCsv(second), PointsCsv(first));  // the times too

  // More of everything: only that is new.
  request_.lambdas.push_back(100);
  request_.inputs.push_back(Write("c.png", Draw(Picture::kText, 30, 20, 3)));
  EXPECT_EQ(MustRun().points.size(), 3U * (4 + 3));
  EXPECT_EQ(EncoderRuns(), 9U);
  EXPECT_EQ(JournalLines(), 21U);

  // Less than the journal has.
  request_.lambdas = {20};
  request_.against.clear();
  EXPECT_EQ(MustRun().points.size(), 3U);
  EXPECT_EQ(JournalLines(), 21U);
}

TEST_F(SweepTest, PointsBelongToPixelsAndSettings) {
  MustRun();
  // The same pixels under another name and in another format
  const Image a = ReadImage(request_.inputs[0])->image;
  request_.inputs[0] = Write("other.pgm", a);
  const SweepResults renamed = MustRun();
  EXPECT_EQ(EncoderRuns(), 6U);
  EXPECT_EQ(renamed.images[0].name, "other");
  // Another pixel
  Image changed = a;
  changed.Row(0)[0] ^= 1;
  request_.inputs[0] = Write("other.pgm", changed);
  MustRun();
  EXPECT_EQ(EncoderRuns(), 9U);
  // Another command, and another version
  encode_command_ += " more";
  copier_.encode = encode_command_;
  MustRun();
  EXPECT_EQ(EncoderRuns(), 15U);
  copier_.version_command = "echo v1.1";
  MustRun();
  EXPECT_EQ(EncoderRuns(), 21U);
}

TEST_F(SweepTest, EqualImagesAreMeasuredOnce) {
  const Image a = ReadImage(request_.inputs[0])->image;
  request_.inputs[1] = Write("same.pgm", a);
  const SweepResults results = MustRun();
  EXPECT_EQ(EncoderRuns(), 3U);
  ASSERT_EQ(results.points.size(), 12U);
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(results.points[i].image, 0U);
    EXPECT_EQ(results.points[i + 6].image, 1U);
    EXPECT_EQ(results.points[i].bytes, results.points[i + 6].bytes);
    EXPECT_EQ(results.points[i].psnr, results.points[i + 6].psnr);
  }
}

TEST_F(SweepTest, NamesOfImages) {
  fs::create_directory(folder_ / "sub");
  const std::string other = Write("sub/a.png", Draw(Picture::kText, 20, 20, 1));
  request_.inputs = {request_.inputs[0], other, request_.inputs[1], request_.inputs[0]};
  request_.lambdas = {200};
  request_.against.clear();
  const SweepResults results = MustRun();
  ASSERT_EQ(results.images.size(), 3U);
  EXPECT_EQ(results.images[0].name, folder_ / "a.png");
  EXPECT_EQ(results.images[1].name, other);
  EXPECT_EQ(results.images[2].name, "b");
}

// As sha256sum says of the image as PGM.
TEST_F(SweepTest, HashesOfImages) {
  request_.lambdas = {200};
  request_.against.clear();
  Sha256 hash;
  hash.Add(EncodePgm(ReadImage(request_.inputs[0])->image.View()));
  EXPECT_EQ(MustRun().images[0].hash, hash.Hex());
}

TEST_F(SweepTest, FailuresDoNotStopTheRest) {
  request_.inputs.push_back(folder_ / "missing.png");
  WriteText(folder_ / "text.png", "no picture");
  request_.inputs.push_back(folder_ / "text.png");
  WriteText(folder_ / "fail-2", "");
  const SweepResults results = MustRun();
  EXPECT_EQ(results.images.size(), 2U);
  EXPECT_EQ(results.points.size(), 10U);
  ASSERT_EQ(results.failures.size(), 4U);
  std::multiset<std::string> failed;
  for (const SweepFailure& failure : results.failures)
    failed.insert(fs::path(failure.image).filename().string() + " " + failure.codec);
  EXPECT_EQ(failed,
            (std::multiset<std::string>{"missing.png ", "text.png ", "a copier", "b copier"}));
  // What failed is tried again.
  fs::remove(folder_ / "fail-2");
  request_.inputs.resize(2);
  EXPECT_EQ(EncoderRuns(), 6U);
  EXPECT_TRUE(MustRun().failures.empty());
  EXPECT_EQ(EncoderRuns(), 8U);
}

// Other codecs have 8 bits: so that mmp, too, and the command that makes its file again.
TEST_F(SweepTest, FewBitsAreScaled) {
  Image page = Image::OfDepth(1, 40, 24);
  for (int y = 0; y < 24; ++y)
    for (int x = 0; x < 40; ++x) page.SetSample(y, x, (x * y / 7) & 1);
  request_.inputs = {Write("page.png", page)};
  request_.lambdas = {20};
  request_.keep_bitstreams = true;
  const SweepResults results = MustRun();
  EXPECT_TRUE(results.failures.empty());
  ASSERT_EQ(results.points.size(), 4U);
  EXPECT_EQ(results.points[0].codec, 0);
  const std::string bytes = ReadText(request_.folder + "/" + results.points[0].bitstream_path);
  const auto info = ReadInfo({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  ASSERT_TRUE(info.ok()) << info.status().message();
  EXPECT_EQ(info->depth, 8);
  EXPECT_NE(results.points[0].command.find(" --depth8"), std::string::npos);
}

TEST_F(SweepTest, KeptFiles) {
  MustRun();
  request_.keep_bitstreams = true;
  request_.keep_decoded = true;
  const SweepResults results = MustRun();
  EXPECT_EQ(EncoderRuns(), 12U);  // again, as there were no files
  std::set<std::string> paths;
  for (const RdPoint& point : results.points) {
    const std::string bitstream = request_.folder + "/" + point.bitstream_path;
    const std::string decoded = request_.folder + "/" + point.decoded_path;
    EXPECT_TRUE(paths.insert(bitstream).second && paths.insert(decoded).second);
    EXPECT_EQ(fs::file_size(bitstream), point.bytes);
    const Image image = ReadImage(results.images[point.image].path)->image;
    const Image picture = ReadImage(decoded)->image;
    EXPECT_EQ(Psnr(image.View(), picture.View()), point.psnr);
    if (point.codec == 0) {
      const std::string bytes = ReadText(bitstream);
      const auto again = Decode({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
      ASSERT_TRUE(again.ok());
      EXPECT_EQ(again->image, picture);
    }
  }
  MustRun();
  EXPECT_EQ(EncoderRuns(), 12U);
  // A file that is lost is made again.
  const auto lost = std::find_if(results.points.begin(), results.points.end(),
                                 [](const RdPoint& point) { return point.codec == 1; });
  fs::remove(request_.folder + "/" + lost->bitstream_path);
  MustRun();
  EXPECT_EQ(EncoderRuns(), 13U);
  EXPECT_TRUE(fs::exists(request_.folder + "/" + lost->bitstream_path));
}

TEST_F(SweepTest, MeasuredPointsJoinIn) {
  const double rate = 8 * 500 / (40.0 * 33);
  WriteText(folder_ / "peers.csv",
            "image,codec,param,bytes,bpp,psnr\na,peer,1,500," + std::to_string(rate) + ",31\n");
  request_.against_csv = {folder_ / "peers.csv"};
  const SweepResults results = MustRun();
  ASSERT_EQ(results.codecs.size(), 3U);
  EXPECT_EQ(results.codecs[2].name, "peer");
  EXPECT_EQ(results.points.size(), 13U);
  EXPECT_EQ(JournalLines(), 12U);

  request_.against_csv = {folder_ / "missing.csv"};
  EXPECT_EQ(RunSweep(request_).status().code(), StatusCode::kIo);
}

TEST_F(SweepTest, LeftoversOfAKilledSweepAreRemoved) {
  fs::create_directories(request_.folder + "/scratch/abcdef");
  WriteText(request_.folder + "/scratch/abcdef/picture.pgm", "x");
  fs::create_directories(request_.folder + "/bitstreams/a");
  const std::vector<std::string> temporaries = {
      request_.folder + "/.results.csv.abcdef.tmp", request_.folder + "/.report.html.234567.tmp",
      request_.folder + "/bitstreams/a/.b.mmp.abcdef.tmp"};
  // Which others may be writing.
  const std::string not_ours = request_.folder + "/.photo.mmp.abcdef.tmp";
  WriteText(request_.folder + "/journal.jsonl", "");
  for (const std::string& path : temporaries) WriteText(path, "x");
  WriteText(not_ours, "x");
  MustRun();
  EXPECT_FALSE(fs::exists(request_.folder + "/scratch"));
  for (const std::string& path : temporaries) EXPECT_FALSE(fs::exists(path)) << path;
  EXPECT_TRUE(fs::exists(not_ours));
}

TEST_F(SweepTest, NoPlaceForTheResults) {
  WriteText(folder_ / "file", "");
  request_.folder = folder_ / "file";
  EXPECT_EQ(RunSweep(request_).status().code(), StatusCode::kIo);
}

}  // namespace
}  // namespace mmp
