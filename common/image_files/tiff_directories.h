// The directories of a TIFF file, read without libtiff: what a file claims, before libtiff takes
// memory for it.
#ifndef MMP_COMMON_IMAGE_FILES_TIFF_DIRECTORIES_H_
#define MMP_COMMON_IMAGE_FILES_TIFF_DIRECTORIES_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace mmp {

// The numbers of a TIFF file, classic or BigTIFF, in its byte order; 0 beyond its end.
class TiffNumbers {
 public:
  explicit TiffNumbers(std::span<const uint8_t> bytes)
      : bytes_(bytes), little_endian_(Byte(0) == 'I') {}

  // How the file begins.
  bool IsClassic() const { return HasByteOrder() && Number(2, 2) == 42; }
  bool IsBig() const { return HasByteOrder() && Number(2, 2) == 43; }

  // The number of `size` bytes, at most 8, at `at`.
  uint64_t Number(uint64_t at, int size) const {
    uint64_t number = 0;
    for (int i = 0; i < size; ++i)
      number = number << 8 | Byte(at + static_cast<uint64_t>(little_endian_ ? size - 1 - i : i));
    return number;
  }

 private:
  bool HasByteOrder() const { return (Byte(0) == 'I' || Byte(0) == 'M') && Byte(0) == Byte(1); }
  uint8_t Byte(uint64_t at) const {
    return at < bytes_.size() ? bytes_[static_cast<size_t>(at)] : 0;
  }

  std::span<const uint8_t> bytes_;
  bool little_endian_;
};

struct TiffDirectories {
  // At most so many are counted: their offsets may form a circle.
  static constexpr int kMostCounted = 10000;

  int pages = 0;   // images that are no others
  int others = 0;  // marked as a reduced version of one, or as a mask (NewSubfileType)
  // Of the first directory. The sides are 0 if it does not have them.
  uint64_t width = 0, height = 0;  // pixels
  bool first_is_other = false;
  uint64_t entries = 0;
  uint64_t value_bytes = 0;  // of all its values, as it says
};

// Looks at no more than the first few entries of directories behind the first.
TiffDirectories ReadTiffDirectories(std::span<const uint8_t> bytes);

}  // namespace mmp

#endif  // MMP_COMMON_IMAGE_FILES_TIFF_DIRECTORIES_H_
