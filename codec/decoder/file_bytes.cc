#include "codec/decoder/file_bytes.h"

#include <algorithm>
#include <cassert>

#include "common/out_of_memory.h"

namespace mmp {
namespace {

constexpr uint64_t kScannedBytes = uint64_t{1} << 20;  // at a time

}  // namespace

FileBytes::FileBytes(const FileBytes& whole, uint64_t offset, uint64_t count)
    : size_(count), source_(whole.source_), begin_(whole.begin_ + offset) {
  assert(offset <= whole.size_ && count <= whole.size_ - offset);
  if (!is_source()) file_ = whole.file_.subspan(offset, count);
}

Result<std::span<const uint8_t>> FileBytes::Get(uint64_t offset, uint64_t count) {
  assert(offset <= size_ && count <= size_ - offset);
  if (!is_source()) return file_.subspan(offset, count);
  if (count == 0) return std::span<const uint8_t>();
  std::vector<uint8_t>& bytes = read_.emplace_back(count);
  MMP_RETURN_IF_ERROR(CallBack([&] { return source_->read(begin_ + offset, bytes); }));
  return std::span<const uint8_t>(bytes);
}

Status FileBytes::Scan(uint64_t offset, uint64_t count,
                       const std::function<void(std::span<const uint8_t> part)>& visit) const {
  assert(offset <= size_ && count <= size_ - offset);
  if (!is_source()) {
    visit(file_.subspan(offset, count));
    return {};
  }
  std::vector<uint8_t> buffer(std::min(count, kScannedBytes));
  for (uint64_t done = 0; done < count;) {
    const std::span<uint8_t> part(buffer.data(), std::min<uint64_t>(count - done, buffer.size()));
    MMP_RETURN_IF_ERROR(CallBack([&] { return source_->read(begin_ + offset + done, part); }));
    visit(part);
    done += part.size();
  }
  return {};
}

}  // namespace mmp
