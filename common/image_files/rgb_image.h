// Color pictures in memory, for what the program draws.
#ifndef MMP_COMMON_IMAGE_FILES_RGB_IMAGE_H_
#define MMP_COMMON_IMAGE_FILES_RGB_IMAGE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mmp {

struct Rgb {
  uint8_t red = 0;
  uint8_t green = 0;
  uint8_t blue = 0;

  friend bool operator==(const Rgb&, const Rgb&) = default;
};

// Samples of sRGB.
class RgbImage {
 public:
  RgbImage(int width, int height, Rgb color = {})
      : width_(width), height_(height), pixels_(static_cast<size_t>(width) * height, color) {}

  int width() const { return width_; }    // pixels
  int height() const { return height_; }  // pixels
  Rgb* Row(int y) { return pixels_.data() + static_cast<size_t>(y) * width_; }
  const Rgb* Row(int y) const { return pixels_.data() + static_cast<size_t>(y) * width_; }

  // Colors a rectangle whose top left pixel is (x, y); what is outside of the picture is left out.
  void Fill(int x, int y, int width, int height, Rgb color) {
    const int left = std::clamp(x, 0, width_), right = std::clamp(x + width, left, width_);
    for (int row = std::max(y, 0); row < std::min(y + height, height_); ++row)
      std::fill(Row(row) + left, Row(row) + right, color);
  }

 private:
  int width_;
  int height_;
  std::vector<Rgb> pixels_;
};

}  // namespace mmp

#endif  // MMP_COMMON_IMAGE_FILES_RGB_IMAGE_H_
