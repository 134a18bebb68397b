#include "tools/sweep/external/external_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/image_files/image_io.h"
#include "common/metrics.h"
#include "tests/support/pictures.h"
#include "tests/support/temporary_folder.h"

namespace mmp {
namespace {

Image OddPicture() { return Draw(Picture::kTexture, 35, 21, 1); }

// A codec made of what every system has.
ExternalCodec Copier(PictureFile input, std::string_view encode, std::string_view decode,
                     std::string_view decoded_file) {
  return {.name = "copier",
          .parameter_name = "quality",
          .qualities = {1},
          .debian_packages = "coreutils",
          .version_command = "echo copier, version v1.2.3-x (2020)",
          .input = input,
          .encode = encode,
          .coded_file = "coded",
          .decode = decode,
          .decoded_file = decoded_file};
}

void ExpectLossless(const ExternalCodec& codec) {
  const TemporaryFolder folder;
  const Image picture = OddPicture();
  const Result<ExternalCoding> coding = RunExternalCodec(codec, picture.View(), 2, folder.path());
  ASSERT_TRUE(coding.ok()) << coding.status().message();
  EXPECT_EQ(coding->decoded, picture);
  EXPECT_GT(coding->encode_seconds, 0);
  EXPECT_GT(coding->decode_seconds, 0);
}

TEST(ExternalCodecTest, PicturesArriveAsTheyAre) {
  ExpectLossless(
      Copier(PictureFile::kPgm, "cp picture.pgm coded", "cp coded decoded.pgm", "decoded.pgm"));
  ExpectLossless(
      Copier(PictureFile::kYuv420, "cp picture.yuv coded", "cp coded decoded.raw", "decoded.raw"));
  // Behind the header, 35 * 21 samples.
  ExpectLossless(Copier(PictureFile::kY4m, "cp picture.y4m coded",
                        "dd if=coded of=decoded.raw bs=1 skip=44 status=none", "decoded.raw"));
}

TEST(ExternalCodecTest, FilesOfThePicture) {
  const TemporaryFolder folder;
  const Image picture = OddPicture();
  const ExternalCodec codec =
      Copier(PictureFile::kYuv420, "cp picture.yuv coded", "cp coded decoded.raw", "decoded.raw");
  const Result<ExternalCoding> coding = RunExternalCodec(codec, picture.View(), 2, folder.path());
  ASSERT_TRUE(coding.ok()) << coding.status().message();
  ASSERT_EQ(coding->bytes.size(), 35U * 21 + 2 * 18 * 11);
  EXPECT_TRUE(std::equal(picture.pixels().begin(), picture.pixels().end(), coding->bytes.begin()));
  EXPECT_TRUE(std::all_of(coding->bytes.begin() + 35 * 21, coding->bytes.end(),
                          [](uint8_t chroma) { return chroma == 128; }));
  EXPECT_EQ(coding->command, "cp picture.yuv coded");
}

TEST(ExternalCodecTest, CommandsAreFilledIn) {
  const TemporaryFolder folder;
  ExternalCodec codec = Copier(PictureFile::kPgm, "touch q={quality},r={ratio} w{width}h{height}",
                               "cp picture.pgm decoded.pgm", "decoded.pgm");
  codec.finish = "cp picture.pgm coded";
  const Image picture = OddPicture();
  const Result<ExternalCoding> coding = RunExternalCodec(codec, picture.View(), 0.5, folder.path());
  ASSERT_TRUE(coding.ok()) << coding.status().message();
  EXPECT_EQ(coding->command, "touch q=0.5,r=16 w35h21 && cp picture.pgm coded");
  EXPECT_EQ(coding->bytes, EncodePgm(picture.View()));
}

TEST(ExternalCodecTest, Failures) {
  const Image picture = OddPicture();
  const auto code = [&](std::string_view encode, std::string_view decode) {
    const TemporaryFolder folder;
    const auto coding = RunExternalCodec(Copier(PictureFile::kPgm, encode, decode, "decoded.raw"),
                                         picture.View(), 1, folder.path());
    return coding.status().code();
  };
  EXPECT_EQ(code("no-such-program", "true"), StatusCode::kUnavailable);
  EXPECT_EQ(code("false", "true"), StatusCode::kUnsupported);
  EXPECT_EQ(code("cp picture.pgm coded", "false"), StatusCode::kUnsupported);
  EXPECT_EQ(code("true", "cp picture.pgm decoded.raw"), StatusCode::kIo);
  EXPECT_EQ(code("cp picture.pgm coded", "true"), StatusCode::kIo);
  EXPECT_EQ(code("cp picture.pgm coded", "truncate -s 700 decoded.raw"), StatusCode::kCorrupt);
}

TEST(ExternalCodecTest, MessagesOfTheProgramsAreKept) {
  const TemporaryFolder folder;
  const Image picture = OddPicture();
  const auto coding =
      RunExternalCodec(Copier(PictureFile::kPgm, "ls no-such-file", "true", "decoded.raw"),
                       picture.View(), 1, folder.path());
  EXPECT_NE(coding.status().message().find("ls failed with exit code"), std::string::npos);
  EXPECT_NE(coding.status().message().find("no-such-file"), std::string::npos);
}

TEST(ExternalCodecTest, VersionsAreFoundInWhatProgramsSay) {
  ExternalCodec codec = Copier(PictureFile::kPgm, "true", "true", "decoded.raw");
  EXPECT_EQ(VersionOf(codec), "echo 1.2.3-x");
  codec.version_command = "echo 0.164.3095 baee400";
  EXPECT_EQ(VersionOf(codec), "echo 0.164.3095");
  codec.version_command = "echo compiled against openjp2 library v2.5.0.";
  EXPECT_EQ(VersionOf(codec), "echo 2.5.0");
  codec.version_command = "echo none in 2020.";
  EXPECT_EQ(VersionOf(codec), "echo");
  codec.version_command = "no-such-program";
  EXPECT_EQ(VersionOf(codec), "no-such-program");
}

TEST(ExternalCodecTest, WhatIsMissingIsNamedWithItsPackage) {
  ExternalCodec codec = Copier(PictureFile::kPgm, "true", "no-such-program", "decoded.raw");
  const Status status = CheckInstalled(codec);
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(status.message(),
            "copier: no-such-program is not installed; on Debian: apt-get install coreutils");
  codec.decode = "true";
  EXPECT_TRUE(CheckInstalled(codec).ok());
}

TEST(ExternalCodecTest, CodecsByName) {
  for (const ExternalCodec& codec : ExternalCodecs()) {
    EXPECT_EQ(*FindExternalCodec(codec.name), &codec);
    EXPECT_GE(codec.qualities.size(), 10U);
  }
  const auto unknown = FindExternalCodec("jpeg3000");
  EXPECT_EQ(unknown.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(unknown.status().message().find("jpeg2000,x264,x265"), std::string::npos);
}

// Each codec that is installed, on a real picture.
class InstalledCodecTest : public testing::TestWithParam<size_t> {};

TEST_P(InstalledCodecTest, CodesGraySamplesAsTheyAre) {
  const ExternalCodec& codec = ExternalCodecs()[GetParam()];
  const Status installed = CheckInstalled(codec);
  if (!installed.ok()) GTEST_SKIP() << installed.message();
  EXPECT_NE(VersionOf(codec).find(' '), std::string::npos) << VersionOf(codec);

  // An odd size, and samples from 0 to 255: a conversion to the range of video would show.
  const Result<LoadedImage> loaded = ReadImage(MMP_TEST_IMAGES "/natural.png");
  ASSERT_TRUE(loaded.ok());
  Image picture(131, 115);
  for (int y = 0; y < picture.height(); ++y) {
    for (int x = 0; x < picture.width(); ++x)
      picture.Row(y)[x] = static_cast<uint8_t>(
          std::clamp((loaded->image.Row(y + 64)[x + 64] - 128) * 2 + 128, 0, 255));
  }
  double last_bytes = 0;
  double last_psnr = 0;
  const size_t count = codec.qualities.size();
  for (const size_t i : {count / 2, count - 1}) {
    const TemporaryFolder folder;
    const double quality = codec.qualities[i];
    const auto coding = RunExternalCodec(codec, picture.View(), quality, folder.path());
    ASSERT_TRUE(coding.ok()) << coding.status().message();
    const double psnr = Psnr(picture.View(), coding->decoded.View());
    EXPECT_GT(static_cast<double>(coding->bytes.size()), last_bytes);
    EXPECT_GT(psnr, last_psnr);
    last_bytes = static_cast<double>(coding->bytes.size());
    last_psnr = psnr;
  }
  EXPECT_GT(last_psnr, 38);  // not so with samples that stay stretched or are clipped
}

INSTANTIATE_TEST_SUITE_P(All, InstalledCodecTest,
                         testing::Range(size_t{0}, ExternalCodecs().size()),
                         [](const testing::TestParamInfo<size_t>& codec) {
                           return std::string(ExternalCodecs()[codec.param].name);
                         });

}  // namespace
}  // namespace mmp
