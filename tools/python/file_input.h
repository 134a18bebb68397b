// Files to decode, or to be told about, as Python has them.
#ifndef MMP_TOOLS_PYTHON_FILE_INPUT_H_
#define MMP_TOOLS_PYTHON_FILE_INPUT_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <span>

#include "mmp/mmp.h"
#include "mmp/status.h"
#include "tools/python/arrays.h"
#include "tools/python/call.h"

namespace mmp::python {

// The bytes of a file, its path, or an object that reads it from wherever it is told to. Of the
// latter two only what is needed is read.
class FileInput {
 public:
  // Throws TypeError if `data` is none of these, and what Python throws where it cannot be opened.
  // What its reading throws later stops `call`.
  FileInput(pybind11::object data, Call& call);
  FileInput(const FileInput&) = delete;
  FileInput& operator=(const FileInput&) = delete;
  ~FileInput();

  // As the library's. Without the GIL.
  Result<DecodedImage> DecodeBy(const DecodeOptions& options);
  Result<FileInfo> InfoBy(const InfoOptions& options);

 private:
  ByteSource Source();
  Status Read(uint64_t offset, std::span<uint8_t> bytes);

  Call& call_;
  std::optional<BytesView> bytes_;  // if the data are bytes
  pybind11::object reader_;         // else
  bool is_own_ = false;             // the reader, which was opened here
  uint64_t size_ = 0;               // bytes
};

}  // namespace mmp::python

#endif  // MMP_TOOLS_PYTHON_FILE_INPUT_H_
