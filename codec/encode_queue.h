// The work of Encode and EncodeMany: tiles of all jobs, handed out to whoever is free.
//
// The workers are lanes: threads with a search of their own, each on a device or on the CPU. Jobs
// for devices and jobs for the CPU wait in two lines. A lane takes the next tile of its line; if
// there is none, it opens the line's next job (loads the image, plans its tiles). Where a device
// fails, the tile goes back into the line. When all lanes have come to an end and work is left,
// there is another round, with the devices that are left or with the CPU.
#ifndef MMP_CODEC_ENCODE_QUEUE_H_
#define MMP_CODEC_ENCODE_QUEUE_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "codec/encode_plan.h"
#include "codec/mmp.h"
#include "codec/progress.h"
#include "codec/search.h"
#include "codec/search_backend.h"
#include "codec/stopwatch.h"

namespace mmp {

// One run: make it, call Run.
class EncodeQueue {
 public:
  // All must outlive the queue.
  EncodeQueue(std::span<const EncodeJob> jobs, const EncodeManyOptions& options,
              const EncodedCallback& done);
  ~EncodeQueue();

  // Returns when `done` has been called for each job.
  void Run();

 private:
  static constexpr int kCpu = -1;  // in place of a device's number

  // A tile to be coded.
  struct Task {
    size_t job = 0;
    size_t tile = 0;
    uint64_t refused_by = 0;  // bit d: device d has no memory for it, even alone
    Status refusal = {};      // the last
  };

  // What waits for devices, or for the CPU.
  struct Line {
    std::deque<Task> tasks;
    std::deque<size_t> jobs;  // not opened yet
    int at_work = 0;          // tasks and jobs that lanes have in hand and may put back

    bool empty() const { return tasks.empty() && jobs.empty(); }
  };

  struct Device {
    int most_lanes = 0;  // 0: not to be used any more
    int lanes = 0;       // at present
  };

  // A job that has been opened.
  struct OpenJob;
  // A thread and its search.
  struct Lane;

  // Rounds
  void FindDevices();
  void RunRound();
  void OpenAhead(Line& line, int lanes);
  int CountLanes(const Line& line, int most) const;
  void AddDeviceLanes(std::vector<Lane>& lanes);
  void AddCpuLanes(std::vector<Lane>& lanes);
  // Takes from the devices' line what no device is left for.
  void GiveUpOnDevices();
  bool IsDeviceLeft(uint64_t refused_by) const;
  // Whether the CPU may do the job, which then is noted in its statistics.
  bool LeaveToCpu(size_t job, const Status& why);

  // Jobs
  Result<std::unique_ptr<OpenJob>> Open(size_t job) const;
  // Puts the job's tiles into the line, or ends it if it could not be opened.
  void Begin(size_t job, Result<std::unique_ptr<OpenJob>> opened, Line& line);
  // Drops the job's tasks that wait. It ends when those in hand have.
  void Fail(size_t job, const Status& why);
  // A task of the job has come to an end: so may have the job.
  void EndTask(size_t job);
  void Finish(size_t job);
  void Report(size_t job, Result<std::vector<uint8_t>> file, const EncodeStats& stats);

  // Lanes
  void RunLane(Lane& lane);
  std::optional<Task> Take(Lane& lane);
  Status Encode(Lane& lane, const Task& task);
  Status PrepareSearch(Lane& lane, size_t job);
  // The end of a task, or of the lane's try.
  void Return(Lane& lane, const Task& task, const Status& status);
  // Puts the task back into the line. Called under mutex_.
  void PutBack(Lane& lane, Task task, const Status& failure);

  // Progress; false: stop.
  bool Step(OpenJob& job);
  void Notify(bool now);
  EncodeManyProgress CountProgress();

  Line& LineOf(const Lane& lane);

  const std::span<const EncodeJob> jobs_;
  const EncodeManyOptions& options_;
  const EncodedCallback& done_;
  SearchBackend* const backend_;
  const int threads_;

  std::mutex mutex_;  // guards all below but atomics, while lanes run
  std::condition_variable changed_;
  Line for_devices_, for_cpu_;
  std::vector<Device> devices_;
  Status device_failure_;  // why devices are not used: the last reason
  unsigned first_device_;  // of the next round's lanes
  int lanes_made_ = 0;     // in all rounds
  std::vector<std::unique_ptr<OpenJob>>
      open_;                        // by job; null before it is opened and after its end
  std::vector<bool> ended_;         // by job
  std::vector<std::string> notes_;  // by job: why the CPU does it
  int done_count_ = 0, failed_count_ = 0;

  std::atomic<bool> cancelled_{false};
  std::mutex progress_mutex_;  // held while the callback runs; taken before mutex_
  std::chrono::steady_clock::time_point last_progress_{};
};

}  // namespace mmp

#endif  // MMP_CODEC_ENCODE_QUEUE_H_
