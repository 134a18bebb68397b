// The container: header, tile table, checksums. Normative: docs/format.md, "File".
#ifndef MMP_CODEC_BITSTREAM_CONTAINER_H_
#define MMP_CODEC_BITSTREAM_CONTAINER_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codec/base/parameters.h"
#include "codec/base/sample_map.h"
#include "mmp/status.h"
#include "mmp/types.h"

namespace mmp {

inline constexpr int kFormatVersion = 5;

struct FileHeader {
  int width = 0;  // pixels
  int height = 0;
  Preset preset = Preset::kBest;
  bool lossless = false;
  int depth = 8;  // bits a sample
  Coder coder = Coder::kPatterns;
  int max_error = 0;           // of a sample, by kPixels
  SampleRange range;           // of the samples, by kPatterns
  CodecParameters parameters;  // of kPatterns
  int tile_width = 0;          // pixels; those of the image if there is one tile
  int tile_height = 0;

  bool tiled() const { return tile_width < width || tile_height < height; }

  friend bool operator==(const FileHeader&, const FileHeader&) = default;
};

// The parameters of a preset, which apply unless a file gives them explicitly. Redundancy
// threshold, scale of the trained patterns and dictionary hash are always the file's own.
CodecParameters PresetParameters(Preset preset);

// EncodeThreshold returns the byte that stands for the largest representable redundancy threshold
// not above `threshold`; DecodeThreshold returns the value of such a byte.
uint8_t EncodeThreshold(uint32_t threshold);
uint32_t DecodeThreshold(uint8_t code);

// The tiles of an image in raster order; offset, bytes and checksums are left 0.
std::vector<TileInfo> TileGrid(int width, int height, int tile_width, int tile_height);

struct EncodedTile {
  std::vector<uint8_t> bytes;
  uint32_t reconstruction_crc = 0;
};

// The pixels of the largest tile, its sides rounded up to whole macroblocks: at most
// kMaxTilePixels in a file.
int64_t LargestTilePixels(const FileHeader& header);

uint64_t CountTiles(const FileHeader& header);
// Of all tiles; those at the right and lower edges are padded to whole macroblocks.
int64_t CountMacroblocks(const std::vector<TileInfo>& tiles);

// Makes tile sides beyond those of the largest image these, which a file can say, and those of a
// single tile the image's.
void FitTiles(FileHeader& header);

// The bytes of the whole file. Each tile's size must pass CheckStreamSize.
std::vector<uint8_t> WriteFileBytes(const FileHeader& header,
                                    const std::vector<EncodedTile>& tiles);

// kInvalidArgument if a tile's stream, of these many bytes, is longer than the table can say.
Status CheckStreamSize(uint64_t bytes);

struct ParsedFile {
  FileHeader header;
  uint64_t header_bytes = 0;  // all but the tiles' bytes
  std::vector<TileInfo> tiles;
  // For each tile the reason why its bytes cannot be decoded; empty if they are undamaged.
  std::vector<std::string> damage;
};

// The header alone, which needs no more than the file's first 64 bytes; no checksum is looked at.
Result<FileHeader> ParseFileHeader(std::span<const uint8_t> beginning);

// Parses header and table and checks all checksums over bytes. Fails if the header is damaged or
// describes more than `max_pixels`; damage to a tile's bytes is only noted, but for a file of one
// tile, whose header shares the checksum, a mismatch can be either.
Result<ParsedFile> ParseFile(std::span<const uint8_t> file, uint64_t max_pixels);

// Whether `file`, made of this header and these tiles, is read as just that: ok, or kCorrupt, as
// the writer is at fault.
Status CheckWritten(std::span<const uint8_t> file, const FileHeader& header,
                    const std::vector<EncodedTile>& tiles);

}  // namespace mmp

#endif  // MMP_CODEC_BITSTREAM_CONTAINER_H_
