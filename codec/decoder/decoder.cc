#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "codec/base/progress.h"
#include "codec/base/sample_map.h"
#include "codec/base/threads.h"
#include "codec/bitstream/container.h"
#include "codec/bitstream/range_coder.h"
#include "codec/decoder/decode_limits.h"
#include "codec/decoder/decode_observed.h"
#include "codec/decoder/front_pipeline.h"
#include "codec/decoder/pixel_tile.h"
#include "codec/postfilter/tile_filter.h"
#include "codec/tile/front_coder.h"
#include "codec/tile/read_port.h"
#include "codec/tile/reconstruct.h"
#include "codec/tile/tile_state.h"
#include "common/out_of_memory.h"
#include "common/task_pool.h"
#include "common/thread_pool.h"
#include "mmp/mmp.h"

namespace mmp {
namespace {

Status Corrupt(std::string message) { return {StatusCode::kCorrupt, std::move(message)}; }
Status Cancelled() { return {StatusCode::kCancelled, "decoding was cancelled"}; }

// For tiles that no observer is attached to.
struct Unobserved {
  NullObserver ForBlocks(const RangeDecoder& /*coder*/) { return {}; }
  void OnStart(const Dictionary& /*dictionary*/) {}
  void OnMacroblock(MacroblockPlace /*place*/) {}
  void OnEnd(const Dictionary& /*dictionary*/) {}
};

// Counts the bits of each element for a TileObserver.
class BitCounter {
 public:
  BitCounter(TileObserver& observer, const RangeDecoder& coder)
      : observer_(&observer), coder_(&coder), bits_before_(coder.BitsRead()) {}

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

 private:
  // The bits read since the last call.
  double Taken() {
    const double before = std::exchange(bits_before_, coder_->BitsRead());
    return bits_before_ - before;
  }

  TileObserver* observer_;
  const RangeDecoder* coder_;
  double bits_before_;
};

struct Observed {
  TileObserver& observer;

  BitCounter ForBlocks(const RangeDecoder& coder) { return {observer, coder}; }
  void OnStart(const Dictionary& dictionary) { observer.OnStart(dictionary); }
  void OnMacroblock(MacroblockPlace place) { observer.OnMacroblock(place); }
  void OnEnd(const Dictionary& dictionary) { observer.OnEnd(dictionary); }
};

// What the tiles of a file have in common while they are decoded.
struct DecodeJob {
  std::span<const uint8_t> file;
  const ParsedFile& parsed;
  const TileStart* start;  // of patterns
  const SampleMap& map;
  WorkLimit& work;
  Progress& progress;
  Image& image;
};

// Whether the tile is to be decoded further, before a macroblock and at the end.
Status GoOn(const DecodeJob& job, int number, const TileState& tile, const RangeDecoder& coder) {
  MMP_RETURN_IF_ERROR(job.work.Reach(number, tile.work));
  if (coder.Overrun()) return Corrupt("its data ends too early");
  return {};
}

// Reconstructs each front as soon as it has been parsed.
template <typename BlockObserver>
class FrontByFront {
 public:
  FrontByFront(const TilePlane& plane, BlockObserver& observer)
      : plane_(plane), observer_(observer) {}

  CodedFront& NextFront() { return front_; }
  void Push() {
    for (int i = 0; i < front_.size(); ++i) Reconstruct(front_, i, plane_, observer_);
  }
  void Drain() {}

 private:
  const TilePlane plane_;
  BlockObserver& observer_;
  CodedFront front_;
};

// Row y of the tile in the image.
uint8_t* PlaceOf(Image& image, const TileInfo& tile, int y) {
  return image.Row(tile.y + y) + static_cast<size_t>(tile.x) * SampleBytes(image.depth());
}

// Fills the tile with the gray of what is not known.
void FillGray(Image& image, const TileInfo& tile) {
  const int gray = 1 << (image.depth() - 1);
  for (int y = 0; y < tile.height; ++y) {
    uint8_t* row = PlaceOf(image, tile, y);
    if (SampleBytes(image.depth()) == 2)
      std::fill_n(reinterpret_cast<uint16_t*>(row), tile.width, static_cast<uint16_t>(gray));
    else
      std::memset(row, gray, tile.width);
  }
}

// Whether the tile's samples, which are in the image, are those that the encoder made.
Status CheckReconstruction(const DecodeJob& job, int number) {
  const TileInfo& tile = job.parsed.tiles[number];
  const ImageView samples = job.image.View().Crop(tile.x, tile.y, tile.width, tile.height);
  uint32_t crc = 0;
  for (int y = 0; y < tile.height; ++y)
    crc = RowCrc(samples.Row(y), tile.width, samples.depth, crc);
  if (IsReconstruction(job.file, job.parsed, number, crc)) return {};
  return Corrupt(job.parsed.is_small ? "the file is damaged: its checksum does not match its pixels"
                                     : "the decoded pixels are not those that the encoder made");
}

// A tile that is being decoded.
struct DecodedTile {
  const DecodeJob& job;
  const int number;
  TileState& state;
  RangeDecoder& coder;
};

// Parses a tile. Reconstruction: has the functions of FrontByFront.
template <typename Observer, typename BlockObserver, typename Reconstruction>
Result<FilterChoice> ParseTile(const DecodedTile& tile, Observer& observer,
                               BlockObserver& block_observer, Reconstruction& reconstruction) {
  ReadPort port(tile.state.models, tile.coder);
  FrontCoder front_coder(tile.state, port, block_observer);
  FrontWalk walk(tile.state.parameters.order, tile.state.width, tile.state.height);
  while (walk.Next()) {
    Status status;
    const auto begin = [&](MacroblockPlace place) {
      observer.OnMacroblock(place);
      status = GoOn(tile.job, tile.number, tile.state, tile.coder);
      return status.ok();
    };
    auto coded = front_coder.Begin(walk.front()).Code(reconstruction.NextFront(), begin);
    if (!coded) return status;
    reconstruction.Push();
    std::move(*coded).Learn();
    if (!tile.job.progress.Advance(static_cast<int64_t>(walk.front().size()))) return Cancelled();
  }
  FilterChoice filter = front_coder.CodeFilter();
  reconstruction.Drain();
  return filter;
}

// The same, while the other members of the pool reconstruct what has been parsed.
Result<FilterChoice> ParseTileAhead(const DecodedTile& tile, TaskPool& pool) {
  FrontPipeline pipeline(tile.state.Plane());
  Result<FilterChoice> filter = Cancelled();
  bool is_being_parsed = false;
  auto work = [&](int member) {
    if (member > 0 || std::exchange(is_being_parsed, true)) return pipeline.Work();
    try {
      Unobserved unobserved;
      NullObserver observer;
      filter = ParseTile(tile, unobserved, observer, pipeline);
    } catch (...) {
      pipeline.Stop();
      throw;
    }
    if (!filter.ok()) pipeline.Stop();
  };
  pool.OnAll(work);
  return filter;
}

// Decodes a tile into the image at the tile's place; `state` is its state before any macroblock.
// Observer: Unobserved or Observed.
template <typename Observer>
Status DecodeTile(const DecodeJob& job, int number, TileState& state, TaskPool& pool,
                  Observer observer) {
  const TileInfo& info = job.parsed.tiles[number];
  RangeDecoder coder(job.file.subspan(info.offset, info.bytes));
  const DecodedTile tile = {job, number, state, coder};
  observer.OnStart(state.dictionary);
  const auto parse = [&]() -> Result<FilterChoice> {
    if (std::is_same_v<Observer, Unobserved> && pool.size() > 1) return ParseTileAhead(tile, pool);
    auto block_observer = observer.ForBlocks(coder);
    FrontByFront reconstruction(state.Plane(), block_observer);
    return ParseTile(tile, observer, block_observer, reconstruction);
  };
  const Result<FilterChoice> filter = parse();
  if (!filter.ok()) return filter.status();
  MMP_RETURN_IF_ERROR(GoOn(job, number, state, coder));
  if (!coder.AllRead()) return Corrupt("it has more data than its pixels need");
  observer.OnEnd(state.dictionary);
  ApplyFilter(*filter, state.prediction, state.width, state.height, state.plane, pool);
  for (int y = 0; y < info.height; ++y)
    job.map.Expand(&state.plane[static_cast<size_t>(y) * state.width], info.width,
                   PlaceOf(job.image, info, y));
  return CheckReconstruction(job, number);
}

// The same for a tile of the pixel coder.
Status DecodeByPixels(const DecodeJob& job, int number) {
  const TileInfo& info = job.parsed.tiles[number];
  const FileHeader& header = job.parsed.header;
  const uint64_t pixels = uint64_t{1} * static_cast<uint32_t>(info.width) * info.height;
  MMP_RETURN_IF_ERROR(job.work.Reach(number, PixelWork(header, pixels)));
  MMP_RETURN_IF_ERROR(
      DecodePixelTile(job.file.subspan(info.offset, info.bytes), header, info, job.image));
  if (!job.progress.Advance(CountMacroblocks({info}))) return Cancelled();
  return CheckReconstruction(job, number);
}

// How threads are shared among tiles.
struct Threads {
  int all;
  int tiles;  // decoded at a time

  int OfWorker(int number) const { return all / tiles + (number < all % tiles ? 1 : 0); }
};

// One thread more pays where it has some macroblocks to reconstruct.
int MostUsefulThreads(const std::vector<TileInfo>& tiles) {
  constexpr int64_t kMacroblocksOfAThread = 64;
  return static_cast<int>(
      std::clamp<int64_t>(CountMacroblocks(tiles) / kMacroblocksOfAThread, 1, kMaxThreads));
}

// Decodes the tiles in order, several at a time; returns how each ended. Once a tile before it has
// failed for good, a tile is given up, or not begun: what follows the first failure means nothing.
template <typename ObserverOf>
std::vector<Status> DecodeTiles(const DecodeJob& job, Threads threads, bool keep_going,
                                const ObserverOf& observer_of) {
  const int count = static_cast<int>(job.parsed.tiles.size());
  std::vector<Status> status(count);
  ThreadPool pool(threads.tiles);
  struct Worker {
    std::unique_ptr<TileState> state;
    std::unique_ptr<TaskPool> pool;
  };
  std::vector<Worker> workers(pool.threads());
  const auto decode = [&](int i, int thread) -> Status {
    if (!job.parsed.damage[i].empty()) return Corrupt(job.parsed.damage[i]);
    if (job.progress.cancelled() || job.work.IsGivenUp(i)) return Cancelled();
    if (job.start == nullptr) return DecodeByPixels(job, i);
    const TileInfo& info = job.parsed.tiles[i];
    Worker& worker = workers[thread];
    if (worker.state == nullptr) {
      worker.pool = std::make_unique<TaskPool>(threads.OfWorker(thread));
      worker.state = std::make_unique<TileState>(job.parsed.header.parameters, info.width,
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

std::string AboutTile(int tile, int count, const std::string& reason) {
  return count == 1 ? reason
                    : "tile " + std::to_string(tile) + " of " + std::to_string(count) +
                          " is damaged: " + reason;
}

// Decodes a file; `observer_of(tile)` is the observer of a tile.
template <typename ObserverOf>
Result<DecodedImage> DecodeFile(std::span<const uint8_t> file, const DecodeOptions& options,
                                const ObserverOf& observer_of) {
  MMP_RETURN_IF_ERROR(CheckThreads(options.threads));
  Result<ParsedFile> parsed = ParseFile(file, options.max_pixels);
  if (!parsed.ok()) return parsed.status();
  const FileHeader& header = parsed->header;
  const bool by_patterns = header.coder == Coder::kPatterns;
  std::shared_ptr<const TrainedPatterns> patterns;
  if (by_patterns) {
    auto found = FindPatterns(header.parameters, options.dictionary_file);
    if (!found.ok()) return found.status();
    patterns = *std::move(found);
  }
  const int count = static_cast<int>(parsed->tiles.size());
  if (!options.keep_going) {
    for (int i = 0; i < count; ++i)
      if (!parsed->damage[i].empty()) return Corrupt(AboutTile(i, count, parsed->damage[i]));
  }
  const DecodeMemory memory = DecodeMemoryOf(header, patterns.get());
  const uint64_t pixels = static_cast<uint64_t>(header.width) * header.height;
  const uint64_t max_memory = options.max_memory.value_or(DefaultMaxMemoryOf(header, memory));
  MMP_RETURN_IF_ERROR(memory.Check(max_memory));

  DecodedImage result;
  result.image = Image::OfDepth(header.depth, header.width, header.height);
  const SampleMap map(header.depth, header.range);
  std::shared_ptr<const TileStart> start;
  if (by_patterns) start = FindTileStart(header.parameters, patterns.get());
  // The pixel coder's work follows from the size alone, which max_pixels limits.
  const uint64_t default_work =
      by_patterns ? DefaultMaxWork(file.size(), pixels) : PixelWork(header, pixels);
  WorkLimit work(options.max_work.value_or(default_work), by_patterns ? start->file_work : 0,
                 count);
  Progress progress(options.progress, CountMacroblocks(parsed->tiles));
  const int wanted = options.threads > 0 ? options.threads : HardwareThreads();
  const int tiles = memory.MostThreads(max_memory, std::min(wanted, count));
  const Threads threads = {std::max(tiles, std::min(wanted, MostUsefulThreads(parsed->tiles))),
                           tiles};
  const std::vector<Status> status =
      DecodeTiles({file, *parsed, start.get(), map, work, progress, result.image}, threads,
                  options.keep_going, observer_of);
  if (progress.cancelled()) return Cancelled();
  const int first_exceeding = work.FirstExceeding();
  for (int i = 0; i < count; ++i) {
    if (i == first_exceeding) return work.Exceeded();
    if (status[i].ok()) continue;
    if (!options.keep_going) return Corrupt(AboutTile(i, count, status[i].message()));
    const TileInfo& t = parsed->tiles[i];
    FillGray(result.image, t);
    result.damaged_tiles.push_back({t.x, t.y, t.width, t.height, status[i].message()});
  }
  return result;
}

}  // namespace

Result<DecodedImage> Decode(std::span<const uint8_t> file, const DecodeOptions& options) {
  return OrOutOfMemory([&] { return DecodeFile(file, options, [](int) { return Unobserved(); }); });
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
    return DecodeFile(file, options, [&](int tile) { return Observed{observer_of(tile)}; });
  });
}

}  // namespace mmp
