#include "codec/encode_queue.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "codec/cpu_search.h"
#include "codec/encode_plan.h"
#include "codec/encode_tile.h"
#include "codec/search.h"
#include "codec/stopwatch.h"
#include "common/thread_pool.h"

namespace mmp {
namespace {

Status Cancelled() { return {StatusCode::kCancelled, "encoding was cancelled"}; }

// The device's fault, not the caller's.
bool IsDeviceFailure(const Status& status) {
  return status.code() == StatusCode::kUnavailable || status.code() == StatusCode::kOutOfMemory;
}

// J of a file, in 1/256.
uint64_t FileCost(Lambda lambda, uint64_t sum_squared_error, size_t bytes) {
  return 256 * sum_squared_error + static_cast<uint64_t>(lambda.q8) * 8 * bytes;
}

// Encodes that run at the same time begin with different devices.
std::atomic<unsigned> next_first_device{0};

// What a search is made for: less than a file has, as searches neither learn nor filter, and follow
// from the tile what its dictionary begins with.
CodecParameters SearchParameters(const CodecParameters& parameters) {
  return {.dictionary_size = parameters.dictionary_size,
          .prediction_level = parameters.prediction_level,
          .modes = parameters.modes,
          .tools = parameters.tools & kTrainedPatterns};
}

}  // namespace

struct EncodeQueue::OpenJob {
  // The image encoded at one lambda.
  struct Attempt {
    EncodePlan plan;
    std::vector<EncodedTile> tiles;
    std::vector<EncodeStats> tile_stats;
  };

  OpenJob(size_t job, const EncodeOptions& job_options, const ImageView& job_image,
          std::vector<EncodePlan> plans)
      : index(job),
        options(job_options),
        image(job_image),
        attempts(MakeAttempts(std::move(plans))),
        progress(options.progress, CountMacroblocks(attempts)),
        tiles_left(attempts.size() * attempts[0].tiles.size()) {}

  static std::vector<Attempt> MakeAttempts(std::vector<EncodePlan> plans) {
    std::vector<Attempt> attempts;
    for (EncodePlan& plan : plans) {
      const size_t tiles = plan.grid.size();
      attempts.push_back(
          {std::move(plan), std::vector<EncodedTile>(tiles), std::vector<EncodeStats>(tiles)});
    }
    return attempts;
  }
  static int64_t CountMacroblocks(const std::vector<Attempt>& attempts) {
    return static_cast<int64_t>(attempts.size()) * attempts[0].plan.macroblocks;
  }

  const size_t index;
  const EncodeOptions& options;
  const Stopwatch watch;
  const ImageView image;
  std::vector<Attempt> attempts;  // at least one, all of the same tiles
  Progress progress;
  // Under mutex_:
  size_t tiles_left;
  Status failure;
  bool on_cpu = false;  // some tile was
  std::set<int> lanes;  // that worked on it,
  int threads = 0;      // and their threads
};

struct EncodeQueue::Lane {
  int id = 0;
  Device* device = nullptr;  // null: the CPU
  int side_by_side = 1;      // lanes on the device
  int threads = 1;           // of the CPU
  bool closed = false;
  std::unique_ptr<MacroblockSearch> search = {};
  SearchKind kind = {};  // of the search
};

EncodeQueue::EncodeQueue(std::span<const EncodeJob> jobs, const EncodeManyOptions& options,
                         const EncodedCallback& done)
    : jobs_(jobs),
      options_(options),
      done_(done),
      threads_(options.threads > 0 ? options.threads : HardwareThreads()) {}

EncodeQueue::~EncodeQueue() = default;

void EncodeQueue::Run() {
  std::deque<size_t> for_cpu;
  for (size_t job = 0; job < jobs_.size(); ++job)
    (jobs_[job].options.backend == Backend::kCpu ? for_cpu : unopened_).push_back(job);
  if (!unopened_.empty()) RunOnDevices();
  if (!calls_.stopped() && !device_failure_.ok()) LeaveToCpu();
  unopened_.insert(unopened_.end(), for_cpu.begin(), for_cpu.end());
  if (!calls_.stopped()) RunLanes(MakeCpuLanes());
  // What is left has been cancelled.
  for (const size_t job : std::exchange(unopened_, {})) Report(job, Cancelled(), {});
  while (!open_.empty()) Report(open_.begin()->first, Cancelled(), {});
}

// Rounds

void EncodeQueue::RunOnDevices() {
  SearchBackend* const backend = CudaBackend();
  device_failure_ = backend == nullptr
                        ? Status(StatusCode::kUnavailable,
                                 "this program was built without CUDA, or has not enabled it")
                        : backend->Available();
  if (!device_failure_.ok()) return;
  for (int number = 0; number < backend->Devices(); ++number)
    devices_.push_back({number, backend->MostSearches(number)});
  std::rotate(devices_.begin(), devices_.begin() + next_first_device++ % devices_.size(),
              devices_.end());
  const auto is_usable = [](const Device& device) { return device.most_lanes > 0; };
  while (!calls_.stopped() && !(tasks_.empty() && unopened_.empty()) &&
         std::ranges::any_of(devices_, is_usable))
    RunLanes(MakeDeviceLanes());
}

void EncodeQueue::LeaveToCpu() {
  const Status failure(device_failure_.code(),
                       device_failure_.message() + "; the CPU can be used instead");
  const auto needs_device = [this](size_t job) {
    return jobs_[job].options.backend == Backend::kCuda;
  };
  for (const size_t job : std::exchange(unopened_, {})) {
    if (needs_device(job))
      Report(job, failure, {});
    else
      unopened_.push_back(job);
  }
  std::vector<OpenJob*> failed;
  for (const auto& [index, job] : open_)
    if (needs_device(index)) failed.push_back(job.get());
  for (OpenJob* job : failed) {
    Fail(*job, failure);
    Finish(*job);
  }
}

std::vector<EncodeQueue::Lane> EncodeQueue::MakeDeviceLanes() {
  int most = 0;
  for (const Device& device : devices_) most += device.most_lanes;
  const int count = CountLanes(most);
  for (Device& device : devices_) device.lanes = 0;
  std::vector<Lane> lanes;
  for (size_t d = 0; static_cast<int>(lanes.size()) < count; d = (d + 1) % devices_.size()) {
    Device& device = devices_[d];
    if (device.lanes == device.most_lanes) continue;
    ++device.lanes;
    lanes.push_back({.id = lanes_made_++, .device = &device});
  }
  for (Lane& lane : lanes) lane.side_by_side = lane.device->lanes;
  return lanes;
}

std::vector<EncodeQueue::Lane> EncodeQueue::MakeCpuLanes() {
  const int count = CountLanes(threads_);
  std::vector<Lane> lanes;
  lanes.reserve(count);
  for (int i = 0; i < count; ++i)
    lanes.push_back(
        {.id = lanes_made_++, .threads = threads_ / count + (i < threads_ % count ? 1 : 0)});
  return lanes;
}

int EncodeQueue::CountLanes(int most) {
  const int jobs = static_cast<int>(unopened_.size());
  if (jobs >= most) return most;
  // Too few jobs: their tiles count.
  const std::deque<size_t> opened = std::exchange(unopened_, {});
  ThreadPool pool(std::clamp(jobs, 1, threads_));
  pool.ParallelFor(jobs, [&](int i, int /*worker*/) { Open(opened[i]); });
  return std::min(most, static_cast<int>(tasks_.size()));
}

void EncodeQueue::RunLanes(std::vector<Lane> lanes) {
  if (lanes.empty()) return;
  ThreadPool pool(static_cast<int>(lanes.size()));
  pool.ParallelFor(static_cast<int>(lanes.size()), [&](int i, int /*worker*/) {
    Lane& lane = lanes[i];
    while (const std::optional<Task> task = Take(lane)) Return(lane, *task, Encode(lane, *task));
    lane.search.reset();
  });
}

// Jobs

void EncodeQueue::Open(size_t index) {
  ImageView image = jobs_[index].image;
  if (jobs_[index].load) {
    const Result<ImageView> loaded = jobs_[index].load();
    if (!loaded.ok()) return Report(index, loaded.status(), {});
    image = *loaded;
  }
  Result<std::vector<EncodePlan>> plans = PlanTries(image, jobs_[index].options);
  if (!plans.ok()) return Report(index, plans.status(), {});
  auto job = std::make_unique<OpenJob>(index, jobs_[index].options, image, *std::move(plans));
  const std::lock_guard lock(mutex_);
  for (size_t attempt = 0; attempt < job->attempts.size(); ++attempt) {
    for (size_t tile = 0; tile < job->attempts[attempt].tiles.size(); ++tile)
      tasks_.push_back({job.get(), attempt, tile});
  }
  open_.emplace(index, std::move(job));
}

void EncodeQueue::OpenNext(std::unique_lock<std::mutex>& lock) {
  const size_t job = unopened_.front();
  unopened_.pop_front();
  ++being_opened_;
  lock.unlock();
  Open(job);
  lock.lock();
  --being_opened_;
  more_.notify_all();
}

void EncodeQueue::Fail(OpenJob& job, const Status& why) {
  if (job.failure.ok()) job.failure = why;
  job.progress.Cancel();
  job.tiles_left -= std::erase_if(tasks_, [&](const Task& task) { return task.job == &job; });
}

void EncodeQueue::Finish(OpenJob& job) {
  if (!job.failure.ok()) return Report(job.index, job.failure, {});
  std::vector<uint8_t> file;
  EncodeStats stats;
  uint64_t least_cost = std::numeric_limits<uint64_t>::max();
  for (const OpenJob::Attempt& attempt : job.attempts) {
    EncodeStats attempt_stats;
    std::vector<uint8_t> attempt_file =
        FinishEncode(attempt.plan, attempt.tiles, attempt.tile_stats, attempt_stats);
    const uint64_t cost =
        FileCost(job.attempts[0].plan.lambda, attempt_stats.sum_squared_error, attempt_file.size());
    if (cost >= least_cost) continue;
    least_cost = cost;
    file = std::move(attempt_file);
    stats = attempt_stats;
  }
  stats.tries = static_cast<int>(job.attempts.size());
  stats.backend = job.on_cpu ? Backend::kCpu : Backend::kCuda;
  if (job.on_cpu && job.options.backend != Backend::kCpu)
    stats.backend_note = device_failure_.message();
  stats.threads = job.threads;
  stats.seconds_total = job.watch.Seconds();
  Report(job.index, std::move(file), stats);
}

void EncodeQueue::Report(size_t index, Result<std::vector<uint8_t>> file,
                         const EncodeStats& stats) {
  const bool ok = file.ok();
  done_(index, std::move(file), stats);
  {
    const std::lock_guard lock(mutex_);
    open_.erase(index);
    ++(ok ? done_count_ : failed_count_);
  }
  Notify(true);
}

// Lanes

std::optional<EncodeQueue::Task> EncodeQueue::Take(const Lane& lane) {
  std::unique_lock lock(mutex_);
  while (!calls_.stopped() && !lane.closed &&
         (lane.device == nullptr || lane.device->most_lanes > 0)) {
    if (!tasks_.empty()) {
      const Task task = tasks_.front();
      tasks_.pop_front();
      return task;
    }
    if (!unopened_.empty()) {
      OpenNext(lock);
    } else if (being_opened_ > 0) {
      more_.wait(lock);
    } else {
      break;
    }
  }
  return std::nullopt;
}

Status EncodeQueue::Encode(Lane& lane, const Task& task) {
  MMP_RETURN_IF_ERROR(PrepareSearch(lane, task));
  OpenJob& job = *task.job;
  OpenJob::Attempt& attempt = job.attempts[task.attempt];
  const TileInfo& t = attempt.plan.grid[task.tile];
  EncodeStats stats;
  Result<EncodedTile> tile = EncodeTile(
      job.image.Crop(t.x, t.y, t.width, t.height), attempt.plan.header.parameters,
      attempt.plan.patterns.get(), attempt.plan.lambda, *lane.search, lane.kind.timing,
      [&] { return job.progress.Advance(1) && Notify(false); }, stats);
  if (!tile.ok()) {
    job.progress.Retract(stats.macroblocks);
    return tile.status();
  }
  attempt.tiles[task.tile] = *std::move(tile);
  attempt.tile_stats[task.tile] = stats;
  return {};
}

Status EncodeQueue::PrepareSearch(Lane& lane, const Task& task) {
  const OpenJob& job = *task.job;
  const SearchKind kind = {
      .parameters = SearchParameters(job.attempts[task.attempt].plan.header.parameters),
      .preset = job.options.preset,
      .side_by_side = lane.side_by_side,
      .timing = job.options.time_stages};
  if (lane.search != nullptr && lane.kind == kind) return {};
  lane.search.reset();
  lane.kind = kind;
  if (lane.device == nullptr) {
    lane.search = MakeCpuSearch(SearchEffort::Of(kind.preset), lane.threads, kind.timing);
    return {};
  }
  auto search = CudaBackend()->MakeSearch(kind, lane.device->number);
  if (!search.ok()) return search.status();
  lane.search = *std::move(search);
  return {};
}

void EncodeQueue::Return(Lane& lane, const Task& task, const Status& status) {
  OpenJob& job = *task.job;
  {
    const std::lock_guard lock(mutex_);
    if (status.ok()) {
      job.on_cpu |= lane.device == nullptr;
      if (job.lanes.insert(lane.id).second) job.threads += lane.threads;
    } else if (lane.device != nullptr && IsDeviceFailure(status)) {
      Close(lane, status);
      if (job.failure.ok()) {
        tasks_.push_front(task);
        more_.notify_all();
        return;
      }
    } else {
      Fail(job, status);
    }
    if (--job.tiles_left > 0) return;
  }
  Finish(job);
}

void EncodeQueue::Close(Lane& lane, const Status& failure) {
  lane.closed = true;
  Device& device = *lane.device;
  --device.lanes;
  // If it is only full, it goes on with the lanes that it has left.
  const bool is_full = failure.code() == StatusCode::kOutOfMemory;
  device.most_lanes = is_full ? std::min(device.most_lanes, device.lanes) : 0;
  device_failure_ = failure;
}

// Progress

bool EncodeQueue::Notify(bool surely) {
  if (!options_.progress) return true;
  return calls_.Call(surely, [this] { return options_.progress(CountProgress()); });
}

EncodeManyProgress EncodeQueue::CountProgress() {
  const std::lock_guard lock(mutex_);
  EncodeManyProgress progress = {.total = static_cast<int>(jobs_.size()),
                                 .done = done_count_,
                                 .failed = failed_count_,
                                 .running = static_cast<int>(open_.size())};
  double sum = done_count_ + failed_count_;
  for (const auto& [index, job] : open_) sum += job->progress.fraction();
  progress.fraction = std::min(1.0, sum / static_cast<double>(jobs_.size()));
  return progress;
}

}  // namespace mmp
