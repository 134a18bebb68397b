// The encoding of files, measured and written.
#ifndef MMP_TOOLS_ENCODE_ENCODE_FILE_H_
#define MMP_TOOLS_ENCODE_ENCODE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/image_files/image_io.h"
#include "mmp/mmp.h"
#include "mmp/status.h"
#include "tools/command_line/file_jobs.h"
#include "tools/encode/rate_target.h"
#include "tools/text/json.h"

namespace mmp {

struct EncodeRequest {
  ReadImageOptions read;
  EncodeOptions encode;
  // If one of these is set, lambda is searched for.
  std::optional<RateTarget> target;
  std::optional<uint64_t> target_bytes;  // at most
  bool strip = false;                    // leave out the metadata of image files
  bool verify = false;                   // also fail where lambda 0 does not give back every sample

  bool HasTarget() const { return target || target_bytes; }
};

struct EncodeReport {
  std::string notice;  // see LoadedImage
  int width = 0;       // pixels
  int height = 0;      // pixels
  int depth = 0;       // bits a sample
  // The part of the range of the depth's samples that all but the least and largest hundredth fill.
  double filled_range = 0;
  uint64_t bytes = 0;
  double bits_per_pixel = 0;
  double psnr = 0;  // dB; infinite if lossless
  double lambda = 0;
  double seconds = 0;                // wall clock, of all encodes
  std::optional<RateSearch> search;  // if there was a target
  EncodeStats stats;
};

// Encodes one file at the lambda that meets the request's target.
// Errors: those of ReadImage, Encode and AtomicFile; kCorrupt if verification fails. Messages name
// the file. Nothing is left at job.output then.
Result<EncodeReport> EncodeFileToTarget(const FileJob& job, const EncodeRequest& request);

// Encodes files as EncodeMany does, without a target: each is read when its turn comes, and written
// and freed when it has been encoded. `done` gets each one's report or error, as above, from any of
// the working threads. request.encode.progress is called with the part of all work that is done.
void EncodeFiles(const std::vector<FileJob>& jobs, const EncodeRequest& request,
                 const std::function<void(size_t index, Result<EncodeReport> report)>& done);

// One line: what `job` came to.
std::string SummaryText(const FileJob& job, const EncodeReport& report);

// The fields of an object that the caller begins and ends.
void WriteReport(const EncodeReport& report, JsonWriter& json);

}  // namespace mmp

#endif  // MMP_TOOLS_ENCODE_ENCODE_FILE_H_
