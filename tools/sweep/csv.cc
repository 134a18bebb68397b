#include "tools/sweep/csv.h"

#include <cstddef>
#include <utility>

namespace mmp {
namespace {

std::string Cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string CsvLine(const CsvRow& row) {
  std::string line;
  for (size_t i = 0; i < row.size(); ++i) {
    if (i > 0) line += ',';
    line += Cell(row[i]);
  }
  return line + '\n';
}

std::vector<CsvRow> ParseCsv(std::string_view text) {
  std::vector<CsvRow> rows;
  CsvRow row;
  std::string cell;
  bool quoted = false;
  const auto end_row = [&] {
    if (cell.ends_with('\r')) cell.pop_back();
    const bool empty = row.empty() && cell.empty();
    row.push_back(std::exchange(cell, {}));
    if (!empty) rows.push_back(row);
    row.clear();
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      cell += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      row.push_back(std::exchange(cell, {}));
    } else if (!quoted && c == '\n') {
      end_row();
    } else {
      cell += c;
    }
  }
  end_row();
  return rows;
}

}  // namespace mmp
