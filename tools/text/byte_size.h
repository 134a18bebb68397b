// Numbers of bytes as people write them.
#ifndef MMP_TOOLS_TEXT_BYTE_SIZE_H_
#define MMP_TOOLS_TEXT_BYTE_SIZE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace mmp {

// A number of bytes, more than 0, such as 20000, 20k or 20kB (both 20000), 1.5M, 20KiB or 20Ki
// (both 20480); upper and lower case are the same, fractions of a byte are dropped. Nothing if
// `text` is something else.
std::optional<uint64_t> ParseSize(std::string_view text);

}  // namespace mmp

#endif  // MMP_TOOLS_TEXT_BYTE_SIZE_H_
