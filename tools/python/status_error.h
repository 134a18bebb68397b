// Failures as Python exceptions.
//
//   Exception
//   +- mmp.Error                 what the library refuses or cannot do; `code` says what kind it is
//   |  +- InvalidArgumentError   also a ValueError: a value that an argument cannot have
//   |  +- OutOfMemoryError       also a MemoryError
//   +- TypeError                 an argument of the wrong type, or one that there is not
//
// A callback's own exceptions come through as they are.
#ifndef MMP_TOOLS_PYTHON_STATUS_ERROR_H_
#define MMP_TOOLS_PYTHON_STATUS_ERROR_H_

#include <pybind11/pybind11.h>

#include <string>
#include <utility>

#include "mmp/status.h"

namespace mmp::python {

// Adds the classes to `module`.
void DefineErrors(pybind11::module_& module);

// An instance of the class for that code; `status` must not be ok.
pybind11::object MakeError(const Status& status);

// Throws that instance if `status` is not ok.
void ThrowIfError(const Status& status);

// Throws an InvalidArgumentError.
[[noreturn]] void ThrowInvalid(std::string message);

// To be called in a catch block: makes what was caught Python's current error. std::bad_alloc is an
// OutOfMemoryError.
void RaiseCaught();

// To be called in a catch block: the same as an object, with no error set. What does not say that
// something failed, such as KeyboardInterrupt, is thrown on.
pybind11::object CaughtFailure();

template <typename T>
T ValueOrThrow(Result<T> result) {
  ThrowIfError(result.status());
  return *std::move(result);
}

}  // namespace mmp::python

#endif  // MMP_TOOLS_PYTHON_STATUS_ERROR_H_
