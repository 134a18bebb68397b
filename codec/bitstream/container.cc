#include "codec/bitstream/container.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "codec/base/levels.h"
#include "common/crc32c.h"

namespace mmp {
namespace {

constexpr size_t kTableEntryBytes = 12;
constexpr size_t kSmallCheckBytes = 2;

#ifdef MMP_FUZZING
constexpr bool kCheckChecksums = false;
#else
constexpr bool kCheckChecksums = true;
#endif

Status Corrupt(std::string message) { return {StatusCode::kCorrupt, std::move(message)}; }

// The CRC-32C of a file of one tile: of its header, of the tile's reconstruction CRC, whether the
// file has it or not, and of the stream.
uint32_t OneTileCrc(std::span<const uint8_t> header, uint32_t reconstruction_crc,
                    std::span<const uint8_t> stream) {
  std::array<uint8_t, 4> reconstruction;
  for (int k = 0; k < 4; ++k) reconstruction[k] = static_cast<uint8_t>(reconstruction_crc >> 8 * k);
  return Crc32c(stream, Crc32c(reconstruction, Crc32c(header)));
}

// Of a small file: the lowest bits of that.
uint32_t SmallCheck(std::span<const uint8_t> header, uint32_t reconstruction_crc,
                    std::span<const uint8_t> stream) {
  return OneTileCrc(header, reconstruction_crc, stream) & ((1u << 8 * kSmallCheckBytes) - 1);
}

// Writing

void Append(std::span<const uint8_t> bytes, std::vector<uint8_t>& file) {
  file.insert(file.end(), bytes.begin(), bytes.end());
}

std::vector<uint8_t> WriteSmallFile(const FileHeader& header, const EncodedTile& tile) {
  std::vector<uint8_t> file;
  WriteSmallHeader(header, file);
  ByteWriter(file).U16(SmallCheck(file, tile.reconstruction_crc, tile.bytes));
  Append(tile.bytes, file);
  return file;
}

std::vector<uint8_t> WriteOneTile(const FileHeader& header, const EncodedTile& tile) {
  std::vector<uint8_t> file;
  WriteHeader(header, file);
  ByteWriter writer(file);
  writer.U32(OneTileCrc(file, tile.reconstruction_crc, tile.bytes));
  writer.U32(tile.reconstruction_crc);
  Append(tile.bytes, file);
  return file;
}

std::vector<uint8_t> WriteTiles(const FileHeader& header, const std::vector<EncodedTile>& tiles) {
  std::vector<uint8_t> file;
  WriteHeader(header, file);
  ByteWriter writer(file);
  for (const EncodedTile& tile : tiles) {
    writer.U32(static_cast<uint32_t>(tile.bytes.size()));
    writer.U32(Crc32c(tile.bytes));
    writer.U32(tile.reconstruction_crc);
  }
  writer.U32(Crc32c(file));
  for (const EncodedTile& tile : tiles) Append(tile.bytes, file);
  return file;
}

// Parsing

void TakeRest(std::span<const uint8_t> file, const ByteReader& reader, ParsedFile& parsed) {
  TileInfo& tile = parsed.tiles[0];
  tile.offset = reader.position();
  tile.bytes = file.size() - tile.offset;
  parsed.header_bytes = tile.offset;
}

Status ParseSmallFile(std::span<const uint8_t> file, ByteReader& reader, ParsedFile& parsed) {
  parsed.tiles[0].crc = reader.U16();
  if (reader.overrun()) return Corrupt("the file ends inside its header");
  TakeRest(file, reader, parsed);
  if (parsed.tiles[0].bytes > kMaxSmallStream)
    return Corrupt("the file is damaged: it is too long for one of its kind");
  return {};
}

Status ParseOneTile(std::span<const uint8_t> file, ByteReader& reader, ParsedFile& parsed) {
  TileInfo& tile = parsed.tiles[0];
  const std::span<const uint8_t> header = file.first(reader.position());
  tile.crc = reader.U32();
  tile.reconstruction_crc = reader.U32();
  if (reader.overrun()) return Corrupt("the file ends inside its header");
  TakeRest(file, reader, parsed);
  if (kCheckChecksums &&
      OneTileCrc(header, tile.reconstruction_crc, file.subspan(tile.offset)) != tile.crc)
    parsed.damage[0] = "the file is damaged: its checksum does not match its bytes";
  return {};
}

Status ParseTileTable(std::span<const uint8_t> file, ByteReader& reader, ParsedFile& parsed) {
  for (TileInfo& tile : parsed.tiles) {
    tile.bytes = reader.U32();
    tile.crc = reader.U32();
    tile.reconstruction_crc = reader.U32();
  }
  const size_t table_end = reader.position();
  const uint32_t header_crc = reader.U32();
  if (reader.overrun()) return Corrupt("the file ends inside its tile table");
  if (kCheckChecksums && Crc32c(file.first(table_end)) != header_crc)
    return Corrupt("the header is damaged: its checksum does not match");
  parsed.header_bytes = reader.position();
  uint64_t offset = parsed.header_bytes;
  for (size_t i = 0; i < parsed.tiles.size(); ++i) {
    TileInfo& tile = parsed.tiles[i];
    tile.offset = offset;
    offset += tile.bytes;
    if (offset > file.size())
      parsed.damage[i] = "the file ends before the tile does";
    else if (kCheckChecksums && Crc32c(file.subspan(tile.offset, tile.bytes)) != tile.crc)
      parsed.damage[i] = "its checksum does not match its bytes";
  }
  if (offset < file.size()) return Corrupt("there are bytes behind the last tile");
  return {};
}

}  // namespace

int64_t CountMacroblocks(const std::vector<TileInfo>& tiles) {
  auto count = [](int side) { return int64_t{side + kMacroblockSize - 1} / kMacroblockSize; };
  int64_t macroblocks = 0;
  for (const TileInfo& tile : tiles) macroblocks += count(tile.width) * count(tile.height);
  return macroblocks;
}

std::vector<TileInfo> TileGrid(int width, int height, int tile_width, int tile_height) {
  std::vector<TileInfo> tiles;
  for (int y = 0; y < height; y += tile_height) {
    for (int x = 0; x < width; x += tile_width) {
      TileInfo tile;
      tile.x = x;
      tile.y = y;
      tile.width = std::min(tile_width, width - x);
      tile.height = std::min(tile_height, height - y);
      tiles.push_back(tile);
    }
  }
  return tiles;
}

std::vector<uint8_t> WriteFileBytes(const FileHeader& header,
                                    const std::vector<EncodedTile>& tiles) {
  if (header.tiled()) return WriteTiles(header, tiles);
  const bool is_small = FitsSmallFile(header) && tiles[0].bytes.size() <= kMaxSmallStream;
  return is_small ? WriteSmallFile(header, tiles[0]) : WriteOneTile(header, tiles[0]);
}

Result<ParsedFile> ParseFile(std::span<const uint8_t> file, uint64_t max_pixels) {
  ByteReader reader(file);
  Result<HeaderRead> read = ReadHeader(reader);
  if (!read.ok()) return read.status();
  ParsedFile parsed;
  parsed.header = read->header;
  parsed.is_small = read->is_small;
  const FileHeader& h = parsed.header;
  if (const uint64_t pixels = static_cast<uint64_t>(h.width) * static_cast<uint64_t>(h.height);
      pixels > max_pixels)
    return Status(StatusCode::kLimitExceeded,
                  "the image has " + std::to_string(pixels) + " pixels, more than the limit of " +
                      std::to_string(max_pixels) + "; a larger max_pixels decodes it");
  if (h.tiled() && CountTiles(h) * kTableEntryBytes > file.size())
    return Corrupt("the file ends inside its tile table");
  parsed.tiles = TileGrid(h.width, h.height, h.tile_width, h.tile_height);
  parsed.damage.resize(parsed.tiles.size());
  MMP_RETURN_IF_ERROR(parsed.is_small ? ParseSmallFile(file, reader, parsed)
                      : h.tiled()     ? ParseTileTable(file, reader, parsed)
                                      : ParseOneTile(file, reader, parsed));
  return parsed;
}

bool IsReconstruction(std::span<const uint8_t> file, const ParsedFile& parsed, int tile,
                      uint32_t reconstruction_crc) {
  if (!kCheckChecksums) return true;
  const TileInfo& info = parsed.tiles[tile];
  if (!parsed.is_small) return info.reconstruction_crc == reconstruction_crc;
  return SmallCheck(file.first(info.offset - kSmallCheckBytes), reconstruction_crc,
                    file.subspan(info.offset)) == info.crc;
}

Status CheckStreamSize(uint64_t bytes) {
  if (bytes <= std::numeric_limits<uint32_t>::max()) return {};
  return {StatusCode::kInvalidArgument, "a tile takes " + std::to_string(bytes) +
                                            " bytes, more than a file can say; use smaller tiles"};
}

Status CheckWritten(std::span<const uint8_t> file, const FileHeader& header,
                    const std::vector<EncodedTile>& tiles) {
  const Result<ParsedFile> parsed = ParseFile(file, std::numeric_limits<uint64_t>::max());
  std::string why;
  if (!parsed.ok())
    why = parsed.status().message();
  else if (parsed->header != header || parsed->tiles.size() != tiles.size())
    why = "its header is another one";
  for (size_t i = 0; why.empty() && i < tiles.size(); ++i) {
    why = parsed->damage[i];
    if (parsed->tiles[i].bytes != tiles[i].bytes.size() ||
        !IsReconstruction(file, *parsed, static_cast<int>(i), tiles[i].reconstruction_crc))
      why = "tile " + std::to_string(i) + " is another one";
  }
  if (why.empty()) return {};
  return Corrupt("the file that was made cannot be read, by a fault of this program: " + why);
}

Result<FileHeader> ParseFileHeader(std::span<const uint8_t> beginning) {
  ByteReader reader(beginning);
  Result<HeaderRead> read = ReadHeader(reader);
  if (!read.ok()) return read.status();
  return read->header;
}

}  // namespace mmp
