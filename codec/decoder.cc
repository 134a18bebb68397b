#include <atomic>
#include <cstring>
#include <utility>

#include "codec/decode_observer.h"
#include "codec/format.h"
#include "codec/macroblock_coder.h"
#include "codec/mmp.h"
#include "codec/progress.h"
#include "codec/range_coder.h"
#include "codec/read_port.h"
#include "codec/tile_state.h"
#include "common/crc32c.h"
#include "common/thread_pool.h"

namespace mmp {
namespace {

constexpr uint8_t kDamagedSample = 128;

Status Corrupt(std::string message) { return {StatusCode::kCorrupt, std::move(message)}; }

// What the tiles may still do, all together.
class WorkLimit {
 public:
  explicit WorkLimit(uint64_t multiply_adds) : left_(static_cast<int64_t>(multiply_adds >> 1)) {}

  // False once more has been taken than there was.
  bool Take(uint64_t multiply_adds) {
    const int64_t amount = static_cast<int64_t>(multiply_adds >> 1);
    return left_.fetch_sub(amount) >= amount;
  }

 private:
  std::atomic<int64_t> left_;  // in pairs
};

// Nobody watches the tile.
struct Unobserved {
  NullObserver ForBlocks(const RangeDecoder& /*coder*/) { return {}; }
  void OnStart(const Dictionary& /*dictionary*/) {}
  void OnMacroblock(int /*y*/, int /*x*/) {}
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
  void OnBlock(BlockRect rect, const uint8_t* prediction, const int16_t* residual) {
    observer_->OnBlock(rect, prediction, residual);
  }
  void OnCopyVectors(const CopyVectors& vectors) { observer_->OnCopyVectors(vectors, Taken()); }
  void OnFilter(const WienerChoice& choice) { observer_->OnFilter(choice, Taken()); }

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
  void OnMacroblock(int y, int x) { observer.OnMacroblock(y, x); }
  void OnEnd(const Dictionary& dictionary) { observer.OnEnd(dictionary); }
};

// Decodes a tile into `image` at the tile's place. Observer: Unobserved or Observed.
template <typename Observer>
Status DecodeTile(const TileInfo& info, const CodecParameters& parameters,
                  const TrainedPatterns* trained, std::span<const uint8_t> bytes, WorkLimit& limit,
                  Progress& progress, Observer observer, Image& image) {
  TileState tile(parameters, info.width, info.height, trained);
  RangeDecoder coder(bytes);
  ReadPort port(tile.models, coder);
  MacroblockCoder macroblock_coder(tile, port, observer.ForBlocks(coder));
  observer.OnStart(tile.dictionary);
  for (int y = 0; y < tile.height; y += kMacroblockSize) {
    for (int x = 0; x < tile.width; x += kMacroblockSize) {
      observer.OnMacroblock(y, x);
      macroblock_coder.CodeCopies(y, x);
      macroblock_coder.Code(y, x);
      const uint64_t work_before = tile.dictionary.multiply_adds();
      macroblock_coder.Learn();
      if (!limit.Take(tile.dictionary.multiply_adds() - work_before))
        return {StatusCode::kLimitExceeded,
                "decoding takes more work than the limit allows; raise it if you trust the file"};
      if (coder.Overrun()) return Corrupt("its data ends too early");
      if (!progress.Advance(1)) return {StatusCode::kCancelled, "decoding was cancelled"};
    }
  }
  macroblock_coder.Finish();
  if (coder.Overrun()) return Corrupt("its data ends too early");
  if (!coder.AllRead()) return Corrupt("it has more data than its pixels need");
  observer.OnEnd(tile.dictionary);
  uint32_t crc = 0;
  for (int y = 0; y < info.height; ++y) {
    uint8_t* row = image.Row(info.y + y) + info.x;
    std::memcpy(row, &tile.plane[static_cast<size_t>(y) * tile.width], info.width);
    crc = Crc32c({row, static_cast<size_t>(info.width)}, crc);
  }
#ifndef MMP_FUZZING
  if (crc != info.reconstruction_crc)
    return Corrupt("the decoded pixels are not those that the encoder made");
#endif
  return {};
}

// Decodes a file; `observer_of(tile)` is what watches a tile.
template <typename ObserverOf>
Result<DecodedImage> DecodeFile(std::span<const uint8_t> file, const DecodeOptions& options,
                                const ObserverOf& observer_of) {
  Result<ParsedFile> parsed = ParseFile(file, options.max_pixels);
  if (!parsed.ok()) return parsed.status();
  const FileHeader& header = parsed->header;
  const auto patterns = FindPatterns(header.parameters, options.dictionary_file);
  if (!patterns.ok()) return patterns.status();
  const int count = static_cast<int>(parsed->tiles.size());
  if (!options.keep_going) {
    for (int i = 0; i < count; ++i)
      if (!parsed->damage[i].empty())
        return Corrupt(count == 1 ? parsed->damage[i]
                                  : "tile " + std::to_string(i) + " of " + std::to_string(count) +
                                        " is damaged: " + parsed->damage[i]);
  }

  DecodedImage result;
  result.image = Image(header.width, header.height, kDamagedSample);
  int64_t macroblocks = 0;
  for (const TileInfo& tile : parsed->tiles)
    macroblocks += int64_t{(tile.width + 15) / 16} * ((tile.height + 15) / 16);
  Progress progress(options.progress, macroblocks);
  WorkLimit limit(options.max_multiply_adds);
  std::vector<Status> status(count);
  const int threads = options.threads > 0 ? options.threads : HardwareThreads();
  ThreadPool pool(std::min(threads, count));
  pool.ParallelFor(count, [&](int i, int) {
    const TileInfo& tile = parsed->tiles[i];
    if (!parsed->damage[i].empty())
      status[i] = Corrupt(parsed->damage[i]);
    else if (!progress.cancelled())
      status[i] = DecodeTile(tile, header.parameters, patterns->get(),
                             file.subspan(tile.offset, tile.bytes), limit, progress, observer_of(i),
                             result.image);
  });
  if (progress.cancelled()) return Status(StatusCode::kCancelled, "decoding was cancelled");
  for (int i = 0; i < count; ++i) {
    if (status[i].ok()) continue;
    if (status[i].code() == StatusCode::kLimitExceeded) return status[i];
    if (!options.keep_going)
      return Corrupt("tile " + std::to_string(i) + " of " + std::to_string(count) +
                     " is damaged: " + status[i].message());
    const TileInfo& t = parsed->tiles[i];
    for (int y = 0; y < t.height; ++y)
      std::memset(result.image.Row(t.y + y) + t.x, kDamagedSample, t.width);
    result.damaged_tiles.push_back({t.x, t.y, t.width, t.height, status[i].message()});
  }
  return result;
}

}  // namespace

Result<DecodedImage> Decode(std::span<const uint8_t> file, const DecodeOptions& options) {
  return DecodeFile(file, options, [](int) { return Unobserved(); });
}

Result<DecodedImage> DecodeObserved(std::span<const uint8_t> file, const DecodeOptions& options,
                                    const std::function<TileObserver&(int tile)>& observer_of) {
  return DecodeFile(file, options, [&](int tile) { return Observed{observer_of(tile)}; });
}

}  // namespace mmp
