#include "common/image_files/image_orientation.h"

#include <cstddef>
#include <utility>

namespace mmp {
namespace {

// Numbers of a TIFF file; 0 beyond its end.
class TiffReader {
 public:
  explicit TiffReader(std::span<const uint8_t> bytes)
      : bytes_(bytes), little_endian_(Byte(0) == 'I') {}

  // Whether it begins as such a file does.
  bool IsTiff() const {
    return (Byte(0) == 'I' || Byte(0) == 'M') && Byte(0) == Byte(1) && Number(2, 2) == 42;
  }

  // The number of `size` bytes at `at`.
  uint32_t Number(size_t at, int size) const {
    uint32_t number = 0;
    for (int i = 0; i < size; ++i)
      number = number << 8 | Byte(at + (little_endian_ ? size - 1 - i : i));
    return number;
  }

 private:
  uint8_t Byte(size_t at) const { return at < bytes_.size() ? bytes_[at] : 0; }

  std::span<const uint8_t> bytes_;
  bool little_endian_;
};

// How samples are put elsewhere: sides exchanged first, then mirrored.
struct Turn {
  bool transpose = false;
  bool mirror_x = false;
  bool mirror_y = false;
  std::string_view text = {};
};

Turn TurnOf(Orientation orientation) {
  switch (orientation) {
    case Orientation::kAsStored:
      break;
    case Orientation::kMirrored:
      return {.mirror_x = true, .text = "mirrored left to right"};
    case Orientation::kTurned180:
      return {.mirror_x = true, .mirror_y = true, .text = "turned by 180 degrees"};
    case Orientation::kFlipped:
      return {.mirror_y = true, .text = "mirrored top to bottom"};
    case Orientation::kTransposed:
      return {.transpose = true, .text = "mirrored at the diagonal"};
    case Orientation::kTurnedRight:
      return {.transpose = true, .mirror_x = true, .text = "turned right by 90 degrees"};
    case Orientation::kTransversed:
      return {.transpose = true,
              .mirror_x = true,
              .mirror_y = true,
              .text = "mirrored at the other diagonal"};
    case Orientation::kTurnedLeft:
      return {.transpose = true, .mirror_y = true, .text = "turned left by 90 degrees"};
  }
  return {};
}

// Fills `turned`, which has the sides that `turn` makes of those of `image`.
template <typename Sample>
void PutTurned(const Image& image, const Turn& turn, Image& turned) {
  const auto row = [&image](int y) { return reinterpret_cast<const Sample*>(image.Row(y)); };
  for (int y = 0; y < turned.height(); ++y) {
    const int from_y = turn.mirror_y ? turned.height() - 1 - y : y;
    auto* const to = reinterpret_cast<Sample*>(turned.Row(y));
    for (int x = 0; x < turned.width(); ++x) {
      const int from_x = turn.mirror_x ? turned.width() - 1 - x : x;
      to[x] = turn.transpose ? row(from_x)[from_y] : row(from_y)[from_x];
    }
  }
}

}  // namespace

Orientation ExifOrientation(std::span<const uint8_t> exif) {
  constexpr uint32_t kTag = 0x0112;
  constexpr uint32_t kShort = 3;  // the type of its value
  constexpr size_t kEntryBytes = 12;
  const TiffReader tiff(exif);
  if (!tiff.IsTiff()) return Orientation::kAsStored;
  const size_t directory = tiff.Number(4, 4);
  const uint32_t entries = tiff.Number(directory, 2);
  for (uint32_t i = 0; i < entries; ++i) {
    const size_t entry = directory + 2 + i * kEntryBytes;
    if (entry + kEntryBytes > exif.size()) break;
    if (tiff.Number(entry, 2) != kTag || tiff.Number(entry + 2, 2) != kShort) continue;
    const uint32_t value = tiff.Number(entry + 8, 2);
    const bool is_known = value >= 1 && value <= 8 && tiff.Number(entry + 4, 4) == 1;
    return is_known ? static_cast<Orientation>(value) : Orientation::kAsStored;
  }
  return Orientation::kAsStored;
}

Image Oriented(Image image, Orientation orientation) {
  if (orientation == Orientation::kAsStored) return image;
  const Turn turn = TurnOf(orientation);
  Image turned = Image::OfDepth(image.depth(), turn.transpose ? image.height() : image.width(),
                                turn.transpose ? image.width() : image.height());
  if (SampleBytes(image.depth()) == 1) {
    PutTurned<uint8_t>(image, turn, turned);
  } else {
    PutTurned<uint16_t>(image, turn, turned);
  }
  return turned;
}

std::string_view OrientationText(Orientation orientation) { return TurnOf(orientation).text; }

}  // namespace mmp
