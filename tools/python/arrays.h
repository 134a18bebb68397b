// Images and files as Python objects.
#ifndef MMP_TOOLS_PYTHON_ARRAYS_H_
#define MMP_TOOLS_PYTHON_ARRAYS_H_

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mmp/image.h"

namespace mmp::python {

// The samples of something that numpy takes for a 2-D array of uint8, uint16, int8 or int16, rows
// by columns: its own, or a copy where its rows are not contiguous or its samples not as the codec
// takes them: signed, in two bytes but of no more than 8 bits, in another byte order or at odd
// addresses.
class ArraySamples {
 public:
  // `depth`: bits a sample, in [1, 8] or, of two bytes, [1, 16], or not set: 8 or 16. Throws
  // TypeError (no such array), InvalidArgumentError (its shape or depth) or std::bad_alloc.
  ArraySamples(pybind11::handle image, std::optional<int> depth);

  // Valid as long as this object.
  ImageView View() const;
  // Whether they were signed: the samples are their numbers plus 2^(depth - 1).
  bool is_signed() const { return is_signed_; }

 private:
  pybind11::array samples_;
  size_t stride_;  // bytes
  int depth_;      // bits a sample
  bool is_signed_ = false;
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

// An array of uint8, or of uint16 if the depth is above 8, rows by columns, that has taken over the
// samples; of int8 or int16, less by 2^(depth - 1), if they are signed.
pybind11::array ToArray(Image image, bool is_signed);

pybind11::bytes ToBytes(const std::vector<uint8_t>& bytes);

}  // namespace mmp::python

#endif  // MMP_TOOLS_PYTHON_ARRAYS_H_
