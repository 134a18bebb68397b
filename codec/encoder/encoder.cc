#include <atomic>
#include <new>
#include <optional>
#include <utility>

#include "codec/base/threads.h"
#include "codec/encoder/encode_queue.h"
#include "codec/encoder/search_backend.h"
#include "common/out_of_memory.h"
#include "mmp/mmp.h"

namespace mmp {
namespace {

std::atomic<SearchBackend*> cuda_backend{nullptr};

}  // namespace

void SetCudaBackend(SearchBackend* backend) { cuda_backend = backend; }
SearchBackend* CudaBackend() { return cuda_backend; }

void EncodeMany(std::span<const EncodeJob> jobs, const EncodeManyOptions& options,
                const EncodedCallback& done) {
  if (const Status status = CheckThreads(options.threads); !status.ok()) {
    for (size_t job = 0; job < jobs.size(); ++job) done(job, status, {});
    return;
  }
  std::optional<EncodeQueue> queue;
  try {
    queue.emplace(jobs, options, done);
    queue->Run();
    return;
  } catch (const std::bad_alloc&) {
    // Where there was no memory for a job, that has failed; here there was none for all of them.
  }
  for (size_t job = 0; job < jobs.size(); ++job)
    if (!queue || !queue->IsReported(job)) done(job, OutOfMemory(), {});
}

std::vector<Result<std::vector<uint8_t>>> EncodeMany(std::span<const EncodeJob> jobs,
                                                     const EncodeManyOptions& options,
                                                     std::vector<EncodeStats>* stats) {
  std::vector<Result<std::vector<uint8_t>>> files;
  try {
    files.assign(jobs.size(), std::vector<uint8_t>());
    if (stats != nullptr) stats->assign(jobs.size(), {});
  } catch (const std::bad_alloc&) {
    return {};
  }
  EncodeMany(jobs, options,
             [&](size_t job, Result<std::vector<uint8_t>> file, const EncodeStats& job_stats) {
               files[job] = std::move(file);
               if (stats != nullptr) (*stats)[job] = job_stats;
             });
  return files;
}

Result<std::vector<uint8_t>> Encode(const ImageView& image, const EncodeOptions& options,
                                    EncodeStats* stats) {
  // What is called back may throw std::length_error, which is none of memory here.
  try {
    const EncodeJob job = {.image = image, .options = options};
    std::vector<EncodeStats> all_stats;
    auto files = EncodeMany({&job, 1}, {.threads = options.threads}, &all_stats);
    if (files.empty()) return OutOfMemory();
    if (stats != nullptr && files[0].ok()) *stats = std::move(all_stats[0]);
    return std::move(files[0]);
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  }
}

}  // namespace mmp
