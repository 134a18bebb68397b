#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "codec/base/failures.h"
#include "codec/base/levels.h"
#include "codec/base/progress.h"
#include "codec/base/sample_map.h"
#include "codec/base/threads.h"
#include "codec/bitstream/container.h"
#include "codec/bitstream/range_coder.h"
#include "codec/decoder/coded_tiles.h"
#include "codec/decoder/decode_limits.h"
#include "codec/decoder/decode_observed.h"
#include "codec/decoder/file_bytes.h"
#include "codec/decoder/front_pipeline.h"
#include "codec/decoder/network_behind.h"
#include "codec/decoder/pixel_tile.h"
#include "codec/decoder/preview.h"
#include "codec/decoder/tile_samples.h"
#include "codec/postfilter/tile_filter.h"
#include "codec/tile/front_coder.h"
#include "codec/tile/learnt_later.h"
#include "codec/tile/read_port.h"
#include "codec/tile/reconstruct.h"
#include "codec/tile/substreams.h"
#include "codec/tile/tile_state.h"
#include "common/out_of_memory.h"
#include "common/task_pool.h"
#include "common/thread_pool.h"
#include "mmp/mmp.h"

namespace mmp {
namespace {

Status DecodingCancelled() { return {StatusCode::kCancelled, "decoding was cancelled"}; }

// For tiles that no observer is attached to.
struct Unobserved {
  NullObserver ForBlocks(std::span<const RangeDecoder> /*coders*/) { return {}; }
  void OnStart(const Dictionary& /*dictionary*/) {}
  void OnMacroblock(MacroblockPlace /*place*/) {}
  void OnEnd(const Dictionary& /*dictionary*/) {}
};

// Counts the bits of each element for a TileObserver.
class BitCounter {
 public:
  BitCounter(TileObserver& observer, std::span<const RangeDecoder> coders)
      : observer_(&observer), coders_(coders), bits_before_(BitsRead()) {}

  void OnElement(CodedElement element, BlockRect rect, int value) {
    observer_->OnElement(element, rect, value, Taken());
  }
  void OnBlock(MacroblockPlace place, BlockRect rect, const uint8_t* prediction,
               const int16_t* residual) {
    observer_->OnBlock(place, rect, prediction, residual);
  }
  void OnBlockVectors(const BlockVectorList& vectors) {
    observer_->OnBlockVectors(vectors, Taken());
  }
  void OnFilter(const FilterChoice& choice) { observer_->OnFilter(choice, Taken()); }
  void OnExactBlocks(const ExactBlocks& blocks) { observer_->OnExactBlocks(blocks, Taken()); }

 private:
  double BitsRead() const {
    double bits = 0;
    for (const RangeDecoder& coder : coders_) bits += coder.BitsRead();
    return bits;
  }
  // The bits read since the last call.
  double Taken() {
    const double before = std::exchange(bits_before_, BitsRead());
    return bits_before_ - before;
  }

  TileObserver* observer_;
  std::span<const RangeDecoder> coders_;  // of all substreams
  double bits_before_;
};

struct Observed {
  TileObserver& observer;

  BitCounter ForBlocks(std::span<const RangeDecoder> coders) { return {observer, coders}; }
  void OnStart(const Dictionary& dictionary) { observer.OnStart(dictionary); }
  void OnMacroblock(MacroblockPlace place) { observer.OnMacroblock(place); }
  void OnEnd(const Dictionary& dictionary) { observer.OnEnd(dictionary); }
};

// What the tiles of a file have in common while they are decoded.
struct DecodeJob {
  const CodedTiles& coded;
  const TileStart* start;  // of patterns
  const SampleMap& map;
  WorkLimit& work;
  Progress& progress;
  Image& image;  // of the region
};

// Reconstructs each front as soon as it has been parsed.
template <typename BlockObserver>
class FrontByFront {
 public:
  FrontByFront(const TilePlane& plane, BlockObserver& observer)
      : plane_(plane), observer_(observer) {}

  void Begin(const FilterChoice& /*filter*/) {}
  CodedFront* NextFront() { return &front_; }
  void Push() {
    for (int i = 0; i < front_.size(); ++i) Reconstruct(front_, i, plane_, observer_);
  }
  void Drain() {}

 private:
  const TilePlane plane_;
  BlockObserver& observer_;
  CodedFront front_;
};

// The tile's samples are complete: whether they are those that the encoder made.
Status FinishSamples(const DecodeJob& job, const CodedTile& tile, TileSamples& samples) {
  const ParsedFile& file = job.coded.file;
  if (!IsReconstruction(file, tile.number, tile.stream, samples.Crc()))
    return Corrupt(file.is_small ? "the file is damaged: its checksum does not match its pixels"
                                 : "the decoded pixels are not those that the encoder made");
  samples.Finish();
  return {};
}

// A tile that is being decoded.
struct DecodedTile {
  const DecodeJob& job;
  const int number;
  TileState& state;
  std::span<RangeDecoder> coders;  // of its substreams

  // Whether it is to be decoded further, before a macroblock or a front, and at the end.
  Status GoOn() const {
    MMP_RETURN_IF_ERROR(job.work.Reach(number, state.work));
    const auto is_over = [](const RangeDecoder& coder) { return coder.Overrun(); };
    if (std::any_of(coders.begin(), coders.end(), is_over))
      return Corrupt("its data ends too early");
    return {};
  }
};

// Reads fronts one after the other. Observer, BlockObserver: as ParseTile has them.
template <typename Observer, typename BlockObserver>
class FrontReader {
 public:
  using Coder = FrontCoder<ReadPort, BlockObserver>;

  FrontReader(const DecodedTile& tile, Observer& observer, BlockObserver& block_observer)
      : tile_(tile),
        observer_(observer),
        ports_(MakePorts(tile)),
        coder_(tile.state, ports_.front(), block_observer) {
    ports_.front().SetGoesOn([&tile] { return tile.GoOn().ok() && tile.job.progress.Advance(0); });
  }

  FilterChoice ReadFilter() { return coder_.CodeFilter(); }
  // What it says is still to be learnt but for the models that learn by fronts.
  Result<typename Coder::Coded> Read(std::span<const MacroblockPlace> places, CodedFront& front,
                                     TaskPool& pool) {
    MMP_RETURN_IF_ERROR(tile_.GoOn());
    Status status;
    auto coded = [&] {
      auto begun = coder_.Begin(places);
      if (!tile_.state.parameters.LearnsByFronts()) {
        const auto begin = [&](MacroblockPlace place) {
          observer_.OnMacroblock(place);
          status = tile_.GoOn();
          return status.ok();
        };
        return std::move(begun).Code(front, begin, pool);
      }
      later_.Begin(places.size());
      const auto begin = [&](int i, ReadPort& port) {
        observer_.OnMacroblock(places[i]);
        port.SetLater(&later_.Of(i));
        return !port.coder().Overrun();
      };
      return std::move(begun).CodeBySubstreams(front, begin, ports_, pool);
    }();
    if (status.ok() && !coded) status = tile_.GoOn();
    if (!coded) return status;
    later_.Learn(tile_.state);
    return *std::move(coded);
  }

 private:
  static std::vector<ReadPort> MakePorts(const DecodedTile& tile) {
    std::vector<ReadPort> ports;
    for (size_t k = 0; k < tile.coders.size(); ++k)
      ports.emplace_back(tile.state, static_cast<int>(k), tile.coders[k]);
    return ports;
  }

  const DecodedTile& tile_;
  Observer& observer_;
  std::vector<ReadPort> ports_;  // of substreams
  LearntLater later_;
  Coder coder_;
};

// Whether nothing depends on what the last front teaches, which takes at most so much work: no
// symbol does, but an observer may, or whether a limit is reached.
template <typename Observer>
bool IsLearningIdle(const DecodedTile& tile, uint64_t most_work) {
  return std::is_same_v<Observer, Unobserved> && tile.job.coded.tiles.size() == 1 &&
         tile.job.work.Allows(tile.state.work + most_work);
}

// Parses a tile. Reconstruction: has the functions of FrontByFront. The pool shares the learning.
template <typename Observer, typename BlockObserver, typename Reconstruction>
Result<FilterChoice> ParseTile(const DecodedTile& tile, Observer& observer,
                               BlockObserver& block_observer, Reconstruction& reconstruction,
                               TaskPool& pool) {
  FrontReader reader(tile, observer, block_observer);
  FilterChoice filter = reader.ReadFilter();
  reconstruction.Begin(filter);
  FrontWalk walk(tile.state.parameters.order, tile.state.width, tile.state.height);
  std::optional<typename decltype(reader)::Coder::Coded> last;
  // What a long front teaches may take more work than all that came before it.
  const auto goes_on = [&](uint64_t work) { return tile.job.work.Reach(tile.number, work).ok(); };
  while (walk.Next()) {
    if (last) std::move(*last).Learn(pool, goes_on);
    CodedFront* const next = reconstruction.NextFront();
    if (next == nullptr) return DecodingCancelled();  // another thread throws why
    auto coded = reader.Read(walk.front(), *next, pool);
    if (!coded.ok()) return coded.status();
    reconstruction.Push();
    last.emplace(*std::move(coded));
    if (!tile.job.progress.Advance(static_cast<int64_t>(walk.front().size())))
      return DecodingCancelled();
  }
  if (!IsLearningIdle<Observer>(tile, last->MostWork())) std::move(*last).Learn(pool, goes_on);
  reconstruction.Drain();
  return filter;
}

// Reconstructs the fronts by other threads, and filters by the network behind them.
class FrontsAhead {
 public:
  // `goes_on` is asked while it filters.
  FrontsAhead(TileState& tile, int threads, GoesOn goes_on)
      : tile_(tile), threads_(threads), goes_on_(std::move(goes_on)), pipeline_(tile.Plane()) {}

  FrontPipeline& pipeline() { return pipeline_; }
  void Begin(const FilterChoice& filter) {
    if (filter.network.level == 0) return;
    network_.emplace(filter.network, tile_, threads_);
    network_->FilterBehind(pipeline_, goes_on_);
  }
  CodedFront* NextFront() { return pipeline_.NextFront(); }
  void Push() { pipeline_.Push(); }
  void Drain() { pipeline_.Drain(); }
  // Once all threads have ended.
  void Finish() {
    if (network_) network_->Finish();
  }

 private:
  TileState& tile_;
  const int threads_;
  const GoesOn goes_on_;
  FrontPipeline pipeline_;
  std::optional<NetworkBehind> network_;
};

// The same, while two thirds of the pool's other members reconstruct what has been parsed, and
// filter it by the network, which is not left in the choice; the others help to learn.
Result<FilterChoice> ParseTileAhead(const DecodedTile& tile, TaskPool& pool) {
  const int learning = (pool.size() - 1) / 3;
  FrontsAhead fronts(tile.state, pool.size() - learning,
                     [&] { return tile.job.progress.Advance(0); });
  Result<FilterChoice> filter = DecodingCancelled();
  bool is_being_parsed = false;
  auto work = [&](int member) {
    if (member > 0 || std::exchange(is_being_parsed, true)) return fronts.pipeline().Work();
    try {
      Unobserved unobserved;
      NullObserver observer;
      filter = ParseTile(tile, unobserved, observer, fronts, pool);
    } catch (...) {
      fronts.pipeline().Stop();
      throw;
    }
    if (!filter.ok()) fronts.pipeline().Stop();
  };
  pool.OnSome(pool.size() - 1 - learning, work);
  if (filter.ok()) {
    fronts.Finish();
    filter->network = {};
  }
  return filter;
}

// Decodes a tile into the image; `state` is its state before any macroblock.
// Observer: Unobserved or Observed.
template <typename Observer>
Status DecodeTile(const DecodeJob& job, int number, TileState& state, TaskPool& pool,
                  Observer observer) {
  const TileInfo& info = job.coded.tiles[number].info;
  const auto substreams =
      SplitSubstreams(job.coded.tiles[number].stream, static_cast<int>(state.substreams.size()));
  if (!substreams) return Corrupt("its data ends too early");
  std::vector<RangeDecoder> coders(substreams->begin(), substreams->end());
  const DecodedTile tile = {job, number, state, coders};
  observer.OnStart(state.dictionary);
  const auto parse = [&]() -> Result<FilterChoice> {
    if (std::is_same_v<Observer, Unobserved> && pool.size() > 1) return ParseTileAhead(tile, pool);
    auto block_observer = observer.ForBlocks(coders);
    FrontByFront reconstruction(state.Plane(), block_observer);
    return ParseTile(tile, observer, block_observer, reconstruction, TaskPool::Alone());
  };
  const Result<FilterChoice> filter = parse();
  if (!filter.ok()) return filter.status();
  MMP_RETURN_IF_ERROR(tile.GoOn());
  const auto is_read = [](const RangeDecoder& coder) { return coder.AllRead(); };
  if (!std::all_of(coders.begin(), coders.end(), is_read))
    return Corrupt("it has more data than its pixels need");
  observer.OnEnd(state.dictionary);
  ApplyFilter(*filter, state.prediction, state.Size(), state.plane, pool,
              [&] { return job.progress.Advance(0); });
  if (job.progress.cancelled()) return DecodingCancelled();
  TileSamples samples(info, job.coded.region, job.image);
  for (int y = 0; y < info.height; ++y)
    job.map.Expand(&state.plane[static_cast<size_t>(y) * state.width], info.width, samples.Row(y));
  return FinishSamples(job, job.coded.tiles[number], samples);
}

// The same for a tile of the pixel coder.
Status DecodeByPixels(const DecodeJob& job, int number) {
  const TileInfo& info = job.coded.tiles[number].info;
  const FileHeader& header = job.coded.file.header;
  const uint64_t pixels = uint64_t{1} * static_cast<uint32_t>(info.width) * info.height;
  MMP_RETURN_IF_ERROR(job.work.Reach(number, PixelWork(header, pixels)));
  TileSamples samples(info, job.coded.region, job.image);
  const int64_t macroblocks = CountMacroblocks({info});
  const int64_t columns = MacroblocksAcross(info.width);
  int64_t rows = 0, done = 0;
  const auto goes_on = [&] {
    if (job.progress.cancelled() || job.work.IsGivenUp(number)) return false;
    if (++rows % kMacroblockSize != 0) return true;
    done += columns;
    return job.progress.Advance(columns);
  };
  const Status decoded =
      DecodePixelTile(job.coded.tiles[number].stream, header, info, samples, goes_on);
  if (decoded.code() == StatusCode::kCancelled) return DecodingCancelled();
  MMP_RETURN_IF_ERROR(decoded);
  if (done < macroblocks && !job.progress.Advance(macroblocks - done)) return DecodingCancelled();
  return FinishSamples(job, job.coded.tiles[number], samples);
}

// How threads are shared among tiles.
struct Threads {
  int all;
  int tiles;  // decoded at a time

  int OfWorker(int number) const { return all / tiles + (number < all % tiles ? 1 : 0); }
};

// One thread more pays where it has some macroblocks to reconstruct.
int MostUsefulThreads(int64_t macroblocks) {
  constexpr int64_t kMacroblocksOfAThread = 64;
  return static_cast<int>(std::clamp<int64_t>(macroblocks / kMacroblocksOfAThread, 1, kMaxThreads));
}

Threads ShareThreads(int asked, int tiles, int64_t macroblocks, const DecodeMemory& memory,
                     uint64_t max_memory) {
  const int wanted = asked > 0 ? asked : HardwareThreads();
  const int at_a_time = memory.MostThreads(max_memory, std::min(wanted, tiles));
  return {std::max(at_a_time, std::min(wanted, MostUsefulThreads(macroblocks))), at_a_time};
}

// Decodes the tiles in order, several at a time; returns how each ended. Once a tile before it has
// failed for good, a tile is given up, or not begun: what follows the first failure means nothing.
template <typename ObserverOf>
std::vector<Status> DecodeTiles(const DecodeJob& job, Threads threads, bool keep_going,
                                const ObserverOf& observer_of) {
  const int count = static_cast<int>(job.coded.tiles.size());
  std::vector<Status> status(count);
  ThreadPool pool(threads.tiles);
  struct Worker {
    std::unique_ptr<TileState> state;
    std::unique_ptr<TaskPool> pool;
  };
  std::vector<Worker> workers(pool.threads());
  const auto decode = [&](int i, int thread) -> Status {
    const CodedTile& tile = job.coded.tiles[i];
    if (!tile.damage.empty()) return Corrupt(tile.damage);
    if (job.progress.cancelled() || job.work.IsGivenUp(i)) return DecodingCancelled();
    if (job.start == nullptr) return DecodeByPixels(job, i);
    const TileInfo& info = tile.info;
    Worker& worker = workers[thread];
    if (worker.state == nullptr) {
      worker.pool = std::make_unique<TaskPool>(threads.OfWorker(thread));
      worker.state = std::make_unique<TileState>(job.coded.file.header.parameters, info.width,
                                                 info.height, *job.start);
    } else {
      worker.state->Restart(info.width, info.height, *job.start);
    }
    return DecodeTile(job, i, *worker.state, *worker.pool, observer_of(i));
  };
  pool.ParallelFor(count, [&](int i, int thread) {
    try {
      status[i] = decode(i, thread);
    } catch (...) {  // of what is called back, or no memory
      job.work.GiveUpAll();
      throw;
    }
    const bool is_final = status[i].code() == StatusCode::kLimitExceeded || !keep_going;
    if (!status[i].ok() && is_final) job.work.GiveUpAfter(i);
  });
  return status;
}

// The image, once its tiles have ended so.
Result<DecodedImage> Gather(const DecodeJob& job, const std::vector<Status>& status,
                            bool keep_going) {
  if (job.progress.cancelled()) return DecodingCancelled();
  DecodedImage result;
  const int first_exceeding = job.work.FirstExceeding();
  for (int i = 0; i < static_cast<int>(status.size()); ++i) {
    if (i == first_exceeding) return job.work.Exceeded();
    if (status[i].ok()) continue;
    const CodedTile& tile = job.coded.tiles[i];
    if (!keep_going) return DamagedTileError(job.coded.file, tile.number, status[i].message());
    const TileInfo& t = tile.info;
    FillGray(t, job.coded.region, job.image);
    result.damaged_tiles.push_back({t.x, t.y, t.width, t.height, status[i].message()});
  }
  result.image = std::move(job.image);
  const ParsedFile& file = job.coded.file;
  result.is_signed = file.header.is_signed;
  result.metadata = file.metadata;
  result.damaged_metadata = file.damaged_metadata;
  result.trailing_bytes = file.trailing_bytes;
  return result;
}

// Decodes what is coded; `observer_of(tile)` is the observer of a tile.
template <typename ObserverOf>
Result<DecodedImage> DecodeCoded(const CodedTiles& coded, const DecodeOptions& options,
                                 const ObserverOf& observer_of) {
  const FileHeader& header = coded.file.header;
  const bool by_patterns = header.coder == Coder::kPatterns;
  std::shared_ptr<const TrainedPatterns> patterns;
  if (by_patterns) {
    auto found = FindPatterns(header.parameters, options.dictionary_file);
    if (!found.ok()) return found.status();
    patterns = *std::move(found);
  }
  if (!options.keep_going) {
    for (const CodedTile& tile : coded.tiles)
      if (!tile.damage.empty()) return DamagedTileError(coded.file, tile.number, tile.damage);
  }
  // All limits are those of an image that the tiles alone are.
  const FileHeader of_tiles = coded.HeaderOfTiles();
  const uint64_t pixels = static_cast<uint64_t>(of_tiles.width) * of_tiles.height;
  const DecodeMemory memory = options.region ? RegionMemoryOf(header, of_tiles, patterns.get())
                                             : DecodeMemoryOf(header, patterns.get());
  const uint64_t max_memory = options.max_memory.value_or(DefaultMaxMemoryOf(of_tiles, memory));
  MMP_RETURN_IF_ERROR(memory.Check(max_memory));

  Image image = Image::OfDepth(header.depth, coded.region.width, coded.region.height);
  const SampleMap map(header.depth, header.range);
  std::shared_ptr<const TileStart> start;
  if (by_patterns) start = FindTileStart(header.parameters, patterns.get());
  // The pixel coder's work follows from the size alone, which max_pixels limits.
  const uint64_t default_work =
      by_patterns ? DefaultMaxWork(coded.bytes, pixels) : PixelWork(header, pixels);
  const int count = static_cast<int>(coded.tiles.size());
  WorkLimit work(options.max_work.value_or(default_work), by_patterns ? start->file_work : 0,
                 count);
  const int64_t macroblocks = CountMacroblocks(
      TileGrid(of_tiles.width, of_tiles.height, of_tiles.tile_width, of_tiles.tile_height));
  Progress progress(options.progress, macroblocks);
  const DecodeJob job = {coded, start.get(), map, work, progress, image};
  const Threads threads = ShareThreads(options.threads, count, macroblocks, memory, max_memory);
  return Gather(job, DecodeTiles(job, threads, options.keep_going, observer_of),
                options.keep_going);
}

// Decodes a file; `observer_of(tile)` is the observer of a tile.
template <typename ObserverOf>
Result<DecodedImage> DecodeFile(FileBytes file, const DecodeOptions& options,
                                const ObserverOf& observer_of) {
  MMP_RETURN_IF_ERROR(CheckThreads(options.threads));
  if (options.preview) {
    const auto preview = ReadPreview(file, options);
    if (!preview.ok()) return preview.status();
    DecodeOptions of_preview = options;
    of_preview.preview = false;
    return DecodeFile(FileBytes(*preview), of_preview, observer_of);
  }
  const Result<CodedTiles> coded = ReadCodedTiles(file, options);
  if (!coded.ok()) return coded.status();
  return DecodeCoded(*coded, options, observer_of);
}

}  // namespace

Result<DecodedImage> Decode(std::span<const uint8_t> file, const DecodeOptions& options) {
  return OrOutOfMemory(
      [&] { return DecodeFile(FileBytes(file), options, [](int) { return Unobserved(); }); });
}

Result<DecodedImage> DecodeFrom(const ByteSource& source, const DecodeOptions& options) {
  if (!source.read)
    return Status(StatusCode::kInvalidArgument, "the source has no function that reads it");
  return OrOutOfMemory(
      [&] { return DecodeFile(FileBytes(source), options, [](int) { return Unobserved(); }); });
}

Result<DecodedImage> DecodeObserved(std::span<const uint8_t> file, const DecodeOptions& options,
                                    const std::function<TileObserver&(int tile)>& observer_of) {
  return OrOutOfMemory([&]() -> Result<DecodedImage> {
    const Result<FileHeader> header = ParseFileHeader(file);
    if (header.ok() && (header->coder != Coder::kPatterns || header->depth != 8))
      return Status(StatusCode::kUnsupported,
                    header->coder != Coder::kPatterns
                        ? "the pixel coder made the file: there are no blocks to be seen"
                        : "blocks can be seen of images of 8 bits only");
    return DecodeFile(FileBytes(file), options,
                      [&](int tile) { return Observed{observer_of(tile)}; });
  });
}

}  // namespace mmp
