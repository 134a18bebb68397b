// Images and files as Python objects.
#ifndef MMP_TOOLS_PYTHON_ARRAYS_H_
#define MMP_TOOLS_PYTHON_ARRAYS_H_

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mmp/image.h"

namespace mmp::python {

// The samples of something that numpy takes for a 2-D array of uint8, rows by columns: its own, or
// a copy where its rows are not contiguous.
class ArraySamples {
 public:
  // Throws TypeError (no such array), InvalidArgumentError (its shape) or std::bad_alloc.
  explicit ArraySamples(pybind11::handle image);

  // Valid as long as this object.
  ImageView View() const;

 private:
  pybind11::array samples_;
  size_t stride_;  // bytes
};

// The memory of a bytes-like object, which cannot be resized as long as this object exists, or a
// copy where it is not contiguous.
class BytesView {
 public:
  // Throws TypeError if `object` is not bytes-like.
  explicit BytesView(pybind11::handle object);

  std::span<const uint8_t> bytes() const;

 private:
  pybind11::object view_;  // a contiguous memoryview
};

// An array of uint8, rows by columns, that has taken over the samples.
pybind11::array ToArray(Image image);

pybind11::bytes ToBytes(const std::vector<uint8_t>& bytes);

}  // namespace mmp::python

#endif  // MMP_TOOLS_PYTHON_ARRAYS_H_
