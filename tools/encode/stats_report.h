// EncodeStats as a table to read and as JSON.
#ifndef MMP_TOOLS_ENCODE_STATS_REPORT_H_
#define MMP_TOOLS_ENCODE_STATS_REPORT_H_

#include <map>
#include <string>

#include "mmp/mmp.h"
#include "tools/text/json.h"

namespace mmp {

// Several aligned tables, with no line end after the last line.
std::string StatsText(const EncodeStats& stats);

// What the file spends on each syntax element, in bits, by the names that WriteStats uses.
std::map<std::string, double> BitsBySyntaxElement(const EncodeStats& stats);

// One object.
void WriteStats(const EncodeStats& stats, JsonWriter& json);

}  // namespace mmp

#endif  // MMP_TOOLS_ENCODE_STATS_REPORT_H_
