// A file of which parts are read.
#ifndef MMP_COMMON_RANDOM_ACCESS_FILE_H_
#define MMP_COMMON_RANDOM_ACCESS_FILE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "mmp/status.h"

namespace mmp {

class RandomAccessFile {
 public:
  // Opens a file; nothing if it is no regular one, such as a pipe, of which only the whole can be
  // read. Errors: kIo.
  static Result<std::optional<RandomAccessFile>> Open(const std::string& path);
  RandomAccessFile(RandomAccessFile&& other) noexcept;
  RandomAccessFile(const RandomAccessFile&) = delete;
  RandomAccessFile& operator=(const RandomAccessFile&) = delete;
  ~RandomAccessFile();

  uint64_t size() const { return size_; }  // bytes, when it was opened

  // Fills `bytes` with those from `offset` on. Errors: kIo, also where the file ends before.
  Status Read(uint64_t offset, std::span<uint8_t> bytes) const;

 private:
  RandomAccessFile(std::string path, int descriptor, uint64_t size);

  std::string path_;
  int descriptor_;
  uint64_t size_;
};

}  // namespace mmp

#endif  // MMP_COMMON_RANDOM_ACCESS_FILE_H_
