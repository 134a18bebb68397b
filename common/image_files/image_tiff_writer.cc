// Writing TIFF: one strip of samples, not compressed.
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/image_files/image_io.h"
#include "common/image_files/metadata/tiff_block.h"
#include "common/image_files/metadata/tiff_tags.h"

namespace mmp {
namespace {

constexpr uint16_t kStripOffsets = 273;

// The samples of `depth` bits, the first at the highest bits of the first byte, each row from a new
// byte on; of 16 bits with the lower byte first. Signed ones as numbers in two's complement.
std::vector<uint8_t> PackedSamples(const ImageView& image, bool is_signed) {
  const int flipped = is_signed ? 1 << (image.depth - 1) : 0;
  std::vector<uint8_t> packed;
  packed.reserve((static_cast<size_t>(image.width) * image.depth + 7) / 8 * image.height);
  for (int y = 0; y < image.height; ++y) {
    uint32_t held = 0;
    int bits = 0;
    for (int x = 0; x < image.width; ++x) {
      const auto sample = static_cast<uint32_t>(image.Sample(y, x) ^ flipped);
      if (image.depth == 16) {
        packed.push_back(static_cast<uint8_t>(sample));
        packed.push_back(static_cast<uint8_t>(sample >> 8));
        continue;
      }
      held = held << image.depth | sample;
      for (bits += image.depth; bits >= 8; bits -= 8)
        packed.push_back(static_cast<uint8_t>(held >> (bits - 8)));
    }
    if (bits > 0) packed.push_back(static_cast<uint8_t>(held << (8 - bits)));
  }
  return packed;
}

TiffFields ImageFields(const ImageView& image, bool is_signed, size_t strip_bytes) {
  const auto number = [](uint16_t tag, uint32_t value) {
    return TiffField::Number(tag, value > 65535 ? TiffType::kLong : TiffType::kShort, value);
  };
  TiffFields fields = {
      number(256, static_cast<uint32_t>(image.width)),
      number(257, static_cast<uint32_t>(image.height)),
      number(258, static_cast<uint32_t>(image.depth)),
      number(259, 1),                                        // not compressed
      number(262, 1),                                        // 0 is black
      TiffField::Number(kStripOffsets, TiffType::kLong, 0),  // set later
      number(277, 1),                                        // samples a pixel
      number(278, static_cast<uint32_t>(image.height)),      // rows of the strip
      TiffField::Number(279, TiffType::kLong, static_cast<uint32_t>(strip_bytes)),
  };
  if (is_signed) fields.push_back(number(339, 2));
  return fields;
}

void AddText(uint16_t tag, const std::string& text, TiffFields& fields) {
  if (FindField(fields, tag) != nullptr) return;
  TiffField field = TiffField::Bytes(
      tag, TiffType::kAscii, {reinterpret_cast<const uint8_t*>(text.c_str()), text.size() + 1});
  fields.push_back(std::move(field));
}

// Only the first text has a place, and none beside OME-XML.
void AddTextChunk(const MetadataChunk& chunk, TiffFields& fields) {
  const auto end = std::find(chunk.bytes.begin(), chunk.bytes.end(), 0);
  if (end != chunk.bytes.end())
    AddText(kTiffDescription, std::string(end + 1, chunk.bytes.end()), fields);
}

// Pixels in a metre become those in a centimetre.
void AddResolution(const MetadataChunk& chunk, TiffFields& fields) {
  Resolution r;
  if (!Resolution::FromBytes(chunk.bytes, r)) return;
  uint32_t unit = static_cast<uint32_t>(r.unit) + kTiffNoUnit;
  if (r.unit == Resolution::Unit::kMetre) {
    constexpr uint32_t kCentimetres = 100;
    constexpr uint32_t kMost = 0xffffffff / kCentimetres;
    if (r.x_divisor > kMost || r.y_divisor > kMost) return;
    unit = kTiffCentimetre;
    r.x_divisor *= kCentimetres;
    r.y_divisor *= kCentimetres;
  }
  const std::array<uint32_t, 2> x = {r.x, r.x_divisor}, y = {r.y, r.y_divisor};
  fields.push_back(TiffField::Numbers(kTiffXResolution, TiffType::kRational, x));
  fields.push_back(TiffField::Numbers(kTiffYResolution, TiffType::kRational, y));
  fields.push_back(TiffField::Number(kTiffResolutionUnit, TiffType::kShort, unit));
}

// Those of another block that have such tags, and are not there yet.
template <typename IsWanted>
void AddFields(const TiffFields& more, IsWanted is_wanted, TiffFields& fields) {
  for (const TiffField& field : more)
    if (is_wanted(field.tag) && FindField(fields, field.tag) == nullptr) fields.push_back(field);
}

void AddChunk(const MetadataChunk& chunk, TiffBlock& block) {
  if (chunk.bytes.empty()) return;
  const auto has = [&block](uint16_t tag) { return FindField(block.image, tag) != nullptr; };
  const auto add = [&](uint16_t tag, TiffType type) {
    if (!has(tag)) block.image.push_back(TiffField::Bytes(tag, type, chunk.bytes));
  };
  switch (static_cast<MetadataKind>(chunk.kind)) {
    case MetadataKind::kIccProfile:
      return add(kTiffColorProfile, TiffType::kUndefined);
    case MetadataKind::kXmp:
      return add(kTiffXmp, TiffType::kByte);
    case MetadataKind::kExif: {
      TiffBlock exif = ReadTiffBlock(chunk.bytes);
      AddFields(exif.image, IsExifTag, block.image);
      block.exif = std::move(exif.exif);
      block.gps = std::move(exif.gps);
      return;
    }
    case MetadataKind::kResolution:
      if (!has(kTiffXResolution)) AddResolution(chunk, block.image);
      return;
    case MetadataKind::kText:
      return AddTextChunk(chunk, block.image);
    case MetadataKind::kGeoTiff:
      return AddFields(ReadTiffBlock(chunk.bytes).image, IsGeoTag, block.image);
    case MetadataKind::kOmeXml:
      return AddText(kTiffDescription, std::string(chunk.bytes.begin(), chunk.bytes.end()),
                     block.image);
  }
}

}  // namespace

std::vector<uint8_t> EncodeTiff(const ImageView& image, const ImageExtras& extras) {
  assert(image.width > 0 && image.height > 0);
  const std::vector<uint8_t> samples = PackedSamples(image, extras.is_signed);
  TiffBlock block;
  block.image = ImageFields(image, extras.is_signed, samples.size());
  // OME-XML lies where a text else does.
  if (const MetadataChunk* ome = FindChunk(extras.metadata, MetadataKind::kOmeXml))
    AddChunk(*ome, block);
  for (const MetadataChunk& chunk : extras.metadata) AddChunk(chunk, block);
  // Its place does not change how long the block is.
  const size_t block_bytes = WriteTiffBlock(block).size();
  for (TiffField& field : block.image)
    if (field.tag == kStripOffsets)
      field = TiffField::Number(kStripOffsets, TiffType::kLong, static_cast<uint32_t>(block_bytes));
  std::vector<uint8_t> file = WriteTiffBlock(std::move(block));
  file.insert(file.end(), samples.begin(), samples.end());
  return file;
}

}  // namespace mmp
