#include "tools/sweep/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "common/file_io.h"
#include "tools/sweep/point_json.h"
#include "tools/text/json.h"
#include "tools/text/json_parser.h"

namespace mmp {
namespace {

constexpr uint64_t kMaxBytes = uint64_t{1} << 34;

Status SystemError(const char* action, const std::string& path) {
  return {StatusCode::kIo, std::string("cannot ") + action + " '" + path +
                               "': " + std::generic_category().message(errno)};
}

// Some file systems of clusters have no locks: a sweep must do without.
bool IsWithoutLocks(int error) { return error == ENOSYS || error == ENOLCK || error == EOPNOTSUPP; }

}  // namespace

Result<std::unique_ptr<Journal>> Journal::Open(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) return SystemError("write", path);
  std::unique_ptr<Journal> journal(new Journal(path, descriptor));
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && !IsWithoutLocks(errno)) {
    if (errno != EWOULDBLOCK) return SystemError("lock", path);
    return Status(StatusCode::kIo, "another sweep is at work on '" + path +
                                       "'; wait for its end or choose another folder with -o");
  }
  MMP_RETURN_IF_ERROR(journal->Read());
  return journal;
}

Journal::~Journal() { close(descriptor_); }

Status Journal::Read() {
  const Result<std::vector<uint8_t>> bytes = ReadFile(path_, kMaxBytes);
  if (!bytes.ok()) return bytes.status();
  std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  size_t good_bytes = 0;  // up to the end of the last whole line
  for (size_t end; (end = text.find('\n', good_bytes)) != std::string_view::npos;) {
    const std::optional<Json> line = ReadJson(text.substr(good_bytes, end - good_bytes));
    good_bytes = end + 1;
    if (!line) continue;
    std::optional<RdPoint> point = ReadPoint(*line);
    if (point) points_[(*line)["key"].text] = *std::move(point);
  }
  // What follows is the beginning of a line that the next one must not continue.
  if (good_bytes < text.size() && ftruncate(descriptor_, static_cast<off_t>(good_bytes)) != 0)
    return SystemError("write", path_);
  return {};
}

const RdPoint* Journal::Find(const std::string& key) const {
  const auto found = points_.find(key);
  return found == points_.end() ? nullptr : &found->second;
}

Status Journal::Append(const std::string& key, const std::string& image, const std::string& codec,
                       const RdPoint& point) {
  JsonWriter json(JsonLayout::kCompact);
  json.BeginObject().Field("key", key).Field("image", image).Field("codec", codec);
  WritePoint(point, json);
  json.EndObject();
  const std::string line = json.text() + '\n';
  const std::lock_guard lock(writing_);
  if (failure_.ok()) failure_ = Write(line);
  return failure_;
}

Status Journal::Write(std::string_view line) {
  while (!line.empty()) {
    const ssize_t count = write(descriptor_, line.data(), line.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError("write", path_);
    line.remove_prefix(static_cast<size_t>(count));
  }
  // Not every file system has fsync; those that do not say EINVAL.
  if (fsync(descriptor_) != 0 && errno != EINVAL) return SystemError("write", path_);
  return {};
}

}  // namespace mmp
