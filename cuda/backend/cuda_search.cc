#include "cuda/backend/cuda_search.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "codec/base/stopwatch.h"
#include "codec/intra/neighbours.h"
#include "codec/intra/predictors.h"
#include "codec/rdo/longest_first.h"
#include "cuda/backend/cuda_network.h"
#include "cuda/backend/device_memory.h"
#include "cuda/backend/device_scope.h"
#include "cuda/backend/front_input.h"
#include "cuda/backend/guest_search.h"
#include "cuda/backend/search_memory.h"
#include "cuda/schedule/exchange.h"
#include "cuda/schedule/front_shape.h"
#include "cuda/schedule/macroblock_symbols.h"
#include "cuda/schedule/prediction_schedule.h"
#include "cuda/schedule/search_arguments.h"
#include "cuda/schedule/sub_block_grid.h"

namespace mmp::cuda {
namespace {

// With more shared memory a block would leave no room for a second one on its multiprocessor.
constexpr size_t kMostSharedBytes = 110 * 1024;
constexpr int kFewestBlocks = 2;  // for a macroblock, where others share the device
constexpr int kMostClusterBlocks = 16;
// Where a front has enough macroblocks, as many are searched at a time as there is room for
// clusters of so many blocks: in larger ones blocks wait more for each other.
constexpr int kFrontBlocks = 4;
// Macroblocks of a front that are given to the device in one go, which the groups share among
// themselves: so many for each group, but at least kFewestTogether.
constexpr int kMacroblocksPerGroup = 4;
constexpr int kFewestTogether = 64;
// Where up to so many searches of fronts share a device, they have clusters for twice their shares:
// some wait for the last macroblock of a front, or for the host, and then others' are there. Where
// there are more of them, there always are, and it gains less.
constexpr double kFewSearches = 8;

// How searches side by side share a device: the sum of the claims of the macroblocks on it now.
std::array<std::atomic<int64_t>, 64> claims_on_device;

// While it lives, a front is on the device.
class OnDevice {
 public:
  // A search that has more to do gets more of the device, so that all end together. The share that
  // it needs grows faster than the work (here with its power of 3/2), as twice the blocks are not
  // twice as fast.
  OnDevice(int device, int64_t nodes_left)
      : sum_(claims_on_device[device % 64]),
        claim_(1 + static_cast<int64_t>(std::pow(static_cast<double>(nodes_left), 1.5) / 256)),
        share_(static_cast<double>(claim_) / static_cast<double>(sum_ += claim_)) {}
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { sum_ -= claim_; }

  double share() const { return share_; }

 private:
  std::atomic<int64_t>& sum_;
  const int64_t claim_;
  const double share_;
};

// For a thread that waits: when the driver is to be asked if something has failed.
class Patience {
 public:
  // `yields`: the thread leaves its core to others.
  explicit Patience(bool yields) : yields_(yields) {}

  // Called again and again while nothing happens.
  bool IsAtAnEnd() {
    if (yields_) std::this_thread::yield();
    const auto now = std::chrono::steady_clock::now();
    if (now - asked_ < std::chrono::milliseconds(1)) return false;
    asked_ = now;
    return true;
  }

 private:
  const bool yields_;
  std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
};

// All of it, its destructor too, with its device the current one.
class CudaSearch : public MacroblockSearch {
 public:
  CudaSearch(const CudaSearchOptions& options, const CodecParameters& parameters,
             const SpeedFeatures& speed_features)
      : options_(options),
        config_(options.config),
        parameters_(parameters),
        speed_features_(speed_features),
        schedule_(MakePredictionSchedule(parameters.prediction_level,
                                         speed_features.thinnest_prediction)),
        front_input_(parameters, speed_features, schedule_),
        nodes_(static_cast<int64_t>(schedule_.nodes.size())) {}

  // Takes what it needs of the device.
  Status Allocate();

  Status Search(const TileState& tile, Lambda lambda, std::span<SearchedMacroblock> front,
                TaskPool& pool, const std::function<void()>& beside) override;
  Result<int> Await(int n) override;
  bool IsElsewhere() const override { return true; }
  NetworkDevice* Network() override { return &network_; }
  SearchStats Stats() const override { return stats_; }

 private:
  bool HasFronts() const { return options_.macroblocks > 1; }
  Status AllocateLookup();
  // Says where each level's entries begin, for groups_ groups. Returns the sizes of the list.
  GroupMemory::Sizes LayOutList();
  Status AllocateDictionary();
  Status AllocateFronts();
  // Whether a block keeps all in its shared memory, and how much it needs of that.
  Status ChooseMemory();
  // Modes that are searched of a node of `level`, at most.
  int MostModes(int level) const;
  // Sub-blocks of level `part` in all residual blocks of a macroblock, at most.
  size_t CountSubBlocks(int part) const;
  // What takes the place of a cluster that the device has no room for.
  void UseGrid() {
    config_.cluster = false;
    config_.blocks = std::min(config_.blocks, multiprocessors_);
  }
  // Prepares the kernel; where the device has no room for config_, with a smaller one.
  Status PrepareKernel();
  // Prepares the kernel for several macroblocks at a time, each by a cluster; without room for
  // these, there is one at a time.
  Status PrepareFronts();
  Status CountGroups();
  Status BeginTile();
  // The blocks for each of `count` macroblocks at a time, if they are to have so much of the
  // device.
  SearchConfig ConfigNow(int count, double share) const;
  // How a front is launched.
  struct Launch {
    SearchConfig config;
    int groups;
  };
  // For those in order_, if they are to have so much of the device.
  Launch LaunchNow(Lambda lambda, double share) const;
  // Begins to search the macroblocks in begun_.
  Status Begin(Lambda lambda, size_t shared_bytes, TaskPool& pool);
  // Starts the search of `count` macroblocks whose input is written.
  Status Start(int count, const Launch& launch, size_t shared_bytes);
  // In which order those begun are best awaited: a place in order_.
  int PlaceOfNth(int n) const;
  // Waits for the macroblock at `place` in order_, and takes over what was chosen for it.
  Status TakeOver(int place);
  Status WaitFor(int place);
  // Asks the driver if the search has failed.
  Status Check(int place);
  Status CountDeviceTime();
  void Count(const MacroblockOutput& output);

  const CudaSearchOptions options_;
  SearchConfig config_;        // options_.config or, where that does not fit, a smaller one
  SearchConfig front_config_;  // the same for several macroblocks at a time; no cluster: cannot be
  const CodecParameters parameters_;
  const SpeedFeatures speed_features_;
  const PredictionSchedule schedule_;

  Stream stream_;
  Event begin_, end_;  // of a front on the device
  FrontMemory front_;
  // What is on the device: of a front that does not fit into the memory, its last part.
  struct Begun {
    const TileState* tile = nullptr;
    int first = 0;  // macroblock of the front
    std::span<SearchedMacroblock> macroblocks = {};
    int groups = 1;  // that search them
    int awaited = 0;
  } begun_;
  LongestFirst order_;   // in which those begun are on the device
  std::mutex counting_;  // several threads may await
  std::optional<OnDevice> on_device_;
  GroupMemory group_memory_;
  int groups_ = 1;  // macroblocks that are searched at a time, at most
  // By the blocks of a cluster, how many clusters there is room for, at most groups_.
  std::array<int, kMostClusterBlocks + 1> most_groups_{};
  size_t shared_bytes_ = 0;  // of a block's shared memory
  DeviceBuffer<uint64_t> lookup_;
  DeviceBuffer<int16_t> rows_;
  DeviceBuffer<uint16_t> matching_;
  SearchArguments arguments_{};

  FrontInput front_input_;
  int clock_khz_ = 1;
  int multiprocessors_ = 1;
  CudaNetwork network_;
  int64_t nodes_ = 0;  // searched per macroblock, lately
  SearchStats stats_;
};

Status CudaSearch::Allocate() {
  MMP_RETURN_IF_ERROR(
      ToStatus(cudaDeviceGetAttribute(&clock_khz_, cudaDevAttrClockRate, options_.device),
               "use the device"));
  MMP_RETURN_IF_ERROR(ToStatus(
      cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, options_.device),
      "use the device"));
  arguments_.modes = parameters_.modes;
  arguments_.modes_searched = speed_features_.modes_searched;
  arguments_.residual_slack_q4 = speed_features_.residual_slack_q4;
  MMP_RETURN_IF_ERROR(stream_.Create());
  if (options_.timing) {
    MMP_RETURN_IF_ERROR(begin_.Create());
    MMP_RETURN_IF_ERROR(end_.Create());
  }
  MMP_RETURN_IF_ERROR(AllocateLookup());
  MMP_RETURN_IF_ERROR(AllocateDictionary());
  MMP_RETURN_IF_ERROR(ChooseMemory());
  MMP_RETURN_IF_ERROR(AllocateFronts());
  return PrepareKernel();
}

Status CudaSearch::AllocateFronts() {
  groups_ = options_.macroblocks;
  if (HasFronts()) {
    front_config_ = {config_.cluster ? config_.blocks : kMostClusterBlocks, true,
                     config_.tensor_cores};
    MMP_RETURN_IF_ERROR(PrepareFronts());
    groups_ = front_config_.cluster
                  ? std::min(groups_, most_groups_[std::min(kFrontBlocks, front_config_.blocks)])
                  : 1;
    for (int& most : most_groups_) most = std::min(most, groups_);
  }
  const int capacity =
      HasFronts() ? std::max(kMacroblocksPerGroup * options_.macroblocks, kFewestTogether) : 1;
  MMP_RETURN_IF_ERROR(front_.Allocate(capacity, FrontInput::MostSharedBytes(parameters_)));
  GroupMemory::Sizes sizes = LayOutList();
  if (!arguments_.all_in_shared_memory)
    sizes.node_memory = NodeBytes(arguments_.lookup) * config_.blocks;
  return group_memory_.Allocate(schedule_, groups_, sizes, arguments_);
}

Status CudaSearch::ChooseMemory() {
  int most_shared = 0;
  MMP_RETURN_IF_ERROR(
      ToStatus(cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                      options_.device),
               "use the device"));
  const size_t all_bytes = SearchSharedBytes(arguments_.lookup);
  const bool shared = all_bytes <= std::min<size_t>(most_shared, kMostSharedBytes);
  if (!shared) UseGrid();  // a cluster's kernels look nowhere else
  arguments_.all_in_shared_memory = shared;
  shared_bytes_ = shared ? all_bytes : SearchSharedBytes();
  return {};
}

// A cluster of the most blocks that the device has room for; none, if it has none.
Status CudaSearch::PrepareFronts() {
  while (arguments_.all_in_shared_memory) {
    int groups = 0;
    cudaError_t error = PrepareSearch(front_config_, options_.device);
    if (error == cudaSuccess) error = CountSearchGroups(front_config_, shared_bytes_, &groups);
    if (error == cudaErrorMemoryAllocation) return ToStatus(error, "prepare the search kernel");
    if (IsOk(error) && groups > 0) return CountGroups();
    if (front_config_.blocks <= kPortableCluster) break;
    front_config_.blocks = kPortableCluster;
  }
  front_config_.cluster = false;
  return {};
}

Status CudaSearch::CountGroups() {
  for (int blocks = 1; blocks <= front_config_.blocks; ++blocks) {
    const SearchConfig config = {blocks, true, front_config_.tensor_cores};
    MMP_RETURN_IF_ERROR(ToStatus(CountSearchGroups(config, shared_bytes_, &most_groups_[blocks]),
                                 "prepare the search kernel"));
  }
  return {};
}

Status CudaSearch::PrepareKernel() {
  while (config_.cluster) {
    int groups = 0;
    cudaError_t error = PrepareSearch(config_, options_.device);
    if (error == cudaSuccess) error = CountSearchGroups(config_, shared_bytes_, &groups);
    if (error == cudaErrorMemoryAllocation) return ToStatus(error, "prepare the search kernel");
    if (IsOk(error) && groups > 0) return {};
    if (config_.blocks > kPortableCluster) {
      config_.blocks = kPortableCluster;
    } else {
      UseGrid();
    }
  }
  return ToStatus(PrepareSearch(config_, options_.device), "prepare the search kernel");
}

Status CudaSearch::AllocateLookup() {
  LookupView& lookup = arguments_.lookup;
  std::vector<uint64_t> data;
  lookup.sub_blocks = 0;
  for (int level = 0; level < kLevelCount; ++level) {
    lookup.first_sub_block[level] = static_cast<uint16_t>(data.size());
    AppendSubBlocks(level, data);
  }
  auto append = [&](uint32_t& offset, const auto& values) {
    offset = static_cast<uint32_t>(data.size() * sizeof(uint64_t));
    const size_t bytes = values.size() * sizeof(values[0]);
    data.resize(data.size() + (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t));
    std::memcpy(reinterpret_cast<char*>(data.data()) + offset, values.data(), bytes);
  };
  append(lookup.nodes, schedule_.nodes);
  append(lookup.first_node, schedule_.first_node);
  append(lookup.ending, schedule_.ending);
  append(lookup.first_ending, schedule_.first_ending);
  data.resize((data.size() + 1) / 2 * 2);  // it is copied by 16 bytes
  MMP_RETURN_IF_ERROR(lookup_.Allocate(data.size()));
  lookup.data = lookup_.data();
  lookup.bytes = static_cast<uint32_t>(lookup_.bytes());
  lookup.steps = schedule_.steps;
  lookup.node_count = static_cast<int32_t>(schedule_.nodes.size());
  lookup.most_step_nodes = schedule_.most_step_nodes;
  // Not on the default stream, which waits for others' work.
  Stream stream;
  MMP_RETURN_IF_ERROR(stream.Create());
  MMP_RETURN_IF_ERROR(ToStatus(cudaMemcpyAsync(lookup_.data(), data.data(), lookup_.bytes(),
                                               cudaMemcpyHostToDevice, stream.get()),
                               "copy the schedule"));
  return ToStatus(cudaStreamSynchronize(stream.get()), "copy the schedule");
}

int CudaSearch::MostModes(int level) const {
  constexpr BlockNeighbours kAll = {true, true, true, true};
  const uint32_t all = AvailableModes(kAll, level) | kAllBlockCopyModes;
  const int modes = std::popcount(all & parameters_.modes);
  return speed_features_.modes_searched > 0 ? std::min(modes, speed_features_.modes_searched)
                                            : modes;
}

size_t CudaSearch::CountSubBlocks(int part) const {
  const LevelShape shape = kLevelShapes[part];
  size_t count = 0;
  for (const ScheduleNode& node : schedule_.nodes) {
    const LevelShape whole = kLevelShapes[node.level];
    if (whole.height() < shape.height() || whole.width() < shape.width()) continue;
    count += static_cast<size_t>(MostModes(node.level)) * whole.pixels() / shape.pixels();
  }
  return count;
}

GroupMemory::Sizes CudaSearch::LayOutList() {
  GroupMemory::Sizes sizes{};
  BlockListView& list = arguments_.list;
  for (int level = 1; level < kLevelCount; ++level) {
    const size_t count = CountSubBlocks(level);
    arguments_.group_entries[level] = static_cast<uint32_t>(count);
    list.first_entry[level] = static_cast<uint32_t>(sizes.entries);
    list.first_content[level] = static_cast<uint32_t>(sizes.contents);
    sizes.entries += groups_ * count;
    sizes.contents += RoundUp(groups_ * count * kLevelShapes[level].pixels(), 8);
  }
  return sizes;
}

Status CudaSearch::AllocateDictionary() {
  DictionaryView& dictionary = arguments_.dictionary;
  const int patterns = static_cast<int>(RoundUp(parameters_.dictionary_size, kPatternGroup));
  size_t rows = 0, matching = 0;
  for (int level = 1; level < kLevelCount; ++level) {
    dictionary.first_row[level] = static_cast<uint32_t>(rows);
    dictionary.first_matching[level] = static_cast<uint32_t>(matching);
    rows += static_cast<size_t>(patterns) * kLevelShapes[level].pixels();
    matching += MatchingSize(config_.tensor_cores, level, patterns);
  }
  MMP_RETURN_IF_ERROR(rows_.Allocate(rows));
  MMP_RETURN_IF_ERROR(matching_.Allocate(matching));
  dictionary.rows = rows_.data();
  dictionary.matching = matching_.data();
  return {};
}

Status CudaSearch::BeginTile() {
  front_input_.BeginTile();
  // Behind the last pattern of a level there must be zeros.
  return ToStatus(cudaMemsetAsync(matching_.data(), 0, matching_.bytes(), stream_.get()),
                  "clear memory");
}

SearchConfig CudaSearch::ConfigNow(int count, double share) const {
  SearchConfig config = count > 1 ? front_config_ : config_;
  // A grid that was asked for is taken as it is: ChooseConfig shares the device evenly.
  if (count == 1 && (!options_.side_by_side || !options_.config.cluster)) return config;
  const BlockShape shape = config.cluster ? kClusterShape : kGridShape;
  const int all_blocks = shape.blocks_per_multiprocessor * multiprocessors_;
  const int most = config.blocks;
  if (HasFronts()) share *= 1 + std::min(1.0, kFewSearches * share);
  config.blocks =
      std::clamp(static_cast<int>(share * all_blocks) / count, std::min(kFewestBlocks, most), most);
  if (!config.cluster) return config;
  // Of clusters of even numbers of blocks more fit side by side.
  if (config.blocks > 1) config.blocks &= ~1;
  // Where there is room for fewer, the last of them would wait for the others.
  if (count > 1)
    while (config.blocks > kFewestBlocks && most_groups_[config.blocks] < count) config.blocks -= 2;
  return config;
}

CudaSearch::Launch CudaSearch::LaunchNow(Lambda lambda, double share) const {
  const int groups = std::min(order_.size(), groups_);
  if (order_.size() == 1 || !front_config_.cluster || share < 1)
    return {ConfigNow(groups, share), groups};
  const ExpectedTimes expected(lambda);
  std::vector<double> times(order_.size());
  for (int place = 0; place < order_.size(); ++place)
    times[place] = expected(order_.Variation(place));
  const FrontShape shape =
      ShapeFront(times, most_groups_, std::min(kFrontBlocks, front_config_.blocks));
  return {{shape.blocks, true, front_config_.tensor_cores}, shape.groups};
}

Status CudaSearch::Search(const TileState& tile, Lambda lambda, std::span<SearchedMacroblock> front,
                          TaskPool& pool, const std::function<void()>& beside) {
  const MacroblockPlace place = front[0].place;
  if (place.y == 0 && place.x == 0) MMP_RETURN_IF_ERROR(BeginTile());
  size_t shared_bytes = 0;
  {
    const StageTimer timer(options_.timing, stats_.seconds_costs);
    shared_bytes = front_input_.FillShared(tile, lambda, front_.Shared(), pool);
  }
  const size_t most = front_.capacity();
  for (size_t first = 0; first < front.size(); first += most) {
    // The part before, whose memory it takes.
    for (size_t n = begun_.first; n < first; ++n)
      MMP_RETURN_IF_ERROR(Await(static_cast<int>(n)).status());
    begun_ = {.tile = &tile,
              .first = static_cast<int>(first),
              .macroblocks = front.subspan(first, std::min(most, front.size() - first))};
    MMP_RETURN_IF_ERROR(Begin(lambda, shared_bytes, pool));
    front_input_.ForgetNewPatterns();  // the device has them now
  }
  if (beside) beside();
  return {};
}

Status CudaSearch::Begin(Lambda lambda, size_t shared_bytes, TaskPool& pool) {
  const TileState& tile = *begun_.tile;
  const int count = static_cast<int>(begun_.macroblocks.size());
  order_.Order(begun_.macroblocks);
  arguments_.reverses = tile.parameters.Uses(kReversedResiduals);
  pool.ForEach(count, [&](int place, int /*member*/) {
    front_input_.Fill(front_.Input(place, count), FrontMemory::SharedAt(count), tile,
                      begun_.macroblocks[order_.Macroblock(place)]);
  });
  // Of a tile in raster order the ones that are left; of one in wave fronts about as many.
  const auto [y, x] = begun_.macroblocks[0].place;
  const int64_t macroblocks_left =
      (int64_t{tile.width} * (tile.height - y) - x * kMacroblockSize) / kMacroblockPixels;
  on_device_.reset();
  on_device_.emplace(options_.device, nodes_ * macroblocks_left);
  return Start(count, LaunchNow(lambda, on_device_->share()), shared_bytes);
}

Status CudaSearch::Start(int count, const Launch& launch, size_t shared_bytes) {
  const SearchConfig& config = launch.config;
  begun_.groups = launch.groups;
  front_.Stamp(count);
  if (options_.timing) MMP_RETURN_IF_ERROR(begin_.Record(stream_.get()));
  MMP_RETURN_IF_ERROR(front_.Copy(count, shared_bytes, stream_.get(), arguments_));
  arguments_.blocks = config.blocks;
  arguments_.appends = count == 1;
  if (count > 1)
    MMP_RETURN_IF_ERROR(
        ToStatus(LaunchAppend(config, arguments_, stream_.get()), "extend the dictionary"));
  // Without clusters one after the other.
  for (int first = 0; first < count; first += config.cluster ? count : 1) {
    arguments_.first = first;
    arguments_.macroblocks = config.cluster ? count : first + 1;
    MMP_RETURN_IF_ERROR(
        ToStatus(LaunchSearch(config, launch.groups, arguments_, shared_bytes_, stream_.get()),
                 "start the search"));
  }
  return options_.timing ? end_.Record(stream_.get()) : Status();
}

// Those that groups begin with are done the sooner the later they come in order_, the others last.
// If the first that is awaited is the middle one of the former, the pool is roused neither before
// there is much to do nor when all is done.
int CudaSearch::PlaceOfNth(int n) const {
  const int groups = begun_.groups, middle = groups / 2;
  if (n >= groups) return n;
  return middle + n < groups ? middle + n : groups - 1 - n;
}

Result<int> CudaSearch::Await(int n) {
  if (n < begun_.first) return n;  // as it was before the next part began
  const int place = PlaceOfNth(n - begun_.first);
  MMP_RETURN_IF_ERROR(TakeOver(place));
  const std::lock_guard lock(counting_);
  Count(front_.Output(place));
  if (++begun_.awaited == static_cast<int>(begun_.macroblocks.size())) {
    on_device_.reset();
    if (options_.timing) MMP_RETURN_IF_ERROR(CountDeviceTime());
  }
  return begun_.first + order_.Macroblock(place);
}

Status CudaSearch::TakeOver(int place) {
  MMP_RETURN_IF_ERROR(WaitFor(place));
  const MacroblockInput& input = front_.Input(place, static_cast<int>(begun_.macroblocks.size()));
  const MacroblockOutput& output = front_.Output(place);
  MacroblockSymbols& symbols = begun_.macroblocks[order_.Macroblock(place)].symbols;
  symbols.clear();
  if (!ReadSymbols(output, input.block.canvas, input.block.copies, parameters_,
                   input.block.patterns, symbols))
    return {StatusCode::kUnavailable, "CUDA: the device returned an impossible macroblock"};
  return {};
}

Status CudaSearch::WaitFor(int place) {
  Patience patience(options_.side_by_side);
  while (!front_.IsDone(place))
    if (patience.IsAtAnEnd()) MMP_RETURN_IF_ERROR(Check(place));
  return {};
}

Status CudaSearch::Check(int place) {
  const cudaError_t error = cudaStreamQuery(stream_.get());
  if (error == cudaErrorNotReady) {
    IsOk(error);
    return {};
  }
  // If the stream is done, so is the output by now.
  return ToStatus(IsOk(error) && !front_.IsDone(place) ? cudaErrorUnknown : error,
                  "search a macroblock");
}

void CudaSearch::Count(const MacroblockOutput& output) {
  nodes_ += (static_cast<int64_t>(output.counters.nodes) - nodes_) / 8;
  stats_.nodes_searched += output.counters.nodes;
  for (int mode = 0; mode < kPredictionModes; ++mode)
    stats_.mode_searches[mode] += output.counters.mode_searches[mode];
  const double seconds_per_cycle = 1e-3 / clock_khz_;
  stats_.seconds_prediction += seconds_per_cycle * output.cycles[kStagePredict];
  stats_.seconds_matching += seconds_per_cycle * output.cycles[kStageMatch];
  stats_.seconds_trees +=
      seconds_per_cycle * (output.cycles[kStageDecide] + output.cycles[kStageEnd]);
  for (int level = 1; level < kLevelCount; ++level) {
    const int64_t entries = output.counters.entries[level];
    stats_.blocks_matched += entries;
    stats_.multiply_adds += entries * kLevelShapes[level].pixels() *
                            static_cast<int64_t>(begun_.tile->dictionary.Norms(level).size());
  }
}

Status CudaSearch::CountDeviceTime() {
  float milliseconds = 0;
  MMP_RETURN_IF_ERROR(ToStatus(cudaEventSynchronize(end_.get()), "time a front"));
  MMP_RETURN_IF_ERROR(
      ToStatus(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()), "time a front"));
  stats_.seconds_device += 1e-3 * milliseconds;
  return {};
}

}  // namespace

Result<std::unique_ptr<MacroblockSearch>> MakeCudaSearch(const CudaSearchOptions& options,
                                                         const CodecParameters& parameters,
                                                         const SpeedFeatures& speed_features) {
  const DeviceScope scope(options.device);
  MMP_RETURN_IF_ERROR(scope.status());
  MMP_RETURN_IF_ERROR(CheckConfig(options.device, options.config));
  auto search = std::make_unique<CudaSearch>(options, parameters, speed_features);
  MMP_RETURN_IF_ERROR(search->Allocate());
  return std::unique_ptr<MacroblockSearch>(
      std::make_unique<GuestSearch>(options.device, std::move(search)));
}

}  // namespace mmp::cuda
