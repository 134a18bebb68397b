// What a file says of itself.
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "codec/bitstream/container.h"
#include "codec/decoder/checked_file.h"
#include "codec/decoder/file_bytes.h"
#include "codec/decoder/preview.h"
#include "common/out_of_memory.h"
#include "mmp/mmp.h"

namespace mmp {
namespace {

// The first damage to the tiles that was noted.
Status DamageOf(const ParsedFile& parsed) {
  for (size_t i = 0; i < parsed.damage.size(); ++i)
    if (!parsed.damage[i].empty()) return DamagedTileError(parsed, i, parsed.damage[i]);
  return {};
}

// Whether the file's preview, which is there, is damaged. Errors: the file's.
Result<bool> IsPreviewDamaged(const FileBytes& file, const ParsedFile& parsed,
                              const InfoOptions& options) {
  const FileHeader& header = parsed.header;
  const Status status = CheckPreview(FileBytes(file, parsed.header_bytes, header.preview_bytes),
                                     header, options.max_memory);
  if (status.ok() || status.code() == StatusCode::kCorrupt) return !status.ok();
  return status;
}

FileInfo InfoOf(ParsedFile parsed, uint64_t file_bytes) {
  const FileHeader& h = parsed.header;
  FileInfo info;
  info.format_version = parsed.version;
  info.width = h.width;
  info.height = h.height;
  info.depth = h.depth;
  info.coder = h.coder;
  info.max_error = h.max_error;
  info.preset = h.preset;
  info.dictionary_size = h.parameters.dictionary_size;
  info.prediction_level = h.parameters.prediction_level;
  info.modes = h.parameters.modes;
  info.redundancy_threshold = h.parameters.redundancy_threshold;
  info.tools = h.parameters.tools;
  info.has_trained_patterns = h.parameters.pattern_scale > 0;
  if (info.has_trained_patterns && h.parameters.Uses(kOwnDictionary))
    info.dictionary_hash = h.parameters.dictionary_hash;
  info.lossless = h.lossless;
  info.tile_width = h.tile_width;
  info.tile_height = h.tile_height;
  info.order = h.parameters.order;
  info.file_bytes = file_bytes;
  info.header_bytes = parsed.header_bytes;
  info.check_bits = parsed.is_small ? 16 : 32;
  info.preview_bytes = h.preview_bytes;
  info.jpeg_tiles = parsed.jpeg_tiles;
  info.is_signed = h.is_signed;
  info.tiles = std::move(parsed.tiles);
  info.metadata = std::move(parsed.metadata);
  info.damaged_metadata = parsed.damaged_metadata;
  return info;
}

Result<FileInfo> ReadInfoOf(FileBytes file, const InfoOptions& options) {
  Result<ParsedFile> parsed = ReadWithin(file, {.max_memory = options.max_memory});
  if (!parsed.ok()) return parsed.status();
  // Tiles that are not there.
  MMP_RETURN_IF_ERROR(DamageOf(*parsed));
  bool damaged_preview = false;
  if (parsed->header.preview_bytes > 0 && options.check_bytes) {
    const Result<bool> damaged = IsPreviewDamaged(file, *parsed, options);
    if (!damaged.ok()) return damaged.status();
    damaged_preview = *damaged;
  }
  if (options.check_bytes) {
    MMP_RETURN_IF_ERROR(CheckStreams(file, *parsed));
    MMP_RETURN_IF_ERROR(DamageOf(*parsed));
  }
  FileInfo info = InfoOf(*std::move(parsed), file.size());
  info.damaged_preview = damaged_preview;
  return info;
}

}  // namespace

Result<FileInfo> ReadInfo(std::span<const uint8_t> file, const InfoOptions& options) {
  return OrOutOfMemory([&] { return ReadInfoOf(FileBytes(file), options); });
}

Result<FileInfo> ReadInfoFrom(const ByteSource& source, const InfoOptions& options) {
  if (!source.read)
    return Status(StatusCode::kInvalidArgument, "the source has no function that reads it");
  return OrOutOfMemory([&] { return ReadInfoOf(FileBytes(source), options); });
}

Result<ImageSize> ReadSize(std::span<const uint8_t> beginning) {
  return OrOutOfMemory([&]() -> Result<ImageSize> {
    size_t header_end = 0;
    const Result<FileHeader> header = ParseFileHeader(beginning, &header_end);
    if (!header.ok()) return header.status();
    const size_t metadata = header->metadata_bytes;
    return ImageSize{header->width, header->height, header->depth, header->is_signed,
                     metadata > 0 ? header_end + metadata : 0};
  });
}

Result<Metadata> ReadMetadata(std::span<const uint8_t> beginning) {
  return OrOutOfMemory([&]() -> Result<Metadata> {
    Result<MetadataRead> read = ParseFileMetadata(beginning);
    if (!read.ok()) return read.status();
    return std::move(read->chunks);
  });
}

}  // namespace mmp
