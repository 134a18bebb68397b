// The preview that a file may carry: a small picture of its image, a file of its own within it.
#ifndef MMP_CODEC_DECODER_PREVIEW_H_
#define MMP_CODEC_DECODER_PREVIEW_H_

#include <cstdint>
#include <span>

#include "codec/bitstream/container.h"
#include "codec/decoder/file_bytes.h"
#include "mmp/mmp.h"
#include "mmp/status.h"

namespace mmp {

// kCorrupt unless `preview` is a file, undamaged, that can be the preview of one with `header`;
// `max_memory` as in FileChecks. Errors: the file's, too.
Status CheckPreview(FileBytes preview, const FileHeader& header, uint64_t max_memory = UINT64_MAX);

// The bytes of the file's preview, checked; they live as long as `file`. Errors: kUnsupported, also
// if there is none; kCorrupt; kLimitExceeded; the file's.
Result<std::span<const uint8_t>> ReadPreview(FileBytes& file, const DecodeOptions& options);

}  // namespace mmp

#endif  // MMP_CODEC_DECODER_PREVIEW_H_
