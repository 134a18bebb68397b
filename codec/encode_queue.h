// The work of Encode and EncodeMany: the tiles of all jobs, handed out to whoever is free.
//
// Who works is called a lane: a thread with a search of its own, on a device or on the CPU. A lane
// takes the next tile that waits; if there is none, it opens the next job (loads the image, plans
// its tiles), or waits for what other lanes open. Jobs for devices come first, in rounds: if a
// device fails, its lanes close and their tiles wait again; when all lanes have ended, another
// round does what still waits, with the devices that are left. Then there is a round on the CPU,
// for its own jobs and for what no device was left for.
#ifndef MMP_CODEC_ENCODE_QUEUE_H_
#define MMP_CODEC_ENCODE_QUEUE_H_

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

#include "codec/mmp.h"
#include "codec/progress.h"
#include "codec/search_backend.h"

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
    int most_lanes = 0;  // 0: it is not used any more
    int lanes = 0;       // in this round, less those closed
  };
  struct Lane;

  // Rounds
  void RunOnDevices();
  // After the devices: takes what still waits to the CPU or, where the job does not allow it,
  // fails.
  void LeaveToCpu();
  std::vector<Lane> MakeDeviceLanes();
  std::vector<Lane> MakeCpuLanes();
  // How many lanes have something to do, if there can be `most`.
  int CountLanes(int most);
  void RunLanes(std::vector<Lane> lanes);

  // Jobs
  void Open(size_t index);
  // Opens the next job, without the lock.
  void OpenNext(std::unique_lock<std::mutex>& lock);
  // Drops the job's tiles that wait; it ends when those in hand have. Called under mutex_.
  void Fail(OpenJob& job, const Status& why);
  // Ends a job all of whose tiles are coded, or that failed.
  void Finish(OpenJob& job);
  void Report(size_t index, Result<std::vector<uint8_t>> file, const EncodeStats& stats);

  // Lanes
  std::optional<Task> Take(const Lane& lane);
  Status Encode(Lane& lane, const Task& task);
  Status PrepareSearch(Lane& lane, const Task& task);
  // The end of a task, or of the lane's try.
  void Return(Lane& lane, const Task& task, const Status& status);
  // The lane's device failed. Called under mutex_.
  void Close(Lane& lane, const Status& failure);

  // Calls back; false once all work is to stop.
  bool Notify(bool surely);
  EncodeManyProgress CountProgress();

  const std::span<const EncodeJob> jobs_;
  const EncodeManyOptions& options_;
  const EncodedCallback& done_;
  const int threads_;
  ProgressCalls calls_;

  std::mutex mutex_;              // guards all below while lanes run; not held while calling back
  std::deque<size_t> unopened_;   // jobs
  std::deque<Task> tasks_;        // that wait
  int being_opened_ = 0;          // jobs, by lanes; their tiles are yet to come
  std::condition_variable more_;  // lanes wait here for tiles of jobs that others open
  std::map<size_t, std::unique_ptr<OpenJob>> open_;
  std::vector<Device> devices_;
  Status device_failure_;  // the last: why the CPU has to do what it has not been asked for
  int lanes_made_ = 0;
  int done_count_ = 0, failed_count_ = 0;
};

}  // namespace mmp

#endif  // MMP_CODEC_ENCODE_QUEUE_H_
