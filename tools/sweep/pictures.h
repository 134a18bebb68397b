// The images of a sweep: known from the start, in memory while they are needed.
#ifndef MMP_TOOLS_SWEEP_PICTURES_H_
#define MMP_TOOLS_SWEEP_PICTURES_H_

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "common/image_files/image_io.h"
#include "mmp/image.h"
#include "mmp/status.h"
#include "tools/sweep/results/sweep_results.h"

namespace mmp {

class Pictures {
 public:
  // Reads all files once, for their sizes and hashes. A path given twice counts once.
  Pictures(const std::vector<std::string>& paths, const ReadImageOptions& options);

  // Of images that are known already, in another process: reads none.
  Pictures(std::vector<SweepImage> images, const ReadImageOptions& options);

  // Those that could be read, in the order given,
  const std::vector<SweepImage>& images() const { return images_; }
  // and those that could not.
  const std::vector<SweepFailure>& failures() const { return failures_; }

  // images()[index], which is read again unless someone still has it. May be called from several
  // threads at once. Errors: those of ReadImage; kIo if it has changed since.
  Result<std::shared_ptr<const Image>> Get(size_t index);

 private:
  void NameImages();

  const ReadImageOptions options_;
  std::vector<SweepImage> images_;
  std::vector<SweepFailure> failures_;
  std::mutex mutex_;  // guards what follows
  std::vector<std::weak_ptr<const Image>> loaded_;
};

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_PICTURES_H_
