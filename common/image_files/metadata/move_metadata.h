// Metadata that say where pixels lie, made to fit a picture whose pixels lie elsewhere.
#ifndef MMP_COMMON_IMAGE_FILES_METADATA_MOVE_METADATA_H_
#define MMP_COMMON_IMAGE_FILES_METADATA_MOVE_METADATA_H_

#include <string>

#include "common/image_files/image_orientation.h"
#include "mmp/metadata.h"

namespace mmp {

// The picture has been turned: the resolutions of rows and columns change places where these do.
// GeoTIFF and OME-XML are taken out and returned.
Metadata TurnMetadata(Orientation orientation, Metadata& metadata);

// The picture is the part of the former one from column x and row y on: GeoTIFF says so. OME-XML is
// taken out and returned.
Metadata CropMetadata(int x, int y, Metadata& metadata);

// Which kinds they are, for messages: "geotiff, ome_xml".
std::string KindNames(const Metadata& metadata);

}  // namespace mmp

#endif  // MMP_COMMON_IMAGE_FILES_METADATA_MOVE_METADATA_H_
