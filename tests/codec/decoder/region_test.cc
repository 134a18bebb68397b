// Regions of images, from memory and from sources of which only what is needed may be read.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "codec/bitstream/container.h"
#include "mmp/mmp.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

struct Coded {
  std::string name;
  std::vector<uint8_t> file;
  Image whole;
};

Image Deep(Picture picture, int depth, int width, int height) {
  const Image drawn = Draw(picture, width, height, 5);
  Image image = Image::OfDepth(depth, width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      image.SetSample(y, x, drawn.Row(y)[x] * LargestSample(depth) / 255);
  return image;
}

Coded Make(const std::string& name, int depth, int width, int height, int tile,
           EncodeOptions options) {
  options.tile_width = options.tile_height = tile;
  options.preset = Preset::kFast;
  const Image image = Deep(Picture::kTexture, depth, width, height);
  Coded coded = {name, MustEncode(image.View(), options), {}};
  coded.whole = Decode(coded.file)->image;
  return coded;
}

// Files of both coders, in one tile and in many, of samples of one and of two bytes.
const std::vector<Coded>& Files() {
  static const std::vector<Coded> files = [] {
    EncodeOptions patterns, raster, pixels;
    patterns.lambda = 40;
    patterns.coder = Coder::kPatterns;
    raster = patterns;
    raster.order = MacroblockOrder::kRaster;
    pixels.max_error = 1;
    return std::vector<Coded>{
        Make("one tile", 8, 70, 50, 0, patterns),
        Make("tiles", 8, 150, 101, 32, patterns),
        Make("tiles in raster order", 8, 64, 96, 32, raster),
        Make("tiles of 12 bits", 12, 90, 70, 48, patterns),
        Make("pixels", 8, 70, 50, 0, pixels),
        Make("pixels in tiles", 8, 100, 75, 32, pixels),
        Make("pixels of 16 bits in tiles", 16, 77, 90, 32, pixels),
        Make("one column", 8, 1, 200, 16, pixels),
    };
  }();
  return files;
}

const Coded& FileNamed(const std::string& name) {
  const auto found =
      std::ranges::find_if(Files(), [&](const Coded& file) { return file.name == name; });
  EXPECT_NE(found, Files().end());
  return *found;
}

Image CropOf(const Image& image, const Region& region) {
  const ImageView part = image.View().Crop(region.x, region.y, region.width, region.height);
  Image copy = Image::OfDepth(image.depth(), region.width, region.height);
  for (int y = 0; y < region.height; ++y) std::copy_n(part.Row(y), copy.stride(), copy.Row(y));
  return copy;
}

bool Touches(const TileInfo& tile, const Region& region) {
  return tile.x < region.x + region.width && region.x < tile.x + tile.width &&
         tile.y < region.y + region.height && region.y < tile.y + tile.height;
}

Region RandomRegion(Random& random, const Image& image) {
  const int x = random.Below(image.width()), y = random.Below(image.height());
  return {x, y, random.Between(1, image.width() - x), random.Between(1, image.height() - y)};
}

DecodeOptions Of(const Region& region) {
  DecodeOptions options;
  options.region = region;
  return options;
}

// A source that fails where it is asked for more than a region needs.
class StrictSource {
 public:
  StrictSource(const std::vector<uint8_t>& file, const Region& region) : file_(file) {
    const ParsedFile parsed = *ParseFile(file, UINT64_MAX);
    needed_.assign(file.size(), false);
    Need(0,
         std::min<uint64_t>(std::max<uint64_t>(parsed.header_bytes, kMaxHeaderBytes), file.size()));
    bool before = false;
    for (const TileInfo& tile : parsed.tiles) {
      const bool is_needed = Touches(tile, region);
      if (is_needed) Need(tile.offset, tile.bytes);
      most_reads_ += is_needed && !before ? 1 : 0;
      before = is_needed;
    }
  }

  ByteSource Source() {
    return {file_.size(), [this](uint64_t offset, std::span<uint8_t> bytes) -> Status {
              ++reads_;
              if (bytes.empty() || offset > file_.size() || bytes.size() > file_.size() - offset)
                return {StatusCode::kIo, "read outside of the file"};
              for (size_t i = 0; i < bytes.size(); ++i) {
                if (!needed_[offset + i])
                  return {StatusCode::kIo, "read byte " + std::to_string(offset + i)};
                read_[offset + i] = true;
                bytes[i] = file_[offset + i];
              }
              return {};
            }};
  }
  int reads() const { return reads_; }
  int most_reads() const { return most_reads_; }
  // But for what only the first read may have taken along.
  bool AllNeededWasRead() const {
    for (size_t i = kMaxHeaderBytes; i < needed_.size(); ++i)
      if (needed_[i] && !read_[i]) return false;
    return true;
  }

 private:
  void Need(uint64_t begin, uint64_t count) {
    std::fill_n(needed_.begin() + static_cast<std::ptrdiff_t>(begin), count, true);
  }

  const std::vector<uint8_t>& file_;
  std::vector<bool> needed_, read_ = std::vector<bool>(file_.size());
  int reads_ = 0;
  int most_reads_ = 2;  // of the header and of the table
};

TEST(RegionTest, HasThePixelsOfTheWholeImage) {
  Random random(1);
  for (const Coded& coded : Files()) {
    for (int i = 0; i < 40; ++i) {
      const Region region = RandomRegion(random, coded.whole);
      SCOPED_TRACE(coded.name + ": " + std::to_string(region.width) + "x" +
                   std::to_string(region.height) + " at " + std::to_string(region.x) + ", " +
                   std::to_string(region.y));
      DecodeOptions options = Of(region);
      options.threads = random.Between(1, 4);
      const Image expected = CropOf(coded.whole, region);
      const Result<DecodedImage> in_memory = Decode(coded.file, options);
      ASSERT_TRUE(in_memory.ok()) << in_memory.status().message();
      EXPECT_TRUE(in_memory->image == expected);

      StrictSource source(coded.file, region);
      const Result<DecodedImage> read = DecodeFrom(source.Source(), options);
      ASSERT_TRUE(read.ok()) << read.status().message();
      EXPECT_TRUE(read->image == expected);
      EXPECT_TRUE(source.AllNeededWasRead());
      EXPECT_LE(source.reads(), source.most_reads());
    }
  }
}

TEST(RegionTest, OfAllPixelsIsTheImage) {
  for (const Coded& coded : Files()) {
    const Region all = {0, 0, coded.whole.width(), coded.whole.height()};
    EXPECT_TRUE(Decode(coded.file, Of(all))->image == coded.whole) << coded.name;
    StrictSource source(coded.file, all);
    EXPECT_TRUE(DecodeFrom(source.Source())->image == coded.whole) << coded.name;
    EXPECT_LE(source.reads(), 3) << coded.name;
  }
}

TEST(RegionTest, OutsideOfTheImageIsAnError) {
  const Coded& coded = FileNamed("tiles");  // 150x101
  constexpr int kMost = INT32_MAX;
  for (const Region& region : std::vector<Region>{{150, 0, 1, 1},
                                                  {0, 101, 1, 1},
                                                  {149, 0, 2, 1},
                                                  {0, 100, 1, 2},
                                                  {-1, 0, 5, 5},
                                                  {0, -1, 5, 5},
                                                  {0, 0, 0, 5},
                                                  {0, 0, 5, 0},
                                                  {5, 5, -1, 5},
                                                  {0, 0, 151, 101},
                                                  {1, 1, kMost, kMost},
                                                  {kMost, kMost, kMost, kMost}}) {
    const Status status = Decode(coded.file, Of(region)).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find("not inside the image, which has 150x101"), std::string::npos)
        << status.message();
  }
  EXPECT_TRUE(Decode(coded.file, Of({149, 100, 1, 1})).ok());
}

TEST(RegionTest, DamageElsewhereDoesNotMatter) {
  for (const std::string name : {"tiles", "pixels in tiles", "pixels of 16 bits in tiles"}) {
    const Coded& coded = FileNamed(name);
    const ParsedFile parsed = *ParseFile(coded.file, UINT64_MAX);
    const int count = static_cast<int>(parsed.tiles.size());
    const Region region = {10, 40, 40, 20};
    int damaged_inside = 0;
    for (int i = 0; i < count; ++i) {
      const TileInfo& tile = parsed.tiles[i];
      std::vector<uint8_t> file = coded.file;
      file[tile.offset + tile.bytes / 2] ^= 1;
      const Result<DecodedImage> decoded = Decode(file, Of(region));
      if (!Touches(tile, region)) {
        ASSERT_TRUE(decoded.ok()) << decoded.status().message();
        EXPECT_TRUE(decoded->image == CropOf(coded.whole, region));
        continue;
      }
      ++damaged_inside;
      EXPECT_EQ(decoded.status().code(), StatusCode::kCorrupt);
      EXPECT_NE(decoded.status().message().find("tile index " + std::to_string(i) + " (of " +
                                                std::to_string(count) + " tiles)"),
                std::string::npos)
          << decoded.status().message();
    }
    EXPECT_EQ(damaged_inside, 2) << name;
  }
}

TEST(RegionTest, DamagedTilesAreGrayWhereTheyAreOfTheRegion) {
  for (const std::string name : {"tiles", "tiles of 12 bits", "pixels of 16 bits in tiles"}) {
    const Coded& coded = FileNamed(name);
    const TileInfo tile = ParseFile(coded.file, UINT64_MAX)->tiles[0];
    std::vector<uint8_t> file = coded.file;
    file[tile.offset] ^= 0x10;
    const Region region = {10, 20, 60, 45};
    DecodeOptions options = Of(region);
    options.keep_going = true;
    const Result<DecodedImage> decoded = Decode(file, options);
    ASSERT_TRUE(decoded.ok()) << decoded.status().message();
    Image expected = CropOf(coded.whole, region);
    for (int y = 0; y < tile.height - region.y; ++y)
      for (int x = 0; x < tile.width - region.x; ++x)
        expected.SetSample(y, x, 1 << (expected.depth() - 1));
    EXPECT_TRUE(decoded->image == expected) << name;
    ASSERT_EQ(decoded->damaged_tiles.size(), 1u);
    const DamagedTile& damaged = decoded->damaged_tiles[0];
    EXPECT_EQ((std::vector<int>{damaged.x, damaged.y, damaged.width, damaged.height}),
              (std::vector<int>{tile.x, tile.y, tile.width, tile.height}));
  }
}

TEST(RegionTest, IsReadOfAFileThatEndsBehindIt) {
  const Coded& coded = FileNamed("tiles");
  const ParsedFile parsed = *ParseFile(coded.file, UINT64_MAX);
  std::vector<uint8_t> file = coded.file;
  file.resize(parsed.tiles.back().offset - 1);
  const Region region = {0, 0, 150, 32};
  EXPECT_TRUE(Decode(file, Of(region))->image == CropOf(coded.whole, region));
  EXPECT_EQ(Decode(file, Of({149, 100, 1, 1})).status().code(), StatusCode::kCorrupt);
}

TEST(RegionTest, DamageToTheHeaderIsSeen) {
  for (const std::string name : {"tiles", "pixels in tiles"}) {
    const Coded& coded = FileNamed(name);
    const uint64_t header_bytes = ParseFile(coded.file, UINT64_MAX)->header_bytes;
    for (uint64_t i = 0; i < header_bytes; ++i) {
      std::vector<uint8_t> file = coded.file;
      file[i] ^= 0x01;
      EXPECT_FALSE(Decode(file, Of({0, 0, 8, 8})).ok()) << name << " " << i;
    }
    for (uint64_t size = 0; size < header_bytes; ++size) {
      const std::vector<uint8_t> file(coded.file.begin(),
                                      coded.file.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_EQ(Decode(file, Of({0, 0, 8, 8})).status().code(), StatusCode::kCorrupt);
    }
  }
}

TEST(RegionTest, LimitsAreThoseOfItsTiles) {
  const Coded& coded = FileNamed("tiles");  // of 32x32
  DecodeOptions options = Of({10, 10, 30, 5});
  options.max_pixels = 2 * 32 * 32;
  EXPECT_TRUE(Decode(coded.file, options).ok());
  --options.max_pixels;
  const Status pixels = Decode(coded.file, options).status();
  EXPECT_EQ(pixels.code(), StatusCode::kLimitExceeded);
  EXPECT_EQ(pixels.message(),
            "the region's tiles have 2048 pixels, more than the limit of 2047; a larger max_pixels "
            "decodes it");

  // Enough work for one tile of fifteen and not for two.
  DecodeOptions one = Of({0, 0, 32, 32}), two = Of({0, 0, 33, 32});
  uint64_t least = 0, most = uint64_t{1} << 40;
  while (most - least > 1) {
    one.max_work = std::midpoint(least, most);
    (Decode(coded.file, one).ok() ? most : least) = *one.max_work;
  }
  one.max_work = two.max_work = most;
  EXPECT_TRUE(Decode(coded.file, one).ok());
  EXPECT_EQ(Decode(coded.file, two).status().code(), StatusCode::kLimitExceeded);
}

TEST(RegionTest, OfASourceNoMoreIsReadThanMemoryIsAllowed) {
  const Coded& coded = FileNamed("pixels of 16 bits in tiles");
  DecodeOptions options = Of({0, 0, 8, 8});
  options.max_memory = 100;
  StrictSource strict(coded.file, *options.region);
  EXPECT_EQ(DecodeFrom(strict.Source(), options).status().code(), StatusCode::kLimitExceeded);
  EXPECT_EQ(strict.reads(), 1);
}

// A header of a few bytes can promise a table of 200 MB and a tile of 4 GB, and a file of holes
// that it is there.
TEST(RegionTest, TablesAndStreamsThatAreTooLargeAreNotRead) {
  FileHeader header;
  header.width = header.height = kMaxImageSide;
  header.tile_width = header.tile_height = 16;
  header.coder = Coder::kPixels;
  header.max_error = 1;
  const std::vector<uint8_t> beginning = WriteFileBytes(header, {});
  for (const bool is_one_tile : {false, true}) {
    FileHeader one = header;
    one.width = one.height = one.tile_width = one.tile_height = 100;
    one.depth = 12;  // not a small file, whose stream is short
    const std::vector<uint8_t> file = is_one_tile ? WriteFileBytes(one, {{}}) : beginning;
    uint64_t bytes_read = 0;
    const ByteSource source = {uint64_t{1} << 40,
                               [&](uint64_t offset, std::span<uint8_t> bytes) -> Status {
                                 bytes_read += bytes.size();
                                 for (size_t i = 0; i < bytes.size(); ++i)
                                   bytes[i] = offset + i < file.size() ? file[offset + i] : 0;
                                 return {};
                               }};
    const Status status = DecodeFrom(source, Of({0, 0, 8, 8})).status();
    EXPECT_EQ(status.code(), StatusCode::kLimitExceeded) << status.message();
    EXPECT_NE(status.message().find("raise max_memory"), std::string::npos);
    EXPECT_LE(bytes_read, 3 * kMaxHeaderBytes);
  }
}

// A file that is written while it is read: what was compared with limits is another image.
TEST(RegionTest, AHeaderThatChangesIsNotRead) {
  EncodeOptions encode;
  encode.max_error = 0;
  encode.metadata = {{5, {'a', 0, 'b'}}};  // so that none is a small file
  const std::vector<uint8_t> small = *Encode(Draw(Picture::kNoise, 16, 16, 1).View(), encode);
  const std::vector<uint8_t> large = *Encode(Draw(Picture::kNoise, 112, 112, 1).View(), encode);
  int reads = 0;
  const ByteSource source = {large.size(), [&](uint64_t offset, std::span<uint8_t> bytes) {
                               const auto& from = reads++ == 0 ? small : large;
                               std::copy_n(from.begin() + static_cast<ptrdiff_t>(offset),
                                           bytes.size(), bytes.begin());
                               return Status();
                             }};
  DecodeOptions options;
  options.max_pixels = 16 * 16;
  const Status status = DecodeFrom(source, options).status();
  EXPECT_EQ(status.code(), StatusCode::kIo) << status.message();
  EXPECT_NE(status.message().find("has changed"), std::string::npos) << status.message();
  reads = 0;
  EXPECT_EQ(ReadInfoFrom(source).status().code(), StatusCode::kIo);
  EXPECT_EQ(DecodeFrom(source, options).status().code(), StatusCode::kLimitExceeded);
}

TEST(RegionTest, FailuresOfTheSourceAreThoseOfDecoding) {
  const Coded& coded = FileNamed("tiles");
  for (int failing = 0; failing < 4; ++failing) {
    int reads = 0;
    const ByteSource source = {
        coded.file.size(), [&](uint64_t offset, std::span<uint8_t> bytes) -> Status {
          if (reads++ == failing) return {StatusCode::kIo, "the disk is out"};
          std::copy_n(coded.file.data() + offset, bytes.size(), bytes.data());
          return {};
        }};
    const Status status = DecodeFrom(source, Of({0, 0, 40, 40})).status();  // two runs of tiles
    EXPECT_EQ(status.code(), StatusCode::kIo);
    EXPECT_EQ(status.message(), "the disk is out");
    EXPECT_EQ(reads, failing + 1);
  }
  EXPECT_EQ(DecodeFrom(ByteSource{100, {}}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(DecodeFrom(ByteSource{0, [](uint64_t, std::span<uint8_t>) { return Status(); }})
                .status()
                .code(),
            StatusCode::kCorrupt);
  const ByteSource full = {100,
                           [](uint64_t, std::span<uint8_t>) -> Status { throw std::bad_alloc(); }};
  EXPECT_EQ(DecodeFrom(full).status().code(), StatusCode::kOutOfMemory);
  const ByteSource throwing = {100, [](uint64_t, std::span<uint8_t>) -> Status { throw 17; }};
  EXPECT_THROW((void)DecodeFrom(throwing), int);
}

TEST(RegionTest, ProgressIsThatOfItsTiles) {
  const Coded& coded = FileNamed("tiles");
  double last = 0;
  DecodeOptions options = Of({0, 0, 8, 8});
  options.threads = 1;
  options.progress = [&](double done) {
    last = done;
    return true;
  };
  EXPECT_TRUE(Decode(coded.file, options).ok());
  EXPECT_EQ(last, 1);
  options.progress = [](double) { return false; };
  EXPECT_EQ(Decode(coded.file, options).status().code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace mmp
