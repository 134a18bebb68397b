// The bytes of a file that is decoded: all in memory, or read where they are needed.
#ifndef MMP_CODEC_DECODER_FILE_BYTES_H_
#define MMP_CODEC_DECODER_FILE_BYTES_H_

#include <cstdint>
#include <functional>
#include <list>
#include <span>
#include <vector>

#include "mmp/mmp.h"
#include "mmp/status.h"

namespace mmp {

class FileBytes {
 public:
  // What they are made of must live as long.
  explicit FileBytes(std::span<const uint8_t> file) : size_(file.size()), file_(file) {}
  explicit FileBytes(const ByteSource& source) : size_(source.size), source_(&source) {}
  // The `count` bytes from `offset` on as a file of their own, all of them within `whole`.
  FileBytes(const FileBytes& whole, uint64_t offset, uint64_t count);

  uint64_t size() const { return size_; }
  // Whether what Get returns takes memory.
  bool is_source() const { return source_ != nullptr; }

  // The `count` bytes from `offset` on, all of them within the file; they live as long as this.
  // Errors: those of the source.
  Result<std::span<const uint8_t>> Get(uint64_t offset, uint64_t count);

  // Hands the same bytes to `visit` part by part, in order, and keeps none. Errors: those of the
  // source.
  Status Scan(uint64_t offset, uint64_t count,
              const std::function<void(std::span<const uint8_t> part)>& visit) const;

 private:
  uint64_t size_;
  std::span<const uint8_t> file_;
  const ByteSource* source_ = nullptr;
  uint64_t begin_ = 0;                    // in the source
  std::list<std::vector<uint8_t>> read_;  // of the source
};

}  // namespace mmp

#endif  // MMP_CODEC_DECODER_FILE_BYTES_H_
