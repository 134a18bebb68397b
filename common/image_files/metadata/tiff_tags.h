// The tags of the metadata in TIFF files.
#ifndef MMP_COMMON_IMAGE_FILES_METADATA_TIFF_TAGS_H_
#define MMP_COMMON_IMAGE_FILES_METADATA_TIFF_TAGS_H_

#include <cstdint>
#include <string_view>

namespace mmp {

inline constexpr uint16_t kTiffDescription = 270;
inline constexpr uint16_t kTiffXResolution = 282, kTiffYResolution = 283, kTiffResolutionUnit = 296;
inline constexpr uint32_t kTiffNoUnit = 1, kTiffInch = 2, kTiffCentimetre = 3;
inline constexpr uint16_t kTiffXmp = 700;
inline constexpr uint16_t kTiffTiePoints = 33922, kTiffTransformation = 34264;  // of GeoTIFF
inline constexpr uint16_t kTiffColorProfile = 34675;

// The keyword of the text that TIFF files have as kTiffDescription.
inline constexpr std::string_view kDescription = "Description";

// Fields of the directory of an image that an Exif block has, too, and that say nothing of how
// samples are stored.
constexpr bool IsExifTag(uint16_t tag) {
  constexpr uint16_t kTags[] = {271,  // camera maker,
                                272,  // and model
                                305,  // software
                                306,  // date and time
                                315,  // artist
                                316,  // computer
                                33432 /* copyright */};
  for (const uint16_t known : kTags)
    if (tag == known) return true;
  return false;
}

// Those of GeoTIFF, and GDAL's own.
constexpr bool IsGeoTag(uint16_t tag) {
  constexpr uint16_t kTags[] = {33550,  // pixel scale
                                kTiffTiePoints, kTiffTransformation,
                                34735,  // keys,
                                34736,  // their numbers,
                                34737,  // and texts
                                42112,  // GDAL_METADATA
                                42113 /* GDAL_NODATA */};
  for (const uint16_t known : kTags)
    if (tag == known) return true;
  return false;
}

}  // namespace mmp

#endif  // MMP_COMMON_IMAGE_FILES_METADATA_TIFF_TAGS_H_
