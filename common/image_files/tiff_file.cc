#include "common/image_files/tiff_file.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>

namespace mmp {
namespace {

struct OptionsFreer {
  void operator()(TIFFOpenOptions* options) const { TIFFOpenOptionsFree(options); }
};

// Keeps the first message.
template <size_t kSize>
void Keep(char (&kept)[kSize], const char* format, va_list arguments) {
  if (kept[0] == '\0') std::vsnprintf(kept, kSize, format, arguments);
}

}  // namespace

TiffFile::TiffFile(std::span<const uint8_t> bytes, uint64_t most_bytes_at_a_time) {
  user_.bytes = bytes;
  const std::unique_ptr<TIFFOpenOptions, OptionsFreer> options(TIFFOpenOptionsAlloc());
  if (options == nullptr) throw std::bad_alloc();
  constexpr uint64_t kMost = std::numeric_limits<tmsize_t>::max();
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(),
                                      static_cast<tmsize_t>(std::min(most_bytes_at_a_time, kMost)));
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), OnError, &user_);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), OnWarning, &user_);
  const auto no_write = [](thandle_t, void*, tmsize_t) -> tmsize_t { return 0; };
  const auto no_close = [](thandle_t) { return 0; };
  const auto size = [](thandle_t user) -> toff_t {
    return static_cast<const User*>(user)->bytes.size();
  };
  // "m": not mapped. What libtiff takes apart lies in a buffer of its own, with room behind it.
  tiff_.reset(TIFFClientOpenExt("TIFF", "rm", &user_, OnRead, no_write, OnSeek, no_close, size,
                                nullptr, nullptr, options.get()));
}

tmsize_t TiffFile::OnRead(thandle_t user, void* data, tmsize_t size) {
  auto& file = *static_cast<User*>(user);
  if (size <= 0 || file.position >= file.bytes.size()) return 0;
  const auto position = static_cast<size_t>(file.position);
  const size_t count = std::min(static_cast<size_t>(size), file.bytes.size() - position);
  std::memcpy(data, file.bytes.data() + position, count);
  file.position += count;
  return static_cast<tmsize_t>(count);
}

toff_t TiffFile::OnSeek(thandle_t user, toff_t offset, int whence) {
  auto& file = *static_cast<User*>(user);
  if (whence == SEEK_CUR) offset += file.position;
  if (whence == SEEK_END) offset += file.bytes.size();
  file.position = offset;
  return offset;
}

int TiffFile::OnError(TIFF* /*tiff*/, void* user, const char* /*module*/, const char* format,
                      va_list arguments) {
  Keep(static_cast<User*>(user)->error, format, arguments);
  return 1;  // nobody else is told
}

int TiffFile::OnWarning(TIFF* /*tiff*/, void* user, const char* /*module*/, const char* format,
                        va_list arguments) {
  Keep(static_cast<User*>(user)->warning, format, arguments);
  return 1;
}

Status TiffFile::Error(const std::string& name, const char* otherwise) const {
  for (const char* lack : {"Out of memory", "No space for", "allocate memory"})
    if (std::strstr(error(), lack) != nullptr) throw std::bad_alloc();
  return {StatusCode::kCorrupt,
          name + " is a damaged TIFF file: " + (error()[0] != '\0' ? error() : otherwise)};
}

}  // namespace mmp
