// The container: header, tile table, checksums. Normative: docs/format.md, "File".
#ifndef MMP_CODEC_BITSTREAM_CONTAINER_H_
#define MMP_CODEC_BITSTREAM_CONTAINER_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codec/bitstream/file_header.h"
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
// CheckStreamSize.
std::vector<uint8_t> WriteFileBytes(const FileHeader& header,
                                    const std::vector<EncodedTile>& tiles);

// kInvalidArgument if a tile's stream, of these many bytes, is longer than the table can say.
Status CheckStreamSize(uint64_t bytes);

struct ParsedFile {
  FileHeader header;
  bool is_small = false;      // see FitsSmallFile
  uint64_t header_bytes = 0;  // all but the tiles' bytes
  // A small file's tile has its check in place of `crc`, and 0 in place of `reconstruction_crc`.
  std::vector<TileInfo> tiles;
  // For each tile the reason why its bytes cannot be decoded; empty if they are undamaged. Those of
  // a small file are found to be damaged or not by decoding only.
  std::vector<std::string> damage;
};

// The header alone, which needs no more than the file's first 64 bytes; no checksum is looked at.
Result<FileHeader> ParseFileHeader(std::span<const uint8_t> beginning);

// Parses header and table and checks all checksums over bytes. Fails if the header is damaged or
// describes more than `max_pixels`; damage to a tile's bytes is only noted, but for a file of one
// tile, whose header shares the checksum, a mismatch can be either.
Result<ParsedFile> ParseFile(std::span<const uint8_t> file, uint64_t max_pixels);

// Whether the decoded samples of tile number `tile` of the file, which have this CRC-32C, are those
// that the encoder made. `file` is what was parsed.
bool IsReconstruction(std::span<const uint8_t> file, const ParsedFile& parsed, int tile,
                      uint32_t reconstruction_crc);

// Whether `file`, made of this header and these tiles, is read as just that: ok, or kCorrupt, as
// the writer is at fault.
Status CheckWritten(std::span<const uint8_t> file, const FileHeader& header,
                    const std::vector<EncodedTile>& tiles);

}  // namespace mmp

#endif  // MMP_CODEC_BITSTREAM_CONTAINER_H_
