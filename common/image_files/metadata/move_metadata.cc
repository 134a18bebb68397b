#include "common/image_files/metadata/move_metadata.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "common/image_files/metadata/tiff_block.h"
#include "common/image_files/metadata/tiff_tags.h"

namespace mmp {
namespace {

bool IsOfKind(const MetadataChunk& chunk, MetadataKind kind) {
  return chunk.kind == static_cast<uint8_t>(kind);
}

// Takes the chunks of these kinds out, in their order.
Metadata TakeKinds(std::initializer_list<MetadataKind> kinds, Metadata& metadata) {
  const auto is_kept = [kinds](const MetadataChunk& chunk) {
    return std::ranges::none_of(kinds, [&](MetadataKind kind) { return IsOfKind(chunk, kind); });
  };
  const auto taken = std::stable_partition(metadata.begin(), metadata.end(), is_kept);
  Metadata out(std::make_move_iterator(taken), std::make_move_iterator(metadata.end()));
  metadata.erase(taken, metadata.end());
  return out;
}

// Tie points: column, row and level of a pixel, then its coordinates.
void MoveTiePoints(int x, int y, std::vector<double>& points) {
  constexpr size_t kNumbers = 6;
  for (size_t at = 0; at + kNumbers <= points.size(); at += kNumbers) {
    points[at] -= x;
    points[at + 1] -= y;
  }
}

// The matrix, row by row, that makes coordinates of column, row, level and 1.
void MoveMatrix(int x, int y, std::vector<double>& matrix) {
  constexpr size_t kColumns = 4;
  for (size_t at = 0; at + kColumns <= matrix.size(); at += kColumns)
    matrix[at + 3] += matrix[at] * x + matrix[at + 1] * y;
}

void CropGeoTiff(int x, int y, std::vector<uint8_t>& geo) {
  TiffBlock block = ReadTiffBlock(geo);
  for (TiffField& field : block.image) {
    if (field.type != static_cast<uint16_t>(TiffType::kDouble)) continue;
    std::vector<double> numbers = field.Doubles();
    if (field.tag == kTiffTiePoints)
      MoveTiePoints(x, y, numbers);
    else if (field.tag == kTiffTransformation)
      MoveMatrix(x, y, numbers);
    field = TiffField::OfDoubles(field.tag, numbers);
  }
  geo = WriteTiffBlock(std::move(block));
}

}  // namespace

Metadata TurnMetadata(Orientation orientation, Metadata& metadata) {
  if (orientation == Orientation::kAsStored) return {};
  for (MetadataChunk& chunk : metadata) {
    Resolution r;
    if (!ExchangesSides(orientation) || !IsOfKind(chunk, MetadataKind::kResolution) ||
        !Resolution::FromBytes(chunk.bytes, r))
      continue;
    chunk = Resolution{r.unit, r.y, r.y_divisor, r.x, r.x_divisor}.ToChunk();
  }
  return TakeKinds({MetadataKind::kGeoTiff, MetadataKind::kOmeXml}, metadata);
}

Metadata CropMetadata(int x, int y, Metadata& metadata) {
  for (MetadataChunk& chunk : metadata)
    if (IsOfKind(chunk, MetadataKind::kGeoTiff)) CropGeoTiff(x, y, chunk.bytes);
  return TakeKinds({MetadataKind::kOmeXml}, metadata);
}

std::string KindNames(const Metadata& metadata) {
  std::string names;
  for (const MetadataChunk& chunk : metadata) {
    const std::string_view name = MetadataKindName(chunk.kind);
    if (names.find(name) != std::string::npos) continue;
    names += (names.empty() ? "" : ", ");
    names += name;
  }
  return names;
}

}  // namespace mmp
