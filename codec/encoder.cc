#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>

#include "codec/census.h"
#include "codec/cpu_search.h"
#include "codec/format.h"
#include "codec/macroblock_coder.h"
#include "codec/mmp.h"
#include "codec/progress.h"
#include "codec/range_coder.h"
#include "codec/search.h"
#include "codec/search_backend.h"
#include "codec/stopwatch.h"
#include "codec/tile_state.h"
#include "common/crc32c.h"
#include "common/metrics.h"
#include "common/thread_pool.h"

namespace mmp {
namespace {

constexpr int64_t kOneTilePixels = int64_t{1} << 20;
constexpr int kDefaultTileSide = 1024;

// Writes the symbols that the search chose and counts what they cost.
class WritePort {
 public:
  WritePort(TileModels& models, RangeEncoder& coder, EncodeStats& stats)
      : models_(models), coder_(coder), stats_(stats) {}

  void Take(const MacroblockSymbols& symbols) {
    symbols_ = &symbols;
    position_ = 0;
  }
  bool AllTaken() const { return position_ == symbols_->size(); }

  int Prediction(BlockRect rect, int context, uint32_t allowed) {
    ContextModel<kPredictionFlags>& model = models_.prediction_flag[rect.level];
    const int flag = Next();
    stats_.prediction_flag_bits += model.RateQ12(flag, context, allowed) / double{1 << kRateShift};
    model.Encode(coder_, flag, context, allowed);
    return flag;
  }
  int Residual(BlockRect rect, uint32_t allowed) {
    return Write(models_.residual_flag[rect.level], allowed, stats_.residual_flag_bits);
  }
  int Mode(BlockRect rect, uint32_t allowed) {
    const int mode = Write(models_.mode[rect.level], allowed, stats_.mode_bits);
    ++stats_.modes_chosen[mode];
    return mode;
  }
  int Index(BlockRect rect) {
    const int index = Next();
    const double bits = models_.index[rect.level].RateQ12(index) / double{1 << kRateShift};
    stats_.index_bits += bits;
    stats_.index_bits_by_level[rect.level] += bits;
    ++stats_.leaves_by_level[rect.level];
    models_.index[rect.level].Encode(coder_, index);
    return index;
  }

 private:
  int Next() { return static_cast<int>((*symbols_)[position_++]); }

  template <typename Model>
  int Write(Model& model, uint32_t allowed, double& bits) {
    const int symbol = Next();
    bits += model.RateQ12(symbol, allowed) / double{1 << kRateShift};
    model.Encode(coder_, symbol, allowed);
    return symbol;
  }

  TileModels& models_;
  RangeEncoder& coder_;
  EncodeStats& stats_;
  const MacroblockSymbols* symbols_ = nullptr;
  size_t position_ = 0;
};

// The macroblock's samples; beyond the image's edge, its last row and column repeated.
MacroblockSamples LoadSamples(const ImageView& image, int y, int x) {
  MacroblockSamples block;
  for (int i = 0; i < kMacroblockSize; ++i) {
    const uint8_t* row = image.Row(std::min(y + i, image.height - 1));
    for (int j = 0; j < kMacroblockSize; ++j)
      block.samples[i * kMacroblockSize + j] = row[std::min(x + j, image.width - 1)];
  }
  return block;
}

uint32_t ReconstructionCrc(const TileState& tile, int width, int height) {
  uint32_t crc = 0;
  for (int y = 0; y < height; ++y)
    crc =
        Crc32c({&tile.plane[static_cast<size_t>(y) * tile.width], static_cast<size_t>(width)}, crc);
  return crc;
}

uint64_t ReconstructionError(const TileState& tile, const ImageView& image) {
  return SumSquaredError(
      image, {tile.plane.data(), image.width, image.height, static_cast<size_t>(tile.width)});
}

Status Cancelled() { return {StatusCode::kCancelled, "encoding was cancelled"}; }

Result<EncodedTile> EncodeTile(const ImageView& image, const CodecParameters& parameters,
                               const TrainedPatterns* trained, Lambda lambda,
                               MacroblockSearch& search, bool timing, Progress& progress,
                               EncodeStats& stats) {
  TileState tile(parameters, image.width, image.height, trained);
  RangeEncoder coder;
  WritePort port(tile.models, coder, stats);
  MacroblockCoder<WritePort> macroblock_coder(tile, port);
  MacroblockSymbols symbols;
  for (int y = 0; y < image.height; y += kMacroblockSize) {
    for (int x = 0; x < image.width; x += kMacroblockSize) {
      MMP_RETURN_IF_ERROR(search.Search(tile, lambda, LoadSamples(image, y, x), y, x, symbols));
      {
        const StageTimer timer(timing, stats.seconds_coding);
        port.Take(symbols);
        macroblock_coder.Code(y, x);
      }
      {
        const StageTimer timer(timing, stats.seconds_dictionary);
        macroblock_coder.Learn();
      }
      ++stats.macroblocks;
      if (!progress.Advance(1)) return Cancelled();
    }
  }
  for (int level = 0; level < kLevelCount; ++level)
    stats.dictionary_size[level] = tile.dictionary.size(level);
  stats.sum_squared_error = ReconstructionError(tile, image);
  return EncodedTile{coder.Finish(), ReconstructionCrc(tile, image.width, image.height)};
}

Status Invalid(std::string message) { return {StatusCode::kInvalidArgument, std::move(message)}; }

Result<FileHeader> MakeHeader(const ImageView& image, const EncodeOptions& options, Lambda lambda) {
  if (image.data == nullptr || image.width < 1 || image.height < 1 || image.width > kMaxImageSide ||
      image.height > kMaxImageSide || image.stride < static_cast<size_t>(image.width))
    return Invalid("the image must have 1 to 65535 pixels a side");
  FileHeader header;
  header.width = image.width;
  header.height = image.height;
  header.preset = options.preset;
  header.lossless = lambda.lossless();
  header.parameters = PresetParameters(options.preset);
  CodecParameters& p = header.parameters;
  p.dictionary_size = options.dictionary_size.value_or(p.dictionary_size);
  if (p.dictionary_size < kMinDictionarySize || p.dictionary_size > kMaxDictionarySize)
    return Invalid("the dictionary size must be between 69 and 65536 patterns a level");
  p.prediction_level = options.prediction_level.value_or(p.prediction_level);
  if (p.prediction_level < 0 || p.prediction_level > kNoPredictionSplit)
    return Invalid("the prediction level must be between 0 and 25");
  if (options.modes && (*options.modes == 0 || *options.modes > kAllModes))
    return Invalid("prediction modes are numbered 0 to 9");
  p.modes = options.modes.value_or(p.modes) | 1u << kMostFrequent;
  p.tools = options.tools.value_or(p.tools);
  if (p.tools > kAllTools) return Invalid("there are no such tools");
  p.tools &= ~kOwnDictionary;
  if (!options.dictionary_file.empty()) {
    p.tools |= kTrainedPatterns | kOwnDictionary;
    p.dictionary_hash = Crc32c(options.dictionary_file);
  }
  // No trained pattern helps where the residual must be met exactly.
  if (p.Uses(kTrainedPatterns) && !lambda.lossless())
    p.pattern_scale = EncodePatternScale(lambda.q8);
  // A new pattern must save more distortion than about four bits cost.
  p.redundancy_threshold = DecodeThreshold(EncodeThreshold(static_cast<uint32_t>(lambda.q8 >> 6)));

  header.tile_width = options.tile_width;
  header.tile_height = options.tile_height;
  if (header.tile_width < 0 || header.tile_height < 0 || header.tile_width % kMacroblockSize != 0 ||
      header.tile_height % kMacroblockSize != 0 ||
      (header.tile_width == 0) != (header.tile_height == 0))
    return Invalid("tile sides must be multiples of 16");
  if (header.tile_width == 0) {
    const bool one = int64_t{image.width} * image.height <= kOneTilePixels;
    header.tile_width = one ? image.width : kDefaultTileSide;
    header.tile_height = one ? image.height : kDefaultTileSide;
  }
  if (header.tile_width >= image.width && header.tile_height >= image.height) {
    header.tile_width = image.width;
    header.tile_height = image.height;
  }
  return header;
}

void Accumulate(const EncodeStats& from, EncodeStats& to) {
  to.macroblocks += from.macroblocks;
  for (int m = 0; m < kModes; ++m) to.modes_chosen[m] += from.modes_chosen[m];
  for (int level = 0; level < kLevels; ++level) {
    to.leaves_by_level[level] += from.leaves_by_level[level];
    to.index_bits_by_level[level] += from.index_bits_by_level[level];
    to.dictionary_size[level] = std::max(to.dictionary_size[level], from.dictionary_size[level]);
  }
  to.prediction_flag_bits += from.prediction_flag_bits;
  to.residual_flag_bits += from.residual_flag_bits;
  to.mode_bits += from.mode_bits;
  to.index_bits += from.index_bits;
  to.sum_squared_error += from.sum_squared_error;
  to.seconds_coding += from.seconds_coding;
  to.seconds_dictionary += from.seconds_dictionary;
}

// One encode: what is to be coded, and how.
struct Job {
  const ImageView& image;
  const EncodeOptions& options;
  FileHeader header;
  std::shared_ptr<const TrainedPatterns> patterns;  // null if the header asks for none
  Lambda lambda;
  std::vector<TileInfo> grid;
};

// A search for each thread that codes tiles.
using Searches = std::vector<std::unique_ptr<MacroblockSearch>>;

Searches MakeCpuSearches(const Job& job, int threads) {
  const int workers = std::min(threads, static_cast<int>(job.grid.size()));
  Searches searches(workers);
  for (int w = 0; w < workers; ++w)
    searches[w] =
        MakeCpuSearch(SearchEffort::Of(job.options.preset),
                      threads / workers + (w < threads % workers ? 1 : 0), job.options.time_stages);
  return searches;
}

// As many as the device has use for; fewer if it has no memory for more.
Result<Searches> MakeCudaSearches(const Job& job, SearchBackend& backend) {
  constexpr int kMostWorkers = 32;
  const int workers = std::min(kMostWorkers, static_cast<int>(job.grid.size()));
  Searches searches;
  for (int w = 0; w < workers; ++w) {
    auto search = backend.MakeSearch(job.header.parameters, job.options.preset, workers);
    if (!search.ok() && searches.empty()) return search.status();
    if (!search.ok()) break;
    searches.push_back(*std::move(search));
  }
  return searches;
}

// Codes all tiles, each by one of the searches.
Result<std::vector<uint8_t>> EncodeTiles(const Job& job, const Searches& searches,
                                         EncodeStats& stats) {
  int64_t macroblocks = 0;
  for (const TileInfo& tile : job.grid)
    macroblocks += int64_t{(tile.width + 15) / 16} * ((tile.height + 15) / 16);
  Progress progress(job.options.progress, macroblocks);
  const int count = static_cast<int>(job.grid.size());
  std::vector<EncodedTile> tiles(count);
  std::vector<EncodeStats> tile_stats(count);
  std::vector<Status> failures(searches.size());
  ThreadPool pool(static_cast<int>(searches.size()));
  pool.ParallelFor(count, [&](int i, int worker) {
    if (progress.cancelled() || !failures[worker].ok()) return;
    const TileInfo& t = job.grid[i];
    Result<EncodedTile> tile = EncodeTile(
        job.image.Crop(t.x, t.y, t.width, t.height), job.header.parameters, job.patterns.get(),
        job.lambda, *searches[worker], job.options.time_stages, progress, tile_stats[i]);
    if (tile.ok())
      tiles[i] = *std::move(tile);
    else
      failures[worker] = tile.status();
  });
  if (progress.cancelled()) return Cancelled();
  for (const Status& failure : failures) MMP_RETURN_IF_ERROR(failure);

  std::vector<uint8_t> file = WriteFileBytes(job.header, tiles);
  stats = {};
  stats.tiles = count;
  for (const EncodeStats& s : tile_stats) Accumulate(s, stats);
  for (const auto& search : searches) search->AddStats(stats);
  for (const TileInfo& tile : job.grid) {
    const SearchCensus census = TakeCensus(job.header.parameters, tile.width, tile.height);
    stats.nodes += census.nodes;
    for (int mode = 0; mode < kModes; ++mode) stats.mode_uses[mode] += census.mode_uses[mode];
  }
  stats.header_bytes = static_cast<int64_t>(file.size());
  for (const EncodedTile& tile : tiles)
    stats.header_bytes -= static_cast<int64_t>(tile.bytes.size());
  return file;
}

Result<std::vector<uint8_t>> EncodeOnCpu(const Job& job, EncodeStats& stats) {
  const int threads = job.options.threads > 0 ? job.options.threads : HardwareThreads();
  auto file = EncodeTiles(job, MakeCpuSearches(job, threads), stats);
  stats.backend = Backend::kCpu;
  stats.threads = threads;
  return file;
}

Result<std::vector<uint8_t>> EncodeOnCuda(const Job& job, EncodeStats& stats) {
  SearchBackend* backend = CudaBackend();
  if (backend == nullptr)
    return Status(StatusCode::kUnavailable, "this program was built without CUDA");
  MMP_RETURN_IF_ERROR(backend->Available());
  Result<Searches> searches = MakeCudaSearches(job, *backend);
  if (!searches.ok()) return searches.status();
  auto file = EncodeTiles(job, *searches, stats);
  stats.backend = Backend::kCuda;
  stats.threads = static_cast<int>(searches->size());
  return file;
}

// The device's fault, not the caller's.
bool IsDeviceFailure(const Status& status) {
  return status.code() == StatusCode::kUnavailable || status.code() == StatusCode::kOutOfMemory;
}

std::atomic<SearchBackend*> cuda_backend{nullptr};

}  // namespace

void SetCudaBackend(SearchBackend* backend) { cuda_backend = backend; }
SearchBackend* CudaBackend() { return cuda_backend; }

Result<std::vector<uint8_t>> Encode(const ImageView& image, const EncodeOptions& options,
                                    EncodeStats* stats_out) {
  const Stopwatch watch;
  if (!(options.lambda >= 0 && options.lambda <= kMaxLambda))
    return Invalid("lambda must be between 0 and 65536");
  // A lambda above 0 stays above it.
  const Lambda lambda{options.lambda == 0
                          ? 0
                          : std::max(1, static_cast<int32_t>(std::lround(options.lambda * 256)))};
  Result<FileHeader> header = MakeHeader(image, options, lambda);
  if (!header.ok()) return header.status();
  auto patterns = FindPatterns(header->parameters, options.dictionary_file);
  if (!patterns.ok()) return patterns.status();
  const Job job = {
      image,   options,
      *header, *patterns,
      lambda,  TileGrid(header->width, header->height, header->tile_width, header->tile_height)};

  EncodeStats stats;
  std::string note;
  Result<std::vector<uint8_t>> file = Status(StatusCode::kUnavailable, "not tried");
  if (options.backend != Backend::kCpu) file = EncodeOnCuda(job, stats);
  if (options.backend == Backend::kCuda && !file.ok() && IsDeviceFailure(file.status()))
    return Status(file.status().code(), file.status().message() + "; the CPU can be used instead");
  if (options.backend != Backend::kCuda && !file.ok() && IsDeviceFailure(file.status())) {
    if (options.backend == Backend::kAuto) note = file.status().message();
    file = EncodeOnCpu(job, stats);
  }
  if (file.ok() && stats_out != nullptr) {
    *stats_out = stats;
    stats_out->backend_note = note;
    stats_out->seconds_total = watch.Seconds();
  }
  return file;
}

}  // namespace mmp
