#include "codec/c_api/call.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

namespace mmp {
namespace {

// Of a size of its own, so that the lack of memory can be told, too.
thread_local char error_message[512] = "";

mmp_status CodeOf(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return MMP_OK;
    case StatusCode::kInvalidArgument:
      return MMP_INVALID_ARGUMENT;
    case StatusCode::kUnsupported:
      return MMP_UNSUPPORTED;
    case StatusCode::kCorrupt:
      return MMP_CORRUPT;
    case StatusCode::kLimitExceeded:
      return MMP_LIMIT_EXCEEDED;
    case StatusCode::kIo:
      return MMP_IO;
    case StatusCode::kUnavailable:
      return MMP_UNAVAILABLE;
    case StatusCode::kOutOfMemory:
      return MMP_OUT_OF_MEMORY;
    case StatusCode::kCancelled:
      return MMP_CANCELLED;
  }
  return MMP_INTERNAL_ERROR;
}

}  // namespace

mmp_status Fail(mmp_status status, std::string_view message) {
  const size_t size = std::min(message.size(), sizeof(error_message) - 1);
  std::memcpy(error_message, message.data(), size);
  error_message[size] = 0;
  return status;
}
mmp_status Fail(const Status& status) { return Fail(CodeOf(status.code()), status.message()); }

mmp_status FailForNull(std::string_view what) {
  char message[64] = "";
  const size_t size = what.copy(message, 40);
  std::strcpy(message + size, " is null");
  return Fail(MMP_INVALID_ARGUMENT, message);
}

ByteSource SourceOf(mmp_read_function read, void* context, uint64_t size) {
  return {size, [=](uint64_t offset, std::span<uint8_t> bytes) -> Status {
            if (read(offset, bytes.data(), bytes.size(), context) != 0) return {};
            return {StatusCode::kIo, "the file's " + std::to_string(bytes.size()) +
                                         " bytes from byte " + std::to_string(offset) +
                                         " on could not be read"};
          }};
}

}  // namespace mmp

const char* mmp_status_text(int status) {
  switch (status) {
    case MMP_OK:
      return "no error";
    case MMP_INVALID_ARGUMENT:
      return "invalid argument";
    case MMP_UNSUPPORTED:
      return "unsupported file";
    case MMP_CORRUPT:
      return "damaged file";
    case MMP_LIMIT_EXCEEDED:
      return "limit exceeded";
    case MMP_IO:
      return "input or output failed";
    case MMP_UNAVAILABLE:
      return "backend not available";
    case MMP_OUT_OF_MEMORY:
      return "out of memory";
    case MMP_CANCELLED:
      return "cancelled";
    case MMP_INTERNAL_ERROR:
      return "internal error";
  }
  return "unknown status";
}

const char* mmp_error_message(void) { return mmp::error_message; }

void mmp_free(void* memory) { std::free(memory); }
