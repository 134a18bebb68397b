// Image files of kinds that are not read, told by how they begin: for messages that say what to do.
#ifndef MMP_COMMON_IMAGE_FILES_FOREIGN_FORMATS_H_
#define MMP_COMMON_IMAGE_FILES_FOREIGN_FORMATS_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace mmp {

// What the file is: "WebP", "GIF", ...; empty if it is none that is known.
std::string_view ForeignFormat(std::span<const uint8_t> bytes);

}  // namespace mmp

#endif  // MMP_COMMON_IMAGE_FILES_FOREIGN_FORMATS_H_
