// The pictures that show what a file is made of, as layers over the decoded one.
#ifndef MMP_TOOLS_INSPECT_LAYERS_H_
#define MMP_TOOLS_INSPECT_LAYERS_H_

#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "common/image_files/rgb_image.h"
#include "mmp/image.h"
#include "mmp/status.h"
#include "tools/inspect/decoded_syntax.h"

namespace mmp {

struct Layer {
  std::string name;  // as shown
  int scale = 1;     // its pixels a pixel of the image, at its top left
  std::variant<ImageView, RgbImage> picture;
};

// The names of those that only files with a filter have.
inline constexpr std::string_view kFilterLayers[] = {"Unfiltered", "Filter"};

// Draws the layers one after another and hands each to `show`; the first is the decoded picture.
// Returns the first failure of `show`, if there is one, at once.
Status ShowLayers(const DecodedSyntax& syntax, const std::function<Status(const Layer&)>& show);

}  // namespace mmp

#endif  // MMP_TOOLS_INSPECT_LAYERS_H_
