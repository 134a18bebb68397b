#include "codec/decoder/file_bytes.h"

#include <cassert>

namespace mmp {

Result<std::span<const uint8_t>> FileBytes::Get(uint64_t offset, uint64_t count) {
  assert(offset <= size_ && count <= size_ - offset);
  if (!is_source()) return file_.subspan(offset, count);
  if (count == 0) return std::span<const uint8_t>();
  std::vector<uint8_t>& bytes = read_.emplace_back(count);
  MMP_RETURN_IF_ERROR(source_->read(offset, bytes));
  return std::span<const uint8_t>(bytes);
}

}  // namespace mmp
