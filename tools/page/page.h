// Web pages that the program writes: one file each, with style, script, data and pictures inside.
#ifndef MMP_TOOLS_PAGE_PAGE_H_
#define MMP_TOOLS_PAGE_PAGE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "mmp/image.h"

namespace mmp {

// The parts of a page, all our own text.
struct PageAssets {
  std::string_view markup;  // HTML with {{style}}, {{script}} and {{data}}, each once
  std::string_view style;
  std::string_view script;
};

// The page with `json`, which may hold any text, as its data: its script finds it as the content of
// a <script type="application/json">.
std::string MakePage(const PageAssets& assets, std::string_view json);

// JSON text that means the same as `json` and in which no HTML parser finds a tag or comment.
std::string EscapeJsonForHtml(std::string_view json);

std::string Base64(std::span<const uint8_t> bytes);

// "data:image/png;base64,..."
std::string PngDataUri(const ImageView& image);

}  // namespace mmp

#endif  // MMP_TOOLS_PAGE_PAGE_H_
