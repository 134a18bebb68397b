#include "tools/python/arrays.h"

#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "mmp/mmp.h"
#include "tools/python/status_error.h"

namespace py = pybind11;

namespace mmp::python {
namespace {

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

// Of Pillow, and of one or two bytes a sample.
bool IsGrayMode(std::string_view mode) {
  return mode == "L" || mode == "I;16" || mode == "I;16L" || mode == "I;16B";
}

// What numpy makes an array of that is not the image.
void CheckKind(py::handle image) {
  if (IsPath(image))
    throw py::type_error(
        "an image is an array of uint8 or uint16, not a path; numpy.asarray(PIL.Image.open(path)) "
        "reads gray "
        "images");
  if (IsA(image, "numpy.ma", "MaskedArray"))
    throw py::type_error(
        "a file has no mask; choose what masked samples shall be: array.filled(255)");
  // The samples may be indices of a palette, or have a transparent one among them.
  if (IsA(image, "PIL.Image", "Image") &&
      (!IsGrayMode(Text(image.attr("mode"))) || image.attr("info").contains("transparency")))
    throw py::type_error("a Pillow image must be of mode L or I;16 and opaque, not of mode " +
                         Text(image.attr("mode")) + "; use mmp.pillow.to_gray(image)");
}

std::string DtypeAdvice(const py::dtype& dtype) {
  switch (dtype.kind()) {
    case 'b':
      return "; write array.astype(numpy.uint8) and depth=1";
    case 'i':
    case 'u':
      return "; if they are 0 to 255, array.astype(numpy.uint8), if 0 to 65535, "
             "array.astype(numpy.uint16), if -32768 to 32767, array.astype(numpy.int16); else "
             "scale them first";
    case 'f':
      return "; scale them to 0 to 255, then numpy.rint(array).astype(numpy.uint8), or to 0 to "
             "65535, then numpy.rint(array).astype(numpy.uint16)";
    default:
      return "";
  }
}

// Of one or two bytes, in any order.
void CheckDtype(const py::dtype& dtype) {
  if ((dtype.kind() == 'u' || dtype.kind() == 'i') && dtype.itemsize() <= 2) return;
  throw py::type_error("an image is an array of uint8, uint16, int8 or int16, not of " +
                       Text(dtype) + DtypeAdvice(dtype));
}

// The bits a sample of an array whose samples take so many bytes.
int Depth(std::optional<int> asked, py::ssize_t bytes) {
  const int most = static_cast<int>(8 * bytes);
  if (!asked) return most;
  if (*asked >= 1 && *asked <= most) return *asked;
  const bool fits_two_bytes = *asked > 8 && *asked <= kMaxDepth;
  ThrowInvalid("depth must be 1 to " + std::to_string(most) + " for an array of uint" +
               std::to_string(most) + ", not " + std::to_string(*asked) +
               (fits_two_bytes ? "; array.astype(numpy.uint16) can have it" : ""));
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

// Whether the codec can read the samples where they are.
bool IsReadable(const py::array& array) {
  const py::ssize_t bytes = array.itemsize();
  const bool has_native_order =
      array.dtype().equal(bytes == 1 ? py::dtype::of<uint8_t>() : py::dtype::of<uint16_t>());
  return has_native_order && array.strides(1) == bytes &&
         array.strides(0) >= bytes * array.shape(1) && array.strides(0) % bytes == 0 &&
         reinterpret_cast<uintptr_t>(array.data()) % bytes == 0;
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
      throw py::type_error("an image is an array of uint8 or uint16, rows by columns, which " +
                           Text(py::type::handle_of(image).attr("__name__")) +
                           " is not: " + Text(e.value()));
    }
  });
}

// A copy with contiguous rows, of uint8 or uint16.
py::array Copy(const py::array& array, int sample_bytes) {
  const py::dtype dtype = sample_bytes == 1 ? py::dtype::of<uint8_t>() : py::dtype::of<uint16_t>();
  return MakeArray([&]() -> py::array { return array.attr("astype")(dtype, "C"); });
}

// Numbers of `depth` bits in two's complement as samples: 2^(depth - 1) more each.
py::array Shifted(const py::array& array, int depth) {
  const int offset = 1 << (depth - 1);
  const int least = py::int_(array.attr("min")()).cast<int>();
  const int most = py::int_(array.attr("max")()).cast<int>();
  if (least < -offset || most >= offset)
    ThrowInvalid("a sample is " + std::to_string(least < -offset ? least : most) + ", which its " +
                 std::to_string(depth) + " bits cannot be: they are " + std::to_string(-offset) +
                 " to " + std::to_string(offset - 1));
  const py::dtype wide = py::dtype::of<int32_t>();
  return MakeArray([&]() -> py::array {
    return array.attr("astype")(wide).attr("__add__")(offset).attr("astype")(
        depth > 8 ? py::dtype::of<uint16_t>() : py::dtype::of<uint8_t>());
  });
}

// The numbers that Shifted was given.
py::array Unshifted(const py::array& samples, int depth) {
  const py::dtype wide = py::dtype::of<int32_t>();
  return MakeArray([&]() -> py::array {
    return samples.attr("astype")(wide)
        .attr("__sub__")(1 << (depth - 1))
        .attr("astype")(depth > 8 ? py::dtype::of<int16_t>() : py::dtype::of<int8_t>());
  });
}

// Before samples of two bytes are copied to one each, which would cut larger ones.
void CheckLargest(const py::array& array, int depth) {
  const int most = py::int_(array.attr("max")()).cast<int>();
  if (most > LargestSample(depth))
    ThrowInvalid("a sample is " + std::to_string(most) + ", more than its " +
                 std::to_string(depth) + " bits can be");
}

}  // namespace

ArraySamples::ArraySamples(py::handle image, std::optional<int> depth) {
  CheckKind(image);
  samples_ = AsArray(image);
  CheckDtype(samples_.dtype());
  CheckShape(samples_);
  depth_ = Depth(depth, samples_.itemsize());
  is_signed_ = samples_.dtype().kind() == 'i';
  if (is_signed_) samples_ = Shifted(samples_, depth_);
  const int bytes = SampleBytes(depth_);
  if (samples_.itemsize() > bytes) CheckLargest(samples_, depth_);
  const bool as_it_is = samples_.itemsize() == bytes && IsReadable(samples_);
  // numpy's contiguous arrays may have any stride where there is one row or column.
  stride_ = static_cast<size_t>(as_it_is ? samples_.strides(0) : bytes * samples_.shape(1));
  if (!as_it_is) samples_ = Copy(samples_, bytes);
}

ImageView ArraySamples::View() const {
  return {static_cast<const uint8_t*>(samples_.data()), static_cast<int>(samples_.shape(1)),
          static_cast<int>(samples_.shape(0)), stride_, depth_};
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

py::array ToArray(Image image, bool is_signed) {
  const int depth = image.depth();
  if (is_signed) return Unshifted(ToArray(std::move(image), false), depth);
  auto owned = std::make_unique<Image>(std::move(image));
  const py::capsule owner(owned.get(), [](void* p) { delete static_cast<Image*>(p); });
  const Image& samples = *owned.release();
  const std::vector<py::ssize_t> shape = {samples.height(), samples.width()};
  if (samples.depth() > 8) return py::array_t<uint16_t>(shape, samples.Row16(0), owner);
  return py::array_t<uint8_t>(shape, samples.Row(0), owner);
}

py::bytes ToBytes(const std::vector<uint8_t>& bytes) {
  auto object = py::reinterpret_steal<py::bytes>(PyBytes_FromStringAndSize(
      reinterpret_cast<const char*>(bytes.data()), static_cast<py::ssize_t>(bytes.size())));
  if (object) return object;
  PyErr_Clear();
  throw std::bad_alloc();
}

}  // namespace mmp::python
