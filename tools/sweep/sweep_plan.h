// Which points a sweep consists of.
#ifndef MMP_TOOLS_SWEEP_SWEEP_PLAN_H_
#define MMP_TOOLS_SWEEP_SWEEP_PLAN_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/image_files/image_io.h"
#include "mmp/mmp.h"
#include "tools/sweep/external/external_codec.h"
#include "tools/sweep/results/sweep_results.h"

namespace mmp {

// What mmp is to be measured at.
struct EncoderSetting {
  Preset preset = Preset::kBest;
  std::optional<int> effort = {};  // in place of the preset

  friend bool operator==(const EncoderSetting&, const EncoderSetting&) = default;
};

// "fast", "effort 3".
std::string NameOf(const EncoderSetting& setting);

// What a sweep is asked for.
struct SweepRequest {
  std::vector<std::string> inputs = {};
  ReadImageOptions read = {};
  std::vector<double> lambdas = {};
  std::vector<EncoderSetting> settings = {};
  std::vector<const ExternalCodec*> against = {};
  std::vector<std::string> against_csv = {};  // files of measured points
  Backend backend = Backend::kAuto;
  int jobs = 0;             // most points at work at a time; 0: as many as the machine has use for
  std::string folder = {};  // where everything goes; is created if missing
  bool force = false;       // also into a folder of files that are not of a sweep
  bool keep_bitstreams = false;
  bool keep_decoded = false;  // decoded pictures, as PNG
  std::string command = {};   // SweepResults::command
  // Whether to end early, with what is done; asked often, from all threads. May be empty.
  std::function<bool()> interrupted = {};
};

bool IsInterrupted(const SweepRequest& request);

// How the points of a curve are made.
struct Curve {
  SweepCodec codec = {};
  std::optional<EncoderSetting> setting = {};  // of mmp, or else
  const ExternalCodec* external = nullptr;     // another codec
  std::vector<double> parameters = {};
  // Of two curves that are the same here, the points are the same, but for the time that they take.
  std::string identity = {};
};

// A curve for each setting and each codec to compare with, in this order.
std::vector<Curve> PlanCurves(const SweepRequest& request);

// A point to be measured: a unit of work that depends on no other.
struct SweepTask {
  size_t image = 0;  // index in the images,
  size_t curve = 0;  // and in the curves
  double parameter = 0;
  std::string key = {};  // hash of the image's samples, the curve's identity and the parameter
};

// All points, image by image. Images that are the same have tasks with the same keys.
std::vector<SweepTask> PlanTasks(const std::vector<SweepImage>& images,
                                 const std::vector<Curve>& curves);

}  // namespace mmp

#endif  // MMP_TOOLS_SWEEP_SWEEP_PLAN_H_
