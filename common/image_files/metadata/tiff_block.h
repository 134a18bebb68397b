// The fields of TIFF directories, taken out of files and Exif blocks and put into others.
#ifndef MMP_COMMON_IMAGE_FILES_METADATA_TIFF_BLOCK_H_
#define MMP_COMMON_IMAGE_FILES_METADATA_TIFF_BLOCK_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace mmp {

enum class TiffType : uint16_t {
  kByte = 1,
  kAscii = 2,
  kShort = 3,
  kLong = 4,
  kRational = 5,
  kUndefined = 7,
  kDouble = 12,
};

struct TiffField {
  uint16_t tag = 0;
  uint16_t type = 0;           // of TIFF 6, 1 to 12
  std::vector<uint8_t> bytes;  // of its values, least significant first

  // Value number `i` of type kShort or kLong, half number `i` of kRational; 0 if there is none.
  uint32_t Number(size_t i = 0) const;
  // All values of type kDouble.
  std::vector<double> Doubles() const;

  static TiffField Numbers(uint16_t tag, TiffType type, std::span<const uint32_t> values);
  static TiffField Number(uint16_t tag, TiffType type, uint32_t value) {
    return Numbers(tag, type, {&value, 1});
  }
  static TiffField OfDoubles(uint16_t tag, std::span<const double> values);
  static TiffField Bytes(uint16_t tag, TiffType type, std::span<const uint8_t> bytes) {
    return {tag, static_cast<uint16_t>(type), {bytes.begin(), bytes.end()}};
  }
};

using TiffFields = std::vector<TiffField>;

// The field of a tag; null if there is none.
const TiffField* FindField(const TiffFields& fields, uint16_t tag);

// The first directory of a file and, apart from it, those that it refers to for Exif and GPS.
struct TiffBlock {
  TiffFields image, exif, gps;
};

// Of a file, classic or BigTIFF, or an Exif block: what makes sense of it. Fields of other types
// than those of TIFF 6, and such that lie outside of the file, are left out; none if all values
// together are longer than the file, as they are where many share one place.
TiffBlock ReadTiffBlock(std::span<const uint8_t> file);

// A classic TIFF file of the lower byte order, with these fields in their tags' order. What follows
// it in a file is at an even place. At most 65535 fields a directory and 2^31 bytes in all.
std::vector<uint8_t> WriteTiffBlock(TiffBlock block);

// Makes an Exif block that of the picture turned as its orientation says, if it says any: that is
// then "as stored", and the resolutions of rows and columns change places where these do.
void TurnExif(std::vector<uint8_t>& exif);

}  // namespace mmp

#endif  // MMP_COMMON_IMAGE_FILES_METADATA_TIFF_BLOCK_H_
