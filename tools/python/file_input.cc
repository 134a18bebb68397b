#include "tools/python/file_input.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace py = pybind11;

namespace mmp::python {
namespace {

constexpr size_t kReadChunk = size_t{1} << 30;  // bytes, at most

bool IsReader(py::handle object) {
  return py::hasattr(object, "read") && py::hasattr(object, "seek") && py::hasattr(object, "tell");
}

uint64_t SizeOf(const py::object& reader) {
  constexpr int kFromTheEnd = 2;
  reader.attr("seek")(0, kFromTheEnd);
  return reader.attr("tell")().cast<uint64_t>();
}

// Fills `bytes` with those from `offset` on. Throws what Python does.
Status ReadFrom(const py::object& reader, uint64_t offset, std::span<uint8_t> bytes) {
  reader.attr("seek")(offset);
  while (!bytes.empty()) {
    const py::object read = reader.attr("read")(std::min(bytes.size(), kReadChunk));
    if (py::isinstance<py::str>(read))
      throw py::type_error("data is a file of text; open it in mode \"rb\"");
    const BytesView part(read);
    const size_t count = part.bytes().size();
    if (count == 0 || count > bytes.size())
      return {StatusCode::kIo, "the file gave " + std::to_string(count) + " bytes where " +
                                   std::to_string(bytes.size()) + " were to be read"};
    std::ranges::copy(part.bytes(), bytes.begin());
    bytes = bytes.subspan(count);
  }
  return {};
}

}  // namespace

FileInput::FileInput(py::object data, Call& call) : call_(call) {
  if (PyObject_CheckBuffer(data.ptr()) != 0) {
    bytes_.emplace(data);
    return;
  }
  is_own_ = py::isinstance<py::str>(data) || py::hasattr(data, "__fspath__");
  if (!is_own_ && !IsReader(data))
    throw py::type_error(
        "data is the bytes of a file, its path or a binary file that can seek, not " +
        py::str(py::type::handle_of(data).attr("__name__")).cast<std::string>());
  reader_ = is_own_ ? py::module_::import("io").attr("open")(data, "rb") : std::move(data);
  size_ = SizeOf(reader_);
}

FileInput::~FileInput() {
  if (!is_own_ || !reader_) return;
  try {
    reader_.attr("close")();
  } catch (py::error_already_set& error) {
    error.discard_as_unraisable("mmp: closing a file that was read");
  }
}

Result<DecodedImage> FileInput::DecodeBy(const DecodeOptions& options) {
  return bytes_ ? Decode(bytes_->bytes(), options) : DecodeFrom(Source(), options);
}

Result<FileInfo> FileInput::InfoBy(const InfoOptions& options) {
  return bytes_ ? ReadInfo(bytes_->bytes(), options) : ReadInfoFrom(Source(), options);
}

ByteSource FileInput::Source() {
  return {size_, [this](uint64_t offset, std::span<uint8_t> bytes) { return Read(offset, bytes); }};
}

Status FileInput::Read(uint64_t offset, std::span<uint8_t> bytes) {
  const py::gil_scoped_acquire acquire;
  if (call_.stopped()) return {StatusCode::kCancelled, "reading the file was cancelled"};
  try {
    return ReadFrom(reader_, offset, bytes);
  } catch (const std::exception&) {
    call_.Stop(std::current_exception());
    return {StatusCode::kIo, "the file could not be read"};
  }
}

}  // namespace mmp::python
