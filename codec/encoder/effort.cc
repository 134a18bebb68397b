#include "codec/encoder/effort.h"

#include <array>

namespace mmp {
namespace {

// Each step takes 1.15 to 1.7 times the time of the one before, the last more than twice;
// each leaves out what gives least for its time. docs/performance.md, "Efforts", has both.
constexpr std::array<Effort, kMostEffort> kEfforts = {{
    {Preset::kQuick, {1, 4, 22, 384, 0, 0, 24, 0, 240, true, true}, {4, true}, true},
    {Preset::kQuick, {1, 4, 22, 384, 0, 2, 24, 8, 128, true, true}, {2, true}, true},
    {Preset::kFast, {2, 4, 22, 384, 0, 3, 16, 32, 100, true, true}, {2, true}, true},
    {Preset::kFast, {3, 4, 22, 384, 0, 4, 16, 64, 100, true, true}, {2, true}, true},
    {Preset::kFast, {3, 4, 22, 384}, {1, true}},
    {Preset::kFast, {3, 2, 22, 384}, {1, true}},
    {Preset::kFast, {4, 2, 14, 256}, {1, true}},
    {Preset::kBest, {4, 2, 8, 96}},
    {Preset::kBest, {10, 1, 0, 64}},
}};

// That a preset stands for; it has one.
constexpr int EffortOfPreset(Preset preset) {
  if (preset == Preset::kQuick) return kQuickEffort;
  return preset == Preset::kFast ? kFastEffort : kBestEffort;
}

// Of options without preset kThesis.
int EffortNumber(const EncodeOptions& options) {
  return options.effort.value_or(EffortOfPreset(options.preset));
}

}  // namespace

Effort EffortOf(const EncodeOptions& options) {
  if (options.preset == Preset::kThesis) return {Preset::kThesis, {}};
  return kEfforts[EffortNumber(options) - 1];
}

Preset PixelPresetOf(const EncodeOptions& options) {
  if (options.preset == Preset::kThesis) return Preset::kThesis;
  return EffortNumber(options) <= kFastEffort ? Preset::kFast : Preset::kBest;
}

bool SuitsDevices(const EncodeOptions& options) {
  const int effort = EffortNumber(options);
  // Options out of range are refused later.
  if (effort < kLeastEffort || effort > kMostEffort) return true;
  return EffortOf(options).speed_features.SuitDevices();
}

SpeedFeatures PresetSpeedFeatures(Preset preset) {
  EncodeOptions options;
  options.preset = preset;
  return EffortOf(options).speed_features;
}

}  // namespace mmp
