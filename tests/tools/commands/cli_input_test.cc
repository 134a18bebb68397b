// Images of all kinds as input, and what is none.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/file_io.h"
#include "common/image_files/image_io.h"
#include "common/image_files/metadata/tiff_block.h"
#include "mmp/image.h"
#include "mmp/mmp.h"
#include "tests/tools/commands/cli.h"

namespace mmp {
namespace {

TEST_F(Cli, UnreadableInputs) {
  fs::create_symlink("nowhere", Path("dangling.png"));
  for (const std::string& input : {Path("missing.png"), Path("dangling.png")}) {
    SCOPED_TRACE(input);
    ExpectError(Mmp({"encode", input, "-o", Path("out")}), kFailure, input);
    ExpectError(Mmp({"decode", input, "-o", Path("out.png")}), kFailure, input);
    ExpectError(Mmp({"info", input}), kFailure, input);
    ExpectError(Mmp({"compare", kSmallImage, input}), kFailure, input);
  }
  ExpectError(Mmp({"info", folder_}), kFailure, "Is a directory; name the files in it");
  ExpectError(Mmp({"compare", kSmallImage, folder_}), kFailure, "name the files in it");
  EXPECT_EQ(Names().size(), 1u);
}

TEST_F(Cli, OrientationOfInputsIsApplied) {
  WriteText(Path("a.pgm"), "P5 2 1 255\nAB");
  const Image image = Pixels(Path("a.pgm"));
  const std::vector<uint8_t> bytes = EncodePng(image.View());
  std::string png(bytes.begin(), bytes.end());
  // An eXIf chunk: a directory of one entry, to be turned right by 90 degrees.
  const std::string exif(
      "\0\0\0\x1A"
      "eXIfMM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0"
      "\0\0\0\0\xD6\x67\x4B\x69",
      38);
  png.insert(33, exif);  // behind the header
  WriteText(Path("a.png"), png);
  const Outcome outcome = Mmp({"encode", Path("a.png"), "--lambda", "0"});
  EXPECT_EQ(outcome.exit_code, kSuccess);
  EXPECT_EQ(outcome.err, "mmp: note: '" + Path("a.png") +
                             "': turned right by 90 degrees (Exif orientation 6)\n");
  ASSERT_EQ(Mmp({"decode", Path("a.mmp"), "-o", Path("b.pgm")}).exit_code, kSuccess);
  EXPECT_EQ(ReadText(Path("b.pgm")), "P5\n1 2\n255\nAB");
}

TEST_F(Cli, InputsThatAreNoImages) {
  WriteText(Path("text.png"), "This is not a picture.");
  ExpectError(Mmp({"encode", Path("text.png"), "-o", Path("a.mmp")}), kNotAcceptable, "text.png");
  ExpectError(Mmp({"compare", kSmallImage, Path("text.png")}), kNotAcceptable, "text.png");
  EXPECT_EQ(Names().size(), 1u);
}

TEST_F(Cli, TruncatedPng) {
  const std::string png = ReadText(kSmallImage);
  WriteText(Path("cut.png"), png.substr(0, png.size() / 2));
  ExpectError(Mmp({"encode", Path("cut.png")}), kDamaged, "cut.png");
  ExpectError(Mmp({"encode", "-"}, {.input = png.substr(0, png.size() / 2)}), kDamaged,
              "standard input");
  ExpectError(Mmp({"encode", "-"}, {.input = ""}), kDamaged, "standard input");
  EXPECT_EQ(Names().size(), 1u);
}

TEST_F(Cli, SixteenBitsAreKeptUnlessScaled) {
  WriteText(Path("a.png"), Png16(5, 4));
  const Outcome lossless = Mmp({"encode", Path("a.png"), "--lambda", "0", "--verify"});
  EXPECT_EQ(lossless.exit_code, kSuccess) << lossless.err;
  EXPECT_NE(lossless.out.find("5x4 of 16 bits"), std::string::npos) << lossless.out;
  ASSERT_EQ(Mmp({"decode", Path("a.mmp"), "-o", Path("b.pgm")}).exit_code, kSuccess);
  EXPECT_TRUE(ReadText(Path("b.pgm")).starts_with("P5\n5 4\n65535\n"));
  EXPECT_NE(Mmp({"info", Path("a.mmp")}).out.find("depth                 16"), std::string::npos);
  const Outcome outcome = Mmp({"encode", Path("a.png"), "--depth8", "--force"});
  EXPECT_EQ(outcome.exit_code, kSuccess);
  EXPECT_NE(outcome.err.find("scaled samples from 16 to 8 bits"), std::string::npos) << outcome.err;
}

// Of every depth, in every format; a PNG file comes back as it was.
TEST_F(Cli, FewBitsAreKeptUnlessScaled) {
  for (const int depth : {1, 2, 3, 4, 7}) {
    SCOPED_TRACE(depth);
    Image image = Image::OfDepth(depth, 37, 21);
    for (int y = 0; y < 21; ++y)
      for (int x = 0; x < 37; ++x)
        image.SetSample(y, x, (x / 3 + y * y / 5) & LargestSample(depth));
    const std::string bits = std::to_string(depth) + (depth == 1 ? " bit" : " bits");
    for (const char* const name : {"a.png", "a.pgm", "a.tif"}) {
      SCOPED_TRACE(name);
      ASSERT_TRUE(WriteImage(Path(name), image.View()).ok());
      const Outcome lossless =
          Mmp({"encode", Path(name), "-o", Path("a.mmp"), "--lambda", "0", "--verify"});
      EXPECT_EQ(lossless.exit_code, kSuccess);
      EXPECT_EQ(lossless.err, "");
      EXPECT_NE(lossless.out.find("37x21 of " + bits + ","), std::string::npos) << lossless.out;
      const std::string back = std::string("back-") + name;
      ASSERT_EQ(Mmp({"decode", Path("a.mmp"), "-o", Path(back)}).exit_code, kSuccess);
      EXPECT_EQ(ReadText(Path(back)), ReadText(Path(name)));
      const Outcome same = Mmp({"compare", Path(name), Path("a.mmp"), "--json"});
      EXPECT_EQ(ParseJson(same.out)["max_difference"].number, 0);
      EXPECT_EQ(ParseJson(same.out)["depth"].number, depth);
    }
    ASSERT_EQ(
        Mmp({"decode", Path("a.mmp"), "--region", "3,2,9x8", "-o", Path("part.pgm"), "--force"})
            .exit_code,
        kSuccess);
    EXPECT_TRUE(ReadText(Path("part.pgm"))
                    .starts_with("P5\n9 8\n" + std::to_string(LargestSample(depth)) + "\n"));
    const Outcome scaled = Mmp({"encode", Path("a.png"), "-o", Path("b.mmp"), "--depth8"});
    EXPECT_EQ(scaled.exit_code, kSuccess);
    EXPECT_EQ(ParseJson(Mmp({"info", "--json", Path("b.mmp")}).out)["depth"].number, 8);
    ExpectError(Mmp({"encode", Path("a.png"), "-o", Path("c.mmp"), "--max-error", "200"}), kUsage,
                "for samples of " + bits);
  }
}

TEST_F(Cli, BitmapsAreOfOneBit) {
  WriteText(Path("a.pbm"), "P1 4 2\n1010 0110\n");
  ASSERT_EQ(Mmp({"encode", Path("a.pbm"), "--lambda", "0"}).exit_code, kSuccess);
  ASSERT_EQ(Mmp({"decode", Path("a.mmp"), "-o", Path("a.pgm")}).exit_code, kSuccess);
  EXPECT_EQ(ReadText(Path("a.pgm")), std::string("P5\n4 2\n1\n\0\1\0\1\1\0\0\1", 17));
  ASSERT_EQ(Mmp({"decode", Path("a.mmp"), "-o", Path("a.png")}).exit_code, kSuccess);
  EXPECT_EQ(ReadText(Path("a.png"))[24], 1);  // bits a sample
}

// A comment of a PNG file, to an .mmp file and back, listed and left out.
TEST_F(Cli, MetadataComeBack) {
  const Metadata metadata = {{static_cast<uint8_t>(MetadataKind::kXmp), {'<', 'x', '/', '>'}},
                             Resolution{Resolution::Unit::kMetre, 11811, 1, 11811, 1}.ToChunk()};
  const Image image = Pixels(kSmallImage);
  ASSERT_TRUE(WriteImage(Path("a.png"), image.View(), std::nullopt, {metadata, false}).ok());
  Encode(Path("a.png"), Path("a.mmp"));
  const Json info = ParseJson(Mmp({"info", "--json", Path("a.mmp")}).out);
  ASSERT_EQ(info["metadata"].items.size(), 2u);
  EXPECT_EQ(info["metadata"].items[1]["name"].text, "xmp");
  EXPECT_EQ(info["damaged_metadata"].number, 0);
  EXPECT_NE(Mmp({"info", Path("a.mmp")}).out.find("pixels an inch"), std::string::npos);
  for (const char* name : {"b.png", "b.tif"}) {
    ASSERT_EQ(Mmp({"decode", Path("a.mmp"), "-o", Path(name)}).exit_code, kSuccess);
    EXPECT_EQ(ReadImage(Path(name))->metadata.size(), 2u) << name;
  }
  const Outcome pgm = Mmp({"decode", Path("a.mmp"), "-o", Path("b.pgm")});
  EXPECT_EQ(pgm.exit_code, kSuccess);
  EXPECT_NE(pgm.err.find("has no place: resolution, xmp"), std::string::npos) << pgm.err;
  ASSERT_EQ(Mmp({"decode", "--strip", Path("a.mmp"), "-o", Path("c.png")}).exit_code, kSuccess);
  EXPECT_TRUE(ReadImage(Path("c.png"))->metadata.empty());
  Encode(Path("a.png"), Path("c.mmp"), {"--strip"});
  EXPECT_EQ(ParseJson(Mmp({"info", "--json", Path("c.mmp")}).out)["metadata"].items.size(), 0u);

  // Damaged, they are missing, and nothing else is.
  std::vector<uint8_t> file = *ReadFile(Path("a.mmp"), 1 << 20);
  const std::string_view xmp = "<x/>";
  *std::search(file.begin(), file.end(), xmp.begin(), xmp.end()) = '[';
  ASSERT_TRUE(WriteFile(Path("d.mmp"), file).ok());
  EXPECT_EQ(Mmp({"info", Path("d.mmp")}).exit_code, kIncomplete);
  const Outcome damaged = Mmp({"decode", Path("d.mmp"), "-o", Path("d.png")});
  EXPECT_EQ(damaged.exit_code, kIncomplete);
  EXPECT_NE(damaged.err.find("the image is whole"), std::string::npos) << damaged.err;
  EXPECT_EQ(Pixels(Path("d.png")), Pixels(Path("b.png")));
  EXPECT_EQ(ReadImage(Path("d.png"))->metadata.size(), 1u);
}

// GeoTIFF says where the part lies; OME-XML, which says how large the image is, has no place there.
TEST_F(Cli, MetadataOfARegion) {
  const double tie_point[] = {0, 0, 0, 500, 800, 0};
  TiffBlock block;
  block.image.push_back(TiffField::OfDoubles(33922, tie_point));
  const std::string ome = "<?xml version=\"1.0\"?><OME/>";
  const Metadata metadata = {
      {static_cast<uint8_t>(MetadataKind::kGeoTiff), WriteTiffBlock(block)},
      {static_cast<uint8_t>(MetadataKind::kOmeXml), {ome.begin(), ome.end()}}};
  ASSERT_TRUE(
      WriteImage(Path("a.tif"), Pixels(kSmallImage).View(), std::nullopt, {metadata, false}).ok());
  Encode(Path("a.tif"), Path("a.mmp"));
  const Outcome outcome =
      Mmp({"decode", Path("a.mmp"), "--region", "3,2,9x8", "-o", Path("part.tif")});
  EXPECT_EQ(outcome.exit_code, kSuccess);
  EXPECT_NE(outcome.err.find("note: '" + Path("a.mmp") +
                             "': left out metadata that are of the whole image: ome_xml\n"),
            std::string::npos)
      << outcome.err;
  const Metadata part = ReadImage(Path("part.tif"))->metadata;
  ASSERT_EQ(part.size(), 1u);
  const std::vector<double> moved = {-3, -2, 0, 500, 800, 0};
  EXPECT_EQ(FindField(ReadTiffBlock(part[0].bytes).image, 33922)->Doubles(), moved);
}

TEST_F(Cli, SignedSamplesComeBackAsTiff) {
  const Image image = Pixels(kSmallImage);
  ASSERT_TRUE(WriteImage(Path("a.tif"), image.View(), std::nullopt, {{}, true}).ok());
  Encode(Path("a.tif"), Path("a.mmp"), {"--lambda", "0"});
  EXPECT_NE(Mmp({"info", Path("a.mmp")}).out.find("8, signed"), std::string::npos);
  ASSERT_EQ(Mmp({"decode", Path("a.mmp"), "-o", Path("b.tif")}).exit_code, kSuccess);
  EXPECT_EQ(*ReadFile(Path("b.tif"), 1 << 20), *ReadFile(Path("a.tif"), 1 << 20));
  const Outcome png = Mmp({"decode", Path("a.mmp"), "-o", Path("b.png")});
  EXPECT_EQ(png.exit_code, kUsage);
  EXPECT_NE(png.err.find("use .tif"), std::string::npos) << png.err;
  EXPECT_FALSE(fs::exists(Path("b.png")));
}

}  // namespace
}  // namespace mmp
