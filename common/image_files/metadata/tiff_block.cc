#include "common/image_files/metadata/tiff_block.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "common/image_files/image_orientation.h"
#include "common/image_files/metadata/tiff_tags.h"
#include "common/image_files/tiff_directories.h"

namespace mmp {
namespace {

constexpr uint16_t kOrientation = 274;
constexpr uint16_t kExifDirectory = 34665, kGpsDirectory = 34853;
constexpr uint64_t kMostFields = 1024;  // of a directory that is read
constexpr size_t kInlineBytes = 4;      // of a value in its entry, in classic files
constexpr size_t kEntryBytes = 12;      // there

// The bytes of a value by its type, and of the numbers that it is of; 0 of others than TIFF 6 has.
struct TypeSize {
  uint8_t value = 0, number = 0;
};
TypeSize SizeOf(uint64_t type) {
  constexpr TypeSize kSizes[] = {{0, 0}, {1, 1}, {1, 1}, {2, 2}, {4, 4}, {8, 4}, {1, 1},
                                 {1, 1}, {2, 2}, {4, 4}, {8, 4}, {4, 4}, {8, 8}};
  return type < std::size(kSizes) ? kSizes[type] : TypeSize();
}

void Put(uint64_t number, int size, std::vector<uint8_t>& bytes) {
  for (int i = 0; i < size; ++i) bytes.push_back(static_cast<uint8_t>(number >> 8 * i));
}

class BlockReader {
 public:
  explicit BlockReader(std::span<const uint8_t> file) : file_(file), numbers_(file) {}

  TiffBlock Read() {
    TiffBlock block;
    if (!numbers_.IsBig() && !numbers_.IsClassic()) return block;
    block.image = ReadDirectory(numbers_.Number(is_big() ? 8 : 4, offset_bytes()));
    block.exif = TakeDirectory(kExifDirectory, block.image);
    block.gps = TakeDirectory(kGpsDirectory, block.image);
    return left_ > 0 ? block : TiffBlock();
  }

 private:
  bool is_big() const { return numbers_.IsBig(); }
  int offset_bytes() const { return is_big() ? 8 : 4; }

  // That which a field says the place of; the field is taken out.
  TiffFields TakeDirectory(uint16_t tag, TiffFields& fields) {
    const TiffField* const field = FindField(fields, tag);
    if (field == nullptr) return {};
    const uint32_t place = field->Number();
    std::erase_if(fields, [tag](const TiffField& f) { return f.tag == tag; });
    return ReadDirectory(place);
  }

  TiffFields ReadDirectory(uint64_t at) {
    TiffFields fields;
    const uint64_t count_bytes = is_big() ? 8 : 2;
    const uint64_t entry_bytes = is_big() ? 20 : kEntryBytes;
    if (at == 0 || at > file_.size() || file_.size() - at < count_bytes) return fields;
    const uint64_t entries = numbers_.Number(at, static_cast<int>(count_bytes));
    const uint64_t first = at + count_bytes;
    if (entries > kMostFields || entries > (file_.size() - first) / entry_bytes) return fields;
    for (uint64_t i = 0; i < entries; ++i) ReadField(first + i * entry_bytes, fields);
    return fields;
  }

  void ReadField(uint64_t entry, TiffFields& fields) {
    const uint64_t type = numbers_.Number(entry + 2, 2);
    const uint64_t count = numbers_.Number(entry + 4, offset_bytes());
    const TypeSize size = SizeOf(type);
    if (size.value == 0 || count == 0 || count > file_.size() / size.value) return;
    const uint64_t bytes = count * size.value;
    const uint64_t place = entry + 4 + static_cast<uint64_t>(offset_bytes());
    const uint64_t at = bytes <= static_cast<uint64_t>(offset_bytes())
                            ? place
                            : numbers_.Number(place, offset_bytes());
    if (at > file_.size() || bytes > file_.size() - at) return;
    left_ -= std::min(bytes, left_);
    if (left_ == 0) return;
    TiffField field{
        static_cast<uint16_t>(numbers_.Number(entry, 2)), static_cast<uint16_t>(type), {}};
    for (uint64_t i = 0; i < bytes; i += size.number)
      Put(numbers_.Number(at + i, size.number), size.number, field.bytes);
    fields.push_back(std::move(field));
  }

  const std::span<const uint8_t> file_;
  const TiffNumbers numbers_;
  uint64_t left_ = uint64_t{file_.size()} + 1;  // bytes of values, less than which are read
};

// Appends a directory and its values to the file.
void WriteDirectory(const TiffFields& fields, std::vector<uint8_t>& file) {
  Put(fields.size(), 2, file);
  uint64_t values_at = file.size() + fields.size() * kEntryBytes + 4;
  std::vector<uint8_t> values;
  for (const TiffField& field : fields) {
    Put(field.tag, 2, file);
    Put(field.type, 2, file);
    Put(field.bytes.size() / SizeOf(field.type).value, 4, file);
    if (field.bytes.size() <= kInlineBytes) {
      file.insert(file.end(), field.bytes.begin(), field.bytes.end());
      Put(0, static_cast<int>(kInlineBytes - field.bytes.size()), file);
      continue;
    }
    Put(values_at + values.size(), 4, file);
    values.insert(values.end(), field.bytes.begin(), field.bytes.end());
    if (values.size() % 2 != 0) values.push_back(0);
  }
  Put(0, 4, file);  // there is no further directory
  file.insert(file.end(), values.begin(), values.end());
}

// The bytes that WriteDirectory appends.
size_t DirectoryBytes(const TiffFields& fields) {
  size_t bytes = 2 + fields.size() * kEntryBytes + 4;
  for (const TiffField& field : fields)
    if (field.bytes.size() > kInlineBytes) bytes += field.bytes.size() + field.bytes.size() % 2;
  return bytes;
}

void Sort(TiffFields& fields) {
  std::stable_sort(fields.begin(), fields.end(),
                   [](const TiffField& a, const TiffField& b) { return a.tag < b.tag; });
}

}  // namespace

uint32_t TiffField::Number(size_t i) const {
  const size_t size = SizeOf(type).number;
  if (size == 0 || size > 4 || (i + 1) * size > bytes.size()) return 0;
  uint32_t number = 0;
  for (size_t k = 0; k < size; ++k) number |= uint32_t{bytes[i * size + k]} << 8 * k;
  return number;
}

TiffField TiffField::Numbers(uint16_t tag, TiffType type, std::span<const uint32_t> values) {
  TiffField field{tag, static_cast<uint16_t>(type), {}};
  for (const uint32_t value : values) Put(value, SizeOf(field.type).number, field.bytes);
  return field;
}

std::vector<double> TiffField::Doubles() const {
  std::vector<double> values(bytes.size() / sizeof(double));
  for (size_t i = 0; i < values.size(); ++i) {
    uint64_t bits = 0;
    for (size_t k = 0; k < sizeof(double); ++k)
      bits |= uint64_t{bytes[i * sizeof(double) + k]} << 8 * k;
    values[i] = std::bit_cast<double>(bits);
  }
  return values;
}

TiffField TiffField::OfDoubles(uint16_t tag, std::span<const double> values) {
  TiffField field{tag, static_cast<uint16_t>(TiffType::kDouble), {}};
  for (const double value : values)
    Put(std::bit_cast<uint64_t>(value), sizeof(double), field.bytes);
  return field;
}

const TiffField* FindField(const TiffFields& fields, uint16_t tag) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [tag](const TiffField& field) { return field.tag == tag; });
  return found == fields.end() ? nullptr : &*found;
}

TiffBlock ReadTiffBlock(std::span<const uint8_t> file) { return BlockReader(file).Read(); }

std::vector<uint8_t> WriteTiffBlock(TiffBlock block) {
  std::vector<uint8_t> file = {'I', 'I', 42, 0, 8, 0, 0, 0};
  const auto refer = [&block](uint16_t tag) {
    block.image.push_back(TiffField::Number(tag, TiffType::kLong, 0));
  };
  if (!block.exif.empty()) refer(kExifDirectory);
  if (!block.gps.empty()) refer(kGpsDirectory);
  for (TiffFields* fields : {&block.image, &block.exif, &block.gps}) Sort(*fields);
  size_t at = file.size() + DirectoryBytes(block.image);
  for (const auto& [tag, fields] :
       {std::pair(kExifDirectory, &block.exif), std::pair(kGpsDirectory, &block.gps)}) {
    if (fields->empty()) continue;
    for (TiffField& field : block.image)
      if (field.tag == tag)
        field = TiffField::Number(tag, TiffType::kLong, static_cast<uint32_t>(at));
    at += DirectoryBytes(*fields);
  }
  WriteDirectory(block.image, file);
  for (const TiffFields* fields : {&block.exif, &block.gps})
    if (!fields->empty()) WriteDirectory(*fields, file);
  return file;
}

void TurnExif(std::vector<uint8_t>& exif) {
  constexpr size_t kBehindTag = 2;
  const TiffNumbers tiff(exif);
  if (!tiff.IsClassic()) return;
  const bool exchanges_sides = ExchangesSides(ExifOrientation(exif));
  const uint64_t directory = tiff.Number(4, 4);
  const uint64_t entries = tiff.Number(directory, 2);
  size_t x_resolution = 0, y_resolution = 0;  // their entries
  for (uint64_t i = 0; i < entries; ++i) {
    const uint64_t entry = directory + 2 + i * kEntryBytes;
    if (entry + kEntryBytes > exif.size()) break;
    const uint64_t tag = tiff.Number(entry, 2);
    if (tag == kTiffXResolution) x_resolution = static_cast<size_t>(entry);
    if (tag == kTiffYResolution) y_resolution = static_cast<size_t>(entry);
    if (tag != kOrientation) continue;
    const bool low_first = exif[0] == 'I';
    exif[entry + 8] = low_first ? 1 : 0;
    exif[entry + 9] = low_first ? 0 : 1;
  }
  if (!exchanges_sides || x_resolution == 0 || y_resolution == 0) return;
  const auto x = exif.begin() + static_cast<ptrdiff_t>(x_resolution);
  const auto y = exif.begin() + static_cast<ptrdiff_t>(y_resolution);
  std::swap_ranges(x + kBehindTag, x + kEntryBytes, y + kBehindTag);
}

}  // namespace mmp
