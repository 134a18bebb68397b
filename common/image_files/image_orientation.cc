#include "common/image_files/image_orientation.h"

#include <cstddef>
#include <utility>

#include "common/image_files/tiff_directories.h"

namespace mmp {
namespace {

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
  constexpr uint64_t kEntryBytes = 12;
  const TiffNumbers tiff(exif);
  if (!tiff.IsClassic()) return Orientation::kAsStored;
  const uint64_t directory = tiff.Number(4, 4);
  const uint64_t entries = tiff.Number(directory, 2);
  for (uint64_t i = 0; i < entries; ++i) {
    const uint64_t entry = directory + 2 + i * kEntryBytes;
    if (entry + kEntryBytes > exif.size()) break;
    if (tiff.Number(entry, 2) != kTag || tiff.Number(entry + 2, 2) != kShort) continue;
    const uint64_t value = tiff.Number(entry + 8, 2);
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

bool ExchangesSides(Orientation orientation) { return TurnOf(orientation).transpose; }

std::string_view OrientationText(Orientation orientation) { return TurnOf(orientation).text; }

}  // namespace mmp
