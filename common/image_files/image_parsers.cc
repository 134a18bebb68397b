#include "common/image_files/image_parsers.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace mmp {
namespace {

constexpr uint64_t kMaxSide = 65535;  // pixels

uint8_t Luma(int red, int green, int blue) {
  return static_cast<uint8_t>((299 * red + 587 * green + 114 * blue + 500) / 1000);
}

uint8_t OverWhite(int gray, int alpha) {
  return static_cast<uint8_t>((gray * alpha + 255 * (255 - alpha) + 127) / 255);
}

}  // namespace

Status CheckImageSize(uint64_t width, uint64_t height, const std::string& name,
                      const ReadImageOptions& options) {
  if (width == 0 || height == 0) {
    return {StatusCode::kCorrupt, name + " is damaged: its size is 0"};
  }
  const std::string size = std::to_string(width) + "x" + std::to_string(height);
  if (width > kMaxSide || height > kMaxSide) {
    return {StatusCode::kLimitExceeded, name + " has " + size + " pixels; sides over " +
                                            std::to_string(kMaxSide) + " are not supported"};
  }
  if (width * height > options.max_pixels) {
    return {StatusCode::kLimitExceeded, name + " has " + size + " pixels, over the limit of " +
                                            std::to_string(options.max_pixels) +
                                            "; --max-pixels allows more"};
  }
  if (width * height > uint64_t{std::numeric_limits<ptrdiff_t>::max()}) {
    return {StatusCode::kLimitExceeded, name + " has " + size +
                                            " pixels, more than a program of 32 bits can have in "
                                            "memory; read it on a machine of 64 bits"};
  }
  return {};
}

Status DepthError(const std::string& name) {
  return {StatusCode::kUnsupported,
          name + " has samples of 16 bits; --depth8 reads them scaled to 8 bits"};
}

void AddNotice(std::string& notice, std::string_view change) {
  if (!notice.empty()) notice += "; ";
  notice += change;
}

void ApplyOrientation(LoadedImage& loaded, Orientation orientation) {
  if (orientation == Orientation::kAsStored) return;
  loaded.image = Oriented(std::move(loaded.image), orientation);
  AddNotice(loaded.notice, std::string(OrientationText(orientation)) + " (Exif orientation " +
                               std::to_string(static_cast<int>(orientation)) + ")");
}

void GrayConverter::Convert(const uint8_t* pixels, int count, uint8_t* gray) {
  if (channels_ == 1) {
    std::copy_n(pixels, count, gray);
    return;
  }
  const bool has_color = channels_ >= 3;
  const bool has_alpha = channels_ % 2 == 0;
  for (int i = 0; i < count; ++i, pixels += channels_) {
    gray[i] = has_color ? Luma(pixels[0], pixels[1], pixels[2]) : pixels[0];
    if (has_color) had_color_ |= pixels[0] != pixels[1] || pixels[1] != pixels[2];
    if (!has_alpha) continue;
    const uint8_t alpha = pixels[channels_ - 1];
    gray[i] = OverWhite(gray[i], alpha);
    had_transparency_ |= alpha != 255;
  }
}

std::string GrayConverter::Notice(std::string_view depth_change) const {
  std::string notice(depth_change);
  if (had_color_) AddNotice(notice, "converted color to luma (BT.601)");
  if (had_transparency_) AddNotice(notice, "composited transparency over white");
  return notice;
}

}  // namespace mmp
