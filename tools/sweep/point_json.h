// RdPoint as JSON, in the results and in the journal.
#ifndef MMP_TOOLS_SWEEP_POINT_JSON_H_
#define MMP_TOOLS_SWEEP_POINT_JSON_H_

#include <optional>

#include "tools/sweep/results/sweep_results.h"
#include "tools/text/json.h"
#include "tools/text/json_parser.h"

namespace mmp {

// The fields of an object that the caller begins and ends: all of the point but its image and
// codec. What is not known has no field; an infinite PSNR is null.
void WritePoint(const RdPoint& point, JsonWriter& json);

// The point whose fields `json` has, with image and codec 0; nothing if one that every point has is
// missing.
std::optional<RdPoint> ReadPoint(const Json& json);

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_POINT_JSON_H_
