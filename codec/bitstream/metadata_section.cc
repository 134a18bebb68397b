#include "codec/bitstream/metadata_section.h"

#include <string>

#include "codec/base/failures.h"
#include "codec/bitstream/byte_io.h"
#include "common/crc32c.h"

namespace mmp {
namespace {

constexpr size_t kChunkFieldBytes = 4;  // kind and size, which the checksum covers
static_assert(kChunkFieldBytes + sizeof(uint32_t) == kMetadataChunkHeaderBytes);

uint32_t ChunkCrc(std::span<const uint8_t> fields, std::span<const uint8_t> bytes) {
  return Crc32c(bytes, Crc32c(fields));
}

}  // namespace

Status CheckMetadata(const Metadata& metadata) {
  if (metadata.size() > kMaxMetadataChunks)
    return InvalidArgument("a file has at most " + std::to_string(kMaxMetadataChunks) +
                           " chunks of metadata, not " + std::to_string(metadata.size()));
  uint64_t bytes = 0;
  for (const MetadataChunk& chunk : metadata) {
    if (chunk.kind == 0) return InvalidArgument("no metadata is of kind 0");
    bytes += kMetadataChunkHeaderBytes + uint64_t{chunk.bytes.size()};
  }
  if (bytes <= kMaxMetadataBytes) return {};
  return InvalidArgument("the metadata take " + std::to_string(bytes) + " bytes, more than the " +
                         std::to_string(kMaxMetadataBytes) +
                         " that a file can have; leave some out");
}

std::vector<uint8_t> WriteMetadataSection(const Metadata& metadata) {
  std::vector<uint8_t> section;
  ByteWriter writer(section);
  for (const MetadataChunk& chunk : metadata) {
    const size_t begin = section.size();
    writer.U8(chunk.kind);
    writer.U24(static_cast<uint32_t>(chunk.bytes.size()));
    writer.U32(ChunkCrc(std::span(section).subspan(begin), chunk.bytes));
    section.insert(section.end(), chunk.bytes.begin(), chunk.bytes.end());
  }
  return section;
}

MetadataRead ReadMetadataSection(std::span<const uint8_t> section, bool check_checksums) {
  MetadataRead read;
  for (size_t chunks = 0; !section.empty(); ++chunks) {
    ByteReader reader(section);
    const auto kind = static_cast<uint8_t>(reader.U8());
    const size_t size = reader.U24();
    const uint32_t crc = reader.U32();
    const bool fits = !reader.overrun() && size <= section.size() - reader.position();
    if (!fits || kind == 0 || chunks == kMaxMetadataChunks) {
      ++read.damaged;  // where the next begins is not known
      return read;
    }
    const std::span<const uint8_t> bytes = section.subspan(reader.position(), size);
    if (!check_checksums || ChunkCrc(section.first(kChunkFieldBytes), bytes) == crc)
      read.chunks.push_back({kind, {bytes.begin(), bytes.end()}});
    else
      ++read.damaged;
    section = section.subspan(reader.position() + size);
  }
  return read;
}

}  // namespace mmp
