// Whole encodes and decodes. MMP_BENCH_IMAGE names the picture; else testimages/natural.png is
// taken.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "common/image_files/image_io.h"
#include "mmp/mmp.h"

namespace mmp {
namespace {

const Image& Picture() {
  static const Image image = [] {
    const char* named = std::getenv("MMP_BENCH_IMAGE");
    const std::string path =
        named != nullptr ? named : std::string(MMP_TEST_IMAGES) + "/natural.png";
    Result<LoadedImage> loaded = ReadImage(path, {});
    if (!loaded.ok()) {
      std::fprintf(stderr, "%s\n", loaded.status().message().c_str());
      std::exit(1);
    }
    return std::move(loaded->image);
  }();
  return image;
}

void CountPixels(benchmark::State& state) {
  state.counters["pixels"] =
      benchmark::Counter(static_cast<double>(Picture().width()) * Picture().height(),
                         benchmark::Counter::kIsIterationInvariantRate);
}

EncodeOptions Options(const benchmark::State& state) {
  EncodeOptions options;
  options.preset = static_cast<Preset>(state.range(0));
  options.lambda = static_cast<double>(state.range(1));
  options.threads = static_cast<int>(state.range(2));
  return options;
}

// Arguments: preset, lambda, threads.
void EncodePicture(benchmark::State& state) {
  for (auto _ : state) {
    const auto file = Encode(Picture().View(), Options(state));
    if (!file.ok()) state.SkipWithError(file.status().message().c_str());
    benchmark::DoNotOptimize(file);
  }
  CountPixels(state);
}

void DecodePicture(benchmark::State& state) {
  const auto file = Encode(Picture().View(), Options(state));
  if (!file.ok()) return state.SkipWithError(file.status().message().c_str());
  DecodeOptions options;
  options.threads = static_cast<int>(state.range(2));
  for (auto _ : state) {
    const auto decoded = Decode(*file, options);
    if (!decoded.ok()) state.SkipWithError(decoded.status().message().c_str());
    benchmark::DoNotOptimize(decoded);
  }
  CountPixels(state);
}

constexpr int kThesis = static_cast<int>(Preset::kThesis);
constexpr int kFast = static_cast<int>(Preset::kFast);

BENCHMARK(EncodePicture)
    ->ArgNames({"preset", "lambda", "threads"})
    ->ArgsProduct({{kThesis, kFast}, {0, 10, 100}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(DecodePicture)
    ->ArgNames({"preset", "lambda", "threads"})
    ->ArgsProduct({{kThesis}, {0, 10, 100}, {1}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mmp
