// The container: header, tile table, checksums. Normative: docs/format.md, "File".
#ifndef MMP_CODEC_FORMAT_H_
#define MMP_CODEC_FORMAT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "codec/mmp.h"
#include "codec/parameters.h"
#include "common/status.h"

namespace mmp {

inline constexpr int kFormatVersion = 3;

struct FileHeader {
  int width = 0;  // pixels
  int height = 0;
  Preset preset = Preset::kBest;
  bool lossless = false;
  CodecParameters parameters;
  int tile_width = 0;  // pixels; those of the image if there is one tile
  int tile_height = 0;

  bool tiled() const { return tile_width < width || tile_height < height; }
};

// What a preset stands for where a file does not say otherwise. Threshold, scale of the trained
// patterns and dictionary hash are the file's own always.
CodecParameters PresetParameters(Preset preset);

// The redundancy threshold that is representable and nearest below `threshold`, as the header codes
// it in a byte, and its value.
uint8_t EncodeThreshold(uint32_t threshold);
uint32_t DecodeThreshold(uint8_t code);

// The tiles of an image in raster order; offset, bytes and checksums are left 0.
std::vector<TileInfo> TileGrid(int width, int height, int tile_width, int tile_height);

struct EncodedTile {
  std::vector<uint8_t> bytes;
  uint32_t reconstruction_crc = 0;
};

// The whole file.
std::vector<uint8_t> WriteFileBytes(const FileHeader& header,
                                    const std::vector<EncodedTile>& tiles);

struct ParsedFile {
  FileHeader header;
  uint64_t header_bytes = 0;  // all but the tiles' bytes
  std::vector<TileInfo> tiles;
  // By tile: why its bytes cannot be decoded; empty if they are whole.
  std::vector<std::string> damage;
};

// Parses header and table and checks all checksums over bytes. Fails if the header is damaged or
// describes more than `max_pixels`; damage to a tile's bytes is only noted, but for a file of one
// tile, whose header shares the checksum, a mismatch can be either.
Result<ParsedFile> ParseFile(std::span<const uint8_t> file, uint64_t max_pixels);

}  // namespace mmp

#endif  // MMP_CODEC_FORMAT_H_
