#include "tools/sweep/measured_points.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "common/file_io.h"
#include "tools/sweep/csv.h"
#include "tools/sweep/sweep_folder.h"
#include "tools/terminal.h"
#include "tools/text.h"

namespace mmp {
namespace {

constexpr uint64_t kMaxBytes = uint64_t{1} << 30;
// Rates are often given with few digits.
constexpr double kRateTolerance = 0.005;   // of the rate
constexpr double kRateRounding = 0.00051;  // bits per pixel

Status Corrupt(const std::string& path, size_t row, const std::string& what) {
  return {StatusCode::kCorrupt, Format("'%s', row %zu: ", path.c_str(), row + 1) + what};
}

// A table by the names of its columns.
class Table {
 public:
  explicit Table(std::vector<CsvRow> rows) : rows_(std::move(rows)) {
    for (size_t i = 0; !rows_.empty() && i < rows_[0].size(); ++i) columns_.emplace(rows_[0][i], i);
  }

  size_t rows() const { return rows_.size(); }  // with the one of names, row 0
  bool Has(const std::string& column) const { return columns_.contains(column); }
  // Empty if the row or the table has no such cell.
  std::string Cell(size_t row, const std::string& column) const {
    const auto found = columns_.find(column);
    if (found == columns_.end() || found->second >= rows_[row].size()) return "";
    return rows_[row][found->second];
  }
  std::optional<double> Number(size_t row, const std::string& column) const {
    return ParseNumber<double>(Cell(row, column));
  }

 private:
  std::vector<CsvRow> rows_;
  std::map<std::string, size_t> columns_;
};

// 0 for letters, 1 for digits, 2 for what is between words.
int KindOf(char c) {
  if (std::isdigit(static_cast<unsigned char>(c)) != 0) return 1;
  return std::isalpha(static_cast<unsigned char>(c)) != 0 ? 0 : 2;
}

// Whether a word may begin or end between the two characters.
bool IsBoundary(char before, char after) { return KindOf(before) != KindOf(after); }

bool HasWords(std::string_view text, std::string_view words) {
  if (words.empty()) return false;
  for (size_t at = text.find(words); at != std::string_view::npos; at = text.find(words, at + 1)) {
    const size_t end = at + words.size();
    const bool begins = at == 0 || IsBoundary(text[at - 1], text[at]);
    const bool ends = end == text.size() || IsBoundary(text[end - 1], text[end]);
    if (begins && ends) return true;
  }
  return false;
}

// The image that a row's name stands for: the one with the longest name, if several would do.
std::optional<size_t> FindImage(const std::vector<SweepImage>& images, const std::string& name) {
  std::optional<size_t> best;
  for (size_t i = 0; i < images.size(); ++i) {
    if (images[i].name == name) return i;
    if (!HasWords(name, images[i].name)) continue;
    if (!best || images[i].name.size() > images[*best].name.size()) best = i;
  }
  return best;
}

// What tells the points of a file from others.
std::string ShortName(const std::string& path) {
  const std::filesystem::path file = std::filesystem::absolute(path).lexically_normal();
  return file.filename() == kCsvName ? file.parent_path().filename() : file.stem();
}

// The index of the codec in `results`, to which it is added when it first occurs.
class Codecs {
 public:
  Codecs(std::string path, SweepResults& results) : path_(std::move(path)), results_(results) {}

  size_t IndexOf(const std::string& name) {
    const auto [found, is_new] = indices_.emplace(name, results_.codecs.size());
    if (is_new) {
      const bool taken = std::any_of(results_.codecs.begin(), results_.codecs.end(),
                                     [&](const SweepCodec& codec) { return codec.name == name; });
      results_.codecs.push_back({.name = taken ? name + " (" + ShortName(path_) + ")" : name,
                                 .version = path_,
                                 .parameter_name = "parameter"});
    }
    return found->second;
  }

 private:
  const std::string path_;
  SweepResults& results_;
  std::map<std::string, size_t> indices_;
};

Result<RdPoint> ReadRow(const std::string& path, const Table& table, size_t row,
                        const SweepImage& image) {
  const std::optional<double> bytes = table.Number(row, "bytes");
  const std::optional<double> rate = table.Number(row, "bpp");
  const std::optional<double> psnr = table.Number(row, "psnr");
  if (!bytes || !rate || !psnr || !(*bytes > 0) || std::isnan(*psnr))
    return Corrupt(path, row, "bytes, bpp or psnr is not a number");
  RdPoint point;
  point.parameter = table.Number(row, "param").value_or(0);
  point.bytes = static_cast<uint64_t>(*bytes);
  point.bits_per_pixel = 8 * *bytes / (static_cast<double>(image.width) * image.height);
  point.psnr = *psnr;
  point.ssim = table.Number(row, "ssim");
  point.ms_ssim = table.Number(row, "ms_ssim");
  point.encode_seconds = table.Number(row, "encode_s");
  point.decode_seconds = table.Number(row, "decode_s");
  if (std::abs(point.bits_per_pixel - *rate) > kRateTolerance * *rate + kRateRounding) {
    return Corrupt(path, row,
                   Format("%g bits per pixel are not %g bytes for the %dx%d pixels of '%s'", *rate,
                          *bytes, image.width, image.height, image.path.c_str()));
  }
  return point;
}

}  // namespace

Result<std::string> AddMeasuredPoints(const std::string& path, SweepResults& results) {
  const Result<std::vector<uint8_t>> bytes = ReadFile(path, kMaxBytes);
  if (!bytes.ok()) return bytes.status();
  const Table table(ParseCsv({reinterpret_cast<const char*>(bytes->data()), bytes->size()}));
  for (const char* column : {"image", "codec", "param", "bytes", "bpp", "psnr"}) {
    if (!table.Has(column)) {
      return Status(StatusCode::kCorrupt, "'" + path + "' has no column " + column +
                                              "; its first line must name the columns");
    }
  }
  Codecs codecs(path, results);
  std::map<std::string, std::string> taken_for;  // names of images by those in the file
  bool any = false;
  for (size_t row = 1; row < table.rows(); ++row) {
    const std::string name = table.Cell(row, "image");
    const std::optional<size_t> image = FindImage(results.images, name);
    if (!image || table.Cell(row, "psnr").empty()) continue;
    if (results.images[*image].name != name) taken_for[name] = results.images[*image].name;
    Result<RdPoint> point = ReadRow(path, table, row, results.images[*image]);
    if (!point.ok()) return point.status();
    point->image = *image;
    point->codec = codecs.IndexOf(table.Cell(row, "codec"));
    results.points.push_back(*std::move(point));
    any = true;
  }
  if (!any) return "no row of '" + path + "' is for one of the images";
  std::string note;
  for (const auto& [name, image] : taken_for) {
    note += note.empty() ? "in '" + path + "', " : ", ";
    note.append(name).append(" is taken for ").append(image);
  }
  return note;
}

}  // namespace mmp
