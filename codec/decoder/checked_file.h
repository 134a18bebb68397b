// A file that is looked at without decoding it, and without having it in memory.
#ifndef MMP_CODEC_DECODER_CHECKED_FILE_H_
#define MMP_CODEC_DECODER_CHECKED_FILE_H_

#include <cstdint>

#include "codec/bitstream/container.h"
#include "codec/decoder/file_bytes.h"
#include "mmp/status.h"

namespace mmp {

struct FileLimits {
  uint64_t max_pixels = UINT64_MAX;
  // Of a source: bytes that header, metadata and tile table may take in memory.
  uint64_t max_memory = UINT64_MAX;
};

// Reads header, metadata and table, as ParseTileTable does. Errors: kCorrupt, also of bytes behind
// the last tile; kUnsupported; kLimitExceeded; the file's.
Result<ParsedFile> ReadWithin(FileBytes& file, const FileLimits& limits);

// Reads the streams, too, in order, and notes in `parsed` which do not have their checksum, and how
// many of the others are of a JPEG file's coefficients. Errors: the file's.
Status CheckStreams(const FileBytes& file, ParsedFile& parsed);

}  // namespace mmp

#endif  // MMP_CODEC_DECODER_CHECKED_FILE_H_
