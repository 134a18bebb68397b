// The parsers behind ParseImage (common/image_files/image_io.h), and what they share.
#ifndef MMP_COMMON_IMAGE_FILES_IMAGE_PARSERS_H_
#define MMP_COMMON_IMAGE_FILES_IMAGE_PARSERS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "common/image_files/image_io.h"
#include "common/image_files/image_orientation.h"
#include "mmp/status.h"

namespace mmp {

// Each takes bytes that start like its format, and reports errors as ParseImage does.
Result<LoadedImage> ParsePng(std::span<const uint8_t> bytes, const std::string& name,
                             const ReadImageOptions& options);
Result<LoadedImage> ParsePnm(std::span<const uint8_t> bytes, const std::string& name,
                             const ReadImageOptions& options);
Result<LoadedImage> ParseJpegOrBmp(std::span<const uint8_t> bytes, const std::string& name,
                                   const ReadImageOptions& options);

// Errors: kCorrupt if a side is 0, kLimitExceeded beyond 65535 or options.max_pixels.
Status CheckImageSize(uint64_t width, uint64_t height, const std::string& name,
                      const ReadImageOptions& options);

// Why 16-bit samples are refused without ReadImageOptions::depth8.
Status DepthError(const std::string& name);

// Adds what was changed to LoadedImage::notice.
void AddNotice(std::string& notice, std::string_view change);

// Turns the image as its Exif orientation says.
void ApplyOrientation(LoadedImage& loaded, Orientation orientation);

// Makes gray of interleaved samples and remembers what that changed.
class GrayConverter {
 public:
  // `channels` a pixel: 1 gray; 2 gray, alpha; 3 red, green, blue; 4 red, green, blue, alpha.
  explicit GrayConverter(int channels) : channels_(channels) {}

  // `pixels` has count * channels samples, `gray` room for `count`.
  void Convert(const uint8_t* pixels, int count, uint8_t* gray);

  // The notice for LoadedImage: `depth_change`, if not empty, and what Convert changed.
  std::string Notice(std::string_view depth_change) const;

 private:
  int channels_;
  bool had_color_ = false;         // a pixel not gray
  bool had_transparency_ = false;  // a pixel not opaque
};

}  // namespace mmp

#endif  // MMP_COMMON_IMAGE_FILES_IMAGE_PARSERS_H_
