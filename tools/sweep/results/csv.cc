#include "tools/sweep/results/csv.h"

#include <algorithm>
#include <utility>

namespace mmp {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string Cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

char SeparatorOf(std::string_view text) {
  const size_t start = std::min(text.find_first_not_of("\r\n"), text.size());
  const std::string_view first_line = text.substr(start, text.find('\n', start) - start);
  const bool semicolons = first_line.find(';') != std::string_view::npos &&
                          first_line.find(',') == std::string_view::npos;
  return semicolons ? ';' : ',';
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { table_.separator = SeparatorOf(text); }

  Result<CsvTable> Parse() {
    while (!text_.empty()) {
      ++number_;
      CsvRow row;
      do {
        std::string cell;
        MMP_RETURN_IF_ERROR(StartsWith('"') ? ReadQuoted(cell) : ReadPlain(cell));
        row.push_back(std::move(cell));
      } while (Skip(table_.separator));
      Skip('\r');
      Skip('\n');
      if (row.size() == 1 && row[0].empty()) continue;
      table_.rows.push_back(std::move(row));
      table_.numbers.push_back(number_);
    }
    return std::move(table_);
  }

 private:
  Status Fault(const std::string& what) const {
    return {StatusCode::kCorrupt, "row " + std::to_string(number_) + ": " + what};
  }

  bool StartsWith(char c) const { return text_.starts_with(c); }

  bool Skip(char c) {
    if (!StartsWith(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  bool AtEndOfCell() const {
    return text_.empty() || StartsWith(table_.separator) || StartsWith('\n') ||
           text_.starts_with("\r\n") || text_ == "\r";
  }

  char Next() {
    const char c = text_.front();
    text_.remove_prefix(1);
    return c;
  }

  Status ReadPlain(std::string& cell) {
    while (!AtEndOfCell()) {
      if (StartsWith('"')) {
        return Fault(
            "a quote inside a cell; quotes go around the whole cell, "
            "and those in it are doubled");
      }
      cell += Next();
    }
    return {};
  }

  Status ReadQuoted(std::string& cell) {
    Skip('"');
    while (!text_.empty()) {
      if (!StartsWith('"')) {
        cell += Next();
        continue;
      }
      Skip('"');
      if (Skip('"'))
        cell += '"';
      else if (AtEndOfCell())
        return {};
      else
        return Fault("text after the quote that closes a cell; is an earlier quote left open?");
    }
    return Fault("a quote is opened here and never closed");
  }

  std::string_view text_;  // what is left
  size_t number_ = 0;      // of the row
  CsvTable table_;
};

}  // namespace

std::string CsvLine(const CsvRow& row) {
  std::string line;
  for (size_t i = 0; i < row.size(); ++i) {
    if (i > 0) line += ',';
    line += Cell(row[i]);
  }
  return line + '\n';
}

Result<CsvTable> ParseCsv(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return Parser(text).Parse();
}

}  // namespace mmp
