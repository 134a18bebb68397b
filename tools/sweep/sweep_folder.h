// What lies where in the folder of a sweep.
#ifndef MMP_TOOLS_SWEEP_SWEEP_FOLDER_H_
#define MMP_TOOLS_SWEEP_SWEEP_FOLDER_H_

#include <string>
#include <utility>

#include "mmp/status.h"
#include "tools/sweep/results/sweep_results.h"
#include "tools/sweep/sweep_plan.h"

namespace mmp {

inline constexpr char kJournalName[] = "journal.jsonl";
inline constexpr char kCsvName[] = "results.csv";
inline constexpr char kJsonName[] = "results.json";
inline constexpr char kDeltasName[] = "bd-rate.csv";
inline constexpr char kReportName[] = "report.html";

// Where a point's files go, if they are kept, in the folder of the sweep.
struct KeptPaths {
  std::string bitstream;  // bitstreams/lena-0123abcd/mmp-thesis-10.mmp
  std::string decoded;    // decoded/lena-0123abcd/mmp-thesis-10.png
};
KeptPaths PathsOf(const SweepImage& image, const Curve& curve, double parameter);

// Removes what a sweep that was killed has left: its ScratchFolders, and the temporary files of
// what it wrote. For who has the folder to themselves.
void RemoveLeftovers(const std::string& sweep_folder);
// The former alone.
void RemoveScratch(const std::string& sweep_folder);

// An empty folder, removed with all that is in it at the end.
class ScratchFolder {
 public:
  // In the folder of the sweep. Errors: kIo.
  static Result<ScratchFolder> Make(const std::string& sweep_folder);
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  const std::string& path() const { return path_; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_SWEEP_FOLDER_H_
