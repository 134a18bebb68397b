// Grayscale images in memory, of 1 to 16 bits a sample.
//
// Samples of up to 8 bits take a byte each, deeper ones two, in the byte order of the machine. All
// are in [0, 2^depth - 1].
#ifndef MMP_IMAGE_H_
#define MMP_IMAGE_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mmp {

inline constexpr int kMaxDepth = 16;  // bits a sample

// The bytes that a sample of so many bits takes.
constexpr int SampleBytes(int depth) { return depth <= 8 ? 1 : 2; }
// The largest sample of so many bits: white.
constexpr int LargestSample(int depth) { return (1 << depth) - 1; }

// A borrowed rectangle of samples; row y starts at data + y * stride.
struct ImageView {
  const uint8_t* data = nullptr;  // of samples of two bytes: aligned to them
  int width = 0;                  // pixels
  int height = 0;                 // pixels
  size_t stride = 0;              // bytes from a row to the next, at least those of its samples
  int depth = 8;                  // bits a sample, in [1, kMaxDepth]

  const uint8_t* Row(int y) const { return data + static_cast<size_t>(y) * stride; }
  // Of samples of two bytes.
  const uint16_t* Row16(int y) const {
    assert(depth > 8);
    return reinterpret_cast<const uint16_t*>(Row(y));
  }
  int Sample(int y, int x) const { return depth > 8 ? Row16(y)[x] : Row(y)[x]; }
  // The part of width x height pixels whose top left pixel is (x, y).
  ImageView Crop(int x, int y, int crop_width, int crop_height) const {
    assert(x >= 0 && y >= 0 && x + crop_width <= width && y + crop_height <= height);
    const size_t left = static_cast<size_t>(x) * static_cast<size_t>(SampleBytes(depth));  // bytes
    return {Row(y) + left, crop_width, crop_height, stride, depth};
  }
};

// An owned image, rows adjacent.
class Image {
 public:
  Image() = default;
  // Of 8 bits a sample, all of them `value`.
  Image(int width, int height, uint8_t value = 0)
      : width_(width), height_(height), bytes_(pixel_count(), value) {}
  // All samples are 0.
  static Image OfDepth(int depth, int width, int height) {
    assert(depth >= 1 && depth <= kMaxDepth);
    Image image(width * SampleBytes(depth), height);
    image.width_ = width;
    image.depth_ = depth;
    return image;
  }

  int width() const { return width_; }
  int height() const { return height_; }
  size_t pixel_count() const { return static_cast<size_t>(width_) * static_cast<size_t>(height_); }
  int depth() const { return depth_; }  // bits a sample
  // Bytes from a row to the next.
  size_t stride() const {
    return static_cast<size_t>(width_) * static_cast<size_t>(SampleBytes(depth_));
  }
  uint8_t* Row(int y) { return bytes_.data() + static_cast<size_t>(y) * stride(); }
  const uint8_t* Row(int y) const { return bytes_.data() + static_cast<size_t>(y) * stride(); }
  // Of samples of two bytes.
  uint16_t* Row16(int y) {
    assert(depth_ > 8);
    return reinterpret_cast<uint16_t*>(Row(y));
  }
  const uint16_t* Row16(int y) const { return View().Row16(y); }
  void SetSample(int y, int x, int sample) {
    if (depth_ > 8)
      Row16(y)[x] = static_cast<uint16_t>(sample);
    else
      Row(y)[x] = static_cast<uint8_t>(sample);
  }
  // The samples in raster order; of more than 8 bits, their bytes.
  std::vector<uint8_t>& pixels() { return bytes_; }
  const std::vector<uint8_t>& pixels() const { return bytes_; }
  ImageView View() const { return {bytes_.data(), width_, height_, stride(), depth_}; }

  friend bool operator==(const Image&, const Image&) = default;

 private:
  int width_ = 0;
  int height_ = 0;
  int depth_ = 8;
  std::vector<uint8_t> bytes_;
};

}  // namespace mmp

#endif  // MMP_IMAGE_H_
