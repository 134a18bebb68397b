// The metadata of a file, between its header and its checksums. Normative: docs/format.md,
// "Metadata".
#ifndef MMP_CODEC_BITSTREAM_METADATA_SECTION_H_
#define MMP_CODEC_BITSTREAM_METADATA_SECTION_H_

#include <cstdint>
#include <span>
#include <vector>

#include "mmp/metadata.h"
#include "mmp/status.h"

namespace mmp {

// kInvalidArgument if a file cannot have these: a kind is 0, or there are too many chunks or bytes.
Status CheckMetadata(const Metadata& metadata);

// Those of the section; none if there are no chunks. The metadata must pass CheckMetadata.
std::vector<uint8_t> WriteMetadataSection(const Metadata& metadata);

struct MetadataRead {
  Metadata chunks;  // those undamaged
  int damaged = 0;  // those that were left out, as far as they can be told apart
};

// `check_checksums`: false takes every chunk for undamaged that lies in the section.
MetadataRead ReadMetadataSection(std::span<const uint8_t> section, bool check_checksums);

}  // namespace mmp

#endif  // MMP_CODEC_BITSTREAM_METADATA_SECTION_H_
