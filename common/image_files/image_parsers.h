// The parsers behind ParseImage (common/image_files/image_io.h), and what they share.
#ifndef MMP_COMMON_IMAGE_FILES_IMAGE_PARSERS_H_
#define MMP_COMMON_IMAGE_FILES_IMAGE_PARSERS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

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
Result<LoadedImage> ParseTiff(std::span<const uint8_t> bytes, const std::string& name,
                              const ReadImageOptions& options);

bool StartsWith(std::span<const uint8_t> bytes, std::string_view text);

// What makes of a file that is not read one that is, for messages.
inline constexpr char kConvertCommand[] = "convert FILE png:- | mmp encode - -o OUT.mmp";

// Errors: kCorrupt if a side is 0, kLimitExceeded beyond 65535 or options.max_pixels.
Status CheckImageSize(uint64_t width, uint64_t height, const std::string& name,
                      const ReadImageOptions& options);

// The depth that an image gets whose file has samples of `bits` bits, 1 to 16: 8 below
// options.min_depth, below 8 where they become gray by arithmetic (not `are_gray`), or with
// options.depth8; else `bits`. Error: kUnsupported beyond options.max_depth.
Result<int> DepthOfSamples(int bits, bool are_gray, const std::string& name,
                           const ReadImageOptions& options);

// table[v] = v * new_largest / largest, rounded to nearest, for v in [0, largest]. Both are in
// [1, 65535].
std::vector<uint16_t> ScaleTable(uint32_t largest, uint32_t new_largest);

// The notice of a change of depth: "scaled samples from 16 to 8 bits".
std::string DepthNotice(int bits, int depth);

// A row of samples of one byte (uint8_t) or two (uint16_t).
template <typename Sample>
Sample* RowOf(Image& image, int y) {
  if constexpr (std::is_same_v<Sample, uint8_t>) {
    return image.Row(y);
  } else {
    return image.Row16(y);
  }
}

// Adds what was changed to LoadedImage::notice.
void AddNotice(std::string& notice, std::string_view change);

// Turns the image as its Exif orientation says, and its metadata with it, but for those whose
// places would be wrong.
void ApplyOrientation(LoadedImage& loaded, Orientation orientation);

// Whether samples are multiplied by the alpha beside them.
enum class Alpha { kStraight, kPremultiplied };

// Makes gray of interleaved samples and remembers what that changed.
class GrayConverter {
 public:
  // `channels` a pixel: 1 gray; 2 gray, alpha; 3 red, green, blue; 4 red, green, blue, alpha.
  // `depth`: bits a sample, before and after.
  explicit GrayConverter(int channels, int depth = 8, Alpha alpha = Alpha::kStraight)
      : channels_(channels), largest_(LargestSample(depth)), alpha_(alpha) {}

  // `pixels` has count * channels samples, `gray` room for `count`. Sample: uint8_t up to 8 bits,
  // else uint16_t.
  template <typename Sample>
  void Convert(const Sample* pixels, int count, Sample* gray);

  // The notice for LoadedImage: `depth_change`, if not empty, and what Convert changed.
  std::string Notice(std::string_view depth_change) const;

 private:
  int channels_;
  uint32_t largest_;
  Alpha alpha_;
  bool had_color_ = false;         // a pixel not gray
  bool had_transparency_ = false;  // a pixel not opaque
};

}  // namespace mmp

#endif  // MMP_COMMON_IMAGE_FILES_IMAGE_PARSERS_H_
