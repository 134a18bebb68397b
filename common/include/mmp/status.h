// Outcome of an operation that can fail on bad input or on the machine it runs on.
//
// Functions that can fail return Status, or Result<T> where they also produce a value. Neither may
// be dropped silently. Our own bugs are asserts, never a Status.
#ifndef MMP_STATUS_H_
#define MMP_STATUS_H_

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace mmp {

// Later versions may have more values.
enum class StatusCode {
  kOk,
  kInvalidArgument,  // an option or a call is wrong
  kUnsupported,      // valid, but not something this version handles
  kCorrupt,          // the data is damaged or not what it claims to be
  kLimitExceeded,    // larger than the limits set for it
  kIo,               // a file could not be read or written
  kUnavailable,      // a device or backend asked for is not there, or failed
  kOutOfMemory,      // not enough memory, of the machine or a device
  kCancelled,        // the caller asked to stop
};

class [[nodiscard]] Status {
 public:
  Status() = default;  // ok
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  // One sentence that says what is wrong and, where possible, what to do. Empty if ok.
  const std::string& message() const { return message_; }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

// A T, or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT: implicit by design
  Result(Status status) : status_(std::move(status)) { assert(!status_.ok()); }  // NOLINT

  bool ok() const { return value_.has_value(); }
  const Status& status() const& { return status_; }
  // Of a result that ends with the expression, so that it can be kept.
  Status status() && { return std::move(status_); }
  T& value() & {
    assert(ok());
    return *value_;
  }
  const T& value() const& {
    assert(ok());
    return *value_;
  }
  T&& value() && {
    assert(ok());
    return *std::move(value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  Status status_;
  std::optional<T> value_;
};

}  // namespace mmp

// Returns from the enclosing function if `expression` is a Status that is not ok.
#define MMP_RETURN_IF_ERROR(expression)                                                  \
  do {                                                                                   \
    if (::mmp::Status mmp_status_ = (expression); !mmp_status_.ok()) return mmp_status_; \
  } while (false)

#endif  // MMP_STATUS_H_
