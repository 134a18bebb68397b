// Metadata and signed samples in image files: what is read comes back from what is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "common/image_files/image_io.h"
#include "common/image_files/metadata/collect_metadata.h"
#include "common/image_files/metadata/move_metadata.h"
#include "common/image_files/metadata/tiff_block.h"
#include "mmp/metadata.h"

namespace mmp {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes ToBytes(std::string_view text) { return {text.begin(), text.end()}; }

MetadataChunk Chunk(MetadataKind kind, Bytes bytes) {
  return {static_cast<uint8_t>(kind), std::move(bytes)};
}

MetadataChunk Text(std::string_view keyword, std::string_view text) {
  Bytes bytes = ToBytes(keyword);
  bytes.push_back(0);
  bytes.insert(bytes.end(), text.begin(), text.end());
  return Chunk(MetadataKind::kText, bytes);
}

// A profile of this space of colors, with a single tag. libpng wants it not too short, compressed.
Bytes Profile(std::string_view space) {
  constexpr size_t kTagAt = 144, kTagBytes = 256;
  Bytes profile(kTagAt + kTagBytes);
  for (size_t i = kTagAt + 8; i < profile.size(); ++i)
    profile[i] = static_cast<uint8_t>((i * i * 2654435761u) >> 13);
  const auto put = [&](ptrdiff_t at, std::string_view text) {
    std::copy(text.begin(), text.end(), profile.begin() + at);
  };
  profile[2] = static_cast<uint8_t>(profile.size() >> 8);
  profile[3] = static_cast<uint8_t>(profile.size());
  profile[8] = 2;
  put(12, "mntr");
  put(16, space);
  put(20, "XYZ ");
  put(36, "acsp");
  const uint8_t white[] = {0, 0, 0xf6, 0xd6, 0, 1, 0, 0, 0, 0, 0xd3, 0x2d};  // D50
  std::copy(std::begin(white), std::end(white), profile.begin() + 68);
  profile[131] = 1;
  put(132, "cprt");
  profile[139] = kTagAt;
  profile[142] = kTagBytes >> 8;
  put(kTagAt, "text");
  return profile;
}

// A maker, an orientation unless that is 0, an exposure time and a latitude.
Bytes ExifBlock(uint32_t orientation) {
  const uint32_t exposure[] = {1, 125}, latitude[] = {47, 1, 22, 1, 7, 2};
  TiffBlock block;
  block.image.push_back(TiffField::Bytes(271, TiffType::kAscii, ToBytes("Maker & Sons")));
  if (orientation > 0) block.image.push_back(TiffField::Number(274, TiffType::kShort, orientation));
  block.exif.push_back(TiffField::Numbers(33434, TiffType::kRational, exposure));
  block.gps.push_back(TiffField::Numbers(2, TiffType::kRational, latitude));
  return WriteTiffBlock(block);
}

Bytes GeoBlock() {
  const uint32_t keys[] = {1, 1, 0, 1, 1024, 0, 1, 1};
  TiffBlock block;
  block.image.push_back(TiffField::Numbers(34735, TiffType::kShort, keys));
  block.image.push_back(TiffField::Bytes(42113, TiffType::kAscii, ToBytes("-9999")));
  return WriteTiffBlock(block);
}

// The fields of GeoTIFF that say where pixels are.
Bytes PlacedGeoBlock(const std::vector<double>& tie_points, const std::vector<double>& matrix) {
  const double scale[] = {2, 3, 0};
  TiffBlock block;
  block.image = {TiffField::OfDoubles(33550, scale), TiffField::OfDoubles(33922, tie_points),
                 TiffField::OfDoubles(34264, matrix)};
  return WriteTiffBlock(block);
}

constexpr std::string_view kOme = "<?xml version=\"1.0\"?><OME xmlns=\"x\">\u00b5m</OME>";

Image Ramp(int depth) {
  Image image = Image::OfDepth(depth, 21, 9);
  for (int y = 0; y < 9; ++y)
    for (int x = 0; x < 21; ++x)
      image.SetSample(y, x, (x * 3771 + y * 911) % (LargestSample(depth) + 1));
  return image;
}

LoadedImage MustParse(const Bytes& file) {
  Result<LoadedImage> loaded = ParseImage(file, "file", {.min_depth = 1, .max_depth = kMaxDepth});
  EXPECT_TRUE(loaded.ok()) << loaded.status().message();
  return loaded.ok() ? *std::move(loaded) : LoadedImage();
}

// In any order.
void ExpectSame(Metadata found, Metadata expected) {
  const auto sort = [](Metadata& metadata) {
    std::sort(metadata.begin(), metadata.end(), [](const auto& a, const auto& b) {
      return std::tie(a.kind, a.bytes) < std::tie(b.kind, b.bytes);
    });
  };
  sort(found);
  sort(expected);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(found[i], expected[i]) << MetadataKindName(expected[i].kind);
}

Metadata OfPng() {
  return {Chunk(MetadataKind::kIccProfile, Profile("GRAY")),
          Chunk(MetadataKind::kExif, ExifBlock(1)),
          Chunk(MetadataKind::kXmp, ToBytes("<x:xmpmeta/>")),
          (Resolution{Resolution::Unit::kMetre, 11811, 1, 3000, 1}).ToChunk(),
          Text("Title", "\u00c4rger"),
          Text("Comment", std::string(3000, 'a')),
          Chunk(MetadataKind::kOmeXml, ToBytes(kOme))};
}

TEST(ImageExtrasTest, PngKeepsMetadata) {
  for (const int depth : {1, 4, 8, 12, 16}) {
    const Image image = Ramp(depth);
    const LoadedImage loaded = MustParse(EncodePng(image.View(), OfPng()));
    EXPECT_EQ(loaded.image, image);
    EXPECT_EQ(loaded.notice, "");
    ExpectSame(loaded.metadata, OfPng());
  }
}

TEST(ImageExtrasTest, TiffKeepsMetadata) {
  const Metadata metadata = {Chunk(MetadataKind::kIccProfile, Profile("GRAY")),
                             Chunk(MetadataKind::kExif, ExifBlock(0)),
                             Chunk(MetadataKind::kXmp, ToBytes("<x:xmpmeta/>")),
                             (Resolution{Resolution::Unit::kInch, 300, 7, 72, 1}).ToChunk(),
                             Chunk(MetadataKind::kGeoTiff, GeoBlock()),
                             Chunk(MetadataKind::kOmeXml, ToBytes(kOme))};
  for (const int depth : {1, 2, 3, 7, 8, 9, 12, 16}) {
    const Image image = Ramp(depth);
    const LoadedImage loaded = MustParse(EncodeTiff(image.View(), {metadata, false}));
    EXPECT_EQ(loaded.image, image);
    EXPECT_EQ(loaded.notice, "");
    EXPECT_FALSE(loaded.is_signed);
    ExpectSame(loaded.metadata, metadata);
  }
  // A text, and the unit that TIFF does not have.
  const Resolution metre = {Resolution::Unit::kMetre, 500, 1, 500, 1};
  const LoadedImage text =
      MustParse(EncodeTiff(Ramp(8).View(), {{Text("Title", "Sea"), metre.ToChunk()}, false}));
  const Resolution centimetre = {Resolution::Unit::kCentimetre, 500, 100, 500, 100};
  ExpectSame(text.metadata, {Text("Description", "Sea"), centimetre.ToChunk()});
}

// Pictures are turned upright as they are read, and so is what says how they lie.
TEST(ImageExtrasTest, OrientationIsNotAppliedTwice) {
  const Image image = Ramp(8);
  const Metadata turned = {Chunk(MetadataKind::kExif, ExifBlock(6)),
                           Chunk(MetadataKind::kXmp, ToBytes("<a tiff:Orientation=\"6\"/>"))};
  const LoadedImage once = MustParse(EncodePng(image.View(), turned));
  EXPECT_EQ(once.image.width(), image.height());
  ExpectSame(once.metadata, {Chunk(MetadataKind::kExif, ExifBlock(1)),
                             Chunk(MetadataKind::kXmp, ToBytes("<a tiff:Orientation=\"1\"/>"))});
  const LoadedImage twice = MustParse(EncodePng(once.image.View(), once.metadata));
  EXPECT_EQ(twice.image, once.image);
  EXPECT_EQ(twice.metadata, once.metadata);
}

// The chunk of this kind as it is read of a picture stored with an orientation.
MetadataChunk Turned(uint32_t orientation, const MetadataChunk& chunk, std::string* notice) {
  const Metadata metadata = {Chunk(MetadataKind::kExif, ExifBlock(orientation)), chunk};
  const LoadedImage loaded = MustParse(EncodePng(Ramp(8).View(), metadata));
  *notice = loaded.notice;
  const MetadataChunk* const found =
      FindChunk(loaded.metadata, static_cast<MetadataKind>(chunk.kind));
  return found != nullptr ? *found : MetadataChunk();
}

TEST(ImageExtrasTest, ResolutionIsTurnedWithThePicture) {
  std::string notice;
  const MetadataChunk wide = Resolution{Resolution::Unit::kMetre, 400, 1, 300, 1}.ToChunk();
  const MetadataChunk high = Resolution{Resolution::Unit::kMetre, 300, 1, 400, 1}.ToChunk();
  for (uint32_t orientation = 1; orientation <= 8; ++orientation)
    EXPECT_EQ(Turned(orientation, wide, &notice), orientation < 5 ? wide : high) << orientation;

  TiffBlock block;
  const uint32_t x[] = {400, 1}, y[] = {300, 7};
  for (const uint16_t orientation : {3, 6}) {
    block.image = {TiffField::Number(274, TiffType::kShort, orientation),
                   TiffField::Numbers(282, TiffType::kRational, x),
                   TiffField::Numbers(283, TiffType::kRational, y)};
    const MetadataChunk exif = Chunk(MetadataKind::kExif, WriteTiffBlock(block));
    const LoadedImage loaded = MustParse(EncodePng(Ramp(8).View(), {exif}));
    const TiffBlock read = ReadTiffBlock(loaded.metadata.at(0).bytes);
    EXPECT_EQ(FindField(read.image, 274)->Number(), 1u);
    EXPECT_EQ(FindField(read.image, 282)->Number(), orientation == 6 ? 300u : 400u);
    EXPECT_EQ(FindField(read.image, 283)->Number(1), orientation == 6 ? 1u : 7u);
  }
}

TEST(ImageExtrasTest, PlacesOfAPictureThatIsTurnedAreLeftOut) {
  const MetadataChunk ome = Chunk(MetadataKind::kOmeXml, ToBytes(kOme));
  for (uint32_t orientation = 1; orientation <= 8; ++orientation) {
    std::string notice;
    EXPECT_EQ(Turned(orientation, ome, &notice), orientation == 1 ? ome : MetadataChunk());
    EXPECT_EQ(notice.find("; left out metadata that are of the picture as it was: ome_xml") !=
                  std::string::npos,
              orientation > 1)
        << notice;
  }
  Metadata metadata = {Chunk(MetadataKind::kGeoTiff, GeoBlock()), ome, Text("a", "b")};
  EXPECT_EQ(KindNames(TurnMetadata(Orientation::kFlipped, metadata)), "geotiff, ome_xml");
  EXPECT_EQ(metadata, Metadata{Text("a", "b")});
}

TEST(ImageExtrasTest, ProfilesOfColorsAreLeftOut) {
  MetadataCollector collector;
  for (const char* space : {"RGB ", "CMYK", "GRA", ""}) {
    std::string notice;
    collector.AddColorProfile(Profile(space));
    EXPECT_TRUE(collector.Take(notice).empty());
    EXPECT_EQ(notice, "left out its color profile, which is not one of gray");
  }
}

TEST(ImageExtrasTest, WhatIsTooLongIsLeftOut) {
  MetadataCollector collector;
  collector.AddXmp(Bytes(kMaxMetadataBytes));
  collector.AddExif(ExifBlock(1));
  for (size_t i = 0; i < kMaxMetadataChunks; ++i) collector.AddText("a", "b");
  std::string notice;
  EXPECT_EQ(collector.Take(notice).size(), kMaxMetadataChunks);
  EXPECT_EQ(notice, "left out metadata, which are too many or too long (2)");
}

// Chunks that make no sense, as a damaged or hostile file may have them, spoil no image file.
TEST(ImageExtrasTest, NonsenseIsLeftOut) {
  const Image image = Ramp(8);
  Metadata nonsense;
  for (int kind = 1; kind <= 9; ++kind)
    for (const Bytes& bytes : {Bytes{}, Bytes{0}, Bytes(40, 0xff), ToBytes("II*"),
                               Bytes{'I', 'I', 42, 0, 8, 0, 0, 0, 0xff, 0xff}})
      nonsense.push_back({static_cast<uint8_t>(kind), bytes});
  EXPECT_EQ(MustParse(EncodePng(image.View(), nonsense)).image, image);
  EXPECT_EQ(MustParse(EncodeTiff(image.View(), {nonsense, false})).image, image);
  CropMetadata(1, 2, nonsense);
  EXPECT_EQ(MustParse(EncodeTiff(image.View(), {nonsense, false})).image, image);
}

// The pixel at (7, 4) is (0, 0) of the part: it is where it was.
TEST(ImageExtrasTest, GeoTiffOfAPart) {
  const std::vector<double> matrix = {2, 0.5, 0, 100, 0.25, -3, 0, 200, 0, 0, 0, 0, 0, 0, 0, 1};
  std::vector<double> moved = matrix;
  moved[3] = 2 * 7 + 0.5 * 4 + 100;
  moved[7] = 0.25 * 7 - 3 * 4 + 200;
  Metadata metadata = {Chunk(MetadataKind::kGeoTiff,
                             PlacedGeoBlock({10, 20, 0, 500, 800, 0, 0, 1, 0, 3, 4, 5}, matrix)),
                       Chunk(MetadataKind::kOmeXml, ToBytes(kOme)),
                       Chunk(MetadataKind::kGeoTiff, GeoBlock())};
  EXPECT_EQ(KindNames(CropMetadata(7, 4, metadata)), "ome_xml");
  const Metadata expected = {
      Chunk(MetadataKind::kGeoTiff,
            PlacedGeoBlock({3, 16, 0, 500, 800, 0, -7, -3, 0, 3, 4, 5}, moved)),
      Chunk(MetadataKind::kGeoTiff, GeoBlock())};
  EXPECT_EQ(metadata, expected);
}

TEST(TiffBlockTest, ComesBack) {
  const TiffBlock block = ReadTiffBlock(ExifBlock(3));
  EXPECT_EQ(block.image.size(), 2u);
  EXPECT_EQ(FindField(block.image, 274)->Number(), 3u);
  EXPECT_EQ(FindField(block.exif, 33434)->Number(1), 125u);
  EXPECT_EQ(FindField(block.gps, 2)->Number(5), 2u);
  EXPECT_EQ(FindField(block.image, 1), nullptr);
}

// Nothing is read beyond its end, and values that share a place do not add up.
TEST(TiffBlockTest, HostileBlocks) {
  const Bytes whole = ExifBlock(3);
  for (size_t size = 0; size < whole.size(); ++size)
    ReadTiffBlock(Bytes(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)));
  Bytes shared = {'I', 'I', 42, 0, 8, 0, 0, 0, 200, 0};
  for (int i = 0; i < 200; ++i)
    shared.insert(shared.end(), {1, 0, 7, 0, 0xd0, 7, 0, 0, 8, 0, 0, 0});
  EXPECT_TRUE(ReadTiffBlock(shared).image.empty());
}

TEST(SignedImageTest, TiffKeepsTheSign) {
  for (const int depth : {8, 16}) {
    const Image image = Ramp(depth);
    const Bytes file = EncodeTiff(image.View(), {{}, true});
    const LoadedImage loaded = MustParse(file);
    EXPECT_EQ(loaded.image, image);
    EXPECT_TRUE(loaded.is_signed);
    // In two's complement: sample 0 is the least number.
    const TiffBlock block = ReadTiffBlock(file);
    const size_t at = FindField(block.image, 273)->Number();
    EXPECT_EQ(file[at + static_cast<size_t>(depth / 8) - 1], 0x80);
    EXPECT_EQ(FindField(block.image, 339)->Number(), 2u);
  }
  const Bytes file = EncodeTiff(Ramp(16).View(), {{}, true});
  const Result<LoadedImage> scaled = ParseImage(file, "file", {.depth8 = true});
  ASSERT_TRUE(scaled.ok());
  EXPECT_FALSE(scaled->is_signed);
  EXPECT_EQ(scaled->image, ParseImage(EncodePng(Ramp(16).View()), "file", {.depth8 = true})->image);
}

TEST(SignedImageTest, OtherFormatsRefuseIt) {
  for (const ImageFormat format : {ImageFormat::kPng, ImageFormat::kPgm}) {
    const Status status = WriteImage("/nowhere/a", Ramp(16).View(), format, {{}, true});
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find("use .tif"), std::string::npos);
  }
}

}  // namespace
}  // namespace mmp
