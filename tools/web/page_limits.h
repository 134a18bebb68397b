// What the web page decodes at most: several times what a page in a browser can be expected to
// hold.
#ifndef MMP_TOOLS_WEB_PAGE_LIMITS_H_
#define MMP_TOOLS_WEB_PAGE_LIMITS_H_

#include <cstdint>

namespace mmp {

// Pixels: 8192x8192 to decode, 2048x2048 to look into.
inline constexpr uint64_t kMaxPagePixels = uint64_t{1} << 26;
inline constexpr uint64_t kMaxInspectedPixels = uint64_t{1} << 22;

// Bytes that decoding takes. The module can have a gigabyte (CMakeLists.txt); beside these there
// are the file and what is made of its syntax.
inline constexpr uint64_t kMaxPageMemory = uint64_t{640} << 20;

}  // namespace mmp

#endif  // MMP_TOOLS_WEB_PAGE_LIMITS_H_
