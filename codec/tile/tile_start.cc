#include "codec/tile/tile_start.h"

#include <algorithm>
#include <array>
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
  // Without a scale of patterns that of features follows from it.
  if (!p.Uses(kNeighbourIndices) || p.pattern_scale > 0) p.redundancy_threshold = 0;
  p.order = MacroblockOrder::kRaster;
  p.tools &= kMixedModels | kNeighbourModes | kNeighbourIndices;
  return p;
}

// The starts that were asked for last. For any thread.
class LatestStarts {
 public:
  // Null if it is not among them.
  Shared Find(const CodecParameters& parameters) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(starts_.begin(), starts_.end(), [&](const auto& of) {
      return of.second != nullptr && of.first == parameters;
    });
    if (found == starts_.end()) return nullptr;
    std::rotate(starts_.begin(), found, found + 1);
    return starts_.front().second;
  }
  // In place of the one that has not been asked for the longest.
  void Add(const CodecParameters& parameters, Shared start) {
    const std::lock_guard lock(mutex_);
    starts_.back() = {parameters, std::move(start)};
    std::rotate(starts_.begin(), starts_.end() - 1, starts_.end());
  }

 private:
  static constexpr int kMost = 4;  // each takes about 2 MiB

  std::mutex mutex_;
  std::array<std::pair<CodecParameters, Shared>, kMost> starts_;  // the latest first
};

}  // namespace

TileStart::TileStart(const CodecParameters& parameters, const TrainedPatterns* trained)
    : dictionary(parameters.dictionary_size), models(parameters), pattern_features(parameters) {
  if (parameters.pattern_scale > 0)
    AddTrained(*trained, parameters.pattern_scale, dictionary, models);
  else
    models.AddSymbols(dictionary, IndexModel::kInitialCount, PatternOrigin::kInitial);
  if (parameters.Uses(kNeighbourIndices)) {
    pattern_features.AddNew(dictionary);
    for (int level = 1; level < kLevelCount; ++level)
      models.index_classes[level].Follow(models.index[level], pattern_features.OfLevel(level));
  }
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
  static LatestStarts latest;
  const CodecParameters key = StartParameters(parameters);
  if (Shared start = latest.Find(key)) return start;
  Shared start = make();
  latest.Add(key, start);
  return start;
}

}  // namespace mmp
