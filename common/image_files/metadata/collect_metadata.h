// Metadata as image files have them, made into chunks: what is kept of a file.
#ifndef MMP_COMMON_IMAGE_FILES_METADATA_COLLECT_METADATA_H_
#define MMP_COMMON_IMAGE_FILES_METADATA_COLLECT_METADATA_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "mmp/metadata.h"

namespace mmp {

// Gathers the metadata of a file that is read. Image files turn the picture upright: what they keep
// says so.
class MetadataCollector {
 public:
  // Only profiles of gray are kept: others say nothing of luma.
  void AddColorProfile(std::span<const uint8_t> profile);
  void AddExif(std::span<const uint8_t> block);
  void AddXmp(std::span<const uint8_t> packet);
  // Left out if a number is 0.
  void AddResolution(const Resolution& resolution);
  // `text` is UTF-8, or else taken for Latin-1. OME-XML becomes a chunk of its own kind.
  void AddText(std::string_view keyword, std::string_view text);
  // Those of the first directory of a TIFF file.
  void AddTiffFields(std::span<const uint8_t> file);

  // Empties the collector. Chunks for which a file of mmp's has no room are left out. Adds to
  // `notice` what was.
  Metadata Take(std::string& notice);

 private:
  void Add(MetadataKind kind, std::span<const uint8_t> bytes);

  Metadata chunks_;
  bool left_out_profile_ = false;
};

}  // namespace mmp

#endif  // MMP_COMMON_IMAGE_FILES_METADATA_COLLECT_METADATA_H_
