// What PNG and JPEG files say besides their samples, for ParseImage to follow or to give notice of.
#ifndef MMP_COMMON_IMAGE_FILES_IMAGE_METADATA_H_
#define MMP_COMMON_IMAGE_FILES_IMAGE_METADATA_H_

#include <cstdint>
#include <optional>
#include <span>

#include "common/image_files/image_orientation.h"
#include "common/image_files/metadata/collect_metadata.h"

namespace mmp {

// Reads a JPEG file's segments up to the samples, as far as they make sense: hands what is kept of
// them to `metadata`, and returns the orientation.
Orientation ReadJpegMetadata(std::span<const uint8_t> bytes, MetadataCollector& metadata);

struct PngMetadata {
  uint32_t further_frames = 0;  // of an animation, besides the image
  bool has_color_profile = false;
  // The gamma of the samples, where that is not the usual 1/2.2 (within 5 %) and neither a profile
  // nor the mark of sRGB counts for more.
  std::optional<double> gamma;
};

// Reads a PNG file's chunks up to the samples, as far as they make sense. Their checksums are not
// looked at.
PngMetadata ReadPngMetadata(std::span<const uint8_t> bytes);

}  // namespace mmp

#endif  // MMP_COMMON_IMAGE_FILES_IMAGE_METADATA_H_
