// Statuses that many of the codec's files return.
#ifndef MMP_CODEC_BASE_FAILURES_H_
#define MMP_CODEC_BASE_FAILURES_H_

#include <string>
#include <utility>

#include "mmp/status.h"

namespace mmp {

inline Status Corrupt(std::string message) { return {StatusCode::kCorrupt, std::move(message)}; }

inline Status InvalidArgument(std::string message) {
  return {StatusCode::kInvalidArgument, std::move(message)};
}

inline Status EncodingCancelled() { return {StatusCode::kCancelled, "encoding was cancelled"}; }

}  // namespace mmp

#endif  // MMP_CODEC_BASE_FAILURES_H_
