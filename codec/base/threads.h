// How many threads a caller may ask for.
#ifndef MMP_CODEC_BASE_THREADS_H_
#define MMP_CODEC_BASE_THREADS_H_

#include <string>

#include "mmp/status.h"
#include "mmp/types.h"

namespace mmp {

// kInvalidArgument unless `threads` is in [0, kMaxThreads].
inline Status CheckThreads(int threads) {
  if (threads >= 0 && threads <= kMaxThreads) return {};
  return {StatusCode::kInvalidArgument, "threads must be between 0, which is one a core, and " +
                                            std::to_string(kMaxThreads) + ", not " +
                                            std::to_string(threads)};
}

}  // namespace mmp

#endif  // MMP_CODEC_BASE_THREADS_H_
