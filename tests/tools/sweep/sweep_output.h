// What sweeps write, for tests to compare.
#ifndef MMP_TESTS_TOOLS_SWEEP_SWEEP_OUTPUT_H_
#define MMP_TESTS_TOOLS_SWEEP_SWEEP_OUTPUT_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"
#include "tools/sweep/results/csv.h"

namespace mmp {

inline size_t CountLines(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

// The points of results.csv without the times.
inline std::vector<CsvRow> TimelessPoints(const std::string& folder) {
  std::vector<CsvRow> rows = ParseCsv(ReadText(folder + "/results.csv"))->rows;
  const CsvRow names = rows.at(0);
  for (CsvRow& row : rows) {
    for (size_t i = 0; i < row.size(); ++i)
      if (names[i].ends_with("_s")) row[i].clear();
  }
  return rows;
}

}  // namespace mmp

#endif  // MMP_TESTS_TOOLS_SWEEP_SWEEP_OUTPUT_H_
