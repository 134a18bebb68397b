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

// Of a region or a preview, no more is read than it needs where `path` is a regular file. Errors:
// those of ReadFile and Decode.
Result<DecodedImage> LoadCodedImage(const std::string& path, const DecodeOptions& options);

// What an .mmp file says of itself; where `path` is a regular file, no more than its header and
// table is in memory. Bytes are checked by decoding, too, where only that finds damage. Errors:
// those of ReadFile and ReadInfo.
Result<FileInfo> LoadInfo(const std::string& path, const InfoOptions& options);

// How deep the samples are that a caller of LoadAnyImage takes.
enum class DepthLimit {
  kScaled,  // 8 bits: image files of others are scaled (depth8), other .mmp files refused
  kNone,    // as they are
};

// An .mmp file, told by its first bytes or else by its name, or an image, no larger than
// options.max_pixels. Errors: those of LoadCodedImage and ReadImage, and kUnsupported.
Result<LoadedImage> LoadAnyImage(const std::string& path, const DecodeOptions& options = {},
                                 DepthLimit limit = DepthLimit::kScaled);

}  // namespace mmp

#endif  // MMP_TOOLS_COMMAND_LINE_LOAD_H_
