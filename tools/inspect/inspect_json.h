// What the page of `mmp inspect` knows of a file: pageData() of its script.
#ifndef MMP_TOOLS_INSPECT_INSPECT_JSON_H_
#define MMP_TOOLS_INSPECT_INSPECT_JSON_H_

#include <string>
#include <vector>

#include "tools/inspect/decoded_syntax.h"

namespace mmp {

// A picture beside the page.
struct PageLayer {
  std::string name;  // as shown
  std::string file;
  int scale = 1;  // its pixels a pixel of the image, which starts at its top left
};

struct PageFiles {
  std::vector<PageLayer> layers;          // the first is the decoded picture
  std::vector<std::string> dictionaries;  // by tile
};

// `name` is that of the file inspected.
std::string InspectJson(const DecodedSyntax& syntax, const std::string& name,
                        const PageFiles& files);

}  // namespace mmp

#endif  // MMP_TOOLS_INSPECT_INSPECT_JSON_H_
