// What a sweep has measured so far, safe from the end of the process at any moment.
#ifndef MMP_TOOLS_SWEEP_JOURNAL_H_
#define MMP_TOOLS_SWEEP_JOURNAL_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "mmp/status.h"
#include "tools/sweep/results/sweep_results.h"

namespace mmp {

// A file of lines, each a JSON object: a point under its key. A line is on the disk when Append
// returns; one that was cut off, or is damaged otherwise, is as if it had never been written.
class Journal {
 public:
  // Reads the file, or creates it. Errors: kIo, also if another process has it open,
  // where the file system has locks.
  static Result<std::unique_ptr<Journal>> Open(const std::string& path);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  // The point (its image and codec are 0) last appended under `key` before the journal was opened,
  // or null.
  const RdPoint* Find(const std::string& key) const;

  // `image` and `codec` are names, for people who read the file. May be called from several threads
  // at once. Errors: kIo; nothing can be appended after one.
  Status Append(const std::string& key, const std::string& image, const std::string& codec,
                const RdPoint& point);

 private:
  Journal(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  Status Read();
  Status Write(std::string_view line);

  const std::string path_;
  const int descriptor_;
  std::map<std::string, RdPoint> points_;  // by key
  std::mutex writing_;                     // guards what follows
  Status failure_;                         // the first
};

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_JOURNAL_H_
