#include "codec/encoder/encode_queue.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "codec/base/failures.h"
#include "codec/base/stopwatch.h"
#include "codec/encoder/device_load.h"
#include "codec/encoder/effort.h"
#include "codec/encoder/encode_pixel_tile.h"
#include "codec/encoder/encode_plan.h"
#include "codec/encoder/encode_tile.h"
#include "codec/rdo/macroblock_search.h"
#include "codec/search/cpu_search.h"
#include "common/out_of_memory.h"
#include "common/task_pool.h"
#include "common/thread_pool.h"

namespace mmp {
namespace {

// Of the host, for one search on a device. While the device searches they wait awake; it is the
// filters that have use for so many.
constexpr int kMostDeviceThreads = 16;

// The device's fault, not the caller's.
bool IsDeviceFailure(const Status& status) {
  return status.code() == StatusCode::kUnavailable || status.code() == StatusCode::kOutOfMemory;
}

// Of all queues. Never destroyed: queues may outlive what is.
DeviceLoad& TheDeviceLoad() {
  static DeviceLoad& load = *new DeviceLoad;
  return load;
}

// The parameters that a search depends on: fewer than a file has, as searches neither update the
// dictionary nor filter, and find the initial dictionary in the tile.
CodecParameters SearchParameters(const CodecParameters& parameters) {
  return {.dictionary_size = parameters.dictionary_size,
          .prediction_level = parameters.prediction_level,
          .modes = parameters.modes,
          .tools = parameters.tools & kTrainedPatterns,
          .order = parameters.order};
}

}  // namespace

struct EncodeQueue::Worker {
  int id = 0;
  Device* device = nullptr;  // null: the CPU
  int side_by_side = 1;      // workers on the device
  int threads = 1;           // of the CPU
  bool closed = false;
  std::unique_ptr<TaskPool> pool = {};  // of its threads, made by the first
  std::unique_ptr<MacroblockSearch> search = {};
  SearchKind kind = {};  // of the search
};

struct EncodeQueue::OpenJob {
  // The image encoded in one way.
  struct Attempt {
    EncodePlan plan;
    std::shared_ptr<const TileStart> start;  // of patterns
    std::vector<EncodedTile> tiles;
    std::vector<TileStats> tile_stats;
  };

  OpenJob(size_t job, const EncodeOptions& job_options, const ImageView& job_image,
          std::vector<EncodePlan> plans)
      : index(job),
        options(job_options),
        image(job_image),
        attempts(MakeAttempts(std::move(plans))),
        progress(options.progress, CountMacroblocks(attempts)),
        tiles_left(CountTiles(attempts)) {}

  static std::vector<Attempt> MakeAttempts(std::vector<EncodePlan> plans) {
    std::vector<Attempt> attempts;
    for (EncodePlan& plan : plans) {
      const size_t tiles = plan.grid.size();
      std::shared_ptr<const TileStart> start;
      if (plan.header.coder == Coder::kPatterns)
        start = FindTileStart(plan.header.parameters, plan.patterns.get());
      attempts.push_back({std::move(plan), std::move(start), std::vector<EncodedTile>(tiles),
                          std::vector<TileStats>(tiles)});
    }
    return attempts;
  }
  static int64_t CountMacroblocks(const std::vector<Attempt>& attempts) {
    int64_t macroblocks = 0;
    for (const Attempt& attempt : attempts) macroblocks += attempt.plan.macroblocks;
    return macroblocks;
  }
  static size_t CountTiles(const std::vector<Attempt>& attempts) {
    size_t tiles = 0;
    for (const Attempt& attempt : attempts) tiles += attempt.tiles.size();
    return tiles;
  }

  const size_t index;
  const EncodeOptions& options;
  const Stopwatch watch;
  const ImageView image;
  std::vector<Attempt> attempts;  // at least one
  Progress progress;
  // Under mutex_:
  size_t tiles_left;
  Status failure;
  bool on_cpu = false;    // some tile was
  std::set<int> workers;  // that worked on it,
  int threads = 0;        // and their threads

  bool IsByPixels(size_t attempt) const {
    return attempts[attempt].plan.header.coder == Coder::kPixels;
  }

  // Once a tile is coded, under mutex_.
  void NoteWorker(const Worker& worker) {
    on_cpu |= worker.device == nullptr;
    if (workers.insert(worker.id).second) threads += worker.threads;
  }
};

EncodeQueue::EncodeQueue(std::span<const EncodeJob> jobs, const EncodeManyOptions& options,
                         const EncodedCallback& done)
    : jobs_(jobs),
      options_(options),
      done_(done),
      threads_(options.threads > 0 ? options.threads : HardwareThreads()),
      reported_(jobs.size()) {}

EncodeQueue::~EncodeQueue() = default;

void EncodeQueue::Run() {
  std::deque<size_t> for_cpu;
  const auto is_for_cpu = [](const EncodeOptions& options) {
    return options.backend == Backend::kCpu ||
           (options.backend == Backend::kAuto && !SuitsDevices(options));
  };
  for (size_t job = 0; job < jobs_.size(); ++job)
    (is_for_cpu(jobs_[job].options) ? for_cpu : unopened_).push_back(job);
  if (!unopened_.empty()) RunOnDevices();
  if (!calls_.stopped() && !device_failure_.ok()) LeaveToCpu();
  unopened_.insert(unopened_.end(), for_cpu.begin(), for_cpu.end());
  if (!calls_.stopped()) RunWorkers(MakeCpuWorkers());
  // What is left has been cancelled.
  for (const size_t job : std::exchange(unopened_, {})) Report(job, EncodingCancelled(), {});
  while (!open_.empty()) Report(open_.begin()->first, EncodingCancelled(), {});
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
  const auto is_usable = [](const Device& device) { return device.most_workers > 0; };
  while (!calls_.stopped() && !(CountWaiting() == 0 && unopened_.empty()) &&
         std::ranges::any_of(devices_, is_usable))
    RunDeviceWorkers();
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

void EncodeQueue::RunDeviceWorkers() {
  int most = 0;
  for (const Device& device : devices_) most += device.most_workers;
  const int count = CountWorkers(most);
  std::vector<DeviceLoad::Room> rooms;
  for (const Device& device : devices_) rooms.push_back({device.number, device.most_workers});
  const DeviceLoad::Claim claim(TheDeviceLoad(), rooms, count);
  for (Device& device : devices_) device.workers = 0;
  std::vector<Worker> workers;
  for (const size_t place : claim.places()) {
    Device& device = devices_[place];
    ++device.workers;
    workers.push_back({.id = workers_made_++, .device = &device});
  }
  for (Worker& worker : workers) {
    worker.side_by_side = worker.device->workers;
    worker.threads = std::clamp(threads_ / static_cast<int>(workers.size()), 1, kMostDeviceThreads);
  }
  RunWorkers(std::move(workers));
}

std::vector<EncodeQueue::Worker> EncodeQueue::MakeCpuWorkers() {
  const int count = CountWorkers(threads_);
  std::vector<Worker> workers;
  workers.reserve(count);
  for (int i = 0; i < count; ++i)
    workers.push_back(
        {.id = workers_made_++, .threads = threads_ / count + (i < threads_ % count ? 1 : 0)});
  return workers;
}

int EncodeQueue::CountWorkers(int most) {
  if (static_cast<int>(unopened_.size()) >= most) return most;
  // Too few jobs: their tiles count. No more jobs are opened than it takes to have enough tiles.
  const size_t wanted = static_cast<size_t>(most);
  while (!unopened_.empty() && CountWaiting() < wanted) {
    const size_t missing = (wanted - CountWaiting() + TilesOfAJob() - 1) / TilesOfAJob();
    const size_t count = std::min({missing, unopened_.size(), std::max<size_t>(1, jobs_opened_)});
    const auto end = unopened_.begin() + static_cast<ptrdiff_t>(count);
    const std::vector<size_t> next(unopened_.begin(), end);
    unopened_.erase(unopened_.begin(), end);
    const int openers = std::min(static_cast<int>(count), threads_);
    ThreadPool pool(openers);
    pool.ParallelFor(static_cast<int>(count),
                     [&](int i, int /*thread*/) { Open(next[i], threads_ / openers); });
  }
  return static_cast<int>(std::min(wanted, CountWaiting()));
}

void EncodeQueue::RunWorkers(std::vector<Worker> workers) {
  if (workers.empty()) return;
  ThreadPool pool(static_cast<int>(workers.size()));
  pool.ParallelFor(static_cast<int>(workers.size()), [&](int i, int /*thread*/) {
    Worker& worker = workers[i];
    try {
      while (const std::optional<Task> task = Take(worker))
        Return(worker, *task, OrOutOfMemory([&] { return Encode(worker, *task); }));
    } catch (...) {  // of what is called back, or no memory
      Abandon();
      throw;
    }
    worker.search.reset();
    worker.pool.reset();
  });
}

void EncodeQueue::Abandon() {
  const std::lock_guard lock(mutex_);
  calls_.Stop();
  for (const auto& [index, job] : open_) job->progress.Cancel();
  more_.notify_all();
}

// Jobs

void EncodeQueue::Open(size_t index, int threads) {
  const Status status = OrOutOfMemory([&] { return TryOpen(index, threads); });
  {
    const std::lock_guard lock(mutex_);
    ++jobs_opened_;
  }
  if (!status.ok()) Report(index, status, {});
}

Status EncodeQueue::TryOpen(size_t index, int threads) {
  ImageView image = jobs_[index].image;
  if (jobs_[index].load) {
    const Result<ImageView> loaded = CallBack(jobs_[index].load);
    if (!loaded.ok()) return loaded.status();
    image = *loaded;
  }
  const EncodeOptions& options = jobs_[index].options;
  Result<std::vector<EncodePlan>> plans = PlanTries(image, options);
  if (!plans.ok()) return plans.status();
  if (options.preview) {
    // It is little of the work.
    const auto goes_on = [&](double /*done*/) {
      return Notify(false) && (!options.progress || options.progress(0));
    };
    // It tells of its own lack of memory, and throws what the caller does.
    MMP_RETURN_IF_ERROR(CallBack([&] { return AddPreview(image, threads, goes_on, *plans); }));
  }
  auto job = std::make_unique<OpenJob>(index, options, image, *std::move(plans));
  const std::lock_guard lock(mutex_);
  OpenJob& opened = *open_.emplace(index, std::move(job)).first->second;
  try {
    for (size_t attempt = 0; attempt < opened.attempts.size(); ++attempt) {
      std::deque<Task>& waiting = opened.IsByPixels(attempt) ? by_pixels_ : by_patterns_;
      for (size_t tile = 0; tile < opened.attempts[attempt].tiles.size(); ++tile)
        waiting.push_back({&opened, attempt, tile});
    }
  } catch (...) {
    DropWaiting(opened);
    open_.erase(index);
    throw;
  }
  tiles_opened_ += opened.tiles_left;
  return {};
}

bool EncodeQueue::MayOpenNext() const {
  if (unopened_.empty()) return false;
  // Those that are being opened are expected to have tiles for so many workers.
  const size_t provided = being_opened_ * TilesOfAJob();
  return being_opened_ == 0 || (provided < being_opened_ + waiting_ + 1 &&
                                being_opened_ < std::max<size_t>(1, jobs_opened_));
}

void EncodeQueue::OpenNext(int threads, std::unique_lock<std::mutex>& lock) {
  const size_t job = unopened_.front();
  unopened_.pop_front();
  ++being_opened_;
  lock.unlock();
  Open(job, threads);
  lock.lock();
  --being_opened_;
  more_.notify_all();
}

size_t EncodeQueue::DropWaiting(const OpenJob& job) {
  const auto is_its = [&](const Task& task) { return task.job == &job; };
  return std::erase_if(by_patterns_, is_its) + std::erase_if(by_pixels_, is_its);
}

void EncodeQueue::Fail(OpenJob& job, const Status& why) {
  if (job.failure.ok()) job.failure = why;
  job.progress.Cancel();
  job.tiles_left -= DropWaiting(job);
}

void EncodeQueue::Finish(OpenJob& job) {
  EncodeStats stats;
  Result<std::vector<uint8_t>> file =
      OrOutOfMemory([&]() -> Result<std::vector<uint8_t>> { return MakeFile(job, stats); });
  Report(job.index, std::move(file), stats);
}

Result<std::vector<uint8_t>> EncodeQueue::MakeFile(const OpenJob& job, EncodeStats& stats) const {
  if (!job.failure.ok()) return job.failure;
  std::vector<uint8_t> file;
  double least_cost = std::numeric_limits<double>::infinity();
  for (const OpenJob::Attempt& attempt : job.attempts) {
    for (const EncodedTile& tile : attempt.tiles)
      MMP_RETURN_IF_ERROR(CheckStreamSize(tile.bytes.size()));
    EncodeStats attempt_stats;
    std::vector<uint8_t> attempt_file = FinishEncode(
        attempt.plan, attempt.tiles, attempt.tile_stats, job.options.metadata, attempt_stats);
    MMP_RETURN_IF_ERROR(
        CheckWritten(attempt_file, attempt.plan.header, attempt.tiles, job.options.metadata));
    attempt_stats.decode_work = attempt.start != nullptr ? attempt.start->file_work : 0;
    for (const TileStats& tile : attempt.tile_stats) attempt_stats.decode_work += tile.decode_work;
    const double cost =
        FileCost(job.attempts[0].plan, attempt_stats.sum_squared_error, attempt_file.size());
    if (cost >= least_cost) continue;
    least_cost = cost;
    file = std::move(attempt_file);
    stats = std::move(attempt_stats);
  }
  stats.tries = static_cast<int>(job.attempts.size());
  const bool on_cpu = job.on_cpu || stats.coder == Coder::kPixels;
  stats.backend = on_cpu ? Backend::kCpu : Backend::kCuda;
  if (job.on_cpu && job.options.backend != Backend::kCpu)
    stats.backend_note = SuitsDevices(job.options) ? device_failure_.message()
                                                   : "this effort is searched on the CPU only";
  stats.threads = job.threads;
  stats.seconds_total = job.watch.Seconds();
  return file;
}

void EncodeQueue::Report(size_t index, Result<std::vector<uint8_t>> file,
                         const EncodeStats& stats) {
  const bool ok = file.ok();
  reported_[index] = true;
  done_(index, std::move(file), stats);
  {
    const std::lock_guard lock(mutex_);
    open_.erase(index);
    ++(ok ? done_count_ : failed_count_);
  }
  Notify(true);
}

// Workers

std::optional<EncodeQueue::Task> EncodeQueue::Take(const Worker& worker) {
  std::unique_lock lock(mutex_);
  while (!calls_.stopped() && !worker.closed &&
         (worker.device == nullptr || worker.device->most_workers > 0)) {
    if (const std::optional<Task> task = TakeWaiting()) return task;
    if (!by_pixels_.empty()) {
      more_.wait(lock);  // until those at work have done them, or end for another reason
    } else if (MayOpenNext()) {
      OpenNext(worker.threads, lock);
    } else if (being_opened_ > 0) {
      ++waiting_;
      more_.wait(lock);
      --waiting_;
    } else {
      break;
    }
  }
  more_.notify_all();
  return std::nullopt;
}

std::optional<EncodeQueue::Task> EncodeQueue::TakeWaiting() {
  const bool is_by_pixels = !by_pixels_.empty() && pixel_threads_ < threads_;
  std::deque<Task>& waiting = is_by_pixels ? by_pixels_ : by_patterns_;
  if (waiting.empty()) return std::nullopt;
  const Task task = waiting.front();
  waiting.pop_front();
  pixel_threads_ += is_by_pixels;
  // Who has waited for the last of the pixel coder's can open a job.
  if (is_by_pixels && by_pixels_.empty()) more_.notify_all();
  return task;
}

Status EncodeQueue::Encode(Worker& worker, const Task& task) {
  OpenJob& job = *task.job;
  OpenJob::Attempt& attempt = job.attempts[task.attempt];
  const bool by_patterns = !job.IsByPixels(task.attempt);
  if (by_patterns) MMP_RETURN_IF_ERROR(PrepareSearch(worker, task));
  const TileInfo& t = attempt.plan.grid[task.tile];
  TileStats stats;
  const auto step = [&](int count) {
    return job.progress.Advance(count) && CallBack([&] { return Notify(false); });
  };
  const auto crop = [&](const ImageView& image) { return image.Crop(t.x, t.y, t.width, t.height); };
  const auto by_search = [&] {
    const EncodePlan& plan = attempt.plan;
    const TileJob tile_job = {
        .image = crop(plan.image),
        .exact_blocks = ExactBlocksOf(plan.exact_regions.get(), plan.with_exact, t),
        .original = crop(job.image),
        .map = SampleMap(job.image.depth, plan.header.range),
        .parameters = plan.header.parameters,
        .start = *attempt.start,
        .lambda = plan.coded_lambda,
        .weights = plan.weights,
        .filter_effort = EffortOf(job.options).filter,
        .finds_block_vectors = plan.finds_block_vectors,
        .timing = worker.kind.timing,
        .step = step};
    return EncodeTile(tile_job, *worker.search, *worker.pool, stats);
  };
  Result<EncodedTile> tile =
      by_patterns ? by_search()
                  : EncodePixelTile({crop(job.image), attempt.plan.header, step}, stats);
  if (!tile.ok()) {
    job.progress.Retract(stats.macroblocks);
    return tile.status();
  }
  attempt.tiles[task.tile] = *std::move(tile);
  attempt.tile_stats[task.tile] = stats;
  const std::lock_guard lock(mutex_);
  job.NoteWorker(worker);
  return {};
}

Status EncodeQueue::PrepareSearch(Worker& worker, const Task& task) {
  if (worker.pool == nullptr) worker.pool = std::make_unique<TaskPool>(worker.threads);
  const OpenJob& job = *task.job;
  const SearchKind kind = {
      .parameters = SearchParameters(job.attempts[task.attempt].plan.header.parameters),
      .speed_features = EffortOf(job.options).speed_features,
      .side_by_side = worker.side_by_side,
      .timing = job.options.time_stages};
  if (worker.search != nullptr && worker.kind == kind) return {};
  worker.search.reset();
  worker.kind = kind;
  if (worker.device == nullptr) {
    worker.search = MakeCpuSearch(kind.speed_features, kind.timing);
    return {};
  }
  auto search = CudaBackend()->MakeSearch(kind, worker.device->number);
  if (!search.ok()) return search.status();
  worker.search = *std::move(search);
  return {};
}

void EncodeQueue::Return(Worker& worker, const Task& task, const Status& status) {
  OpenJob& job = *task.job;
  // What the search has begun, it may not have ended.
  if (status.code() == StatusCode::kOutOfMemory) worker.search.reset();
  {
    const std::lock_guard lock(mutex_);
    const bool is_by_pixels = job.IsByPixels(task.attempt);
    pixel_threads_ -= is_by_pixels;
    if (worker.device != nullptr && IsDeviceFailure(status)) {
      Close(worker, status);
      if (job.failure.ok()) {
        (is_by_pixels ? by_pixels_ : by_patterns_).push_front(task);
        more_.notify_all();
        return;
      }
    } else if (!status.ok()) {
      Fail(job, status);
    }
    if (--job.tiles_left > 0) return;
  }
  Finish(job);
}

void EncodeQueue::Close(Worker& worker, const Status& failure) {
  worker.closed = true;
  Device& device = *worker.device;
  --device.workers;
  // If it is only full, it goes on with the workers that it has left.
  const bool is_full = failure.code() == StatusCode::kOutOfMemory;
  device.most_workers = is_full ? std::min(device.most_workers, device.workers) : 0;
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
