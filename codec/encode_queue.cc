#include "codec/encode_queue.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "codec/cpu_search.h"
#include "codec/encode_tile.h"
#include "common/thread_pool.h"

namespace mmp {
namespace {

constexpr std::chrono::milliseconds kProgressInterval{20};
constexpr int kMostDevices = 64;  // bits of Task::refused_by

Status Cancelled() { return {StatusCode::kCancelled, "encoding was cancelled"}; }

// The device's fault, not the caller's.
bool IsDeviceFailure(const Status& status) {
  return status.code() == StatusCode::kUnavailable || status.code() == StatusCode::kOutOfMemory;
}

// Adds to `to` what a search counted between two of its AddStats.
void AddDifference(const EncodeStats& now, const EncodeStats& before, EncodeStats& to) {
  to.nodes_searched += now.nodes_searched - before.nodes_searched;
  for (int mode = 0; mode < kModes; ++mode) {
    to.mode_searches[mode] += now.mode_searches[mode] - before.mode_searches[mode];
    to.mode_reused[mode] += now.mode_reused[mode] - before.mode_reused[mode];
  }
  to.partitions_matched += now.partitions_matched - before.partitions_matched;
  to.multiply_adds += now.multiply_adds - before.multiply_adds;
  to.seconds_prediction += now.seconds_prediction - before.seconds_prediction;
  to.seconds_lsp += now.seconds_lsp - before.seconds_lsp;
  to.seconds_matching += now.seconds_matching - before.seconds_matching;
  to.seconds_trees += now.seconds_trees - before.seconds_trees;
}

// Encodes that run at the same time begin with different devices.
std::atomic<unsigned> next_first_device{0};

}  // namespace

struct EncodeQueue::OpenJob {
  Stopwatch watch;
  ImageView image;
  EncodePlan plan;
  std::unique_ptr<Progress> progress;
  std::atomic<int64_t> macroblocks_done{0};
  std::atomic<bool> stopped{false};  // it failed: tiles at work need not be finished
  std::vector<EncodedTile> tiles;
  std::vector<EncodeStats> tile_stats;
  // Under mutex_:
  size_t tasks_left = 0;
  Status failure;
  bool on_cpu = false;  // some tile was
  std::set<int> lanes;  // that worked on it,
  int threads = 0;      // and their threads
};

struct EncodeQueue::Lane {
  int id = 0;
  int device = kCpu;
  int threads = 1;
  int side_by_side = 1;  // lanes on the device
  bool closed = false;
  // The search, what it was made for, and what it had counted by the last tile.
  std::unique_ptr<MacroblockSearch> search = {};
  CodecParameters parameters = {};
  Preset preset = Preset::kThesis;
  bool timing = false;
  EncodeStats counted = {};
};

EncodeQueue::EncodeQueue(std::span<const EncodeJob> jobs, const EncodeManyOptions& options,
                         const EncodedCallback& done)
    : jobs_(jobs),
      options_(options),
      done_(done),
      backend_(CudaBackend()),
      threads_(options.threads > 0 ? options.threads : HardwareThreads()),
      first_device_(next_first_device++),
      open_(jobs.size()),
      ended_(jobs.size()),
      notes_(jobs.size()) {
  for (size_t job = 0; job < jobs.size(); ++job) {
    const bool on_cpu = jobs[job].options.backend == Backend::kCpu;
    (on_cpu ? for_cpu_ : for_devices_).jobs.push_back(job);
  }
}

EncodeQueue::~EncodeQueue() = default;

void EncodeQueue::Run() {
  FindDevices();
  while (!cancelled_) {
    GiveUpOnDevices();
    if (for_devices_.empty() && for_cpu_.empty()) break;
    RunRound();
  }
  for (size_t job = 0; job < jobs_.size(); ++job)
    if (!ended_[job]) Report(job, Cancelled(), {});
}

void EncodeQueue::FindDevices() {
  if (for_devices_.empty()) return;
  device_failure_ = backend_ == nullptr
                        ? Status(StatusCode::kUnavailable, "this program was built without CUDA")
                        : backend_->Available();
  if (!device_failure_.ok()) return;
  devices_.resize(std::min(backend_->Devices(), kMostDevices));
  for (size_t d = 0; d < devices_.size(); ++d)
    devices_[d].most_lanes = backend_->MostSearches(static_cast<int>(d));
}

// Rounds

void EncodeQueue::RunRound() {
  std::vector<Lane> lanes;
  AddDeviceLanes(lanes);
  AddCpuLanes(lanes);
  if (lanes.empty()) return;
  ThreadPool pool(static_cast<int>(lanes.size()));
  pool.ParallelFor(static_cast<int>(lanes.size()), [&](int i, int /*worker*/) {
    RunLane(lanes[i]);
    lanes[i].search.reset();
  });
}

// Opens as many jobs as there can be lanes, so that it is known how many tiles there are for them.
void EncodeQueue::OpenAhead(Line& line, int lanes) {
  const int count = std::min(lanes, static_cast<int>(line.jobs.size()));
  if (count == 0) return;
  const std::vector<size_t> first(line.jobs.begin(), line.jobs.begin() + count);
  line.jobs.erase(line.jobs.begin(), line.jobs.begin() + count);
  ThreadPool pool(std::min(count, threads_));
  pool.ParallelFor(count, [&](int i, int /*worker*/) { Begin(first[i], Open(first[i]), line); });
}

int EncodeQueue::CountLanes(const Line& line, int most) const {
  return line.jobs.empty() ? std::min(most, static_cast<int>(line.tasks.size())) : most;
}

void EncodeQueue::AddDeviceLanes(std::vector<Lane>& lanes) {
  int most = 0;
  for (Device& device : devices_) {
    most += device.most_lanes;
    device.lanes = 0;
  }
  if (options_.jobs > 0) most = std::min(most, options_.jobs);
  OpenAhead(for_devices_, most);
  int left = CountLanes(for_devices_, most);
  for (unsigned d = first_device_++; left > 0; ++d) {
    const int number = static_cast<int>(d % devices_.size());
    Device& device = devices_[number];
    if (device.lanes == device.most_lanes) continue;
    ++device.lanes;
    --left;
    lanes.push_back({.id = lanes_made_++, .device = number});
  }
  for (Lane& lane : lanes) lane.side_by_side = devices_[lane.device].lanes;
}

void EncodeQueue::AddCpuLanes(std::vector<Lane>& lanes) {
  const int most = options_.jobs > 0 ? std::min(threads_, options_.jobs) : threads_;
  OpenAhead(for_cpu_, most);
  const int count = CountLanes(for_cpu_, most);
  for (int i = 0; i < count; ++i)
    lanes.push_back(
        {.id = lanes_made_++, .threads = threads_ / count + (i < threads_ % count ? 1 : 0)});
}

void EncodeQueue::GiveUpOnDevices() {
  std::deque<Task> tasks;
  tasks.swap(for_devices_.tasks);
  for (const Task& task : tasks) {
    if (IsDeviceLeft(task.refused_by))
      for_devices_.tasks.push_back(task);
    else if (LeaveToCpu(task.job, task.refused_by != 0 ? task.refusal : device_failure_))
      for_cpu_.tasks.push_back({task.job, task.tile});
    else
      EndTask(task.job);
  }
  if (IsDeviceLeft(0)) return;
  for (const size_t job : std::exchange(for_devices_.jobs, {})) {
    if (LeaveToCpu(job, device_failure_)) for_cpu_.jobs.push_back(job);
  }
}

bool EncodeQueue::IsDeviceLeft(uint64_t refused_by) const {
  for (size_t d = 0; d < devices_.size(); ++d)
    if (devices_[d].most_lanes > 0 && (refused_by >> d & 1) == 0) return true;
  return false;
}

bool EncodeQueue::LeaveToCpu(size_t job, const Status& why) {
  if (jobs_[job].options.backend == Backend::kAuto) {
    notes_[job] = why.message();
    return true;
  }
  const Status failure(why.code(), why.message() + "; the CPU can be used instead");
  if (open_[job] == nullptr) {
    Report(job, failure, {});
  } else {
    const std::lock_guard lock(mutex_);
    Fail(job, failure);
  }
  return false;
}

// Jobs

Result<std::unique_ptr<EncodeQueue::OpenJob>> EncodeQueue::Open(size_t job) const {
  auto open = std::make_unique<OpenJob>();
  open->image = jobs_[job].image;
  if (jobs_[job].load) {
    const Result<ImageView> image = jobs_[job].load();
    if (!image.ok()) return image.status();
    open->image = *image;
  }
  Result<EncodePlan> plan = PlanEncode(open->image, jobs_[job].options);
  if (!plan.ok()) return plan.status();
  open->plan = *std::move(plan);
  open->progress = std::make_unique<Progress>(jobs_[job].options.progress, open->plan.macroblocks);
  open->tasks_left = open->plan.grid.size();
  open->tiles.resize(open->tasks_left);
  open->tile_stats.resize(open->tasks_left);
  return open;
}

void EncodeQueue::Begin(size_t job, Result<std::unique_ptr<OpenJob>> opened, Line& line) {
  if (!opened.ok()) return Report(job, opened.status(), {});
  const std::lock_guard lock(mutex_);
  open_[job] = *std::move(opened);
  for (size_t tile = 0; tile < open_[job]->tiles.size(); ++tile) line.tasks.push_back({job, tile});
}

void EncodeQueue::Fail(size_t job, const Status& why) {
  OpenJob& open = *open_[job];
  if (open.failure.ok()) open.failure = why;
  open.stopped = true;
  for (Line* line : {&for_devices_, &for_cpu_})
    open.tasks_left -=
        std::erase_if(line->tasks, [job](const Task& task) { return task.job == job; });
}

void EncodeQueue::EndTask(size_t job) {
  {
    const std::lock_guard lock(mutex_);
    if (--open_[job]->tasks_left > 0) return;
  }
  Finish(job);
}

void EncodeQueue::Finish(size_t job) {
  OpenJob& open = *open_[job];
  EncodeStats stats;
  if (!open.failure.ok()) return Report(job, open.failure, stats);
  std::vector<uint8_t> file = FinishEncode(open.plan, open.tiles, open.tile_stats, stats);
  stats.backend = open.on_cpu ? Backend::kCpu : Backend::kCuda;
  stats.backend_note = notes_[job];
  stats.threads = open.threads;
  stats.seconds_total = open.watch.Seconds();
  Report(job, std::move(file), stats);
}

void EncodeQueue::Report(size_t job, Result<std::vector<uint8_t>> file, const EncodeStats& stats) {
  const bool ok = file.ok();
  done_(job, std::move(file), stats);
  {
    const std::lock_guard lock(mutex_);
    open_[job].reset();
    ended_[job] = true;
    ++(ok ? done_count_ : failed_count_);
  }
  Notify(true);
}

// Lanes

void EncodeQueue::RunLane(Lane& lane) {
  while (const std::optional<Task> task = Take(lane)) Return(lane, *task, Encode(lane, *task));
}

EncodeQueue::Line& EncodeQueue::LineOf(const Lane& lane) {
  return lane.device == kCpu ? for_cpu_ : for_devices_;
}

// The lane's next task; waits for one as long as one may come.
std::optional<EncodeQueue::Task> EncodeQueue::Take(Lane& lane) {
  Line& line = LineOf(lane);
  const auto is_for_lane = [&lane](const Task& task) {
    return lane.device == kCpu || (task.refused_by >> lane.device & 1) == 0;
  };
  std::unique_lock lock(mutex_);
  while (true) {
    if (lane.device != kCpu && devices_[lane.device].most_lanes == 0) lane.closed = true;
    if (cancelled_ || lane.closed) return std::nullopt;
    const auto task = std::ranges::find_if(line.tasks, is_for_lane);
    if (task != line.tasks.end()) {
      const Task taken = *task;
      line.tasks.erase(task);
      ++line.at_work;
      return taken;
    }
    if (line.jobs.empty() && line.at_work == 0) return std::nullopt;
    if (line.jobs.empty()) {
      changed_.wait(lock);
      continue;
    }
    const size_t job = line.jobs.front();
    line.jobs.pop_front();
    ++line.at_work;
    lock.unlock();
    Begin(job, Open(job), line);
    lock.lock();
    --line.at_work;
    changed_.notify_all();
  }
}

Status EncodeQueue::PrepareSearch(Lane& lane, size_t job) {
  const EncodeOptions& options = jobs_[job].options;
  CodecParameters parameters = open_[job]->plan.header.parameters;
  parameters.redundancy_threshold = 0;  // searches do not learn
  if (lane.search != nullptr && lane.parameters == parameters && lane.preset == options.preset &&
      lane.timing == options.time_stages)
    return {};
  lane.search.reset();
  lane.parameters = parameters;
  lane.preset = options.preset;
  lane.timing = options.time_stages;
  if (lane.device == kCpu) {
    lane.search = MakeCpuSearch(SearchEffort::Of(lane.preset), lane.threads, lane.timing);
  } else {
    auto search = backend_->MakeSearch(parameters, lane.preset, lane.device, lane.side_by_side);
    if (!search.ok()) return search.status();
    lane.search = *std::move(search);
  }
  lane.counted = {};
  lane.search->AddStats(lane.counted);
  return {};
}

Status EncodeQueue::Encode(Lane& lane, const Task& task) {
  MMP_RETURN_IF_ERROR(PrepareSearch(lane, task.job));
  OpenJob& open = *open_[task.job];
  const TileInfo& t = open.plan.grid[task.tile];
  EncodeStats stats;
  Result<EncodedTile> tile = EncodeTile(
      open.image.Crop(t.x, t.y, t.width, t.height), open.plan.header.parameters, open.plan.lambda,
      *lane.search, lane.timing, [&] { return Step(open); }, stats);
  if (!tile.ok()) {
    lane.search.reset();
    open.macroblocks_done -= stats.macroblocks;
    open.progress->Retract(stats.macroblocks);
    return tile.status();
  }
  EncodeStats counted;
  lane.search->AddStats(counted);
  AddDifference(counted, lane.counted, stats);
  lane.counted = counted;
  open.tiles[task.tile] = *std::move(tile);
  open.tile_stats[task.tile] = stats;
  return {};
}

void EncodeQueue::Return(Lane& lane, const Task& task, const Status& status) {
  {
    const std::lock_guard lock(mutex_);
    --LineOf(lane).at_work;
    changed_.notify_all();
    OpenJob& open = *open_[task.job];
    if (status.ok()) {
      open.on_cpu |= lane.device == kCpu;
      if (open.lanes.insert(lane.id).second) open.threads += lane.threads;
    } else if (lane.device != kCpu && IsDeviceFailure(status) && open.failure.ok()) {
      return PutBack(lane, task, status);
    } else {
      Fail(task.job, status);
    }
  }
  EndTask(task.job);
}

void EncodeQueue::PutBack(Lane& lane, Task task, const Status& failure) {
  Device& device = devices_[lane.device];
  if (failure.code() == StatusCode::kUnavailable) {
    device.most_lanes = 0;
    device_failure_ = failure;
    for_devices_.tasks.push_front(task);
  } else if (device.lanes > 1) {
    --device.lanes;
    device.most_lanes = std::min(device.most_lanes, device.lanes);
    lane.closed = true;
    for_devices_.tasks.push_front(task);
  } else {
    task.refused_by |= uint64_t{1} << lane.device;
    task.refusal = failure;
    for_devices_.tasks.push_back(task);
  }
}

// Progress

bool EncodeQueue::Step(OpenJob& job) {
  ++job.macroblocks_done;
  const bool wanted = job.progress->Advance(1) && !job.stopped;
  Notify(false);
  return wanted && !cancelled_;
}

// Calls back: `now`, or if it is time to.
void EncodeQueue::Notify(bool now) {
  if (!options_.progress) return;
  std::unique_lock lock(progress_mutex_, std::defer_lock);
  if (now)
    lock.lock();
  else if (!lock.try_lock())
    return;
  const auto time = std::chrono::steady_clock::now();
  if (cancelled_ || (!now && time - last_progress_ < kProgressInterval)) return;
  last_progress_ = time;
  if (options_.progress(CountProgress())) return;
  const std::lock_guard changing(mutex_);
  cancelled_ = true;
  changed_.notify_all();
}

EncodeManyProgress EncodeQueue::CountProgress() {
  const std::lock_guard lock(mutex_);
  EncodeManyProgress progress = {
      .total = static_cast<int>(jobs_.size()), .done = done_count_, .failed = failed_count_};
  double sum = done_count_ + failed_count_;
  for (const auto& open : open_) {
    if (open == nullptr) continue;
    ++progress.running;
    sum +=
        static_cast<double>(open->macroblocks_done) / static_cast<double>(open->plan.macroblocks);
  }
  progress.fraction = std::min(1.0, sum / static_cast<double>(jobs_.size()));
  return progress;
}

}  // namespace mmp
