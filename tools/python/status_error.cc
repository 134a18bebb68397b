#include "tools/python/status_error.h"

#include <string_view>

namespace py = pybind11;

namespace mmp::python {
namespace {

constexpr const char* kDoc = R"(What the library refuses or cannot do.

`str(error)` says what is wrong and, where possible, what to do. `error.code` is one of
"invalid_argument"  an option is wrong
"unsupported"       not an mmp file, or one that this version does not know
"corrupt"           the data is damaged
"limit_exceeded"    larger than a limit that was set
"io"                a file could not be read or written
"unavailable"       the backend asked for is not there, or failed
"out_of_memory"     a device has not enough memory
"cancelled"         the progress callback asked to stop
)";

std::string_view CodeName(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      break;
    case StatusCode::kInvalidArgument:
      return "invalid_argument";
    case StatusCode::kUnsupported:
      return "unsupported";
    case StatusCode::kCorrupt:
      return "corrupt";
    case StatusCode::kLimitExceeded:
      return "limit_exceeded";
    case StatusCode::kIo:
      return "io";
    case StatusCode::kUnavailable:
      return "unavailable";
    case StatusCode::kOutOfMemory:
      return "out_of_memory";
    case StatusCode::kCancelled:
      return "cancelled";
  }
  return "?";
}

}  // namespace

void DefineError(py::module_& module) {
  const auto error = py::reinterpret_steal<py::object>(
      PyErr_NewExceptionWithDoc("mmp.Error", kDoc, nullptr, nullptr));
  if (!error) throw py::error_already_set();
  module.attr("Error") = error;
}

py::object MakeError(const Status& status) {
  py::object error = py::module_::import("mmp._mmp").attr("Error")(status.message());
  error.attr("code") = CodeName(status.code());
  return error;
}

void ThrowIfError(const Status& status) {
  if (status.ok()) return;
  const py::object error = MakeError(status);
  PyErr_SetObject(py::type::handle_of(error).ptr(), error.ptr());
  throw py::error_already_set();
}

}  // namespace mmp::python
