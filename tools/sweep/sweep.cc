#include "tools/sweep/sweep.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "tools/command_line/output_folder.h"
#include "tools/command_line/terminal.h"
#include "tools/sweep/journal.h"
#include "tools/sweep/measure.h"
#include "tools/sweep/pictures.h"
#include "tools/sweep/results/measured_points.h"
#include "tools/sweep/results/results_files.h"
#include "tools/sweep/sweep_folder.h"
#include "tools/sweep/sweep_progress.h"
#include "tools/text/text.h"

namespace mmp {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Result files are written this often, or as often as it takes at most a twentieth of the time.
constexpr Clock::duration kWriteInterval = std::chrono::seconds(10);
constexpr int kWriteShare = 20;

std::string Now() {
  const std::time_t now = std::time(nullptr);
  std::tm fields{};
  gmtime_r(&now, &fields);
  std::array<char, 32> text;
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &fields)};
}

// How long a point takes whoever waits for it; nothing if not known.
std::optional<double> SecondsOf(const RdPoint& point) {
  if (!point.encode_seconds || !point.decode_seconds) return std::nullopt;
  return *point.encode_seconds + *point.decode_seconds;
}

// The results as they grow, and their files.
class GrowingResults {
 public:
  GrowingResults(SweepResults results, std::string folder)
      : results_(std::move(results)), folder_(std::move(folder)) {}

  void Add(RdPoint point) { results_.points.push_back(std::move(point)); }
  void Add(SweepFailure failure) { results_.failures.push_back(std::move(failure)); }

  // Writes the files if it is time to.
  Status WriteNowAndThen() {
    const Clock::time_point start = Clock::now();
    if (start < next_write_) return {};
    MMP_RETURN_IF_ERROR(Write());
    const Clock::time_point end = Clock::now();
    next_write_ = end + std::max(kWriteInterval, kWriteShare * (end - start));
    return {};
  }

  Status Write() {
    results_.date = Now();
    std::sort(results_.points.begin(), results_.points.end(),
              [](const RdPoint& a, const RdPoint& b) {
                return std::tie(a.image, a.codec, a.bits_per_pixel, a.parameter) <
                       std::tie(b.image, b.codec, b.bits_per_pixel, b.parameter);
              });
    std::sort(results_.failures.begin(), results_.failures.end(),
              [](const SweepFailure& a, const SweepFailure& b) {
                return std::tie(a.image, a.codec, a.parameter) <
                       std::tie(b.image, b.codec, b.parameter);
              });
    return WriteResultFiles(results_, folder_);
  }

  SweepResults Take() { return std::move(results_); }

 private:
  SweepResults results_;
  const std::string folder_;
  Clock::time_point next_write_ = Clock::now() + kWriteInterval;
};

// The work of RunSweep, once there are a journal, images and curves.
class Sweep {
 public:
  Sweep(const SweepRequest& request, Journal& journal, Pictures& pictures,
        const std::vector<Curve>& curves, SweepResults results)
      : request_(request),
        journal_(journal),
        pictures_(pictures),
        curves_(curves),
        estimate_(curves.size()),
        results_(std::move(results), request.folder) {}

  Result<SweepResults> Run(const Measurer& measurer) {
    FindWork();
    if (known_ > 0)
      PrintNote(Format("%zu of %s %s in '%s' already", known_,
                       Counted(known_ + work_.size(), "point").c_str(), known_ == 1 ? "is" : "are",
                       request_.folder.c_str()));
    {
      SweepProgress progress(work_.size(), std::move(estimate_));
      progress_ = &progress;
      const MeasureEvents events = {
          .start =
              [this](const SweepTask& task) {
                progress_->Start(LabelOf(task));
                return !IsInterrupted(request_);
              },
          .ended = [this](const SweepTask& task,
                          Result<RdPoint> point) { return End(task, std::move(point)); }};
      measurer(work_, {request_, curves_, pictures_}, events);
    }
    MMP_RETURN_IF_ERROR(failure_);
    MMP_RETURN_IF_ERROR(results_.Write());
    SweepResults results = results_.Take();
    if (IsInterrupted(request_)) results.points_left = work_.size() - ended_;
    return results;
  }

 private:
  const SweepImage& ImageOf(const SweepTask& task) const { return pictures_.images()[task.image]; }

  double PixelsOf(const SweepTask& task) const {
    return static_cast<double>(ImageOf(task).width) * ImageOf(task).height;
  }

  std::string LabelOf(const SweepTask& task) const {
    return ImageOf(task).name + " " + curves_[task.curve].codec.name + " " +
           NumberText(task.parameter);
  }

  bool Exists(const std::string& kept_path) const {
    std::error_code ignored;
    return !kept_path.empty() && fs::exists(fs::path(request_.folder) / kept_path, ignored);
  }

  // The point of the journal, unless a file that is asked for is not there.
  std::optional<RdPoint> FindInJournal(const SweepTask& task) const {
    const RdPoint* const known = journal_.Find(task.key);
    if (known == nullptr) return std::nullopt;
    RdPoint point = *known;
    if (!Exists(point.bitstream_path)) point.bitstream_path.clear();
    if (!Exists(point.decoded_path)) point.decoded_path.clear();
    if (request_.keep_bitstreams && point.bitstream_path.empty()) return std::nullopt;
    if (request_.keep_decoded && point.decoded_path.empty()) return std::nullopt;
    return point;
  }

  // Takes what is known from the journal; the rest is work.
  void FindWork() {
    for (const SweepTask& task : PlanTasks(pictures_.images(), curves_)) {
      const std::optional<RdPoint> point = FindInJournal(task);
      if (point) {
        ++known_;
        AddPoint(task, *point);
        const std::optional<double> seconds = SecondsOf(*point);
        if (seconds) estimate_.Learn(task.curve, PixelsOf(task), *seconds);
        continue;
      }
      std::vector<SweepTask>& same = tasks_[task.key];
      same.push_back(task);
      if (same.size() > 1) continue;
      work_.push_back(task);
      estimate_.Add(task.curve, PixelsOf(task));
    }
  }

  void AddPoint(const SweepTask& task, RdPoint point) {
    point.image = task.image;
    point.codec = task.curve;
    results_.Add(std::move(point));
  }

  // Returns whether to go on.
  bool End(const SweepTask& task, Result<RdPoint> point) {
    const std::string label = LabelOf(task);
    progress_->End(label, task.curve, PixelsOf(task),
                   point.ok() ? SecondsOf(*point) : std::nullopt);
    Status written;
    if (point.ok()) {
      written =
          journal_.Append(task.key, ImageOf(task).name, curves_[task.curve].codec.name, *point);
    }
    const std::lock_guard lock(mutex_);
    // What fails then may do so as its codec had the signal too: it is tried again the next time.
    if (!point.ok() && IsInterrupted(request_)) return false;
    ++ended_;
    // The other points of the curve are likely to fail for the same reason.
    if (!point.ok() && failed_curves_.emplace(task.image, task.curve).second)
      PrintError(label + ": " + point.status().message());
    for (const SweepTask& same : tasks_[task.key]) {
      if (point.ok()) {
        AddPoint(same, *point);
      } else {
        results_.Add({ImageOf(same).name, curves_[same.curve].codec.name, same.parameter,
                      point.status().message(), point.status().code()});
      }
    }
    if (written.ok()) written = results_.WriteNowAndThen();
    if (failure_.ok()) failure_ = written;
    return failure_.ok();
  }

  const SweepRequest& request_;
  Journal& journal_;
  Pictures& pictures_;
  const std::vector<Curve>& curves_;
  size_t known_ = 0;             // points from the journal
  std::vector<SweepTask> work_;  // one of each key
  TimeEstimate estimate_;
  SweepProgress* progress_ = nullptr;

  std::mutex mutex_;  // guards what follows, while points are measured
  std::map<std::string, std::vector<SweepTask>> tasks_;  // those with the same key
  std::set<std::pair<size_t, size_t>> failed_curves_;    // image and curve
  GrowingResults results_;
  size_t ended_ = 0;  // points of the work
  Status failure_;    // of a file that could not be written
};

}  // namespace

Result<SweepResults> RunSweep(const SweepRequest& request, const Measurer& measurer) {
  if (!request.force) MMP_RETURN_IF_ERROR(CheckFolderIsOurs(request.folder, kJournalName));
  Pictures pictures(request.inputs, request.read);
  for (const SweepFailure& failure : pictures.failures()) PrintError(failure.message);
  if (pictures.images().empty()) {
    return Status(
        pictures.failures().empty() ? StatusCode::kInvalidArgument : pictures.failures()[0].code,
        "there is no image that can be read, and so nothing to sweep");
  }
  const std::vector<Curve> curves = PlanCurves(request);
  SweepResults results;
  results.command = request.command;
  results.images = pictures.images();
  results.failures = pictures.failures();
  for (const Curve& curve : curves) results.codecs.push_back(curve.codec);
  for (const std::string& path : request.against_csv) {
    const Result<std::string> note = AddMeasuredPoints(path, results);
    if (!note.ok()) return note.status();
    if (!note->empty()) PrintNote(*note);
  }
  MMP_RETURN_IF_ERROR(MakeFolder(request.folder));
  const Result<std::unique_ptr<Journal>> journal =
      Journal::Open((fs::path(request.folder) / kJournalName).string());
  if (!journal.ok()) return journal.status();
  RemoveLeftovers(request.folder);  // the journal is ours alone: so are these
  Result<SweepResults> done =
      Sweep(request, **journal, pictures, curves, std::move(results)).Run(measurer);
  RemoveScratch(request.folder);
  return done;
}

}  // namespace mmp
