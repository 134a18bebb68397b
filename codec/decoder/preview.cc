#include "codec/decoder/preview.h"

#include <string>

#include "codec/decoder/checked_file.h"
#include "codec/decoder/coded_tiles.h"

namespace mmp {
namespace {

Status DamagedPreview(const std::string& why) {
  return {StatusCode::kCorrupt, "the preview is damaged: " + why};
}

// Whether a failure to read a file is for what it says, not for how it is read.
bool IsOfContent(const Status& status) {
  return status.code() == StatusCode::kCorrupt || status.code() == StatusCode::kUnsupported ||
         status.code() == StatusCode::kLimitExceeded;
}

}  // namespace

Status CheckPreview(FileBytes preview, const FileHeader& header, uint64_t max_memory) {
  Result<ParsedFile> parsed =
      ReadWithin(preview, {.max_pixels = PreviewPixels(header), .max_memory = max_memory});
  if (!parsed.ok())
    return IsOfContent(parsed.status()) ? DamagedPreview(parsed.status().message())
                                        : parsed.status();
  const FileHeader& own = parsed->header;
  if (own.width != PreviewSide(header.width) || own.height != PreviewSide(header.height) ||
      own.depth != PreviewDepth(header.depth) || own.tiled() || own.preview_bytes > 0)
    return DamagedPreview("its header is not that of a preview");
  MMP_RETURN_IF_ERROR(CheckStreams(preview, *parsed));
  if (!parsed->damage[0].empty()) return DamagedPreview(parsed->damage[0]);
  return {};
}

Result<std::span<const uint8_t>> ReadPreview(FileBytes& file, const DecodeOptions& options) {
  if (options.region)
    return Status(StatusCode::kInvalidArgument, "there are no regions of previews");
  const Result<FileBeginning> beginning = ReadBeginning(file);
  if (!beginning.ok()) return beginning.status();
  const FileHeader& header = beginning->header;
  if (header.preview_bytes == 0) return Status(StatusCode::kUnsupported, "the file has no preview");
  MMP_RETURN_IF_ERROR(CheckPixels("the preview has", PreviewPixels(header), options.max_pixels));
  if (beginning->header_bytes > file.size() ||
      header.preview_bytes > file.size() - beginning->header_bytes)
    return DamagedPreview("the file ends before it does");
  if (file.is_source())
    MMP_RETURN_IF_ERROR(CheckRead(
        header.preview_bytes,
        options.max_memory.value_or(DefaultMaxMemory(PreviewPixels(header), kMinDictionarySize))));
  auto preview = file.Get(beginning->header_bytes, header.preview_bytes);
  if (preview.ok()) MMP_RETURN_IF_ERROR(CheckPreview(FileBytes(*preview), header));
  return preview;
}

}  // namespace mmp
