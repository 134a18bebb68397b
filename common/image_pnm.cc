// PGM and PPM, plain (P2, P3) and raw (P5, P6), as netpbm's pgm(5) and ppm(5) define them.
#include <optional>
#include <vector>

#include "common/image_parsers.h"

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

  std::span<const uint8_t> Rest() const { return bytes_; }

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
  bool plain = false;  // decimal numbers, else binary
  int channels = 0;
  uint32_t width = 0, height = 0;
  uint32_t maxval = 0;  // 1..65535
};

Status Damaged(const std::string& name, const char* what) {
  return {StatusCode::kCorrupt, name + " is a damaged PGM or PPM file: " + what};
}

// Reads the header from behind the two letters of the type.
Result<Header> ReadHeader(char type, Tokenizer& tokenizer, const std::string& name,
                          const ReadImageOptions& options) {
  Header header;
  header.plain = type == '2' || type == '3';
  header.channels = type == '3' || type == '6' ? 3 : 1;
  const std::optional<uint32_t> width = tokenizer.Number();
  const std::optional<uint32_t> height = width ? tokenizer.Number() : std::nullopt;
  const std::optional<uint32_t> maxval = height ? tokenizer.Number() : std::nullopt;
  if (!maxval) return Damaged(name, "bad width, height or maxval");
  if (*maxval == 0 || *maxval > 65535) return Damaged(name, "maxval is not in 1..65535");
  if (*maxval > 255 && !options.depth8) return DepthError(name);
  MMP_RETURN_IF_ERROR(CheckImageSize(*width, *height, name, options));
  header.width = *width;
  header.height = *height;
  header.maxval = *maxval;
  return header;
}

// Whether `rest` can hold the raster.
bool LongEnough(const Header& header, std::span<const uint8_t> rest) {
  const uint64_t samples = uint64_t{header.width} * header.height * header.channels;
  if (header.plain) return rest.size() >= 2 * samples - 1;  // a digit each, separators
  return rest.size() >= samples * (header.maxval > 255 ? 2 : 1);
}

// The samples of the raster, one after the other.
class Raster {
 public:
  Raster(const Header& header, Tokenizer& tokenizer)
      : plain_(header.plain),
        wide_(header.maxval > 255),
        tokenizer_(tokenizer),
        next_(tokenizer.Rest().data()) {}

  // Nothing at the end or at what is no number.
  std::optional<uint32_t> Next() {
    if (plain_) return tokenizer_.Number();
    uint32_t value = *next_++;
    if (wide_) value = value << 8 | *next_++;
    return value;
  }

 private:
  bool plain_;
  bool wide_;
  Tokenizer& tokenizer_;  // plain
  const uint8_t* next_;   // raw: known to be long enough
};

// scaled[v] = v * 255 / maxval, rounded.
std::vector<uint8_t> ScaleTable(uint32_t maxval) {
  std::vector<uint8_t> scaled(maxval + 1);
  for (uint32_t v = 0; v <= maxval; ++v) {
    scaled[v] = static_cast<uint8_t>((v * 255 + maxval / 2) / maxval);
  }
  return scaled;
}

}  // namespace

Result<LoadedImage> ParsePnm(std::span<const uint8_t> bytes, const std::string& name,
                             const ReadImageOptions& options) {
  Tokenizer tokenizer(bytes.subspan(2));
  const Result<Header> read_header =
      ReadHeader(static_cast<char>(bytes[1]), tokenizer, name, options);
  if (!read_header.ok()) return read_header.status();
  const Header& header = *read_header;
  if (!LongEnough(header, tokenizer.Rest())) return Damaged(name, "it ends too early");

  LoadedImage loaded;
  loaded.image = Image(static_cast<int>(header.width), static_cast<int>(header.height));
  const std::vector<uint8_t> scaled = ScaleTable(header.maxval);
  std::vector<uint8_t> row(size_t{header.width} * header.channels);
  Raster raster(header, tokenizer);
  GrayConverter converter(header.channels);
  for (int y = 0; y < loaded.image.height(); ++y) {
    for (uint8_t& sample : row) {
      const std::optional<uint32_t> value = raster.Next();
      if (!value) return Damaged(name, "it ends too early, or a sample is not a number");
      if (*value > header.maxval) return Damaged(name, "a sample is larger than maxval");
      sample = scaled[*value];
    }
    converter.Convert(row.data(), loaded.image.width(), loaded.image.Row(y));
  }
  loaded.notice =
      converter.Notice(header.maxval == 255 ? ""
                                            : "scaled samples from maxval " +
                                                  std::to_string(header.maxval) + " to 255");
  return loaded;
}

}  // namespace mmp
