// What the values of options, and of headers, are called.
#include "mmp/mmp.h"

namespace mmp {

std::string_view PresetName(Preset preset) {
  switch (preset) {
    case Preset::kThesis:
      return "thesis";
    case Preset::kFast:
      return "fast";
    case Preset::kQuick:
      return "quick";
    case Preset::kBest:
      return "best";
  }
  return "unknown";
}

std::string_view OrderName(MacroblockOrder order) {
  switch (order) {
    case MacroblockOrder::kAuto:
      return "auto";
    case MacroblockOrder::kRaster:
      return "raster";
    case MacroblockOrder::kWavefront:
      return "wavefront";
  }
  return "unknown";
}

std::string_view CoderName(Coder coder) {
  switch (coder) {
    case Coder::kAuto:
      return "auto";
    case Coder::kPatterns:
      return "patterns";
    case Coder::kPixels:
      return "pixels";
  }
  return "unknown";
}

std::string_view BackendName(Backend backend) {
  switch (backend) {
    case Backend::kAuto:
      return "auto";
    case Backend::kCpu:
      return "cpu";
    case Backend::kCuda:
      return "cuda";
  }
  return "unknown";
}

}  // namespace mmp
