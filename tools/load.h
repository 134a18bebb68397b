// Reads .mmp files, or images of any kind the program knows. "-" is standard input. All messages
// name the file.
#ifndef MMP_TOOLS_LOAD_H_
#define MMP_TOOLS_LOAD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "codec/mmp.h"
#include "common/image_io.h"
#include "common/status.h"

namespace mmp {

// The bytes of a file that may be an .mmp file.
Result<std::vector<uint8_t>> ReadCodedFile(const std::string& path);

// A file of `mmp train`; empty if no path is given.
Result<std::vector<uint8_t>> ReadDictionaryFile(const std::string& path);

// Errors: those of ReadFile and Decode.
Result<DecodedImage> LoadCodedImage(const std::string& path, const DecodeOptions& options);

// An .mmp file, told by its content or else by its name, or an image (16-bit samples as depth8).
Result<LoadedImage> LoadAnyImage(const std::string& path, const DecodeOptions& options = {});

}  // namespace mmp

#endif  // MMP_TOOLS_LOAD_H_
