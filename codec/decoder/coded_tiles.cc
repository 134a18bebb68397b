#include "codec/decoder/coded_tiles.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "codec/decoder/decode_limits.h"

namespace mmp {
namespace {

uint64_t PixelsOf(const Region& region) {
  return static_cast<uint64_t>(region.width) * static_cast<uint64_t>(region.height);
}

// The part [begin, end) of a side.
struct Interval {
  int begin, end;
};

// Of the tiles of a side that [begin, begin + length) touches.
Interval TilesOfSide(int begin, int length, int tile, int side) {
  const int64_t end = (int64_t{begin} + length + tile - 1) / tile * tile;
  return {begin / tile * tile, static_cast<int>(std::min<int64_t>(end, side))};
}

// Reads the streams of tiles that are adjacent in the file, [begin, end) of coded.tiles.
Status ReadRun(FileBytes& file, size_t begin, size_t end, CodedTiles& coded) {
  uint64_t size = 0;
  for (size_t i = begin; i < end; ++i) size += coded.tiles[i].info.bytes;
  const auto bytes = file.Get(coded.tiles[begin].info.offset, size);
  if (!bytes.ok()) return bytes.status();
  uint64_t position = 0;
  for (size_t i = begin; i < end; ++i) {
    CodedTile& tile = coded.tiles[i];
    tile.stream = bytes->subspan(position, tile.info.bytes);
    position += tile.info.bytes;
    tile.damage = StreamDamage(coded.file, tile.number, tile.stream);
  }
  coded.bytes += size;
  return {};
}

// Reads the streams of all tiles that are there.
Status ReadStreams(FileBytes& file, CodedTiles& coded) {
  const std::vector<CodedTile>& tiles = coded.tiles;
  for (size_t begin = 0; begin < tiles.size();) {
    if (!tiles[begin].damage.empty()) {
      ++begin;
      continue;
    }
    size_t end = begin + 1;
    while (end < tiles.size() && tiles[end].damage.empty() &&
           tiles[end].number == tiles[end - 1].number + 1)
      ++end;
    MMP_RETURN_IF_ERROR(ReadRun(file, begin, end, coded));
    begin = end;
  }
  return {};
}

// What metadata and table of a file of so many bytes take once they are read: none where it is too
// short for them, as it is then refused before.
uint64_t MemoryOfHeader(const FileBeginning& beginning, uint64_t file_bytes) {
  if (file_bytes < beginning.header_bytes) return 0;
  return TableMemory(beginning.header) + MetadataMemory(beginning.header);
}

// Takes over what the table says of the tiles in `coded.pixels`.
void SelectTiles(CodedTiles& coded) {
  ParsedFile& parsed = coded.file;
  const Region& pixels = coded.pixels;
  coded.tiles.reserve(CountTiles(coded.HeaderOfTiles()));
  for (size_t i = 0; i < parsed.tiles.size(); ++i) {
    const TileInfo& tile = parsed.tiles[i];
    if (tile.x >= pixels.x && tile.x < pixels.x + pixels.width && tile.y >= pixels.y &&
        tile.y < pixels.y + pixels.height)
      coded.tiles.push_back({tile, static_cast<int>(i), {}, std::move(parsed.damage[i])});
  }
}

uint64_t StreamBytes(const CodedTiles& coded) {
  uint64_t bytes = 0;
  for (const CodedTile& tile : coded.tiles) bytes += tile.damage.empty() ? tile.info.bytes : 0;
  return bytes;
}

}  // namespace

Status CheckRead(uint64_t bytes, uint64_t max_memory) {
  const uint64_t limit = std::min(max_memory, kAddressableBytes);
  if (bytes <= limit) return {};
  return {StatusCode::kLimitExceeded,
          "what is to be read of the file takes " + std::to_string(bytes) +
              " bytes of memory, more than the limit of " + std::to_string(limit) +
              "; raise max_memory to decode the file"};
}

Region WholeImage(const FileHeader& header) { return {0, 0, header.width, header.height}; }

Status CheckRegion(const FileHeader& header, const Region& region) {
  const auto is_inside = [](int begin, int length, int side) {
    return begin >= 0 && length > 0 && int64_t{begin} + length <= side;
  };
  if (is_inside(region.x, region.width, header.width) &&
      is_inside(region.y, region.height, header.height))
    return {};
  const auto size = [](int width, int height) {
    return std::to_string(width) + "x" + std::to_string(height);
  };
  return {StatusCode::kInvalidArgument,
          "the region of " + size(region.width, region.height) + " pixels at (" +
              std::to_string(region.x) + ", " + std::to_string(region.y) +
              ") is not inside the image, which has " + size(header.width, header.height)};
}

Region TilesOf(const FileHeader& header, const Region& region) {
  const Interval x = TilesOfSide(region.x, region.width, header.tile_width, header.width);
  const Interval y = TilesOfSide(region.y, region.height, header.tile_height, header.height);
  return {x.begin, y.begin, x.end - x.begin, y.end - y.begin};
}

FileHeader CodedTiles::HeaderOfTiles() const {
  FileHeader of_tiles = file.header;
  of_tiles.width = pixels.width;
  of_tiles.height = pixels.height;
  return of_tiles;
}

Result<FileBeginning> ReadBeginning(FileBytes& file) {
  const auto first = file.Get(0, std::min<uint64_t>(file.size(), kMaxHeaderBytes));
  if (!first.ok()) return first.status();
  return ParseFileBeginning(*first);
}

Result<ParsedFile> ReadTable(FileBytes& file, const FileBeginning& beginning) {
  const auto bytes = file.Get(0, std::min(file.size(), beginning.header_bytes));
  if (!bytes.ok()) return bytes.status();
  Result<ParsedFile> parsed = ParseTileTable(*bytes, file.size());
  // Of a file that somebody writes meanwhile, limits were compared with the former header.
  if (parsed.ok() && parsed->header != beginning.header)
    return Status(StatusCode::kIo, "the file has changed while it was read");
  return parsed;
}

Result<CodedTiles> ReadCodedTiles(FileBytes& file, const DecodeOptions& options) {
  const Result<FileBeginning> beginning = ReadBeginning(file);
  if (!beginning.ok()) return beginning.status();
  const FileHeader& header = beginning->header;
  CodedTiles coded;
  coded.region = options.region.value_or(WholeImage(header));
  MMP_RETURN_IF_ERROR(CheckRegion(header, coded.region));
  coded.pixels = TilesOf(header, coded.region);
  MMP_RETURN_IF_ERROR(
      CheckPixels(coded.pixels == WholeImage(header) ? "the image has" : "the region's tiles have",
                  PixelsOf(coded.pixels), options.max_pixels));

  const uint64_t max_memory = options.max_memory.value_or(
      DefaultMaxMemory(PixelsOf(coded.pixels), header.parameters.dictionary_size));
  const uint64_t header_bytes = std::min(file.size(), beginning->header_bytes);
  MMP_RETURN_IF_ERROR(CheckRead(
      (file.is_source() ? header_bytes : 0) + MemoryOfHeader(*beginning, file.size()), max_memory));
  Result<ParsedFile> parsed = ReadTable(file, *beginning);
  if (!parsed.ok()) return parsed.status();
  coded.file = *std::move(parsed);
  // Of a region no more is looked at than its tiles.
  if (options.region) coded.file.trailing_bytes = 0;
  if (!options.keep_going) MMP_RETURN_IF_ERROR(CheckEnd(coded.file));
  coded.bytes = coded.file.header_bytes;
  SelectTiles(coded);
  if (file.is_source())
    MMP_RETURN_IF_ERROR(CheckRead(coded.bytes + StreamBytes(coded), max_memory));
  MMP_RETURN_IF_ERROR(ReadStreams(file, coded));
  return coded;
}

}  // namespace mmp
