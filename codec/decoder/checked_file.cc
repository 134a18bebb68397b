#include "codec/decoder/checked_file.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "codec/decoder/coded_tiles.h"
#include "codec/decoder/decode_limits.h"
#include "codec/decoder/pixel_tile.h"
#include "codec/pixel/pixel_coder.h"

namespace mmp {
namespace {

Status CheckMemory(uint64_t bytes, uint64_t max_memory) {
  if (bytes <= std::min(max_memory, kAddressableBytes)) return {};
  return {StatusCode::kLimitExceeded,
          "header, metadata and tile table take " + std::to_string(bytes) +
              " bytes of memory, more than the limit of " + std::to_string(max_memory)};
}

}  // namespace

Result<ParsedFile> ReadWithin(FileBytes& file, const FileLimits& limits) {
  const Result<FileBeginning> beginning = ReadBeginning(file);
  if (!beginning.ok()) return beginning.status();
  const FileHeader& header = beginning->header;
  MMP_RETURN_IF_ERROR(CheckPixels(
      "the image has", static_cast<uint64_t>(header.width) * static_cast<uint64_t>(header.height),
      limits.max_pixels));
  const uint64_t header_bytes = std::min(file.size(), beginning->header_bytes);
  // A table that the file is too short for is refused before it takes any.
  const uint64_t table_memory = header_bytes < beginning->header_bytes ? 0 : TableMemory(header);
  if (file.is_source())
    MMP_RETURN_IF_ERROR(CheckMemory(header_bytes + table_memory, limits.max_memory));
  Result<ParsedFile> parsed = ReadTable(file, *beginning);
  if (parsed.ok()) MMP_RETURN_IF_ERROR(CheckEnd(*parsed));
  return parsed;
}

Status CheckStreams(const FileBytes& file, ParsedFile& parsed) {
  const PixelFormat format = PixelFormatOf(parsed.header);
  for (size_t i = 0; i < parsed.tiles.size(); ++i) {
    if (!parsed.damage[i].empty()) continue;
    StreamCheck check(parsed, i);
    const TileInfo& tile = parsed.tiles[i];
    std::array<uint8_t, kBytesThatSayJpeg> beginning = {};
    size_t known = 0;
    MMP_RETURN_IF_ERROR(file.Scan(tile.offset, tile.bytes, [&](std::span<const uint8_t> part) {
      check.Add(part);
      const size_t more = std::min(beginning.size() - known, part.size());
      std::copy_n(part.begin(), more, beginning.begin() + known);
      known += more;
    }));
    parsed.damage[i] = check.Damage();
    if (parsed.damage[i].empty() && IsOfJpeg(beginning, format)) ++parsed.jpeg_tiles;
  }
  return {};
}

}  // namespace mmp
