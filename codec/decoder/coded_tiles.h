// The tiles of a file that a decode needs, with their bytes.
#ifndef MMP_CODEC_DECODER_CODED_TILES_H_
#define MMP_CODEC_DECODER_CODED_TILES_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codec/bitstream/container.h"
#include "codec/decoder/file_bytes.h"
#include "mmp/mmp.h"
#include "mmp/status.h"
#include "mmp/types.h"

namespace mmp {

// The whole image as a region.
Region WholeImage(const FileHeader& header);

// kInvalidArgument unless the region has pixels, all of them the image's.
Status CheckRegion(const FileHeader& header, const Region& region);

// The pixels of all tiles that have pixels of the region.
Region TilesOf(const FileHeader& header, const Region& region);

// kLimitExceeded if so many bytes of a source, which are kept in memory, may not be read.
Status CheckRead(uint64_t bytes, uint64_t max_memory);

struct CodedTile {
  TileInfo info;
  int number = 0;                   // in the file
  std::span<const uint8_t> stream;  // if undamaged
  std::string damage;               // why it cannot be decoded; empty if it is undamaged
};

struct CodedTiles {
  ParsedFile file;
  Region region;                 // of the pixels asked for
  Region pixels;                 // of the tiles
  std::vector<CodedTile> tiles;  // those that have pixels of the region, in order
  uint64_t bytes = 0;            // of header, table and the tiles that are there

  // The header of an image of nothing but these tiles.
  FileHeader HeaderOfTiles() const;
};

// Reads the header and what it takes. Errors: as of ParseFileBeginning; the file's.
Result<FileBeginning> ReadBeginning(FileBytes& file);

// Reads metadata and table behind the header that ReadBeginning has read. Errors: as of
// ParseTileTable; kIo if the header is another one now; the file's.
Result<ParsedFile> ReadTable(FileBytes& file, const FileBeginning& beginning);

// Reads what DecodeOptions ask for. What it returns lives as long as `file`. Errors: kCorrupt,
// kUnsupported, of header and table; kInvalidArgument, of the region; kLimitExceeded; the file's.
Result<CodedTiles> ReadCodedTiles(FileBytes& file, const DecodeOptions& options);

}  // namespace mmp

#endif  // MMP_CODEC_DECODER_CODED_TILES_H_
