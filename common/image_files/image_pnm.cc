// PBM, PGM and PPM, plain (P1, P2, P3) and raw (P4, P5, P6), as netpbm's pbm(5), pgm(5) and ppm(5)
// define them.
#include <bit>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/image_files/image_parsers.h"

namespace mmp {
namespace {

bool IsSpace(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool IsDigit(int c) { return c >= '0' && c <= '9'; }

// Reads the header and plain rasters: numbers, white space and comments.
class Tokenizer {
 public:
  explicit Tokenizer(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  // The next number and the single white space character (or the end) behind it. Nothing if there
  // is no number, or one over kMaxNumber.
  std::optional<uint32_t> Number() {
    int c = Next();
    while (IsSpace(c)) c = Next();
    if (!IsDigit(c)) return std::nullopt;
    uint64_t value = 0;
    for (; IsDigit(c); c = Next()) {
      value = value * 10 + static_cast<uint64_t>(c - '0');
      if (value > kMaxNumber) return std::nullopt;
    }
    if (c != kEnd && !IsSpace(c)) return std::nullopt;
    return static_cast<uint32_t>(value);
  }

  // The next sample of a plain PBM file, 0 or 1, which need no space between. Nothing if there is
  // none.
  std::optional<uint32_t> Bit() {
    int c = Next();
    while (IsSpace(c)) c = Next();
    if (c != '0' && c != '1') return std::nullopt;
    return static_cast<uint32_t>(c - '0');
  }

  std::span<const uint8_t> Rest() const { return bytes_; }
  void Skip(size_t count) { bytes_ = bytes_.subspan(count); }

 private:
  static constexpr int kEnd = -1;
  static constexpr uint64_t kMaxNumber = 999999999;

  int NextByte() {
    if (bytes_.empty()) return kEnd;
    const int c = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return c;
  }

  // A comment, wherever it starts, counts as the end of line that ends it.
  int Next() {
    int c = NextByte();
    if (c != '#') return c;
    while (c != '\n' && c != '\r' && c != kEnd) c = NextByte();
    return c;
  }

  std::span<const uint8_t> bytes_;
};

struct Header {
  bool plain = false;   // decimal numbers, else binary
  bool bitmap = false;  // PBM: one bit a sample, 1 is black
  int channels = 0;
  uint32_t width = 0, height = 0;
  uint32_t maxval = 0;  // 1..65535
  int depth = 8;        // of the image that the file becomes
};

Status DamagedPnm(const std::string& name, const char* what) {
  return {StatusCode::kCorrupt, name + " is a damaged PBM, PGM or PPM file: " + what};
}

// Reads the header from behind the two letters of the type.
Result<Header> ReadHeader(char type, Tokenizer& tokenizer, const std::string& name,
                          const ReadImageOptions& options) {
  Header header;
  header.plain = type <= '3';
  header.bitmap = type == '1' || type == '4';
  header.channels = type == '3' || type == '6' ? 3 : 1;
  const std::optional<uint32_t> width = tokenizer.Number();
  const std::optional<uint32_t> height = width ? tokenizer.Number() : std::nullopt;
  std::optional<uint32_t> maxval;
  if (height) maxval = header.bitmap ? 1 : tokenizer.Number();
  if (!maxval) return DamagedPnm(name, "bad width, height or maxval");
  if (*maxval == 0 || *maxval > 65535) return DamagedPnm(name, "maxval is not in 1..65535");
  const Result<int> depth =
      DepthOfSamples(std::bit_width(*maxval), header.channels == 1, name, options);
  if (!depth.ok()) return depth.status();
  MMP_RETURN_IF_ERROR(CheckImageSize(*width, *height, name, options));
  header.width = *width;
  header.height = *height;
  header.maxval = *maxval;
  header.depth = *depth;
  return header;
}

// The bytes of a raster that is not plain.
uint64_t RawBytes(const Header& header) {
  if (header.bitmap) return (uint64_t{header.width} + 7) / 8 * header.height;
  return uint64_t{header.width} * header.height * header.channels * (header.maxval > 255 ? 2 : 1);
}

// Whether `rest` can hold the raster.
bool LongEnough(const Header& header, std::span<const uint8_t> rest) {
  const uint64_t samples = uint64_t{header.width} * header.height * header.channels;
  if (header.bitmap && header.plain) return rest.size() >= samples;
  if (header.plain) return rest.size() >= 2 * samples - 1;  // a digit each, separators
  return rest.size() >= RawBytes(header);
}

// The samples of the raster, row by row.
class Raster {
 public:
  Raster(const Header& header, Tokenizer& tokenizer)
      : header_(header), tokenizer_(tokenizer), next_(tokenizer.Rest().data()) {
    if (!header.plain) tokenizer.Skip(RawBytes(header));
  }

  // Whether every byte is a sample of 8 bits.
  bool IsOfBytes() const { return !header_.plain && header_.depth == 8 && header_.maxval == 255; }
  // Of these: the next `count` of them.
  const uint8_t* NextBytes(size_t count) { return std::exchange(next_, next_ + count); }

  // The next sample, which is number `x` of its row. Nothing at the end or at what is no number.
  std::optional<uint32_t> Next(size_t x) {
    if (header_.bitmap) return NextBit(x);
    if (header_.plain) return tokenizer_.Number();
    uint32_t value = *next_++;
    if (header_.maxval > 255) value = value << 8 | *next_++;
    return value;
  }

 private:
  // 1 is white here. Rows begin with a new byte.
  std::optional<uint32_t> NextBit(size_t x) {
    if (header_.plain) {
      const std::optional<uint32_t> bit = tokenizer_.Bit();
      return bit ? std::optional(1 - *bit) : bit;
    }
    const uint32_t bit = *next_ >> (7 - x % 8) & 1;
    if (x % 8 == 7 || x + 1 == header_.width) ++next_;
    return 1 - bit;
  }

  const Header& header_;
  Tokenizer& tokenizer_;  // plain
  const uint8_t* next_;   // raw: known to be long enough
};

std::string MaxvalNotice(const Header& header) {
  const auto largest = static_cast<uint32_t>(LargestSample(header.depth));
  if (header.maxval == largest) return "";
  if (header.bitmap) return DepthNotice(1, header.depth);
  return "scaled samples from maxval " + std::to_string(header.maxval) + " to " +
         std::to_string(largest);
}

// Whether another image follows in the file, as these formats allow.
bool BeginsImage(std::span<const uint8_t> rest) {
  size_t at = 0;
  while (at < rest.size() && IsSpace(rest[at])) ++at;
  return rest.size() - at >= 3 && rest[at] == 'P' && rest[at + 1] >= '1' && rest[at + 1] <= '6' &&
         IsSpace(rest[at + 2]);
}

// Fills `image`, whose samples have the type Sample.
template <typename Sample>
Status ReadRaster(const Header& header, Tokenizer& tokenizer, const std::string& name,
                  GrayConverter& converter, Image& image) {
  const std::vector<uint16_t> scaled = ScaleTable(header.maxval, LargestSample(header.depth));
  std::vector<Sample> row(size_t{header.width} * header.channels);
  Raster raster(header, tokenizer);
  for (int y = 0; y < image.height(); ++y) {
    if constexpr (std::is_same_v<Sample, uint8_t>) {
      if (raster.IsOfBytes()) {
        converter.Convert(raster.NextBytes(row.size()), image.width(), image.Row(y));
        continue;
      }
    }
    for (size_t x = 0; x < row.size(); ++x) {
      const std::optional<uint32_t> value = raster.Next(x);
      if (!value) return DamagedPnm(name, "it ends too early, or a sample is not a number");
      if (*value > header.maxval) return DamagedPnm(name, "a sample is larger than maxval");
      row[x] = static_cast<Sample>(scaled[*value]);
    }
    converter.Convert(row.data(), image.width(), RowOf<Sample>(image, y));
  }
  return {};
}

}  // namespace

Result<LoadedImage> ParsePnm(std::span<const uint8_t> bytes, const std::string& name,
                             const ReadImageOptions& options) {
  Tokenizer tokenizer(bytes.subspan(2));
  const Result<Header> read_header =
      ReadHeader(static_cast<char>(bytes[1]), tokenizer, name, options);
  if (!read_header.ok()) return read_header.status();
  const Header& header = *read_header;
  if (!LongEnough(header, tokenizer.Rest())) return DamagedPnm(name, "it ends too early");

  LoadedImage loaded;
  loaded.image =
      Image::OfDepth(header.depth, static_cast<int>(header.width), static_cast<int>(header.height));
  GrayConverter converter(header.channels, header.depth);
  const auto read = header.depth <= 8 ? ReadRaster<uint8_t> : ReadRaster<uint16_t>;
  MMP_RETURN_IF_ERROR(read(header, tokenizer, name, converter, loaded.image));
  loaded.notice = converter.Notice(MaxvalNotice(header));
  if (BeginsImage(tokenizer.Rest())) AddNotice(loaded.notice, "left out the file's further images");
  return loaded;
}

}  // namespace mmp
