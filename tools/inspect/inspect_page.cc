#include "tools/inspect/inspect_page.h"

#include "tools/page/assets.h"
#include "tools/page/page.h"

namespace mmp {

std::string InspectPage(const DecodedSyntax& syntax, const std::string& name,
                        const PageFiles& files) {
  return MakePage({kInspectMarkup, kInspectStyle, kInspectScript},
                  InspectJson(syntax, name, files));
}

}  // namespace mmp
