// A file whose checksums are compared without decoding it, and without having it in memory.
#ifndef MMP_CODEC_DECODER_CHECKED_FILE_H_
#define MMP_CODEC_DECODER_CHECKED_FILE_H_

#include <cstdint>

#include "codec/bitstream/container.h"
#include "codec/decoder/file_bytes.h"
#include "mmp/status.h"

namespace mmp {

struct FileChecks {
  uint64_t max_pixels = UINT64_MAX;
  // Of a source: bytes that header, metadata and tile table may take in memory.
  uint64_t max_memory = UINT64_MAX;
  // Read the streams, too, and compare their checksums; if not, ParsedFile::damage only notes those
  // that are not there.
  bool streams = true;
};

// Reads header, metadata and table, and looks for damage as `checks` say. Errors: kCorrupt and
// kUnsupported, of header and table; kLimitExceeded; the file's.
Result<ParsedFile> ReadChecked(FileBytes& file, const FileChecks& checks);

}  // namespace mmp

#endif  // MMP_CODEC_DECODER_CHECKED_FILE_H_
