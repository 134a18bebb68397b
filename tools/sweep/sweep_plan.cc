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
uint32_t EncoderFingerprint(const EncoderSetting& setting) {
  EncodeOptions options;
  options.preset = setting.preset;
  options.effort = setting.effort;
  options.exact_lambda = true;
  options.backend = Backend::kCpu;
  const Image picture = SmallPicture();
  const Result<std::vector<uint8_t>> file = Encode(picture.View(), options);
  return file.ok() ? Crc32c(*file) : 0;
}

Curve MmpCurve(const EncoderSetting& setting, const std::vector<double>& lambdas) {
  const std::string name = NameOf(setting);
  Curve curve;
  curve.codec = {.name = "mmp " + name,
                 .version = VersionText(),
                 .parameter_name = "lambda",
                 .is_mmp = true,
                 .preset = name};
  curve.setting = setting;
  curve.parameters = lambdas;
  curve.identity =
      VersionText() +
      Format(", format %d, encoder %08x, preset ", kFormatVersion, EncoderFingerprint(setting)) +
      name;
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

std::string NameOf(const EncoderSetting& setting) {
  return setting.effort ? Format("effort %d", *setting.effort)
                        : std::string(PresetName(setting.preset));
}

bool IsInterrupted(const SweepRequest& request) {
  return request.interrupted && request.interrupted();
}

std::vector<Curve> PlanCurves(const SweepRequest& request) {
  std::vector<Curve> curves;
  for (const EncoderSetting& setting : request.settings)
    curves.push_back(MmpCurve(setting, request.lambdas));
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
