#include "codec/tile/tile_start.h"

#include <mutex>
#include <span>
#include <utility>

#include "codec/base/decode_work.h"

namespace mmp {
namespace {

using Shared = std::shared_ptr<const TileStart>;

void AddTrained(const TrainedPatterns& trained, uint8_t scale, Dictionary& dictionary,
                TileModels& models) {
  for (int level = 1; level < kLevelCount; ++level)
    models.index[level].Add(trained.levels[level].zero_count, PatternOrigin::kInitial);
  models.AddSymbols(dictionary, IndexModel::kInitialBesideTrained, PatternOrigin::kInitial);
  dictionary.AddTrained(trained, scale);
  for (int level = 1; level < kLevelCount; ++level) {
    const std::span<const uint16_t> counts = trained.levels[level].counts;
    models.index[level].Add(
        counts.first(static_cast<size_t>(dictionary.size(level) - kInitialPatterns)),
        PatternOrigin::kTrained);
  }
}

// The parameters that a start depends on, the others being 0.
CodecParameters StartParameters(const CodecParameters& parameters) {
  CodecParameters p = parameters;
  p.prediction_level = 0;
  p.modes = static_cast<uint32_t>(ModeSymbols(parameters.modes));
  p.redundancy_threshold = 0;
  p.order = MacroblockOrder::kRaster;
  p.tools &= kMixedModels;
  return p;
}

}  // namespace

TileStart::TileStart(const CodecParameters& parameters, const TrainedPatterns* trained)
    : dictionary(parameters.dictionary_size), models(parameters) {
  if (parameters.pattern_scale > 0)
    AddTrained(*trained, parameters.pattern_scale, dictionary, models);
  else
    models.AddSymbols(dictionary, IndexModel::kInitialCount, PatternOrigin::kInitial);
  dictionary.Share();
  tile_work = kTileWork;
  for (int level = 0; level < kLevelCount; ++level) {
    const uint64_t symbols = static_cast<uint64_t>(dictionary.size(level));
    file_work += kStartValueWork * symbols * kLevelShapes[level].pixels();
    tile_work += kStartSymbolWork * symbols;
  }
}

Shared FindTileStart(const CodecParameters& parameters, const TrainedPatterns* trained) {
  const auto make = [&] { return std::make_shared<const TileStart>(parameters, trained); };
  if (parameters.Uses(kOwnDictionary)) return make();
  static std::mutex mutex;
  static std::pair<CodecParameters, Shared> last;  // under the mutex
  const CodecParameters key = StartParameters(parameters);
  {
    const std::lock_guard lock(mutex);
    if (last.second != nullptr && last.first == key) return last.second;
  }
  Shared start = make();
  const std::lock_guard lock(mutex);
  last = {key, start};
  return start;
}

}  // namespace mmp
