// The work of Encode and EncodeMany: a queue of the tiles of all jobs, shared by several workers.
//
// A worker is a thread with a search of its own, on a device or on the CPU. It takes the next tile
// that waits; if there is none, it opens the next job (loads the image, plans its tiles), or waits
// for what other workers open. Jobs for devices come first, in rounds: if a device fails, its
// workers close and their tiles wait again; when all workers have ended, another round does what
// still waits, with the devices that are left. Then there is a round on the CPU, for its own jobs
// and for those for which no device was left.
#ifndef MMP_CODEC_ENCODER_ENCODE_QUEUE_H_
#define MMP_CODEC_ENCODER_ENCODE_QUEUE_H_

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "codec/base/progress.h"
#include "codec/encoder/search_backend.h"
#include "mmp/mmp.h"

namespace mmp {

// The state of one run of Encode or EncodeMany.
class EncodeQueue {
 public:
  // All must outlive the queue.
  EncodeQueue(std::span<const EncodeJob> jobs, const EncodeManyOptions& options,
              const EncodedCallback& done);
  ~EncodeQueue();

  // Returns when `done` has been called for each job, or throws what a function called back threw,
  // or std::bad_alloc.
  void Run();
  // Whether `done` has been called for the job.
  bool IsReported(size_t job) const { return reported_[job] != 0; }

 private:
  // A job that has been opened and has not ended.
  struct OpenJob;
  // A tile to be coded, in one of the job's attempts.
  struct Task {
    OpenJob* job = nullptr;
    size_t attempt = 0;
    size_t tile = 0;
  };
  struct Device {
    int number = 0;
    int most_workers = 0;  // 0: it is not used any more
    int workers = 0;       // in this round, less those closed
  };
  struct Worker;

  // Rounds
  void RunOnDevices();
  // After the rounds on devices: moves the tasks that still wait to the CPU or, where their job
  // does not allow that, fails the job.
  void LeaveToCpu();
  // A round on the devices that can be used.
  void RunDeviceWorkers();
  std::vector<Worker> MakeCpuWorkers();
  // How many workers have something to do, if there can be `most`.
  int CountWorkers(int most);
  void RunWorkers(std::vector<Worker> workers);
  // Lets all workers end soon: one has thrown.
  void Abandon();

  // Jobs
  // Loads and plans the job, by so many threads; its tiles then wait. If that fails, the job ends.
  void Open(size_t index, int threads);
  Status TryOpen(size_t index, int threads);
  // Whether another job is to be opened: jobs are opened one by one, or as many at a time as are
  // expected to have tiles for the workers that have none. Called under mutex_.
  bool MayOpenNext() const;
  size_t TilesOfAJob() const {
    return std::max<size_t>(1, tiles_opened_ / std::max<size_t>(1, jobs_opened_));
  }
  // Opens the next job, by so many threads, without the lock.
  void OpenNext(int threads, std::unique_lock<std::mutex>& lock);
  // The tasks that wait, of all jobs or of one. Called under mutex_.
  size_t CountWaiting() const { return by_patterns_.size() + by_pixels_.size(); }
  size_t DropWaiting(const OpenJob& job);
  // Drops the job's tiles that wait; it ends when those in hand have. Called under mutex_.
  void Fail(OpenJob& job, const Status& why);
  // Ends a job all of whose tiles are coded, or that failed.
  void Finish(OpenJob& job);
  // The file of least cost of the job's attempts. Errors: why the job failed.
  Result<std::vector<uint8_t>> MakeFile(const OpenJob& job, EncodeStats& stats) const;
  void Report(size_t index, Result<std::vector<uint8_t>> file, const EncodeStats& stats);

  // Workers
  std::optional<Task> Take(const Worker& worker);
  // A task that waits and may begin: the pixel coder works on the CPU, whoever the worker is, and
  // has no more threads than there are. Called under mutex_.
  std::optional<Task> TakeWaiting();
  Status Encode(Worker& worker, const Task& task);
  Status PrepareSearch(Worker& worker, const Task& task);
  // The end of a task, or of the worker's try.
  void Return(Worker& worker, const Task& task, const Status& status);
  // The worker's device failed. Called under mutex_.
  void Close(Worker& worker, const Status& failure);

  // Calls back; false once all work is to stop.
  bool Notify(bool surely);
  EncodeManyProgress CountProgress();

  const std::span<const EncodeJob> jobs_;
  const EncodeManyOptions& options_;
  const EncodedCallback& done_;
  const int threads_;
  ProgressCalls calls_;
  std::vector<uint8_t> reported_;  // by job; bytes, as workers write to it at the same time

  std::mutex mutex_;             // guards all below while workers run; not held while calling back
  std::deque<size_t> unopened_;  // jobs
  std::deque<Task> by_patterns_, by_pixels_;  // tasks that wait
  int pixel_threads_ = 0;                     // at work on tasks of the pixel coder
  size_t being_opened_ = 0;                   // jobs, by workers; their tiles are yet to come
  size_t waiting_ = 0;                        // workers, for these
  size_t jobs_opened_ = 0, tiles_opened_ = 0;
  std::condition_variable more_;  // workers wait here for tiles of jobs that others open, and for
                                  // the pixel coder's threads
  std::map<size_t, std::unique_ptr<OpenJob>> open_;
  std::vector<Device> devices_;
  Status device_failure_;  // the last: why the CPU has to do what it has not been asked for
  int workers_made_ = 0;
  int done_count_ = 0, failed_count_ = 0;
};

}  // namespace mmp

#endif  // MMP_CODEC_ENCODER_ENCODE_QUEUE_H_
