// The container: header, tile table, checksums. Normative: docs/format.md, "File".
#ifndef MMP_CODEC_BITSTREAM_CONTAINER_H_
#define MMP_CODEC_BITSTREAM_CONTAINER_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codec/bitstream/file_header.h"
#include "codec/bitstream/metadata_section.h"
#include "mmp/metadata.h"
#include "mmp/status.h"
#include "mmp/types.h"

namespace mmp {

// The tiles of an image in raster order; offset, bytes and checksums are left 0.
std::vector<TileInfo> TileGrid(int width, int height, int tile_width, int tile_height);

struct EncodedTile {
  std::vector<uint8_t> bytes;
  uint32_t reconstruction_crc = 0;
};

// Of all tiles; those at the right and lower edges are padded to whole macroblocks.
int64_t CountMacroblocks(const std::vector<TileInfo>& tiles);

// The bytes of the whole file, a small one if it can be. Each tile's size must pass
// CheckStreamSize, the metadata CheckMetadata; metadata and preview (a file of its own, or nothing)
// decide header.metadata_bytes and preview_bytes.
std::vector<uint8_t> WriteFileBytes(const FileHeader& header, const std::vector<EncodedTile>& tiles,
                                    const Metadata& metadata = {},
                                    std::span<const uint8_t> preview = {});

// kInvalidArgument if a tile's stream, of these many bytes, is longer than the table can say.
Status CheckStreamSize(uint64_t bytes);

struct ParsedFile {
  FileHeader header;
  int version = kFormatVersion;  // that the file says
  bool is_small = false;         // see FitsSmallFile
  uint64_t header_bytes = 0;     // all but those of preview and tiles, behind them
  // A small file's tile has its check in place of `crc`, and 0 in place of `reconstruction_crc`.
  std::vector<TileInfo> tiles;
  // For each tile the reason why its bytes cannot be decoded; empty if they are undamaged. Those of
  // a small file are found to be damaged or not by decoding only.
  std::vector<std::string> damage;
  int jpeg_tiles = 0;  // that are coded by a JPEG file's coefficients; counted by CheckStreams
  uint64_t trailing_bytes = 0;  // behind the last of several tiles; see CheckEnd
  Metadata metadata;            // the undamaged chunks
  int damaged_metadata = 0;     // chunks
  uint32_t fields_crc = 0;      // CRC-32C of the header's fields, before the metadata
};

// The header alone, which needs no more than the file's first 64 bytes; no checksum is looked at.
// `*header_end`, if not null, becomes the bytes of its fields, which the metadata follow.
Result<FileHeader> ParseFileHeader(std::span<const uint8_t> beginning,
                                   size_t* header_end = nullptr);

// The same, and what it takes in bytes together with metadata, tile table and checksums.
struct FileBeginning {
  FileHeader header;
  uint64_t header_bytes = 0;
};
Result<FileBeginning> ParseFileBeginning(std::span<const uint8_t> beginning);

// Parses header, metadata and table of a file of `file_bytes`, of which `beginning` has the
// header_bytes, or all if there are fewer. Fails if header or table are damaged; of damage to a
// tile's bytes only is noted that they are not there, and of bytes behind them how many there are.
Result<ParsedFile> ParseTileTable(std::span<const uint8_t> beginning, uint64_t file_bytes);

// kCorrupt: the tile cannot be decoded. Says which one of several, counted from 0 as
// FileInfo::tiles.
Status DamagedTileError(const ParsedFile& parsed, size_t tile, const std::string& reason);

// kCorrupt if there are bytes behind the last tile.
Status CheckEnd(const ParsedFile& parsed);

// Compares a tile's bytes, which are there, with its checksum, part by part.
class StreamCheck {
 public:
  // `parsed` must live as long.
  StreamCheck(const ParsedFile& parsed, size_t tile);

  // The bytes behind those added before.
  void Add(std::span<const uint8_t> part);
  // With all bytes added: why they cannot be decoded; empty if they are undamaged.
  std::string Damage() const;

 private:
  const ParsedFile& parsed_;
  uint32_t expected_, crc_;
};

// The same of bytes that are all at hand.
std::string StreamDamage(const ParsedFile& parsed, size_t tile, std::span<const uint8_t> stream);

// kLimitExceeded if so many pixels, those that `whose` ("the image has") says, are too many.
Status CheckPixels(const std::string& whose, uint64_t pixels, uint64_t max_pixels);

// The header's metadata; needs no more than what is before their end. Error: kCorrupt, as of
// ParseFileHeader, or if they are not all there.
Result<MetadataRead> ParseFileMetadata(std::span<const uint8_t> beginning);

// Parses header and table and checks all checksums over bytes. Fails if the header is damaged or
// describes more than `max_pixels`; damage to a tile's bytes is only noted, but for a file of one
// tile, whose header shares the checksum, a mismatch can be either.
Result<ParsedFile> ParseFile(std::span<const uint8_t> file, uint64_t max_pixels);

// Whether the decoded samples of tile number `tile`, which have this CRC-32C, are those that the
// encoder made. `stream` are the tile's bytes.
bool IsReconstruction(const ParsedFile& parsed, size_t tile, std::span<const uint8_t> stream,
                      uint32_t reconstruction_crc);

// Whether `file`, made of this header, these tiles, metadata and preview, is read as just that: ok,
// or kCorrupt, as the writer is at fault.
Status CheckWritten(std::span<const uint8_t> file, const FileHeader& header,
                    const std::vector<EncodedTile>& tiles, const Metadata& metadata = {});

}  // namespace mmp

#endif  // MMP_CODEC_BITSTREAM_CONTAINER_H_
