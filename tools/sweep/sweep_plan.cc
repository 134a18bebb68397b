#include "tools/sweep/sweep_plan.h"

#include <cstdint>

#include "codec/bitstream/container.h"
#include "common/crc32c.h"
#include "common/sha256.h"
#include "tools/command_line/terminal.h"
#include "tools/command_line/version.h"
#include "tools/text/text.h"

namespace mmp {
namespace {

// Half smooth, half of edges.
Image SmallPicture() {
  Image image(48, 48);
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x)
      image.Row(y)[x] = static_cast<uint8_t>(x < 24                ? 3 * x + 2 * y + (x * y) % 5
                                             : ((x * y) & 32) != 0 ? 200
                                                                   : 60);
  }
  return image;
}

// Tells encoders apart that have the same version but not the same results, as they do while
// someone works on them: a checksum of what this one makes of a small picture.
uint32_t EncoderFingerprint(Preset preset) {
  EncodeOptions options;
  options.preset = preset;
  options.exact_lambda = true;
  options.backend = Backend::kCpu;
  const Image picture = SmallPicture();
  const Result<std::vector<uint8_t>> file = Encode(picture.View(), options);
  return file.ok() ? Crc32c(*file) : 0;
}

Curve MmpCurve(Preset preset, const std::vector<double>& lambdas) {
  Curve curve;
  curve.codec = {.name = "mmp " + std::string(PresetName(preset)),
                 .version = VersionText(),
                 .parameter_name = "lambda",
                 .is_mmp = true,
                 .preset = std::string(PresetName(preset))};
  curve.preset = preset;
  curve.parameters = lambdas;
  curve.identity =
      VersionText() +
      Format(", format %d, encoder %08x, preset ", kFormatVersion, EncoderFingerprint(preset)) +
      std::string(PresetName(preset));
  return curve;
}

Curve ExternalCurve(const ExternalCodec& codec) {
  Curve curve;
  curve.codec = {.name = std::string(codec.name),
                 .version = VersionOf(codec),
                 .parameter_name = std::string(codec.parameter_name)};
  curve.external = &codec;
  curve.parameters = codec.qualities;
  curve.identity = curve.codec.version + ": " + DescribeCommands(codec);
  return curve;
}

std::string KeyOf(const SweepImage& image, const Curve& curve, double parameter) {
  Sha256 hash;
  hash.Add(image.hash + "\n" + curve.identity + "\n" + NumberText(parameter));
  return hash.Hex();
}

}  // namespace

bool IsInterrupted(const SweepRequest& request) {
  return request.interrupted && request.interrupted();
}

std::vector<Curve> PlanCurves(const SweepRequest& request) {
  std::vector<Curve> curves;
  for (const Preset preset : request.presets) curves.push_back(MmpCurve(preset, request.lambdas));
  for (const ExternalCodec* codec : request.against) curves.push_back(ExternalCurve(*codec));
  return curves;
}

std::vector<SweepTask> PlanTasks(const std::vector<SweepImage>& images,
                                 const std::vector<Curve>& curves) {
  std::vector<SweepTask> tasks;
  for (size_t image = 0; image < images.size(); ++image) {
    for (size_t curve = 0; curve < curves.size(); ++curve) {
      for (const double parameter : curves[curve].parameters)
        tasks.push_back({image, curve, parameter, KeyOf(images[image], curves[curve], parameter)});
    }
  }
  return tasks;
}

}  // namespace mmp
