// Memory running out as a Status. Inside, functions throw std::bad_alloc, or std::length_error for
// a vector of more bytes than can be addressed; what others call, does not. A std::length_error of
// theirs is not memory's: it passes as ThrownByCaller.
#ifndef MMP_COMMON_OUT_OF_MEMORY_H_
#define MMP_COMMON_OUT_OF_MEMORY_H_

#include <exception>
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

struct ThrownByCaller {
  std::exception_ptr exception;
};

// What `call` returns, which calls a function of the caller's, within OrOutOfMemory.
template <typename Call>
auto CallBack(const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::length_error&) {
    throw ThrownByCaller{std::current_exception()};
  }
}

// What `call` returns, a Status or a Result; kOutOfMemory if it throws one of them. What CallBack
// let pass is thrown on as it was.
template <typename Call>
auto OrOutOfMemory(const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const ThrownByCaller& thrown) {
    std::rethrow_exception(thrown.exception);
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  } catch (const std::length_error&) {
    return OutOfMemory();
  }
}

}  // namespace mmp

#endif  // MMP_COMMON_OUT_OF_MEMORY_H_
