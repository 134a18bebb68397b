#include "tools/python/call.h"

namespace py = pybind11;

namespace mmp::python {

Call::Call(py::object progress) : progress_(std::move(progress)) {
  if (!progress_.is_none() && PyCallable_Check(progress_.ptr()) == 0)
    throw py::type_error("progress must be a function of one number, or None");
}

bool Call::Report(double done) {
  if (stopped_) return false;
  if (progress_.is_none()) return true;
  const py::gil_scoped_acquire acquire;
  try {
    const py::object answer = progress_(done);
    return answer.is_none() || py::bool_(answer);
  } catch (const py::error_already_set&) {
    Stop(std::current_exception());
    return false;
  }
}

void Call::CheckSignals() {
  if (PyErr_CheckSignals() != 0) Stop(std::make_exception_ptr(py::error_already_set()));
}

void Call::Stop(std::exception_ptr failure) {
  if (!failure_) failure_ = std::move(failure);
  stopped_ = true;
}

}  // namespace mmp::python
