// The parts of the pages, embedded by mmp_embed_text (cmake/embed_text.cmake) from the files beside
// the code that fills them.
#ifndef MMP_TOOLS_PAGE_ASSETS_H_
#define MMP_TOOLS_PAGE_ASSETS_H_

#include <string_view>

namespace mmp {

extern const std::string_view kInspectMarkup;
extern const std::string_view kInspectStyle;
extern const std::string_view kInspectScript;

extern const std::string_view kReportMarkup;
extern const std::string_view kReportStyle;
extern const std::string_view kReportScript;

}  // namespace mmp

#endif  // MMP_TOOLS_PAGE_ASSETS_H_
