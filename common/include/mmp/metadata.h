// What image files say beside their samples, and .mmp files keep: blocks of bytes of known kinds,
// which the codec does not look into.
#ifndef MMP_METADATA_H_
#define MMP_METADATA_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace mmp {

// What the bytes of a chunk are. Other numbers, up to 255, are of kinds to come: they are kept.
enum class MetadataKind : uint8_t {
  kIccProfile = 1,  // a color profile (ISO 15076-1), of gray
  kExif = 2,        // an Exif block: a TIFF file without pictures, either byte order
  kXmp = 3,         // an XMP packet: XML in UTF-8
  kResolution = 4,  // see Resolution
  kText = 5,        // a keyword, a byte 0, and text, both in UTF-8; there may be several
  kGeoTiff = 6,     // the GeoTIFF and GDAL fields of a TIFF file, in one without pictures
  kOmeXml = 7,      // OME-XML, of microscopes: XML in UTF-8
};

struct MetadataChunk {
  uint8_t kind = 0;  // of MetadataKind, or of 1 to 255
  std::vector<uint8_t> bytes;

  friend bool operator==(const MetadataChunk&, const MetadataChunk&) = default;
};

// In the order of the file.
using Metadata = std::vector<MetadataChunk>;

inline constexpr size_t kMaxMetadataChunks = 256;
// Of a file, each chunk taking kMetadataChunkHeaderBytes beside its own.
inline constexpr size_t kMaxMetadataBytes = (size_t{1} << 24) - 1;
inline constexpr size_t kMetadataChunkHeaderBytes = 8;

// "icc_profile", "exif", "xmp", "resolution", "text", "geotiff", "ome_xml"; "unknown".
inline std::string_view MetadataKindName(uint8_t kind) {
  constexpr std::string_view kNames[] = {"unknown",    "icc_profile", "exif",    "xmp",
                                         "resolution", "text",        "geotiff", "ome_xml"};
  return kNames[kind < sizeof(kNames) / sizeof(kNames[0]) ? kind : 0];
}

// The first chunk of a kind; null if there is none.
inline const MetadataChunk* FindChunk(const Metadata& metadata, MetadataKind kind) {
  for (const MetadataChunk& chunk : metadata)
    if (chunk.kind == static_cast<uint8_t>(kind)) return &chunk;
  return nullptr;
}

// Pixels in a unit of length, as the fraction that files have them in.
struct Resolution {
  enum class Unit : uint8_t { kNone = 0, kInch = 1, kCentimetre = 2, kMetre = 3 };  // none: a ratio
  static constexpr size_t kBytes = 17;                                              // of a chunk

  Unit unit = Unit::kNone;
  uint32_t x = 0, x_divisor = 1;  // pixels in a row,
  uint32_t y = 0, y_divisor = 1;  // and in a column

  friend bool operator==(const Resolution&, const Resolution&) = default;

  // Pixels an inch, (0, 0) without a unit.
  double InchX() const { return Inches(x, x_divisor); }
  double InchY() const { return Inches(y, y_divisor); }

  // The chunk of a resolution: the unit, then x, x_divisor, y and y_divisor in four bytes each,
  // least significant first.
  MetadataChunk ToChunk() const {
    MetadataChunk chunk{static_cast<uint8_t>(MetadataKind::kResolution),
                        {static_cast<uint8_t>(unit)}};
    for (const uint32_t number : {x, x_divisor, y, y_divisor})
      for (int k = 0; k < 4; ++k) chunk.bytes.push_back(static_cast<uint8_t>(number >> 8 * k));
    return chunk;
  }
  // False if the bytes are no resolution: of another size or unit, or with a zero in it.
  static bool FromBytes(const std::vector<uint8_t>& bytes, Resolution& resolution) {
    if (bytes.size() != kBytes || bytes[0] > static_cast<uint8_t>(Unit::kMetre)) return false;
    uint32_t numbers[4] = {};
    for (size_t i = 0; i < 16; ++i) numbers[i / 4] |= uint32_t{bytes[1 + i]} << 8 * (i % 4);
    resolution = {static_cast<Unit>(bytes[0]), numbers[0], numbers[1], numbers[2], numbers[3]};
    return numbers[0] != 0 && numbers[1] != 0 && numbers[2] != 0 && numbers[3] != 0;
  }

 private:
  double Inches(uint32_t count, uint32_t divisor) const {
    constexpr double kInches[] = {0, 1, 2.54, 0.0254};  // in a unit's length
    return kInches[static_cast<int>(unit)] * count / divisor;
  }
};

}  // namespace mmp

#endif  // MMP_METADATA_H_
