// Predictions on the device.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "codec/intra/predictors.h"
#include "tests/cuda/device_array.h"
#include "tests/cuda/predictions.cuh"
#include "tools/kernels/cuda_kernels.h"
#include "tools/kernels/inputs.h"
#include "tools/kernels/plain_prediction.h"

namespace mmp::kernels {
namespace {

// Blocks amid pixels, and what they are.
struct Places {
  std::vector<cuda::Place> places;
  std::vector<std::string> names;

  void Add(const Surroundings& around) {
    places.push_back({around.position.canvas, around.position.rect});
    names.push_back(around.name);
  }
  double Pixels() const {
    double sum = 0;
    for (const cuda::Place& place : places) sum += place.rect.pixels();
    return sum;
  }
};

constexpr int kRounds = 6;  // of levels, in a case

Places RandomPlaces(Random& random, int levels, Needs needs, int number) {
  Places places;
  for (int k = 0; k < kRounds * levels; ++k)
    places.Add(RandomSurroundings(random, k % levels, needs, number + k / levels));
  return places;
}

// Blocks of one level.
Places TimedPlaces(Random& random, int level) {
  constexpr int kTimed = 1024;
  Places places;
  for (int k = 0; k < kTimed; ++k) places.Add(FullSurroundings(random, level));
  return places;
}

// A result for each place, compared byte by byte. Result: a struct of bytes and of integers with a
// bit pattern of their own.
template <typename Result>
class PlacesCase : public Case {
 public:
  using Launch = void (*)(const cuda::Place* places, int count, Result* results);
  using Twin = void (*)(const cuda::Place& place, Result& result);
  using Name = std::string (*)(const cuda::Place& place, size_t byte);

  // name: of a byte of the result.
  PlacesCase(Places places, Launch launch, Twin twin, Name name)
      : places_(std::move(places)),
        launch_(launch),
        twin_(twin),
        name_(name),
        in_(places_.places),
        out_(places_.places.size()),
        results_(places_.places.size()) {
    Clear();
  }

  std::string Describe() const override {
    return std::to_string(places_.places.size()) + " blocks";
  }
  double Work() const override { return places_.Pixels(); }
  std::string Place(size_t index) const override {
    const size_t k = index / sizeof(Result);
    return places_.names[k] + "\n  " + name_(places_.places[k], index % sizeof(Result));
  }

  void RunKernel() override {
    launch_(in_.data(), static_cast<int>(places_.places.size()), out_.data());
    cuda::Finish();
    on_device_ = true;
  }
  void RunTwin() override {
    for (size_t k = 0; k < results_.size(); ++k) twin_(places_.places[k], results_[k]);
    on_device_ = false;
  }
  std::vector<int64_t> TakeOutput() override {
    if (on_device_) results_ = out_.Read();
    const auto* bytes = reinterpret_cast<const uint8_t*>(results_.data());
    const std::vector<int64_t> values(bytes, bytes + results_.size() * sizeof(Result));
    Clear();
    return values;
  }

 private:
  void Clear() {
    std::memset(static_cast<void*>(results_.data()), 0, results_.size() * sizeof(Result));
    out_.Write(results_);
  }

  const Places places_;
  const Launch launch_;
  const Twin twin_;
  const Name name_;
  const cuda::DeviceArray<cuda::Place> in_;
  cuda::DeviceArray<Result> out_;
  std::vector<Result> results_;
  bool on_device_ = false;
};

std::string PixelName(const cuda::Place& place, size_t pixel) {
  const size_t width = place.rect.width();
  if (pixel >= static_cast<size_t>(place.rect.pixels())) return "behind the block";
  return "row " + std::to_string(pixel / width) + ", column " + std::to_string(pixel % width);
}

template <typename Result>
Kernel PlacesKernel(const char* name, const CudaMachine& machine, int levels, Needs needs,
                    typename PlacesCase<Result>::Launch launch,
                    typename PlacesCase<Result>::Twin twin,
                    typename PlacesCase<Result>::Name byte_name) {
  return {.name = name,
          .targets = machine.targets,
          .skipped = machine.problem,
          .unit = "pixels",
          .cases = 8,
          .make = [=](Random& random, int number) -> std::unique_ptr<Case> {
            return std::make_unique<PlacesCase<Result>>(RandomPlaces(random, levels, needs, number),
                                                        launch, twin, byte_name);
          },
          .size_name = "level",
          .sizes = {9, 8, 15, 22},
          .make_sized = [=](Random& random, int level) -> std::unique_ptr<Case> {
            return std::make_unique<PlacesCase<Result>>(TimedPlaces(random, level), launch, twin,
                                                        byte_name);
          }};
}

template <void (*kPlain)(const Canvas&, BlockRect, uint8_t*)>
void PlainTwin(const cuda::Place& place, cuda::Prediction& prediction) {
  kPlain(place.canvas, place.rect, prediction.pixels);
}

template <int kWarps>
void LaunchLsp(const cuda::Place* places, int count, cuda::Prediction* predictions) {
  cuda::PredictByLsp<kWarps><<<count, 32 * kWarps>>>(places, predictions);
}
template <int kThreads>
void LaunchBlockLsp(const cuda::Place* places, int count, cuda::Prediction* predictions) {
  cuda::PredictByBlockLsp<<<count, kThreads>>>(places, predictions);
}
template <int kThreads>
void LaunchTemplate(const cuda::Place* places, int count, cuda::Prediction* predictions) {
  cuda::PredictByTemplate<<<count, kThreads>>>(places, predictions);
}

// --- The predictions from the border ---

void LaunchBorders(const cuda::Place* places, int count, cuda::BorderResult* results) {
  cuda::PredictBorders<<<count, 32>>>(places, results);
}

// The host's functions, which are as plain as can be.
void BorderTwin(const cuda::Place& place, cuda::BorderResult& result) {
  const BlockRect rect = place.rect;
  BlockBorder& border = result.border;
  LoadBorder(place.canvas, rect, border);
  result.most_frequent = MostFrequentValue(border, rect.height(), rect.width());
  const uint32_t modes = AvailableModes(border, rect.level);
  for (int mode = 0; mode <= kLastAngle; ++mode)
    if (IsBorderMode(mode) && (modes >> mode & 1) != 0)
      PredictBlock(border, mode, rect.level, result.predictions[mode]);
}

std::string BorderName(const cuda::Place& place, size_t byte) {
  // The border is first, and what follows it has no gaps.
  constexpr size_t kPredictions =
      sizeof(cuda::BorderResult) - sizeof(cuda::BorderResult::predictions);
  constexpr size_t kMostFrequent = kPredictions - sizeof(cuda::BorderResult::most_frequent);
  static_assert(kMostFrequent >= sizeof(BlockBorder) &&
                kMostFrequent - sizeof(BlockBorder) < alignof(cuda::BorderResult));
  if (byte >= kPredictions)
    return "mode " + std::to_string((byte - kPredictions) / kMacroblockPixels) + ", " +
           PixelName(place, (byte - kPredictions) % kMacroblockPixels);
  if (byte >= kMostFrequent) return "most frequent value";
  return "byte " + std::to_string(byte) + " of the border";
}

}  // namespace

void AddCudaPredictionKernels(const CudaMachine& machine, std::vector<Kernel>& table) {
  using cuda::Prediction;
  table.push_back(PlacesKernel<cuda::BorderResult>("PredictByWarp", machine, kLevelCount,
                                                   Needs::kNothing, LaunchBorders, BorderTwin,
                                                   BorderName));
  auto add = [&](const char* name, int levels, Needs needs, auto launch, auto twin) {
    table.push_back(
        PlacesKernel<Prediction>(name, machine, levels, needs, launch, twin, PixelName));
  };
  add("SolveLspByTeam/1_warp", kMacroblockLevel, Needs::kOne, LaunchLsp<1>, PlainTwin<PlainLsp>);
  add("SolveLspByTeam/7_warps", kMacroblockLevel, Needs::kOne, LaunchLsp<7>, PlainTwin<PlainLsp>);
  add("PredictBlockLspByWarp/32", kMacroblockLevel, Needs::kTwo, LaunchBlockLsp<32>,
      PlainTwin<PlainBlockLsp>);
  add("PredictBlockLspByWarp/320", kMacroblockLevel, Needs::kTwo, LaunchBlockLsp<320>,
      PlainTwin<PlainBlockLsp>);
  add("PredictTemplateByWarp/32", kLevelCount, Needs::kTwo, LaunchTemplate<32>,
      PlainTwin<PlainTemplate>);
  add("PredictTemplateByWarp/320", kLevelCount, Needs::kTwo, LaunchTemplate<320>,
      PlainTwin<PlainTemplate>);
}

}  // namespace mmp::kernels
