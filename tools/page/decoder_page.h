// The page that decodes .mmp files in a browser (docs/web.md), which the program can put beside
// pages of its own.
#ifndef MMP_TOOLS_PAGE_DECODER_PAGE_H_
#define MMP_TOOLS_PAGE_DECODER_PAGE_H_

#include <string>

#include "mmp/status.h"

namespace mmp {

inline constexpr char kDecoderPageName[] = "decoder.html";

// Puts a copy of the page, if it is installed with the program (../share/mmp from the program's
// folder), into the folder in place of one that is there. Errors: kIo.
Status CopyDecoderPage(const std::string& folder);

// Whether the page is in the folder.
bool HasDecoderPage(const std::string& folder);

}  // namespace mmp

#endif  // MMP_TOOLS_PAGE_DECODER_PAGE_H_
