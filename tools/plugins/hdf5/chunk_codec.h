// Chunks of samples as files of mmp, and back.
#ifndef MMP_TOOLS_PLUGINS_HDF5_CHUNK_CODEC_H_
#define MMP_TOOLS_PLUGINS_HDF5_CHUNK_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "mmp/mmp_c.h"
#include "mmp/status.h"
#include "tools/plugins/hdf5/chunk_format.h"

namespace mmp {

struct ChunkFile {
  std::unique_ptr<uint8_t, decltype(&mmp_free)> bytes{nullptr, mmp_free};
  size_t size = 0;
};

// `format` is a checked one here and below; `samples` has format.Bytes() bytes and is aligned for
// uint16_t.
Result<ChunkFile> EncodeChunk(const ChunkFormat& format, std::span<const uint8_t> samples);

// Fails if the file is damaged, or its image not of the format's size, or of more bits than its
// samples have.
Status DecodeChunk(const ChunkFormat& format, std::span<const uint8_t> file,
                   std::span<uint8_t> samples);

}  // namespace mmp

#endif  // MMP_TOOLS_PLUGINS_HDF5_CHUNK_CODEC_H_
