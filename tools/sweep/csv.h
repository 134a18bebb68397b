// Tables as comma-separated values (RFC 4180).
#ifndef MMP_TOOLS_SWEEP_CSV_H_
#define MMP_TOOLS_SWEEP_CSV_H_

#include <string>
#include <string_view>
#include <vector>

namespace mmp {

using CsvRow = std::vector<std::string>;

// The row as a line with its end, cells quoted where they need it.
std::string CsvLine(const CsvRow& row);

// The rows of a table, empty lines left out. Lines end in LF or CRLF; a quote without its partner
// lasts to the end.
std::vector<CsvRow> ParseCsv(std::string_view text);

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_CSV_H_
