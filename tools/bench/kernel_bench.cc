// The codec's inner loops, on each SIMD target of this machine.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "codec/canvas.h"
#include "codec/dictionary.h"
#include "codec/levels.h"
#include "codec/lsp.h"
#include "codec/matcher.h"
#include "common/aligned_vector.h"
#include "hwy/targets.h"

namespace mmp {
namespace {

constexpr int kPatterns = 1024;
constexpr int kBlocks = 32;

// Every pixel around and left of the macroblock is there; smooth with some noise.
Canvas MakeCanvas() {
  Canvas canvas;
  std::memset(&canvas, 0, sizeof(canvas));
  std::mt19937 random(1);
  for (int y = -Canvas::kTop; y < kMacroblockSize; ++y) {
    for (int x = -Canvas::kLeft; x < kMacroblockSize + Canvas::kRight; ++x) {
      if (y >= 0 && x >= 0) continue;
      canvas.pixels[Canvas::Index(y, x)] = static_cast<uint8_t>(100 + 2 * x + y + random() % 8);
      canvas.available[Canvas::Index(y, x)] = 1;
    }
  }
  return canvas;
}

// Argument: level. Counts multiply-adds.
void Match(benchmark::State& state, int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  const int pixels = kLevelShapes[state.range(0)].pixels();
  const int pairs = (pixels + 1) / 2;
  std::mt19937 random(1);
  AlignedVector<int16_t> patterns(size_t{kPatterns} * 2 * pairs);
  AlignedVector<int32_t> bias(kPatterns);
  std::vector<int16_t> blocks(size_t{kBlocks} * 2 * pairs);
  std::vector<int32_t> minimum(kBlocks);
  for (int16_t& v : patterns)
    v = static_cast<int16_t>((static_cast<int>(random() % 61) - 30) * -2 * kDistortionScale);
  for (int32_t& v : bias) v = static_cast<int32_t>(random() % 100000);
  for (int16_t& v : blocks) v = static_cast<int16_t>(static_cast<int>(random() % 61) - 30);
  const PackedPatterns packed{patterns.data(), pairs, kPatterns / kPatternGroup};
  for (auto _ : state) {
    MatchBlocks(packed, bias.data(), blocks.data(), kBlocks, minimum.data());
    benchmark::DoNotOptimize(minimum.data());
  }
  state.counters["multiply-adds"] =
      benchmark::Counter(static_cast<double>(kBlocks) * kPatterns * pixels,
                         benchmark::Counter::kIsIterationInvariantRate);
  hwy::SetSupportedTargetsForTest(0);
}

// Argument: level. Counts predicted pixels.
void Lsp(benchmark::State& state, int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  const Canvas canvas = MakeCanvas();
  const BlockRect rect{0, 0, static_cast<uint8_t>(state.range(0))};
  uint8_t prediction[kMacroblockPixels];
  for (auto _ : state) {
    PredictLsp(canvas, rect, prediction);
    benchmark::DoNotOptimize(prediction);
  }
  state.counters["pixels"] = benchmark::Counter(static_cast<double>(rect.pixels()),
                                                benchmark::Counter::kIsIterationInvariantRate);
  hwy::SetSupportedTargetsForTest(0);
}

const bool registered = [] {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const std::string name = hwy::TargetName(target);
    for (const int level : {1, 3, 8, 15, 24})
      benchmark::RegisterBenchmark(("Match/" + name).c_str(), Match, target)->Arg(level);
    for (const int level : {9, 8, 15, 22})
      benchmark::RegisterBenchmark(("Lsp/" + name).c_str(), Lsp, target)->Arg(level);
  }
  return true;
}();

}  // namespace
}  // namespace mmp
