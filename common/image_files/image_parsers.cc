#include "common/image_files/image_parsers.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "common/image_files/metadata/move_metadata.h"

namespace mmp {
namespace {

constexpr uint64_t kMaxSide = 65535;  // pixels

template <typename Sample>
Sample Luma(int red, int green, int blue) {
  return static_cast<Sample>((299 * red + 587 * green + 114 * blue + 500) / 1000);
}

// Up to 65535^2 + 32767, which is below 2^32.
uint32_t OverWhite(uint32_t gray, uint32_t alpha, uint32_t white) {
  return (gray * alpha + white * (white - alpha) + white / 2) / white;
}

// Of gray that is multiplied by alpha; of a file that has it larger than alpha, too.
uint32_t PremultipliedOverWhite(uint32_t gray, uint32_t alpha, uint32_t white) {
  return std::min(gray + (white - alpha), white);
}

}  // namespace

bool StartsWith(std::span<const uint8_t> bytes, std::string_view text) {
  return bytes.size() >= text.size() &&
         std::equal(text.begin(), text.end(), bytes.begin(),
                    [](char c, uint8_t byte) { return static_cast<uint8_t>(c) == byte; });
}

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

Result<int> DepthOfSamples(int bits, bool are_gray, const std::string& name,
                           const ReadImageOptions& options) {
  if (options.depth8 || bits < options.min_depth || (bits < 8 && !are_gray)) return 8;
  if (bits <= options.max_depth) return bits;
  return Status(StatusCode::kUnsupported, name + " has samples of " + std::to_string(bits) +
                                              " bits; --depth8 reads them scaled to 8 bits");
}

std::vector<uint16_t> ScaleTable(uint32_t largest, uint32_t new_largest) {
  std::vector<uint16_t> scaled(largest + 1);
  for (uint32_t v = 0; v <= largest; ++v)
    scaled[v] = static_cast<uint16_t>((v * new_largest + largest / 2) / largest);
  return scaled;
}

std::string DepthNotice(int bits, int depth) {
  return "scaled samples from " + std::to_string(bits) + " to " + std::to_string(depth) + " bits";
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
  const Metadata left_out = TurnMetadata(orientation, loaded.metadata);
  if (!left_out.empty())
    AddNotice(loaded.notice,
              "left out metadata that are of the picture as it was: " + KindNames(left_out));
}

template <typename Sample>
void GrayConverter::Convert(const Sample* pixels, int count, Sample* gray) {
  if (channels_ == 1) {
    std::copy_n(pixels, count, gray);
    return;
  }
  const bool has_color = channels_ >= 3;
  const bool has_alpha = channels_ % 2 == 0;
  for (int i = 0; i < count; ++i, pixels += channels_) {
    gray[i] = has_color ? Luma<Sample>(pixels[0], pixels[1], pixels[2]) : pixels[0];
    if (has_color) had_color_ |= pixels[0] != pixels[1] || pixels[1] != pixels[2];
    if (!has_alpha) continue;
    const Sample alpha = pixels[channels_ - 1];
    gray[i] = static_cast<Sample>(alpha_ == Alpha::kStraight
                                      ? OverWhite(gray[i], alpha, largest_)
                                      : PremultipliedOverWhite(gray[i], alpha, largest_));
    had_transparency_ |= alpha != largest_;
  }
}

template void GrayConverter::Convert(const uint8_t* pixels, int count, uint8_t* gray);
template void GrayConverter::Convert(const uint16_t* pixels, int count, uint16_t* gray);

std::string GrayConverter::Notice(std::string_view depth_change) const {
  std::string notice(depth_change);
  if (had_color_) AddNotice(notice, "converted color to luma (BT.601)");
  if (had_transparency_) AddNotice(notice, "composited transparency over white");
  return notice;
}

}  // namespace mmp
