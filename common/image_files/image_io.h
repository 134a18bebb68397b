// Image files.
#ifndef MMP_COMMON_IMAGE_FILES_IMAGE_IO_H_
#define MMP_COMMON_IMAGE_FILES_IMAGE_IO_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/file_io.h"
#include "common/image_files/rgb_image.h"
#include "mmp/image.h"
#include "mmp/metadata.h"
#include "mmp/status.h"

namespace mmp {

struct ReadImageOptions {
  // Refuse larger images (kLimitExceeded), before any memory is taken for them. Sides are limited
  // to 65535 pixels in any case.
  uint64_t max_pixels = uint64_t{1} << 28;
  // The depths that the image may have, with 8 between them. Samples of fewer bits than min_depth
  // are scaled to 8, those of more than max_depth refused.
  int min_depth = 8;
  int max_depth = 8;
  // Scale samples of all depths to 8 bits, rounding to nearest, whatever the limits are.
  bool depth8 = false;
};

struct LoadedImage {
  Image image;
  // What was changed to get gray samples of its depth, such as "converted color to luma (BT.601)";
  // empty if nothing was.
  std::string notice;
  // What the file says beside its samples, as far as ImageExtras can. It fits the image as it is
  // here: an orientation says that it is upright, and a color profile is kept if it is of gray
  // only.
  Metadata metadata;
  // The numbers that the samples stand for are less by 2^(depth - 1): those of TIFF files of signed
  // samples, of 8 or 16 bits, unless they are scaled to fewer.
  bool is_signed = false;
};

// Reads an image file, or standard input if `path` is "-". What it is, is told by its content:
// PNG (all kinds; of an animation the image that programs without animations show), PBM, PGM and
// PPM (P1 to P6; the first image of the file), TIFF (one page of gray, a palette or RGB, of 1 to 16
// bits, compressed by the common methods), JPEG or BMP.
//
// Messages name the program's options --depth8 and --max-pixels.
//
// The image has as many bits a sample as the file: 1, 2, 4, 8 or 16 (PNG), those of its samples
// (TIFF), or of maxval (PBM, PGM, PPM), within the limits of the options. It has at least 8 if
// colors or alpha become gray: but for PNG files of gray, where one value may be transparent. A
// gray PNG file of 8 or 16 bits whose sBIT chunk says that 1 to 7 or 9 to 15 of them count, and
// whose samples all repeat these bits in the others, as EncodePng writes them, has that depth.
// Samples become gray in this order, each step rounding to nearest:
// 1. depth: v * (2^depth - 1) / (largest value in the file); where the depth is the file's, nothing
//    changes but where maxval is not 2^depth - 1;
// 2. color: (299 R + 587 G + 114 B) / 1000, the luma of BT.601, on the samples as they are coded;
// 3. alpha: composited over white.
// Then the image is turned as its Exif orientation says (JPEG, PNG, TIFF). Gamma, color profiles
// but those of gray and further images of the file are ignored, with a notice. Color profile, Exif,
// XMP, resolution, comments (PNG, TIFF, JPEG), GeoTIFF and OME-XML (TIFF) become metadata; of a
// picture that is turned, the resolution is, too, and GeoTIFF and OME-XML are left out, with a
// notice. Errors: kIo; kUnsupported (no known image, or more bits than max_depth and not depth8);
// kCorrupt; kLimitExceeded; kOutOfMemory.
Result<LoadedImage> ReadImage(const std::string& path, const ReadImageOptions& options = {});

// The same for a file in memory; messages call it `name`.
Result<LoadedImage> ParseImage(std::span<const uint8_t> bytes, const std::string& name,
                               const ReadImageOptions& options = {});

// What ReadImage takes a file that begins with these bytes for: "PNG", "PNM", "JPEG", "BMP" or
// "TIFF"; empty if for no image.
std::string_view ImageFormatName(std::span<const uint8_t> bytes);

// The formats written: gray of every depth.
enum class ImageFormat { kPng, kPgm, kTiff };

// By the extension, in either case. Error: kInvalidArgument if it is not .png, .pgm, .tif or .tiff.
Result<ImageFormat> ImageFormatOfPath(const std::string& path);

// What is written beside the samples.
struct ImageExtras {
  Metadata metadata = {};
  bool is_signed = false;  // see LoadedImage
};

// Whether files of the format have a place for metadata of this kind: PGM has none at all, PNG none
// for GeoTIFF, no format one for kinds that are not known. TIFF has one for a single text.
bool HasPlaceFor(ImageFormat format, uint8_t metadata_kind);

// Writes an image of 1x1 pixel or more as an AtomicFile (common/file_io.h), by default in the
// format of ImageFormatOfPath. "-" is standard output and needs a format. Metadata for which the
// format has no place, or that make no sense, are left out. Errors: kInvalidArgument (PNG and PGM
// have no signed samples, TIFF files at most 2^32 bytes), kIo.
Status WriteImage(const std::string& path, const ImageView& image,
                  std::optional<ImageFormat> format = std::nullopt, const ImageExtras& extras = {},
                  OldFile old_file = OldFile::kReplaced);

// The bytes of the files that WriteImage writes, and of color ones. They depend on the image alone
// (PNG: and on the versions of libpng and zlib).
// PNG: samples of 1, 2, 4, 8 and 16 bits as they are; others as the highest of 8 or 16 bits, the
// lower ones repeating them, and an sBIT chunk that says how many count. PGM: maxval is
// 2^depth - 1. So images of all depths are read as they were written, unless the options scale
// them. TIFF: one strip, not compressed, of samples of the image's depth; at most 2^32 bytes of
// them.
std::vector<uint8_t> EncodePng(const ImageView& image, const Metadata& metadata = {});
std::vector<uint8_t> EncodeTiff(const ImageView& image, const ImageExtras& extras = {});
std::vector<uint8_t> EncodePng(const RgbImage& image);
std::vector<uint8_t> EncodePgm(const ImageView& image);

}  // namespace mmp

#endif  // MMP_COMMON_IMAGE_FILES_IMAGE_IO_H_
