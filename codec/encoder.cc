#include <atomic>
#include <utility>

#include "codec/encode_queue.h"
#include "codec/mmp.h"
#include "codec/search_backend.h"

namespace mmp {
namespace {

std::atomic<SearchBackend*> cuda_backend{nullptr};

}  // namespace

void SetCudaBackend(SearchBackend* backend) { cuda_backend = backend; }
SearchBackend* CudaBackend() { return cuda_backend; }

void EncodeMany(std::span<const EncodeJob> jobs, const EncodeManyOptions& options,
                const EncodedCallback& done) {
  EncodeQueue(jobs, options, done).Run();
}

std::vector<Result<std::vector<uint8_t>>> EncodeMany(std::span<const EncodeJob> jobs,
                                                     const EncodeManyOptions& options,
                                                     std::vector<EncodeStats>* stats) {
  std::vector<Result<std::vector<uint8_t>>> files(jobs.size(), std::vector<uint8_t>());
  if (stats != nullptr) stats->assign(jobs.size(), {});
  EncodeMany(jobs, options,
             [&](size_t job, Result<std::vector<uint8_t>> file, const EncodeStats& job_stats) {
               files[job] = std::move(file);
               if (stats != nullptr) (*stats)[job] = job_stats;
             });
  return files;
}

Result<std::vector<uint8_t>> Encode(const ImageView& image, const EncodeOptions& options,
                                    EncodeStats* stats) {
  const EncodeJob job = {.image = image, .options = options};
  std::vector<EncodeStats> all_stats;
  auto files = EncodeMany({&job, 1}, {.threads = options.threads}, &all_stats);
  if (stats != nullptr && files[0].ok()) *stats = std::move(all_stats[0]);
  return std::move(files[0]);
}

}  // namespace mmp
