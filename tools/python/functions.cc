#include "tools/python/functions.h"

#include <string>

namespace py = pybind11;

namespace mmp::python {
namespace {

// How the second of the arguments given by position should have been given.
std::string Advice(const Signature& signature, py::handle second) {
  const std::string option = signature.option;
  if (option == "lambda_" && PyNumber_Check(second.ptr()) != 0)
    return "write lambda_=" + py::repr(second).cast<std::string>();
  return "write the options by name, such as " + option + "=...";
}

py::type_error TooMany(const Signature& signature, const py::tuple& positional) {
  const std::string call = std::string(signature.name) + "()";
  if (signature.first == nullptr) return py::type_error(call + " takes no arguments");
  std::string message = call + " takes one argument by position, " + signature.first;
  if (signature.option != nullptr) message += "; " + Advice(signature, positional[1]);
  return py::type_error(message);
}

}  // namespace

Given SplitArguments(const Signature& signature, PyObject* positional, PyObject* keywords) {
  const auto arguments = py::reinterpret_borrow<py::tuple>(positional);
  Given given;
  if (keywords != nullptr) given.options = py::dict(py::reinterpret_borrow<py::dict>(keywords));
  const std::string call = std::string(signature.name) + "()";
  if (arguments.size() > (signature.first == nullptr ? 0 : 1)) throw TooMany(signature, arguments);
  if (signature.first != nullptr) {
    const bool is_named = given.options.contains(signature.first);
    if (is_named == !arguments.empty())
      throw py::type_error(
          call + (is_named ? " got two values of its argument " : " needs the argument ") +
          signature.first);
    given.first = is_named ? py::object(given.options.attr("pop")(signature.first))
                           : py::object(arguments[0]);
  }
  if (signature.option == nullptr && !given.options.empty())
    throw py::type_error(call + " takes no options");
  return given;
}

}  // namespace mmp::python
