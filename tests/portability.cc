#include "tests/portability.h"

#include "codec/mmp.h"
#include "common/crc32c.h"
#include "tests/pictures.h"

namespace mmp {

std::vector<PortableResult> RunPortableCases() {
  std::vector<PortableResult> results;
  for (const Picture picture : {Picture::kTexture, Picture::kText, Picture::kNoise}) {
    const Image image = Draw(picture, 48, 32, 77);
    for (const Preset preset : {Preset::kThesis, Preset::kFast, Preset::kBest}) {
      for (const double lambda : {0.0, 20.0}) {
        EncodeOptions options;
        options.preset = preset;
        options.lambda = lambda;
        options.threads = 2;
        const auto file = Encode(image.View(), options);
        const bool good = file.ok() && Decode(*file).ok();
        results.push_back({std::string(PictureName(picture)) + " " +
                               std::string(PresetName(preset)) + " " +
                               std::to_string(static_cast<int>(lambda)),
                           good ? Crc32c(*file) : 0});
      }
    }
  }
  return results;
}

}  // namespace mmp
