// The web page that leads through what `mmp inspect` draws.
#ifndef MMP_TOOLS_INSPECT_INSPECT_PAGE_H_
#define MMP_TOOLS_INSPECT_INSPECT_PAGE_H_

#include <string>

#include "tools/inspect/decoded_syntax.h"
#include "tools/inspect/inspect_json.h"

namespace mmp {

// `name` is that of the file inspected.
std::string InspectPage(const DecodedSyntax& syntax, const std::string& name,
                        const PageFiles& files);

}  // namespace mmp

#endif  // MMP_TOOLS_INSPECT_INSPECT_PAGE_H_
