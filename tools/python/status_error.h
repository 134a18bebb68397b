// The library's errors as Python exceptions.
#ifndef MMP_TOOLS_PYTHON_STATUS_ERROR_H_
#define MMP_TOOLS_PYTHON_STATUS_ERROR_H_

#include <pybind11/pybind11.h>

#include <utility>

#include "common/status.h"

namespace mmp::python {

// Adds the class Error to `module`.
void DefineError(pybind11::module_& module);

// An instance of Error; `status` must not be ok.
pybind11::object MakeError(const Status& status);

// Throws that instance if `status` is not ok.
void ThrowIfError(const Status& status);

template <typename T>
T ValueOrThrow(Result<T> result) {
  ThrowIfError(result.status());
  return *std::move(result);
}

}  // namespace mmp::python

#endif  // MMP_TOOLS_PYTHON_STATUS_ERROR_H_
