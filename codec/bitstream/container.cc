#include "codec/bitstream/container.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "codec/base/failures.h"
#include "codec/base/levels.h"
#include "codec/bitstream/metadata_section.h"
#include "common/crc32c.h"

namespace mmp {
namespace {

constexpr size_t kTableEntryBytes = 12;
constexpr size_t kCrcBytes = 4;
constexpr size_t kSmallCheckBytes = 2;

#ifdef MMP_FUZZING
constexpr bool kCheckChecksums = false;
#else
constexpr bool kCheckChecksums = true;
#endif

// The CRC-32C of what a file of one tile has before its stream: of its header's fields, which have
// `fields_crc`, and of the tile's reconstruction CRC, whether the file has it or not.
uint32_t CrcBeforeStream(uint32_t fields_crc, uint32_t reconstruction_crc) {
  std::array<uint8_t, 4> reconstruction;
  for (int k = 0; k < 4; ++k) reconstruction[k] = static_cast<uint8_t>(reconstruction_crc >> 8 * k);
  return Crc32c(reconstruction, fields_crc);
}

// Of all of it.
uint32_t OneTileCrc(uint32_t fields_crc, uint32_t reconstruction_crc,
                    std::span<const uint8_t> stream) {
  return Crc32c(stream, CrcBeforeStream(fields_crc, reconstruction_crc));
}

// Of a small file: the lowest bits of that.
uint32_t SmallCheck(uint32_t fields_crc, uint32_t reconstruction_crc,
                    std::span<const uint8_t> stream) {
  return OneTileCrc(fields_crc, reconstruction_crc, stream) & ((1u << 8 * kSmallCheckBytes) - 1);
}

// Writing

void Append(std::span<const uint8_t> bytes, std::vector<uint8_t>& file) {
  file.insert(file.end(), bytes.begin(), bytes.end());
}

std::vector<uint8_t> WriteSmallFile(const FileHeader& header, const EncodedTile& tile) {
  std::vector<uint8_t> file;
  WriteSmallHeader(header, file);
  ByteWriter(file).U16(SmallCheck(Crc32c(file), tile.reconstruction_crc, tile.bytes));
  Append(tile.bytes, file);
  return file;
}

std::vector<uint8_t> WriteOneTile(const FileHeader& header, const EncodedTile& tile,
                                  std::span<const uint8_t> metadata,
                                  std::span<const uint8_t> preview) {
  std::vector<uint8_t> file;
  WriteHeader(header, file);
  const uint32_t crc = OneTileCrc(Crc32c(file), tile.reconstruction_crc, tile.bytes);
  Append(metadata, file);
  ByteWriter writer(file);
  writer.U32(crc);
  writer.U32(tile.reconstruction_crc);
  Append(preview, file);
  Append(tile.bytes, file);
  return file;
}

std::vector<uint8_t> WriteTiles(const FileHeader& header, const std::vector<EncodedTile>& tiles,
                                std::span<const uint8_t> metadata,
                                std::span<const uint8_t> preview) {
  std::vector<uint8_t> file;
  WriteHeader(header, file);
  const uint32_t fields_crc = Crc32c(file);
  Append(metadata, file);
  const size_t table = file.size();
  ByteWriter writer(file);
  for (const EncodedTile& tile : tiles) {
    writer.U32(static_cast<uint32_t>(tile.bytes.size()));
    writer.U32(Crc32c(tile.bytes));
    writer.U32(tile.reconstruction_crc);
  }
  writer.U32(Crc32c(std::span(file).subspan(table), fields_crc));
  Append(preview, file);
  for (const EncodedTile& tile : tiles) Append(tile.bytes, file);
  return file;
}

// Parsing

// Of a file of several tiles: the table, and the checksum of header and table.
uint64_t TableBytes(const FileHeader& header) {
  return CountTiles(header) * kTableEntryBytes + kCrcBytes;
}

// Of a file whose header has been read.
Result<MetadataRead> TakeMetadata(std::span<const uint8_t> beginning, const FileHeader& header,
                                  ByteReader& reader) {
  const size_t begin = reader.position();
  if (header.metadata_bytes > beginning.size() - begin)
    return Corrupt("the file ends inside its metadata");
  reader.Skip(header.metadata_bytes);
  return ReadMetadataSection(beginning.subspan(begin, header.metadata_bytes), kCheckChecksums);
}

// The checksums of a file of one tile, which is what is left behind them and the preview.
Status ParseOneTile(uint64_t file_bytes, ByteReader& reader, ParsedFile& parsed) {
  TileInfo& tile = parsed.tiles[0];
  tile.crc = parsed.is_small ? reader.U16() : reader.U32();
  if (!parsed.is_small) tile.reconstruction_crc = reader.U32();
  if (reader.overrun()) return Corrupt("the file ends inside its header");
  parsed.header_bytes = reader.position();
  tile.offset = parsed.header_bytes + parsed.header.preview_bytes;
  if (tile.offset > file_bytes) return Corrupt("the file ends inside its preview");
  tile.bytes = file_bytes - tile.offset;
  if (parsed.is_small && tile.bytes > kMaxSmallStream)
    return Corrupt("the file is damaged: it is too long for one of its kind");
  return {};
}

Status ParseTiles(std::span<const uint8_t> beginning, uint64_t file_bytes, ByteReader& reader,
                  ParsedFile& parsed) {
  const size_t table = reader.position();
  for (TileInfo& tile : parsed.tiles) {
    tile.bytes = reader.U32();
    tile.crc = reader.U32();
    tile.reconstruction_crc = reader.U32();
  }
  const size_t table_bytes = reader.position() - table;
  const uint32_t header_crc = reader.U32();
  if (reader.overrun()) return Corrupt("the file ends inside its tile table");
  if (kCheckChecksums &&
      Crc32c(beginning.subspan(table, table_bytes), parsed.fields_crc) != header_crc)
    return Corrupt("the header is damaged: its checksum does not match");
  parsed.header_bytes = reader.position();
  uint64_t offset = parsed.header_bytes + parsed.header.preview_bytes;
  for (size_t i = 0; i < parsed.tiles.size(); ++i) {
    TileInfo& tile = parsed.tiles[i];
    tile.offset = offset;
    offset += tile.bytes;
    if (offset > file_bytes) parsed.damage[i] = "the file ends before the tile does";
  }
  parsed.trailing_bytes = file_bytes - std::min(offset, file_bytes);
  return {};
}

// Of a file whose header has been read.
Result<ParsedFile> ParseBehindHeader(const HeaderRead& read, std::span<const uint8_t> beginning,
                                     uint64_t file_bytes, ByteReader& reader) {
  ParsedFile parsed;
  parsed.header = read.header;
  parsed.version = read.version;
  parsed.is_small = read.is_small;
  parsed.fields_crc = Crc32c(beginning.first(reader.position()));
  Result<MetadataRead> metadata = TakeMetadata(beginning, read.header, reader);
  if (!metadata.ok()) return metadata.status();
  parsed.metadata = std::move(metadata->chunks);
  parsed.damaged_metadata = metadata->damaged;
  const FileHeader& h = parsed.header;
  if (h.tiled() && reader.position() + TableBytes(h) > file_bytes)
    return Corrupt("the file ends inside its tile table");
  parsed.tiles = TileGrid(h.width, h.height, h.tile_width, h.tile_height);
  parsed.damage.resize(parsed.tiles.size());
  MMP_RETURN_IF_ERROR(h.tiled() ? ParseTiles(beginning, file_bytes, reader, parsed)
                                : ParseOneTile(file_bytes, reader, parsed));
  return parsed;
}

// But for the bytes of metadata and preview.
bool IsSameImage(FileHeader one, const FileHeader& other) {
  one.metadata_bytes = other.metadata_bytes;
  one.preview_bytes = other.preview_bytes;
  return one == other;
}

}  // namespace

int64_t CountMacroblocks(const std::vector<TileInfo>& tiles) {
  int64_t macroblocks = 0;
  for (const TileInfo& tile : tiles)
    macroblocks += int64_t{MacroblocksAcross(tile.width)} * MacroblocksAcross(tile.height);
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

std::vector<uint8_t> WriteFileBytes(const FileHeader& header, const std::vector<EncodedTile>& tiles,
                                    const Metadata& metadata, std::span<const uint8_t> preview) {
  const std::vector<uint8_t> section = WriteMetadataSection(metadata);
  FileHeader whole = header;
  whole.metadata_bytes = static_cast<uint32_t>(section.size());
  whole.preview_bytes = static_cast<uint32_t>(preview.size());
  if (header.tiled()) return WriteTiles(whole, tiles, section, preview);
  const bool is_small = FitsSmallFile(whole) && tiles[0].bytes.size() <= kMaxSmallStream;
  return is_small ? WriteSmallFile(whole, tiles[0])
                  : WriteOneTile(whole, tiles[0], section, preview);
}

Result<FileBeginning> ParseFileBeginning(std::span<const uint8_t> beginning) {
  ByteReader reader(beginning);
  const Result<HeaderRead> read = ReadHeader(reader);
  if (!read.ok()) return read.status();
  const FileHeader& header = read->header;
  const uint64_t rest = read->is_small   ? kSmallCheckBytes
                        : header.tiled() ? TableBytes(header)
                                         : 2 * kCrcBytes;
  return FileBeginning{header, reader.position() + header.metadata_bytes + rest};
}

Result<ParsedFile> ParseTileTable(std::span<const uint8_t> beginning, uint64_t file_bytes) {
  ByteReader reader(beginning);
  const Result<HeaderRead> read = ReadHeader(reader);
  if (!read.ok()) return read.status();
  return ParseBehindHeader(*read, beginning, file_bytes, reader);
}

Status DamagedTileError(const ParsedFile& parsed, size_t tile, const std::string& reason) {
  const size_t tiles = parsed.tiles.size();
  if (tiles == 1) return Corrupt(reason);
  return Corrupt("tile index " + std::to_string(tile) + " (of " + std::to_string(tiles) +
                 " tiles) is damaged: " + reason);
}

Status CheckEnd(const ParsedFile& parsed) {
  return parsed.trailing_bytes > 0 ? Corrupt("there are bytes behind the last tile") : Status();
}

StreamCheck::StreamCheck(const ParsedFile& parsed, size_t tile)
    : parsed_(parsed),
      expected_(parsed.tiles[tile].crc),
      crc_(parsed.header.tiled()
               ? 0
               : CrcBeforeStream(parsed.fields_crc, parsed.tiles[tile].reconstruction_crc)) {}

void StreamCheck::Add(std::span<const uint8_t> part) {
  if (kCheckChecksums) crc_ = Crc32c(part, crc_);
}

std::string StreamCheck::Damage() const {
  // A small file's check tells of its bytes and pixels together.
  if (!kCheckChecksums || parsed_.is_small || crc_ == expected_) return {};
  return parsed_.header.tiled() ? "its checksum does not match its bytes"
                                : "the file is damaged: its checksum does not match its bytes";
}

std::string StreamDamage(const ParsedFile& parsed, size_t tile, std::span<const uint8_t> stream) {
  StreamCheck check(parsed, tile);
  check.Add(stream);
  return check.Damage();
}

Status CheckPixels(const std::string& whose, uint64_t pixels, uint64_t max_pixels) {
  if (pixels <= max_pixels) return {};
  return {StatusCode::kLimitExceeded,
          whose + " " + std::to_string(pixels) + " pixels, more than the limit of " +
              std::to_string(max_pixels) + "; a larger max_pixels decodes it"};
}

Result<ParsedFile> ParseFile(std::span<const uint8_t> file, uint64_t max_pixels) {
  ByteReader reader(file);
  const Result<HeaderRead> read = ReadHeader(reader);
  if (!read.ok()) return read.status();
  const FileHeader& header = read->header;
  MMP_RETURN_IF_ERROR(CheckPixels(
      "the image has", static_cast<uint64_t>(header.width) * static_cast<uint64_t>(header.height),
      max_pixels));
  Result<ParsedFile> parsed = ParseBehindHeader(*read, file, file.size(), reader);
  if (!parsed.ok()) return parsed;
  MMP_RETURN_IF_ERROR(CheckEnd(*parsed));
  for (size_t i = 0; i < parsed->tiles.size(); ++i) {
    const TileInfo& tile = parsed->tiles[i];
    if (parsed->damage[i].empty())
      parsed->damage[i] = StreamDamage(*parsed, i, file.subspan(tile.offset, tile.bytes));
  }
  return parsed;
}

bool IsReconstruction(const ParsedFile& parsed, size_t tile, std::span<const uint8_t> stream,
                      uint32_t reconstruction_crc) {
  if (!kCheckChecksums) return true;
  const TileInfo& info = parsed.tiles[tile];
  if (!parsed.is_small) return info.reconstruction_crc == reconstruction_crc;
  return SmallCheck(parsed.fields_crc, reconstruction_crc, stream) == info.crc;
}

Status CheckStreamSize(uint64_t bytes) {
  if (bytes <= std::numeric_limits<uint32_t>::max()) return {};
  return {StatusCode::kInvalidArgument, "a tile takes " + std::to_string(bytes) +
                                            " bytes, more than a file can say; use smaller tiles"};
}

Status CheckWritten(std::span<const uint8_t> file, const FileHeader& header,
                    const std::vector<EncodedTile>& tiles, const Metadata& metadata) {
  const Result<ParsedFile> parsed = ParseFile(file, std::numeric_limits<uint64_t>::max());
  std::string why;
  if (!parsed.ok())
    why = parsed.status().message();
  else if (!IsSameImage(parsed->header, header) || parsed->tiles.size() != tiles.size())
    why = "its header is another one";
  else if (parsed->damaged_metadata > 0 || parsed->metadata != metadata)
    why = "its metadata are others";
  for (size_t i = 0; why.empty() && i < tiles.size(); ++i) {
    why = parsed->damage[i];
    const TileInfo& read = parsed->tiles[i];
    if (read.bytes != tiles[i].bytes.size() ||
        !IsReconstruction(*parsed, i, file.subspan(read.offset, read.bytes),
                          tiles[i].reconstruction_crc))
      why = "tile index " + std::to_string(i) + " is another one";
  }
  if (why.empty()) return {};
  return Corrupt("the file that was made cannot be read, by a fault of this program: " + why);
}

Result<FileHeader> ParseFileHeader(std::span<const uint8_t> beginning, size_t* header_end) {
  ByteReader reader(beginning);
  Result<HeaderRead> read = ReadHeader(reader);
  if (!read.ok()) return read.status();
  if (header_end != nullptr) *header_end = reader.position();
  return read->header;
}

Result<MetadataRead> ParseFileMetadata(std::span<const uint8_t> beginning) {
  ByteReader reader(beginning);
  const Result<HeaderRead> read = ReadHeader(reader);
  if (!read.ok()) return read.status();
  return TakeMetadata(beginning, read->header, reader);
}

}  // namespace mmp
