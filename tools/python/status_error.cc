#include "tools/python/status_error.h"

#include <exception>
#include <new>
#include <string_view>

namespace py = pybind11;

namespace mmp::python {
namespace {

constexpr const char* kErrorDoc = R"(What the library refuses or cannot do.

`str(error)` says what is wrong and, where possible, what to do. `error.code` is one of
"invalid_argument"  a value that an argument cannot have: mmp.InvalidArgumentError
"unsupported"       not an mmp file, or one that this version does not know
"corrupt"           the data is damaged
"limit_exceeded"    larger than a limit that was set
"io"                a file could not be read or written
"unavailable"       the backend asked for is not there, or failed
"out_of_memory"     a device or the machine has not enough memory: mmp.OutOfMemoryError
"cancelled"         the progress callback asked to stop

An argument of the wrong type, or one that there is not, is a TypeError, as everywhere in Python.)";

constexpr const char* kInvalidArgumentDoc =
    R"(A value that an argument cannot have: out of range, none of the names there are, an image
without pixels or with more than one channel. It is an mmp.Error and a ValueError.)";

constexpr const char* kOutOfMemoryDoc =
    R"(There is not enough memory, on a device (mmp.trim_cuda() frees what is kept there) or in the
machine. It is an mmp.Error and a MemoryError.)";

constexpr const char* kOutOfMemory =
    "there is not enough memory; fewer threads or smaller images need less";

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

const char* ClassName(StatusCode code) {
  switch (code) {
    case StatusCode::kInvalidArgument:
      return "InvalidArgumentError";
    case StatusCode::kOutOfMemory:
      return "OutOfMemoryError";
    default:
      return "Error";
  }
}

// Makes a class of `module`. `bases` is a class or a tuple of them.
py::object Define(py::module_& module, const char* name, const char* doc, py::handle bases) {
  auto error = py::reinterpret_steal<py::object>(
      PyErr_NewExceptionWithDoc((std::string("mmp.") + name).c_str(), doc, bases.ptr(), nullptr));
  if (!error) throw py::error_already_set();
  module.attr(name) = error;
  return error;
}

void Raise(const Status& status) {
  const py::object error = MakeError(status);
  PyErr_SetObject(py::type::handle_of(error).ptr(), error.ptr());
}

void RaiseOutOfMemory() {
  try {
    Raise({StatusCode::kOutOfMemory, kOutOfMemory});
  } catch (...) {  // not even for that
    PyErr_NoMemory();
  }
}

}  // namespace

void DefineErrors(py::module_& module) {
  const py::object error = Define(module, "Error", kErrorDoc, PyExc_Exception);
  const auto define = [&](StatusCode code, const char* doc, PyObject* other) {
    const py::tuple bases = py::make_tuple(error, py::handle(other));
    Define(module, ClassName(code), doc, bases).attr("code") = CodeName(code);
  };
  define(StatusCode::kInvalidArgument, kInvalidArgumentDoc, PyExc_ValueError);
  define(StatusCode::kOutOfMemory, kOutOfMemoryDoc, PyExc_MemoryError);
}

py::object MakeError(const Status& status) {
  const py::object kind = py::module_::import("mmp._mmp").attr(ClassName(status.code()));
  py::object error = kind(status.message());
  error.attr("code") = CodeName(status.code());
  return error;
}

void ThrowIfError(const Status& status) {
  if (status.ok()) return;
  Raise(status);
  throw py::error_already_set();
}

void ThrowInvalid(std::string message) {
  Raise({StatusCode::kInvalidArgument, std::move(message)});
  throw py::error_already_set();
}

void RaiseCaught() {
  try {
    throw;
  } catch (py::error_already_set& e) {
    e.restore();
  } catch (const py::builtin_exception& e) {
    e.set_error();
  } catch (const std::bad_alloc&) {
    RaiseOutOfMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "unknown failure");
  }
}

py::object CaughtFailure() {
  RaiseCaught();
  py::error_already_set caught;
  if (!caught.matches(PyExc_Exception)) throw caught;
  return caught.value();
}

}  // namespace mmp::python
