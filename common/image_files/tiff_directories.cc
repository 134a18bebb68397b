#include "common/image_files/tiff_directories.h"

#include <algorithm>
#include <limits>

namespace mmp {
namespace {

// The bytes of the numbers in a directory; an entry is tag (2), type (2), count, value or offset.
struct Form {
  int count_bytes;   // of the number of entries
  int offset_bytes;  // of offsets, and of an entry's count

  uint64_t entry_bytes() const { return 4 + 2 * static_cast<uint64_t>(offset_bytes); }
};

// The bytes of a value by its type; 0 of those that TIFF 6 and BigTIFF do not have.
uint64_t TypeBytes(uint64_t type) {
  constexpr uint8_t kBytes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};
  return type < sizeof(kBytes) ? kBytes[type] : 0;
}

constexpr uint64_t kShort = 3, kLong = 4;  // types

// The single number of the entry at `entry`.
uint64_t Value(const TiffNumbers& numbers, const Form& form, uint64_t entry) {
  const uint64_t type = numbers.Number(entry + 2, 2);
  const uint64_t at = entry + 4 + static_cast<uint64_t>(form.offset_bytes);
  return numbers.Number(at, type == kShort ? 2 : type == kLong ? 4 : form.offset_bytes);
}

// Whether the directory whose entries begin at `at` is of a reduced image or a mask. Entries are
// sorted, and no tag below that which says so is in use: it is among the first.
bool IsOther(const TiffNumbers& numbers, const Form& form, uint64_t at, uint64_t entries) {
  constexpr uint64_t kNewSubfileType = 254;
  constexpr uint64_t kReduced = 1, kMask = 4;
  for (uint64_t i = 0; i < std::min(entries, uint64_t{4}); ++i) {
    const uint64_t entry = at + i * form.entry_bytes();
    if (numbers.Number(entry, 2) != kNewSubfileType) continue;
    return (Value(numbers, form, entry) & (kReduced | kMask)) != 0;
  }
  return false;
}

// Of a directory whose entries begin at `at`: their number, values and the image's sides.
void ReadEntries(const TiffNumbers& numbers, const Form& form, uint64_t at, uint64_t entries,
                 TiffDirectories& directory) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  constexpr uint64_t kWidth = 256, kHeight = 257;  // tags
  directory.entries = entries;
  for (uint64_t i = 0; i < entries; ++i) {
    const uint64_t entry = at + i * form.entry_bytes();
    const uint64_t tag = numbers.Number(entry, 2);
    if (tag == kWidth) directory.width = Value(numbers, form, entry);
    if (tag == kHeight) directory.height = Value(numbers, form, entry);
    const uint64_t size = TypeBytes(numbers.Number(entry + 2, 2));
    const uint64_t count = numbers.Number(entry + 4, form.offset_bytes);
    const bool fits = size == 0 || count <= (kMost - directory.value_bytes) / size;
    directory.value_bytes = fits ? directory.value_bytes + size * count : kMost;
  }
}

}  // namespace

TiffDirectories ReadTiffDirectories(std::span<const uint8_t> bytes) {
  const TiffNumbers numbers(bytes);
  const Form form = numbers.IsBig() ? Form{8, 8} : Form{2, 4};
  TiffDirectories directories;
  uint64_t at = numbers.Number(numbers.IsBig() ? 8 : 4, form.offset_bytes);
  while (at != 0 && directories.pages + directories.others < TiffDirectories::kMostCounted) {
    const auto count_bytes = static_cast<uint64_t>(form.count_bytes);
    if (at > bytes.size() || bytes.size() - at < count_bytes) break;
    const uint64_t first = at + count_bytes;
    const uint64_t entries = numbers.Number(at, form.count_bytes);
    if (entries > (bytes.size() - first) / form.entry_bytes()) break;
    const bool is_other = IsOther(numbers, form, first, entries);
    if (directories.pages + directories.others == 0) {
      directories.first_is_other = is_other;
      ReadEntries(numbers, form, first, entries, directories);
    }
    ++(is_other ? directories.others : directories.pages);
    at = numbers.Number(first + entries * form.entry_bytes(), form.offset_bytes);
  }
  return directories;
}

}  // namespace mmp
