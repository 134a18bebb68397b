// What a file's header says, as text.
#ifndef MMP_TOOLS_TEXT_INFO_JSON_H_
#define MMP_TOOLS_TEXT_INFO_JSON_H_

#include <string>

#include "mmp/mmp.h"
#include "tools/text/json.h"

namespace mmp {

double BitsPerPixel(const FileInfo& info);

// The level's number, or "none".
std::string PredictionLevelText(int level);

// "none", "standard", or the hash of the dictionary file.
std::string TrainedText(const FileInfo& info);

// Adds all of the header but the list of tiles to an object.
void WriteInfoFields(const FileInfo& info, JsonWriter& json);

}  // namespace mmp

#endif  // MMP_TOOLS_TEXT_INFO_JSON_H_
