// Image files.
#ifndef MMP_COMMON_IMAGE_FILES_IMAGE_IO_H_
#define MMP_COMMON_IMAGE_FILES_IMAGE_IO_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/image_files/rgb_image.h"
#include "mmp/image.h"
#include "mmp/status.h"

namespace mmp {

struct ReadImageOptions {
  // Refuse larger images (kLimitExceeded), before any memory is taken for them. Sides are limited
  // to 65535 pixels in any case.
  uint64_t max_pixels = uint64_t{1} << 28;
  // Refuse samples of more bits than this: 8 or 16.
  int max_depth = 8;
  // Scale samples of more than 8 bits to 8 bits, rounding to nearest, whatever max_depth is.
  bool depth8 = false;
};

struct LoadedImage {
  Image image;
  // What was changed to get 8-bit gray samples, such as "converted color to luma (BT.601)"; empty
  // if nothing was.
  std::string notice;
};

// Reads an image file, or standard input if `path` is "-". What it is, is told by its content:
// PNG (all kinds; of an animation the image that programs without animations show), PBM, PGM and
// PPM (P1 to P6; the first image of the file), JPEG or BMP.
//
// Messages name the program's options --depth8 and --max-pixels.
//
// Samples become 8-bit gray in this order, each step rounding to nearest:
// 1. depth: v * 255 / (largest value of the depth);
// 2. color: (299 R + 587 G + 114 B) / 1000, the luma of BT.601, on the samples as they are coded;
// 3. alpha: composited over white.
// Then the image is turned as its Exif orientation says (JPEG, PNG). Gamma, color profiles and
// further images of the file are ignored, with a notice.
// Errors: kIo; kUnsupported (no known image, or more than 8 bits and not depth8); kCorrupt;
// kLimitExceeded; kOutOfMemory.
Result<LoadedImage> ReadImage(const std::string& path, const ReadImageOptions& options = {});

// The same for a file in memory; messages call it `name`.
Result<LoadedImage> ParseImage(std::span<const uint8_t> bytes, const std::string& name,
                               const ReadImageOptions& options = {});

// The formats written: 8-bit gray.
enum class ImageFormat { kPng, kPgm };

// By the extension, in either case. Error: kInvalidArgument if it is not .png or .pgm.
Result<ImageFormat> ImageFormatOfPath(const std::string& path);

// Writes an image of 1x1 pixel or more as an AtomicFile (common/file_io.h), by default in the
// format of ImageFormatOfPath. "-" is standard output and needs a format. Errors: kInvalidArgument,
// kIo.
Status WriteImage(const std::string& path, const ImageView& image,
                  std::optional<ImageFormat> format = std::nullopt);

// The bytes of the files that WriteImage writes, and of color ones. They depend on the image alone
// (PNG: and on the versions of libpng and zlib).
std::vector<uint8_t> EncodePng(const ImageView& image);
std::vector<uint8_t> EncodePng(const RgbImage& image);
std::vector<uint8_t> EncodePgm(const ImageView& image);

}  // namespace mmp

#endif  // MMP_COMMON_IMAGE_FILES_IMAGE_IO_H_
