// What a sweep measured: the rate and the quality of many pictures in many codings.
#ifndef MMP_TOOLS_SWEEP_RESULTS_SWEEP_RESULTS_H_
#define MMP_TOOLS_SWEEP_RESULTS_SWEEP_RESULTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mmp/status.h"

namespace mmp {

struct SweepImage {
  // The file's, without folder and extension unless two are the same; control characters, such as
  // line breaks, are written out.
  std::string name = {};
  std::string path = {};
  std::string hash = {};  // SHA-256 of the image as a PGM file
  int width = 0;          // pixels
  int height = 0;         // pixels
};

// A curve's codec with its settings, all but the one that the points of the curve differ in.
struct SweepCodec {
  std::string name = {};            // "mmp thesis", "mmp fast", "x265", ...
  std::string version = {};         // "mmp 1.0.0"; of measured points, the file that they come from
  std::string parameter_name = {};  // what RdPoint::parameter is: "lambda", "QP", "quality", ...
  bool is_mmp = false;
  std::string preset = {};  // mmp's
};

// One picture coded once. Sizes and qualities are of the picture in the file; a value that is not
// known (of points measured elsewhere) is not set.
struct RdPoint {
  size_t image = 0;  // index in SweepResults::images
  size_t codec = 0;  // index in SweepResults::codecs
  double parameter = 0;
  uint64_t bytes = 0;
  double bits_per_pixel = 0;
  double psnr = 0;  // dB; infinite if lossless
  std::optional<double> ssim = {};
  std::optional<double> ms_ssim = {};  // see MsSsim
  std::optional<double> encode_seconds = {};
  std::optional<double> decode_seconds = {};
  std::map<std::string, double> bits = {};  // by syntax element; empty for codecs other than mmp
  // Files, relative to the folder of the results; empty if not kept.
  std::string bitstream_path = {};
  std::string decoded_path = {};
  std::string command = {};  // makes the point again; empty if measured elsewhere
};

// A point, or a whole image, that could not be had.
struct SweepFailure {
  std::string image = {};  // its name, or its path if it could not be read
  std::string codec = {};  // empty: the image is not in any curve
  double parameter = 0;    // if there is a codec
  std::string message = {};
  StatusCode code = StatusCode::kIo;
};

// Points are sorted by image, then codec, then bits per pixel.
struct SweepResults {
  std::string command = {};  // the whole command line
  std::string date = {};     // when they were put together, "2024-05-31T16:20:00Z"
  std::vector<SweepImage> images = {};
  std::vector<SweepCodec> codecs = {};  // in the order in which to show them, mmp's first
  std::vector<RdPoint> points = {};
  std::vector<SweepFailure> failures = {};
  size_t points_left = 0;  // that were not begun or ended, as the sweep was interrupted
};

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_RESULTS_SWEEP_RESULTS_H_
