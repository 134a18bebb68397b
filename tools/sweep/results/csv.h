// Tables as comma-separated values (RFC 4180).
#ifndef MMP_TOOLS_SWEEP_RESULTS_CSV_H_
#define MMP_TOOLS_SWEEP_RESULTS_CSV_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "mmp/status.h"

namespace mmp {

using CsvRow = std::vector<std::string>;

// The row as a line with its end, cells quoted where they need it.
std::string CsvLine(const CsvRow& row);

struct CsvTable {
  char separator = ',';
  std::vector<CsvRow> rows;  // empty lines left out
  // Those of the rows, from 1; as in a spreadsheet, empty lines count, and a line break in a cell
  // begins no row.
  std::vector<size_t> numbers;
};

// Cells are apart by commas, or by semicolons if the first line has these and no comma. Lines end
// in LF or CRLF; a byte-order mark at the beginning is not part of the table. Errors: kCorrupt,
// with the row's number (a quote that is not closed, or is neither around a cell nor doubled).
Result<CsvTable> ParseCsv(std::string_view text);

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_RESULTS_CSV_H_
