#include "tools/sweep/results/measured_points.h"

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
#include "tools/command_line/terminal.h"
#include "tools/sweep/results/csv.h"
#include "tools/sweep/sweep_folder.h"
#include "tools/text/text.h"

namespace mmp {
namespace {

constexpr uint64_t kMaxBytes = uint64_t{1} << 30;
// Rates are often given with few digits.
constexpr double kRateTolerance = 0.005;   // of the rate
constexpr double kRateRounding = 0.00051;  // bits per pixel
constexpr double kMostBytes = 1e15;        // of a point

// A table by the names of its columns.
class Table {
 public:
  Table(std::string path, CsvTable table) : path_(std::move(path)), table_(std::move(table)) {
    if (table_.rows.empty()) return;
    for (size_t i = 0; i < table_.rows[0].size(); ++i) columns_.emplace(table_.rows[0][i], i);
  }

  size_t rows() const { return table_.rows.size(); }  // with the one of names, row 0
  bool Has(const std::string& column) const { return columns_.contains(column); }

  Status Fault(size_t row, const std::string& what) const {
    return {StatusCode::kCorrupt,
            Format("'%s', row %zu: ", path_.c_str(), table_.numbers[row]) + what};
  }

  // Whether the row has a cell for each column and no more: else values may be in others' columns.
  Status CheckLength(size_t row) const {
    const size_t length = table_.rows[row].size(), columns = table_.rows[0].size();
    if (length == columns) return {};
    return Fault(row, Counted(length, "value") + " for the " + Counted(columns, "column") +
                          " that the first line names");
  }

  // Empty if the table has no such column.
  std::string Cell(size_t row, const std::string& column) const {
    const auto found = columns_.find(column);
    return found == columns_.end() ? "" : table_.rows[row][found->second];
  }

  // A cell of which the row must have something.
  Result<std::string> Text(size_t row, const std::string& column) const {
    std::string cell = Cell(row, column);
    if (cell.empty())
      return Fault(row, "column " + column + " is empty; fill it in or leave the row out");
    return cell;
  }

  // Spreadsheets that set cells apart by semicolons write numbers with a comma.
  Result<double> Number(size_t row, const std::string& column) const {
    const Result<std::string> text = Text(row, column);
    if (!text.ok()) return text.status();
    std::string digits = *text;
    if (table_.separator == ';') std::ranges::replace(digits, ',', '.');
    const std::optional<double> number = ParseNumber<double>(digits);
    if (!number || std::isnan(*number))
      return Fault(row, "'" + *text + "' in column " + column + " is not a number");
    return *number;
  }

  // None if the cell is empty.
  Result<std::optional<double>> NumberIfAny(size_t row, const std::string& column) const {
    if (Cell(row, column).empty()) return std::optional<double>();
    const Result<double> number = Number(row, column);
    if (!number.ok()) return number.status();
    return std::optional<double>(*number);
  }

 private:
  const std::string path_;
  const CsvTable table_;
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

struct NeededNumber {
  const char* column;
  double value = 0;
};

struct KnownNumber {
  const char* column;
  std::optional<double> RdPoint::*member;
};
constexpr KnownNumber kKnownNumbers[] = {{"ssim", &RdPoint::ssim},
                                         {"ms_ssim", &RdPoint::ms_ssim},
                                         {"encode_s", &RdPoint::encode_seconds},
                                         {"decode_s", &RdPoint::decode_seconds}};

Result<RdPoint> ReadRow(const Table& table, size_t row, const SweepImage& image) {
  NeededNumber parameter{"param"}, bytes{"bytes"}, rate{"bpp"}, psnr{"psnr"};
  for (NeededNumber* const needed : {&parameter, &bytes, &rate, &psnr}) {
    const Result<double> number = table.Number(row, needed->column);
    if (!number.ok()) return number.status();
    needed->value = *number;
  }
  if (!(bytes.value >= 1 && bytes.value <= kMostBytes))
    return table.Fault(row, "a point of " + NumberText(bytes.value) + " bytes");
  RdPoint point;
  point.parameter = parameter.value;
  point.bytes = static_cast<uint64_t>(bytes.value);
  point.bits_per_pixel = 8 * bytes.value / (static_cast<double>(image.width) * image.height);
  point.psnr = psnr.value;
  for (const KnownNumber& known : kKnownNumbers) {
    const Result<std::optional<double>> number = table.NumberIfAny(row, known.column);
    if (!number.ok()) return number.status();
    point.*known.member = *number;
  }
  if (std::abs(point.bits_per_pixel - rate.value) > kRateTolerance * rate.value + kRateRounding) {
    return table.Fault(
        row, Format("%g bits per pixel are not %g bytes for the %dx%d pixels of '%s'", rate.value,
                    bytes.value, image.width, image.height, image.path.c_str()));
  }
  return point;
}

}  // namespace

Result<std::string> AddMeasuredPoints(const std::string& path, SweepResults& results) {
  const Result<std::vector<uint8_t>> bytes = ReadFile(path, kMaxBytes);
  if (!bytes.ok()) return bytes.status();
  Result<CsvTable> read = ParseCsv({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  if (!read.ok()) return Status(read.status().code(), "'" + path + "', " + read.status().message());
  const Table table(path, *std::move(read));
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
    MMP_RETURN_IF_ERROR(table.CheckLength(row));
    const Result<std::string> name = table.Text(row, "image");
    if (!name.ok()) return name.status();
    const std::optional<size_t> image = FindImage(results.images, OneLine(*name));
    if (!image) continue;
    const std::string& known_name = results.images[*image].name;
    if (known_name != OneLine(*name)) taken_for[OneLine(*name)] = known_name;
    const Result<std::string> codec = table.Text(row, "codec");
    if (!codec.ok()) return codec.status();
    Result<RdPoint> point = ReadRow(table, row, results.images[*image]);
    if (!point.ok()) return point.status();
    point->image = *image;
    point->codec = codecs.IndexOf(OneLine(*codec));
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
