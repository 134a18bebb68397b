// Whole files in and out. Errors name the file and say what the system said.
#ifndef MMP_COMMON_FILE_IO_H_
#define MMP_COMMON_FILE_IO_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/temporary_files.h"  // IWYU pragma: export
#include "mmp/status.h"

namespace mmp {

// Reads a file, or standard input if `path` is "-", to its end.
// Errors: kIo; kLimitExceeded if there are more than `max_bytes`.
Result<std::vector<uint8_t>> ReadFile(const std::string& path, uint64_t max_bytes);

// What becomes of a regular file that has the name of a new one.
enum class OldFile : uint8_t { kReplaced, kKept };

// A file that appears under its name complete or not at all: it is written under a temporary name
// in the same folder, which Commit replaces by the real one and the destructor removes. An existing
// file is replaced if it may be written, and keeps its permission bits, or, with OldFile::kKept, is
// an error, also if it has appeared since Open; symbolic links are followed, also to where there is
// no file yet. Standard output ("-") and what is not a regular file (devices, pipes) are written
// directly.
class AtomicFile {
 public:
  static Result<AtomicFile> Open(const std::string& path, OldFile old_file = OldFile::kReplaced);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  // Appends. A pipe that nobody reads any more is an error like others: there is no SIGPIPE.
  Status Write(std::span<const uint8_t> bytes);

  // Puts the file in place; to be called once. Fails if a Write has failed.
  Status Commit();

 private:
  AtomicFile(std::string name, OldFile old_file) : name_(std::move(name)), old_file_(old_file) {}
  // `mode`: the permission bits; by default those of a new file.
  Status OpenTemporary(const std::string& path, std::optional<mode_t> mode);
  Status Fail();  // the first failure, from errno

  std::string name_;  // for messages
  OldFile old_file_;
  std::string target_path_;     // empty if written directly
  std::string temporary_path_;  // empty while there is no such file
  int temporary_slot_ = -1;     // in the registry of temporary files
  int descriptor_ = -1;
  Status status_;  // the first failure
};

// Opens, writes and commits an AtomicFile.
Status WriteFile(const std::string& path, std::span<const uint8_t> bytes,
                 OldFile old_file = OldFile::kReplaced);
Status WriteTextFile(const std::string& path, std::string_view text);

}  // namespace mmp

#endif  // MMP_COMMON_FILE_IO_H_
