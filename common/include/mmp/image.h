// 8-bit grayscale images in memory.
#ifndef MMP_IMAGE_H_
#define MMP_IMAGE_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mmp {

// A borrowed rectangle of samples; row y starts at data + y * stride.
struct ImageView {
  const uint8_t* data = nullptr;
  int width = 0;      // pixels
  int height = 0;     // pixels
  size_t stride = 0;  // bytes from a row to the next, at least width

  const uint8_t* Row(int y) const { return data + static_cast<size_t>(y) * stride; }
  // The part of width x height pixels whose top left pixel is (x, y).
  ImageView Crop(int x, int y, int crop_width, int crop_height) const {
    assert(x >= 0 && y >= 0 && x + crop_width <= width && y + crop_height <= height);
    return {Row(y) + x, crop_width, crop_height, stride};
  }
};

// An owned image, rows adjacent (stride == width).
class Image {
 public:
  Image() = default;
  Image(int width, int height, uint8_t value = 0)
      : width_(width), height_(height), pixels_(static_cast<size_t>(width) * height, value) {}

  int width() const { return width_; }
  int height() const { return height_; }
  uint8_t* Row(int y) { return pixels_.data() + static_cast<size_t>(y) * width_; }
  const uint8_t* Row(int y) const { return pixels_.data() + static_cast<size_t>(y) * width_; }
  std::vector<uint8_t>& pixels() { return pixels_; }
  const std::vector<uint8_t>& pixels() const { return pixels_; }
  ImageView View() const { return {pixels_.data(), width_, height_, static_cast<size_t>(width_)}; }

  friend bool operator==(const Image&, const Image&) = default;

 private:
  int width_ = 0;
  int height_ = 0;
  std::vector<uint8_t> pixels_;
};

}  // namespace mmp

#endif  // MMP_IMAGE_H_
