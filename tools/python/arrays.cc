#include "tools/python/arrays.h"

#include <memory>
#include <new>
#include <string>
#include <utility>

#include "mmp/mmp.h"
#include "tools/python/status_error.h"

namespace py = pybind11;

namespace mmp::python {
namespace {

using Samples = py::array_t<uint8_t, py::array::c_style>;

std::string Text(const py::object& object) { return py::str(object).cast<std::string>(); }

// The class of a Python module, or None if that has not been imported: then there is no object of
// it.
py::object ClassOf(const char* module, const char* name) {
  const py::object found = py::module_::import("sys").attr("modules").attr("get")(module);
  return found.is_none() ? found : py::object(found.attr(name));
}

bool IsA(py::handle object, const char* module, const char* name) {
  const py::object type = ClassOf(module, name);
  return !type.is_none() && py::isinstance(object, type);
}

bool IsPath(py::handle object) {
  return py::isinstance<py::str>(object) || py::hasattr(object, "__fspath__");
}

// What numpy makes an array of that is not the image.
void CheckKind(py::handle image) {
  if (IsPath(image))
    throw py::type_error(
        "an image is an array of uint8, not a path; numpy.asarray(PIL.Image.open(path)) reads gray "
        "images");
  if (IsA(image, "numpy.ma", "MaskedArray"))
    throw py::type_error(
        "a file has no mask; choose what masked samples shall be: array.filled(255)");
  // The samples may be indices of a palette, or have a transparent one among them.
  if (IsA(image, "PIL.Image", "Image") &&
      (Text(image.attr("mode")) != "L" || image.attr("info").contains("transparency")))
    throw py::type_error("a Pillow image must be of mode L and opaque, not of mode " +
                         Text(image.attr("mode")) + "; use mmp.pillow.to_gray(image)");
}

const char* DtypeAdvice(char kind) {
  switch (kind) {
    case 'b':
      return "; make them 0 and 255: array.astype(numpy.uint8) * 255";
    case 'i':
    case 'u':
      return "; scale them to 0 to 255, unless they are, then array.astype(numpy.uint8)";
    case 'f':
      return "; scale them to 0 to 255, then numpy.rint(array).astype(numpy.uint8)";
    default:
      return "";
  }
}

void CheckDtype(const py::array& array) {
  if (array.dtype().equal(py::dtype::of<uint8_t>())) return;
  throw py::type_error("an image is an array of uint8, not of " + Text(array.dtype()) +
                       DtypeAdvice(array.dtype().kind()));
}

const char* ShapeAdvice(const py::array& array) {
  if (array.ndim() != 3) return "";
  if (array.shape(2) == 1) return "; array[:, :, 0] is";
  return "; make color gray first: PIL.Image.fromarray(array).convert(\"L\")";
}

void CheckShape(const py::array& array) {
  const std::string shape = Text(array.attr("shape"));
  if (array.ndim() != 2)
    ThrowInvalid("an image is an array of rows by columns, not of shape " + shape +
                 ShapeAdvice(array));
  const auto is_side = [](py::ssize_t side) { return side >= 1 && side <= kMaxImageSide; };
  if (!is_side(array.shape(0)) || !is_side(array.shape(1)))
    ThrowInvalid("an image has 1 to " + std::to_string(kMaxImageSide) +
                 " rows and columns, not the shape " + shape);
}

bool HasContiguousRows(const py::array& array) {
  return array.strides(1) == 1 && array.strides(0) >= array.shape(1);
}

// make(), where no memory is std::bad_alloc.
template <typename Make>
py::array MakeArray(Make make) {
  try {
    return make();
  } catch (const py::error_already_set& e) {
    if (e.matches(PyExc_MemoryError)) throw std::bad_alloc();
    throw;
  }
}

py::array AsArray(py::handle image) {
  return MakeArray([&]() -> py::array {
    try {
      return py::module_::import("numpy").attr("asarray")(image);
    } catch (const py::error_already_set& e) {
      if (!e.matches(PyExc_TypeError) && !e.matches(PyExc_ValueError)) throw;
      throw py::type_error("an image is an array of uint8, rows by columns, which " +
                           Text(py::type::handle_of(image).attr("__name__")) +
                           " is not: " + Text(e.value()));
    }
  });
}

}  // namespace

ArraySamples::ArraySamples(py::handle image) {
  CheckKind(image);
  samples_ = AsArray(image);
  CheckDtype(samples_);
  CheckShape(samples_);
  const bool as_it_is = HasContiguousRows(samples_);
  // numpy's contiguous arrays may have any stride where there is one row or column.
  stride_ = static_cast<size_t>(as_it_is ? samples_.strides(0) : samples_.shape(1));
  if (!as_it_is) samples_ = MakeArray([&] { return Samples(samples_); });
}

ImageView ArraySamples::View() const {
  return {static_cast<const uint8_t*>(samples_.data()), static_cast<int>(samples_.shape(1)),
          static_cast<int>(samples_.shape(0)), stride_};
}

BytesView::BytesView(py::handle object) {
  if (PyObject_CheckBuffer(object.ptr()) == 0) {
    const char* advice = IsPath(object) ? "; pathlib.Path(path).read_bytes() reads it"
                         : py::hasattr(object, "read") ? "; file.read() reads it"
                                                       : "";
    throw py::type_error("data is the bytes of a file, not " +
                         Text(py::type::handle_of(object).attr("__name__")) + advice);
  }
  view_ =
      py::reinterpret_steal<py::object>(PyMemoryView_GetContiguous(object.ptr(), PyBUF_READ, 'C'));
  if (!view_) throw py::error_already_set();
}

std::span<const uint8_t> BytesView::bytes() const {
  const Py_buffer& buffer = *PyMemoryView_GET_BUFFER(view_.ptr());
  return {static_cast<const uint8_t*>(buffer.buf), static_cast<size_t>(buffer.len)};
}

py::array ToArray(Image image) {
  auto owned = std::make_unique<Image>(std::move(image));
  const py::capsule owner(owned.get(), [](void* p) { delete static_cast<Image*>(p); });
  const Image& samples = *owned.release();
  return py::array_t<uint8_t>({samples.height(), samples.width()}, samples.Row(0), owner);
}

py::bytes ToBytes(const std::vector<uint8_t>& bytes) {
  auto object = py::reinterpret_steal<py::bytes>(PyBytes_FromStringAndSize(
      reinterpret_cast<const char*>(bytes.data()), static_cast<py::ssize_t>(bytes.size())));
  if (object) return object;
  PyErr_Clear();
  throw std::bad_alloc();
}

}  // namespace mmp::python
