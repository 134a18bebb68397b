// Reads .mmp files, or images of any kind the program knows. "-" is standard input. All messages
// name the file.
#ifndef MMP_TOOLS_COMMAND_LINE_LOAD_H_
#define MMP_TOOLS_COMMAND_LINE_LOAD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/image_files/image_io.h"
#include "mmp/mmp.h"
#include "mmp/status.h"

namespace mmp {

// The bytes of a file that may be an .mmp file.
Result<std::vector<uint8_t>> ReadCodedFile(const std::string& path);

// A file of `mmp train`; empty if no path is given.
Result<std::vector<uint8_t>> ReadDictionaryFile(const std::string& path);

// `status`, not ok, of the decoding of `path`: names the file, and limits as the program's options.
Status DecodingFailure(const std::string& path, const Status& status);

// Errors: those of ReadFile and Decode.
Result<DecodedImage> LoadCodedImage(const std::string& path, const DecodeOptions& options);

// An .mmp file, told by its content or else by its name, or an image (16-bit samples as depth8, no
// larger than options.max_pixels).
Result<LoadedImage> LoadAnyImage(const std::string& path, const DecodeOptions& options = {});

}  // namespace mmp

#endif  // MMP_TOOLS_COMMAND_LINE_LOAD_H_
