// Functions of the extension module.
//
// They are the module's own, as those of any module written in C, and not pybind11's: only so can
// they be pickled, which multiprocessing needs, and only so do wrong calls have readable errors.
#ifndef MMP_TOOLS_PYTHON_FUNCTIONS_H_
#define MMP_TOOLS_PYTHON_FUNCTIONS_H_

#include <pybind11/pybind11.h>

#include "tools/python/status_error.h"

namespace mmp::python {

// NAME(FIRST, *, options), NAME(FIRST) or NAME().
struct Signature {
  const char* name;
  const char* first;   // the argument that may be given by position; null if there is none
  const char* option;  // one of the options, for the error of a call that has none by name; null if
                       // there are none
};

// What a call gives: the first argument, null if the signature has none, and the options.
struct Given {
  pybind11::object first;
  pybind11::dict options;
};

// Throws TypeError unless the arguments are those of the signature; names of options are not
// looked at. `keywords` may be null.
Given SplitArguments(const Signature& signature, PyObject* positional, PyObject* keywords);

// The C function for PyMethodDef that calls `function`. Its exceptions become Python's.
template <const Signature& signature, pybind11::object (*function)(const Given&)>
PyObject* Entry(PyObject* /*module*/, PyObject* positional, PyObject* keywords) {
  try {
    return function(SplitArguments(signature, positional, keywords)).release().ptr();
  } catch (...) {
    RaiseCaught();
    return nullptr;
  }
}

template <const Signature& signature, pybind11::object (*function)(const Given&)>
PyMethodDef Method(const char* doc) {
  auto* const entry = reinterpret_cast<void (*)()>(&Entry<signature, function>);
  return {signature.name, reinterpret_cast<PyCFunction>(entry), METH_VARARGS | METH_KEYWORDS, doc};
}

}  // namespace mmp::python

#endif  // MMP_TOOLS_PYTHON_FUNCTIONS_H_
