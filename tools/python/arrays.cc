#include "tools/python/arrays.h"

#include <memory>
#include <string>
#include <utility>

#include "codec/mmp.h"

namespace py = pybind11;

namespace mmp::python {
namespace {

using Samples = py::array_t<uint8_t, py::array::c_style>;

void CheckShape(const py::array& array) {
  const auto shape = py::str(array.attr("shape")).cast<std::string>();
  if (array.ndim() != 2) {
    throw py::value_error("an image is an array of rows by columns, not of shape " + shape +
                          "; make color gray first");
  }
  const auto is_side = [](py::ssize_t side) { return side >= 1 && side <= kMaxImageSide; };
  if (!is_side(array.shape(0)) || !is_side(array.shape(1))) {
    throw py::value_error("an image has 1 to " + std::to_string(kMaxImageSide) +
                          " rows and columns, not the shape " + shape);
  }
}

bool HasContiguousRows(const py::array& array) {
  return array.strides(1) == 1 && array.strides(0) >= array.shape(1);
}

}  // namespace

ArraySamples::ArraySamples(py::handle image)
    : samples_(py::array::ensure(py::reinterpret_borrow<py::object>(image))) {
  if (!samples_) throw py::type_error("an image is an array of uint8, rows by columns");
  if (!samples_.dtype().equal(py::dtype::of<uint8_t>())) {
    throw py::type_error("samples are of type uint8, not " +
                         py::str(samples_.dtype()).cast<std::string>() +
                         "; scale them to 0 to 255 and convert them with astype(numpy.uint8)");
  }
  CheckShape(samples_);
  const bool as_it_is = HasContiguousRows(samples_);
  // numpy's contiguous arrays may have any stride where there is one row or column.
  stride_ = static_cast<size_t>(as_it_is ? samples_.strides(0) : samples_.shape(1));
  if (!as_it_is) samples_ = Samples(samples_);
}

ImageView ArraySamples::View() const {
  return {static_cast<const uint8_t*>(samples_.data()), static_cast<int>(samples_.shape(1)),
          static_cast<int>(samples_.shape(0)), stride_};
}

BytesView::BytesView(py::handle object) {
  if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_SIMPLE) != 0) throw py::error_already_set();
}

std::span<const uint8_t> BytesView::bytes() const {
  return {static_cast<const uint8_t*>(buffer_.buf), static_cast<size_t>(buffer_.len)};
}

py::array ToArray(Image image) {
  auto owned = std::make_unique<Image>(std::move(image));
  const py::capsule owner(owned.get(), [](void* p) { delete static_cast<Image*>(p); });
  const Image& samples = *owned.release();
  return py::array_t<uint8_t>({samples.height(), samples.width()}, samples.Row(0), owner);
}

py::bytes ToBytes(const std::vector<uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace mmp::python
