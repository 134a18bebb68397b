// Memory running out as a Status. Inside, functions throw std::bad_alloc, or std::length_error for
// a vector of more bytes than can be addressed; what others call, does not.
#ifndef MMP_COMMON_OUT_OF_MEMORY_H_
#define MMP_COMMON_OUT_OF_MEMORY_H_

#include <new>
#include <stdexcept>

#include "mmp/status.h"

namespace mmp {

// kOutOfMemory. Needs no memory itself if there is none.
inline Status OutOfMemory() noexcept {
  try {
    return {StatusCode::kOutOfMemory, "there is not enough memory; fewer threads need less"};
  } catch (const std::bad_alloc&) {
    return {StatusCode::kOutOfMemory, "no memory left"};  // short enough to be kept in the string
  }
}

// What `call` returns, a Status or a Result; kOutOfMemory if it throws one of them.
template <typename Call>
auto OrOutOfMemory(const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  } catch (const std::length_error&) {
    return OutOfMemory();
  }
}

}  // namespace mmp

#endif  // MMP_COMMON_OUT_OF_MEMORY_H_
