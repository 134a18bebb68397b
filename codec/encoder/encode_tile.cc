#include "codec/encoder/encode_tile.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "codec/base/failures.h"
#include "codec/base/stopwatch.h"
#include "codec/bitstream/range_coder.h"
#include "codec/encoder/filter/choose_filter.h"
#include "codec/encoder/filter/network_beside.h"
#include "codec/rdo/block_vector_search.h"
#include "codec/tile/front_coder.h"
#include "codec/tile/reconstruct.h"
#include "codec/tile/substreams.h"
#include "codec/tile/tile_state.h"
#include "codec/tile/write_port.h"
#include "common/metrics.h"

namespace mmp {
namespace {

// The macroblock's samples; beyond the image's edge, its last row and column repeated.
MacroblockSamples LoadSamples(const ImageView& image, MacroblockPlace place) {
  MacroblockSamples block;
  for (int i = 0; i < kMacroblockSize; ++i) {
    const uint8_t* row = image.Row(std::min(place.y + i, image.height - 1));
    for (int j = 0; j < kMacroblockSize; ++j)
      block.samples[i * kMacroblockSize + j] = row[std::min(place.x + j, image.width - 1)];
  }
  return block;
}

// True if the tile's reconstruction of the macroblock is the original.
bool IsReconstructed(const TileState& tile, const SearchedMacroblock& macroblock) {
  const auto [y, x] = macroblock.place;
  for (int i = 0; i < kMacroblockSize; ++i) {
    const uint8_t* row = &tile.plane[static_cast<size_t>(y + i) * tile.width + x];
    if (!std::equal(row, row + kMacroblockSize, macroblock.original.samples + i * kMacroblockSize))
      return false;
  }
  return true;
}

// The tile's samples as a decoder delivers them: their checksum, and their squared error.
struct Reconstruction {
  uint32_t crc = 0;
  uint64_t sum_squared_error = 0;
};

Reconstruction Measure(const TileState& tile, const ImageView& original, const SampleMap& map) {
  Reconstruction sum;
  Image row = Image::OfDepth(original.depth, original.width, 1);
  for (int y = 0; y < original.height; ++y) {
    map.Expand(&tile.plane[static_cast<size_t>(y) * tile.width], original.width, row.Row(0));
    sum.crc = RowCrc(row.Row(0), original.width, original.depth, sum.crc);
    sum.sum_squared_error += SumSquaredError(original.Crop(0, y, original.width, 1), row.View());
  }
  return sum;
}

// As FrontCoder::Begin takes them.
MacroblockSymbols BlockVectorSymbols(const std::vector<BlockVector>& vectors) {
  MacroblockSymbols symbols = {static_cast<uint32_t>(vectors.size())};
  for (const BlockVector vector : vectors) {
    for (const int32_t component : {vector.y, vector.x}) {
      const int bits = BlockVectorClass(component);
      symbols.push_back(bits);
      const uint32_t size = static_cast<uint32_t>(std::abs(component));
      if (bits > 1) symbols.push_back(size & ((1u << (bits - 1)) - 1));
    }
    if (vector.x != 0) symbols.push_back(vector.x < 0);
  }
  return symbols;
}

// Codes and learns one front after another.
class TileEncoder {
 public:
  TileEncoder(const TileJob& job, MacroblockSearch& search, TaskPool& pool, TileStats& stats)
      : job_(job),
        search_(search),
        pool_(pool),
        stats_(stats),
        tile_(job.parameters, job.image.width, job.image.height, job.start),
        coders_(tile_.substreams.size()),
        port_(tile_, coders_, stats.symbols),
        front_coder_(tile_, port_, observer_) {
    if (job.parameters.UsesBlockCopy() && job.finds_block_vectors)
      vector_search_.emplace(job.image, job.parameters, job.lambda, pool);
  }

  // Codes all of them but what is coded behind the last.
  Status CodeFronts();
  // Of what CodeFronts has coded. Errors: kCancelled.
  Result<EncodedTile> Finish();

 private:
  using Front = FrontCoder<WritePort>;

  // `next` are the places of the front behind it.
  Status CodeFront(std::span<const MacroblockPlace> places, std::span<const MacroblockPlace> next);
  // The number of a first macroblock of the front that is there: there is work for all of the pool
  // then.
  Result<int> AwaitFirst();
  // The number of the n-th that is there; called by any thread.
  Result<int> Await(int n);
  // Writes the front that is searched, as its macroblocks are there, `first` already; nothing if
  // the search fails, as `status` then says.
  std::optional<Front::Coded> WriteFront(Front::Begun begun, int first, Status& status);
  // Adds the front at `places` to what vectors point to, and finds those of the front at `next`.
  void FindVectors(std::span<const MacroblockPlace> places, std::span<const MacroblockPlace> next);
  // Waits until what was handed over has been coded, and counts it.
  void FinishBehind();
  // Codes what is coded behind the front before beside it, or while it is awaited and coded.
  Status SearchFront(std::span<const MacroblockPlace> places);
  // Searches the front's macroblocks, those of equal multipliers together, to the end.
  Status SearchByLambda(std::function<void()> beside);
  // A lossless file must be right even if the search, perhaps on a device, went wrong.
  Status CheckLossless();
  // Where a device searches, begins to filter by its network, if that will be tried.
  void BeginNetwork();
  void Filter();

  const TileJob& job_;
  MacroblockSearch& search_;
  TaskPool& pool_;
  TileStats& stats_;
  TileState tile_;
  std::vector<RangeEncoder> coders_;  // of substreams
  size_t filter_symbol_ = 0;  // the first one of the filter, which the first stream begins with
  WritePort port_;
  NullObserver observer_;
  Front front_coder_;
  std::optional<BlockVectorSearch> vector_search_;
  std::vector<BlockVector> new_vectors_;  // of the front that comes next
  std::vector<SearchedMacroblock> searched_;
  CodedFront front_;
  // Codes a part of what has been handed over.
  std::function<void(int, int)> code_behind_ = [this](int part, int /*member*/) {
    const StageTimer timer(job_.timing, seconds_behind_[part]);
    port_.CodeBehind(part);
  };
  std::array<double, WritePort::kMostPartsBehind> seconds_behind_{};  // until they are counted
  // What members of the pool do where a device searches.
  std::optional<ForEachBeside<std::function<void(int, int)>>> behind_;
  std::optional<NetworkBeside> network_;
};

Status TileEncoder::CodeFronts() {
  FrontWalk walk(job_.parameters.order, tile_.width, tile_.height), ahead = walk;
  ahead.Next();
  if (vector_search_) new_vectors_ = vector_search_->FindNew(tile_.block_vectors, ahead.front());
  while (walk.Next()) {
    ahead.Next();
    MMP_RETURN_IF_ERROR(CodeFront(walk.front(), ahead.front()));
    const int count = static_cast<int>(walk.front().size());
    stats_.macroblocks += count;
    if (!job_.step(count)) return EncodingCancelled();
  }
  return {};
}

void TileEncoder::FindVectors(std::span<const MacroblockPlace> places,
                              std::span<const MacroblockPlace> next) {
  if (!vector_search_) return;
  vector_search_->Add(places);
  new_vectors_ = vector_search_->FindNew(tile_.block_vectors, next);
}

void TileEncoder::FinishBehind() {
  if (behind_) behind_->Finish();
  behind_.reset();
  port_.CountBehind();
  for (double& seconds : seconds_behind_) stats_.seconds_coding += std::exchange(seconds, 0);
}

Status TileEncoder::CodeFront(std::span<const MacroblockPlace> places,
                              std::span<const MacroblockPlace> next) {
  MacroblockSymbols vectors;
  if (job_.parameters.UsesBlockCopy()) vectors = BlockVectorSymbols(new_vectors_);
  port_.Take(vectors);
  auto begun = front_coder_.Begin(places);
  MMP_RETURN_IF_ERROR(SearchFront(places));
  auto find = [&](int /*member*/) { FindVectors(places, next); };
  WorkBeside vectors_of_next(pool_, find, vector_search_.has_value());
  const Result<int> first = AwaitFirst();
  if (!first.ok()) return first.status();
  Status status;
  auto coded = [&] {
    const StageTimer timer(job_.timing, stats_.seconds_coding);
    auto all = WriteFront(std::move(begun), *first, status);
    if (all) vectors_of_next.Finish();
    return all;
  }();
  if (!coded) return status;
  // The dictionary learns meanwhile. A macroblock alone is not worth another thread's while.
  auto code_level_or_reconstruct = [&](int i, int /*member*/) {
    if (i < kLevelCount)
      port_.CodeLevel(i);
    else
      Reconstruct(front_, i - kLevelCount, tile_.Plane());
  };
  ForEachBeside rest(front_.size() > 1 ? pool_ : TaskPool::Alone(), kLevelCount + front_.size(),
                     code_level_or_reconstruct);
  double coding = 0;
  {
    const StageTimer timer(job_.timing, stats_.seconds_dictionary);
    std::move(*coded).Learn(pool_, {}, [&] {
      const StageTimer coding_timer(job_.timing, coding);
      rest.Finish();
    });
  }
  stats_.seconds_coding += coding;
  stats_.seconds_dictionary -= coding;
  port_.CountLevels();
  return job_.lambda.lossless() ? CheckLossless() : Status();
}

auto TileEncoder::WriteFront(Front::Begun begun, int first, Status& status)
    -> std::optional<Front::Coded> {
  std::atomic<bool> has_failed{false};
  double waited = 0;
  auto begin = [&](int n, int member) -> std::optional<int> {
    const Result<int> searched = [&] {
      const StageTimer timer(job_.timing && member == 0, waited);
      return n == 0 ? first : Await(n);
    }();
    if (searched.ok()) {
      port_.Place(*searched, searched_[*searched].place);
      port_.Macroblock(*searched).Begin(searched_[*searched].symbols);
      return *searched;
    }
    if (!has_failed.exchange(true)) status = searched.status();
    return std::nullopt;
  };
  auto port_of = [&](int i) -> MacroblockWriter& { return port_.Macroblock(i); };
  port_.BeginMacroblocks(static_cast<int>(searched_.size()));
  auto coded = std::move(begun).CodeBeside(front_, begin, port_of, pool_);
  stats_.seconds_coding -= waited;
  if (coded) port_.EndMacroblocks();
  return coded;
}

Status TileEncoder::SearchFront(std::span<const MacroblockPlace> places) {
  searched_.resize(places.size());
  pool_.ForEach(static_cast<int>(places.size()), [&](int i, int /*member*/) {
    searched_[i].place = places[i];
    searched_[i].original = LoadSamples(job_.image, places[i]);
  });
  FinishBehind();
  port_.HandOver();
  const auto beside = [this] {
    constexpr int kMostThreads = 4;  // as a device searches a front
    // Where a device searches, other threads can go on with it when this one has to code.
    if (search_.IsElsewhere() && pool_.HasIdle())
      behind_.emplace(pool_, port_.PartsBehind(), code_behind_, kMostThreads);
    else
      for (int part = 0; part < port_.PartsBehind(); ++part) code_behind_(part, 0);
  };
  if (job_.weights.AreAlike()) return search_.Search(tile_, job_.lambda, searched_, pool_, beside);
  return SearchByLambda(beside);
}

Status TileEncoder::SearchByLambda(std::function<void()> beside) {
  std::map<int32_t, std::vector<size_t>> by_lambda;  // the macroblocks' numbers
  for (size_t i = 0; i < searched_.size(); ++i)
    by_lambda[job_.weights.LambdaOf(searched_[i].original, job_.lambda).q8].push_back(i);
  std::vector<SearchedMacroblock> alike;
  for (const auto& [q8, numbers] : by_lambda) {
    alike.clear();
    for (const size_t i : numbers) alike.push_back(std::move(searched_[i]));
    MMP_RETURN_IF_ERROR(search_.Search(tile_, {q8}, alike, pool_, std::exchange(beside, {})));
    for (size_t n = 0; n < numbers.size(); ++n) {
      const Result<int> searched = search_.Await(static_cast<int>(n));
      if (!searched.ok()) return searched.status();
      searched_[numbers[*searched]] = std::move(alike[*searched]);
    }
  }
  return {};
}

Result<int> TileEncoder::AwaitFirst() {
  Result<int> first = Await(0);
  // They were idle while a device searched.
  if (first.ok() && job_.weights.AreAlike() && search_.IsElsewhere()) pool_.Rouse();
  return first;
}

Result<int> TileEncoder::Await(int n) {
  if (!job_.weights.AreAlike()) return n;  // all have been searched to the end
  return search_.Await(n);
}

Status TileEncoder::CheckLossless() {
  for (const SearchedMacroblock& macroblock : searched_) {
    if (IsReconstructed(tile_, macroblock)) continue;
    search_.Distrust();
    return {StatusCode::kUnavailable, "the search failed: it lost pixels at lambda 0"};
  }
  return {};
}

void TileEncoder::BeginNetwork() {
  NetworkDevice* const device = search_.Network();
  if (device == nullptr) return;
  std::vector<NetworkRun> runs =
      NetworkRunsTried(job_.parameters, job_.image, job_.lambda, job_.filter_effort.is_hurried);
  if (!runs.empty())
    network_.emplace(*device, tile_, std::move(runs), pool_, [this] { return job_.step(0); });
}

void TileEncoder::Filter() {
  ChosenFilter chosen =
      ChooseFilter(tile_, job_.image, job_.lambda, job_.weights, job_.filter_effort,
                   network_ ? &*network_ : nullptr, pool_, [this] { return job_.step(0); });
  if (network_ && network_->HasFailed()) search_.Distrust();  // but all has been searched
  if (job_.parameters.Uses(kExactBlocks)) chosen.symbols.push_back(job_.exact_blocks.IsUsed());
  port_.Take(chosen.symbols);
  port_.Take(job_.exact_blocks);
  filter_symbol_ = coders_.front().size();
  front_coder_.CodeFilter();
  if (job_.parameters.HasFilter()) tile_.plane = std::move(chosen.filtered);
  ApplyExactBlocks(job_.exact_blocks, tile_.width, tile_.plane.data());
}

Result<EncodedTile> TileEncoder::Finish() {
  BeginNetwork();
  FinishBehind();
  port_.HandOver();
  pool_.ForEach(port_.PartsBehind(), code_behind_);
  FinishBehind();
  Filter();
  if (!job_.step(0)) return EncodingCancelled();
  for (int level = 0; level < kLevelCount; ++level)
    stats_.dictionary_size[level] = tile_.dictionary.size(level);
  stats_.decode_work = tile_.work;
  Reconstruction reconstruction;
  auto measure = [&](int /*member*/) { reconstruction = Measure(tile_, job_.original, job_.map); };
  WorkBeside measured(pool_, measure);
  std::vector<std::vector<uint8_t>> substreams(coders_.size());
  pool_.ForEach(static_cast<int>(coders_.size()), [&](int k, int /*member*/) {
    substreams[k] = coders_[k].Finish(k == 0 ? filter_symbol_ : 0);
  });
  std::vector<uint8_t> stream = JoinSubstreams(std::move(substreams));
  measured.Finish();
  stats_.sum_squared_error = reconstruction.sum_squared_error;
  return EncodedTile{std::move(stream), reconstruction.crc};
}

}  // namespace

Result<EncodedTile> EncodeTile(const TileJob& job, MacroblockSearch& search, TaskPool& pool,
                               TileStats& stats) {
  const SearchStats before = search.Stats();
  TileEncoder encoder(job, search, pool, stats);
  MMP_RETURN_IF_ERROR(encoder.CodeFronts());
  Result<EncodedTile> tile = encoder.Finish();
  stats.search += search.Stats();
  stats.search -= before;
  return tile;
}

}  // namespace mmp
