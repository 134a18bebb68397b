#include "cuda/cuda_search.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "codec/least_cost.h"
#include "codec/predictors.h"
#include "codec/search_rates.h"
#include "codec/stopwatch.h"
#include "cuda/device_memory.h"
#include "cuda/exchange.h"
#include "cuda/macroblock_symbols.h"
#include "cuda/partition_grid.h"
#include "cuda/prediction_schedule.h"
#include "cuda/search_arguments.h"

namespace mmp::cuda {
namespace {

constexpr size_t kAlignment = 16;
// More of a block's shared memory would keep others off its multiprocessor.
constexpr size_t kMostSharedBytes = 110 * 1024;
constexpr int kFewestBlocks = 2;  // for a macroblock, where others share the device

// Patterns of a level that can be new at a time: the initial ones, or what one macroblock adds.
int MostNewPatterns(const CodecParameters& parameters) {
  return !parameters.Uses(kTrainedPatterns)
             ? kMacroblockPixels
             : std::max(kMacroblockPixels, parameters.dictionary_size);
}

constexpr size_t RoundUp(size_t value, size_t to) { return (value + to - 1) / to * to; }

// How searches side by side share a device: the sum of the claims of the macroblocks on it now.
std::array<std::atomic<int64_t>, 64> claims_on_device;

// While it lives, a macroblock is on the device.
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

class CudaSearch : public MacroblockSearch {
 public:
  CudaSearch(const CudaSearchOptions& options, const CodecParameters& parameters,
             const SearchEffort& effort)
      : options_(options),
        config_(options.config),
        parameters_(parameters),
        effort_(effort),
        schedule_(MakePredictionSchedule(parameters.prediction_level, effort.thinnest_prediction)) {
    for (const ScheduleNode& node : schedule_.nodes) levels_ |= 1u << node.level;
    nodes_ = static_cast<int64_t>(schedule_.nodes.size());
  }
  ~CudaSearch() override { cudaSetDevice(options_.device); }

  // Takes what it needs of the device.
  Status Allocate();

  Status Search(const TileState& tile, Lambda lambda, const MacroblockSamples& original, int y,
                int x, MacroblockSymbols& symbols) override;
  void AddStats(EncodeStats& stats) const override;

 private:
  Status AllocateLookup();
  Status AllocateList();
  Status AllocateDictionary();
  Status AllocateNodes();
  // Modes that are searched of a node of `level`, at most.
  int MostModes(int level) const;
  // Partitions of level `part` in all residual blocks of a macroblock, at most.
  size_t CountPartitions(int part) const;
  // What takes the place of a cluster that the device has no room for.
  void UseGrid() {
    config_.cluster = false;
    config_.blocks = std::min(config_.blocks, multiprocessors_);
  }
  // Prepares the kernel; where the device has no room for config_, with a smaller one.
  Status PrepareKernel();
  Status BeginTile();
  // The blocks for the next macroblock, if that is to have so much of the device.
  SearchConfig ConfigNow(double share) const;
  // Waits for what was started on the stream.
  cudaError_t Wait();
  // Makes the prices and writes the macroblock's input; returns its bytes.
  size_t FillInput(const TileState& tile, Lambda lambda, const MacroblockSamples& original, int y,
                   int x);
  void FillPrices(const TileState& tile, SearchPrices& prices) const;
  size_t FillBias(const TileState& tile, MacroblockInput& input, size_t offset);
  size_t FillNewPatterns(const TileState& tile, MacroblockInput& input, size_t offset);

  const CudaSearchOptions options_;
  SearchConfig config_;  // options_.config or, where that does not fit, a smaller one
  const CodecParameters parameters_;
  const SearchEffort effort_;
  const PredictionSchedule schedule_;

  Stream stream_;
  Event begin_, end_;  // of a macroblock, if options_.timing
  PinnedBuffer host_input_, host_output_;
  DeviceBuffer<uint8_t> device_input_;
  DeviceBuffer<uint64_t> lookup_;
  DeviceBuffer<unsigned long long> best_;
  DeviceBuffer<int32_t> norms_;
  DeviceBuffer<int16_t> contents_;
  DeviceBuffer<int16_t> rows_;
  DeviceBuffer<uint16_t> matching_;
  DeviceBuffer<int2> leaves_;
  DeviceBuffer<uint8_t> leaf_mode_;
  DeviceBuffer<uint8_t> reconstruction_;
  DeviceBuffer<uint32_t> choices_;
  DeviceBuffer<SearchedNode> searched_;
  DeviceBuffer<uint8_t> predictions_;
  DeviceBuffer<char> node_memory_;
  SearchArguments arguments_{};
  size_t shared_bytes_ = 0;

  SearchRates rates_;
  LeastCost least_cost_;
  int clock_khz_ = 1;
  int multiprocessors_ = 1;
  uint32_t levels_ = 0;                   // bit l: some node of the schedule has level l
  uint32_t stamp_ = 0;                    // of the last macroblock
  int64_t nodes_ = 0;                     // of a macroblock, searched of late
  std::array<int, kLevelCount> known_{};  // patterns that the device has
  // What host_input_ holds of a level's index prices: where, of which state of the model, and at
  // which lambda.
  struct FilledPrices {
    int32_t first = -1;
    uint64_t state = 0;
    int32_t lambda_q8 = 0;
    bool operator==(const FilledPrices&) const = default;
  };
  std::array<FilledPrices, kLevelCount> filled_;
  size_t filled_count_ = 0;  // of all levels
  EncodeStats stats_;
};

Status CudaSearch::Allocate() {
  MMP_RETURN_IF_ERROR(ToStatus(cudaSetDevice(options_.device), "use the device"));
  MMP_RETURN_IF_ERROR(stream_.Create());
  MMP_RETURN_IF_ERROR(
      ToStatus(cudaDeviceGetAttribute(&clock_khz_, cudaDevAttrClockRate, options_.device),
               "use the device"));
  MMP_RETURN_IF_ERROR(ToStatus(
      cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, options_.device),
      "use the device"));
  MMP_RETURN_IF_ERROR(AllocateLookup());
  MMP_RETURN_IF_ERROR(AllocateList());
  MMP_RETURN_IF_ERROR(AllocateDictionary());
  MMP_RETURN_IF_ERROR(AllocateNodes());

  const size_t patterns = RoundUp(kPixelPatterns, kPatternGroup) +
                          (kLevelCount - 1) * RoundUp(parameters_.dictionary_size, kPatternGroup);
  size_t pixels = 0;
  for (const LevelShape& shape : kLevelShapes) pixels += shape.pixels();
  const size_t bytes = RoundUp(sizeof(MacroblockInput), kAlignment) +
                       2 * patterns * sizeof(int32_t) +
                       MostNewPatterns(parameters_) * pixels * sizeof(int16_t) + kAlignment;
  MMP_RETURN_IF_ERROR(host_input_.Allocate(bytes));
  MMP_RETURN_IF_ERROR(host_output_.Allocate(sizeof(MacroblockOutput)));
  std::memset(host_output_.data(), 0, sizeof(MacroblockOutput));
  MMP_RETURN_IF_ERROR(device_input_.Allocate(bytes));
  arguments_.input = reinterpret_cast<MacroblockInput*>(device_input_.data());
  void* output = nullptr;
  MMP_RETURN_IF_ERROR(ToStatus(cudaHostGetDevicePointer(&output, host_output_.data(), 0),
                               "reach the host's memory"));
  arguments_.output = static_cast<MacroblockOutput*>(output);
  arguments_.modes = parameters_.modes;
  arguments_.modes_searched = effort_.modes_searched;
  arguments_.residual_slack_q4 = effort_.residual_slack_q4;
  if (options_.timing) {
    MMP_RETURN_IF_ERROR(begin_.Create());
    MMP_RETURN_IF_ERROR(end_.Create());
  }
  return PrepareKernel();
}

Status CudaSearch::PrepareKernel() {
  while (config_.cluster) {
    int groups = 0;
    cudaError_t error = PrepareSearch(config_, options_.device);
    if (error == cudaSuccess) error = CountSearchGroups(config_, shared_bytes_, &groups);
    if (error == cudaErrorMemoryAllocation) return ToStatus(error, "prepare the search kernel");
    if (error == cudaSuccess && groups > 0) return {};
    cudaGetLastError();  // it is dealt with
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
  lookup.partitions = 0;
  for (int level = 0; level < kLevelCount; ++level) {
    lookup.first_partition[level] = static_cast<uint16_t>(data.size());
    AppendPartitions(level, data);
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
  // On the kernels' stream: it does not wait for copies on the default stream.
  MMP_RETURN_IF_ERROR(ToStatus(cudaMemcpyAsync(lookup_.data(), data.data(), lookup_.bytes(),
                                               cudaMemcpyHostToDevice, stream_.get()),
                               "copy the schedule"));
  return ToStatus(cudaStreamSynchronize(stream_.get()), "copy the schedule");
}

int CudaSearch::MostModes(int level) const {
  BlockBorder border;
  border.has_top = border.has_left = border.has_top_right = border.has_two = true;
  const uint32_t all = AvailableModes(border, level) | kAllCopyModes;
  const int modes = std::popcount(all & parameters_.modes);
  return effort_.modes_searched > 0 ? std::min(modes, effort_.modes_searched) : modes;
}

size_t CudaSearch::CountPartitions(int part) const {
  const LevelShape shape = kLevelShapes[part];
  size_t count = 0;
  for (const ScheduleNode& node : schedule_.nodes) {
    const LevelShape whole = kLevelShapes[node.level];
    if (whole.height() < shape.height() || whole.width() < shape.width()) continue;
    count += static_cast<size_t>(MostModes(node.level)) * whole.pixels() / shape.pixels();
  }
  return count;
}

Status CudaSearch::AllocateList() {
  BlockListView& list = arguments_.list;
  size_t entries = 0, content = 0;
  for (int level = 1; level < kLevelCount; ++level) {
    const size_t count = CountPartitions(level);
    list.first_entry[level] = static_cast<uint32_t>(entries);
    list.first_content[level] = static_cast<uint32_t>(content);
    entries += count;
    content += RoundUp(count * kLevelShapes[level].pixels(), 8);
  }
  MMP_RETURN_IF_ERROR(best_.Allocate(entries));
  MMP_RETURN_IF_ERROR(norms_.Allocate(entries));
  MMP_RETURN_IF_ERROR(contents_.Allocate(content));
  list.best = best_.data();
  list.norms = norms_.data();
  list.contents = contents_.data();
  return {};
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

Status CudaSearch::AllocateNodes() {
  const size_t nodes = schedule_.nodes.size(), pixels = static_cast<size_t>(schedule_.pixels);
  const size_t step_pixels = static_cast<size_t>(schedule_.most_step_pixels);
  MMP_RETURN_IF_ERROR(leaves_.Allocate(nodes));
  MMP_RETURN_IF_ERROR(leaf_mode_.Allocate(nodes));
  MMP_RETURN_IF_ERROR(reconstruction_.Allocate(pixels));
  MMP_RETURN_IF_ERROR(choices_.Allocate(pixels));
  MMP_RETURN_IF_ERROR(searched_.Allocate(schedule_.most_step_nodes));
  MMP_RETURN_IF_ERROR(predictions_.Allocate(step_pixels * kPredictionModes));
  int most_shared = 0;
  MMP_RETURN_IF_ERROR(
      ToStatus(cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                      options_.device),
               "use the device"));
  const size_t all_bytes = SearchSharedBytes(arguments_.lookup);
  const bool shared = all_bytes <= std::min<size_t>(most_shared, kMostSharedBytes);
  if (!shared) {
    // A cluster's kernels look nowhere else.
    UseGrid();
    MMP_RETURN_IF_ERROR(node_memory_.Allocate(NodeBytes(arguments_.lookup) * config_.blocks));
  }
  arguments_.leaves = leaves_.data();
  arguments_.leaf_mode = leaf_mode_.data();
  arguments_.reconstruction = reconstruction_.data();
  arguments_.choices = choices_.data();
  arguments_.searched = searched_.data();
  arguments_.predictions = predictions_.data();
  arguments_.node_memory = node_memory_.data();
  arguments_.all_in_shared_memory = shared;
  shared_bytes_ = shared ? all_bytes : SearchSharedBytes();
  return {};
}

Status CudaSearch::BeginTile() {
  known_.fill(0);
  // Behind the last pattern of a level there must be zeros.
  return ToStatus(cudaMemsetAsync(matching_.data(), 0, matching_.bytes(), stream_.get()),
                  "clear memory");
}

SearchConfig CudaSearch::ConfigNow(double share) const {
  SearchConfig config = config_;
  // A grid that was asked for is taken as it is: ChooseConfig shares the device evenly.
  if (!options_.side_by_side || !options_.config.cluster) return config;
  const BlockShape shape = config.cluster ? kClusterShape : kGridShape;
  const int all_blocks = shape.blocks_per_multiprocessor * multiprocessors_;
  const int most = config.blocks;
  config.blocks =
      std::clamp(static_cast<int>(share * all_blocks), std::min(kFewestBlocks, most), most);
  // Of clusters of even numbers of blocks more fit side by side.
  if (config.cluster && config.blocks > 1) config.blocks &= ~1;
  return config;
}

// Watches the host's memory, which costs the driver nothing, and asks the driver now and then if
// the search has failed.
cudaError_t CudaSearch::Wait() {
  constexpr auto kPatience = std::chrono::milliseconds(1);
  auto& output = *static_cast<MacroblockOutput*>(host_output_.data());
  const std::atomic_ref<uint32_t> stamp(output.stamp);
  auto asked = std::chrono::steady_clock::now();
  while (stamp.load(std::memory_order_acquire) != stamp_) {
    if (options_.side_by_side) std::this_thread::yield();
    const auto now = std::chrono::steady_clock::now();
    if (now - asked < kPatience) continue;
    asked = now;
    const cudaError_t error = cudaStreamQuery(stream_.get());
    if (error == cudaErrorNotReady) continue;
    // Done or failed; if done, the stamp is there by now.
    if (error != cudaSuccess) return error;
    if (stamp.load(std::memory_order_acquire) != stamp_) return cudaErrorUnknown;
  }
  return cudaSuccess;
}

void CudaSearch::FillPrices(const TileState& tile, SearchPrices& prices) const {
  prices.lambda = rates_.lambda();
  prices.root_lambda_q4 = static_cast<int32_t>(std::sqrt(static_cast<double>(rates_.lambda().q8)));
  for (int r = -255; r <= 255; ++r) {
    prices.pixel_cost[r + 255] = rates_.Pixel(r);
    prices.pixel_index[r + 255] = static_cast<uint16_t>(rates_.PixelIndex(r));
  }
  for (int level = 0; level < kLevelCount; ++level) {
    std::ranges::copy(rates_.PredictionFlags(level), prices.prediction_flags[level]);
    std::ranges::copy(rates_.ResidualFlags(level), prices.residual_flags[level]);
    prices.least_zero[level] = least_cost_.ZeroResidual(level);
    prices.least_other[level] = least_cost_.OtherResidual(level);
    for (const Split split : {Split::kVertical, Split::kHorizontal})
      prices.split_margin[level][static_cast<int>(split)] =
          HalfLevel(level, split) < 0 ? 0 : least_cost_.SplitMargin(level, split);
    prices.least_node[level] = least_cost_.PredictionNode(level);
    prices.good_enough[level] = effort_.GoodEnough(least_cost_.OtherPredictionLeaf(level));
    if ((levels_ >> level & 1) == 0) continue;
    const auto counts = tile.models.mode[level].Frequencies(parameters_.modes);
    for (int mode = 0; mode < kPredictionModes; ++mode)
      prices.mode_counts[level][mode] = {
          static_cast<uint16_t>(counts[mode]),
          static_cast<uint16_t>(counts[mode] > 0 ? Log2Q12(counts[mode]) : 0)};
  }
}

// Costs of indices by pattern, from `offset` bytes on; returns where they end. What is there from
// the last macroblock is kept where it has not changed.
size_t CudaSearch::FillBias(const TileState& tile, MacroblockInput& input, size_t offset) {
  char* base = reinterpret_cast<char*>(&input);
  const bool lossless = rates_.lambda().lossless();
  size_t count = 0;
  uint32_t changed = 0;
  for (int level = 0; level < kLevelCount; ++level) {
    const FilledPrices now = {static_cast<int32_t>(count), tile.models.index[level].state(),
                              rates_.lambda().q8};
    if (now != filled_[level]) changed |= 1u << level;
    filled_[level] = now;
    input.block.first_bias[level] = now.first;
    count += tile.dictionary.Norms(level).size();
  }
  // In lossless coding the second array begins behind all of the first.
  if (lossless && count != filled_count_) changed = ~0u;
  filled_count_ = count;
  // convert(level, index, value): what is filled in.
  auto fill = [&](uint32_t& at, auto source, auto convert) {
    at = static_cast<uint32_t>(offset);
    for (int level = 0; level < kLevelCount; ++level) {
      if ((changed >> level & 1) == 0) continue;
      int32_t* to = reinterpret_cast<int32_t*>(base + offset) + input.block.first_bias[level];
      const int32_t* from = source(level);
      const size_t size = tile.dictionary.Norms(level).size();
      for (size_t i = 0; i < size; ++i) to[i] = convert(level, static_cast<uint32_t>(i), from[i]);
    }
    offset = RoundUp(offset + count * sizeof(int32_t), kAlignment);
  };
  auto key = [](int level, uint32_t index, int32_t bias) {
    return MatchKey(kLevelShapes[level].log2_pixels(), index, bias);
  };
  if (lossless) {
    fill(
        input.block.bias, [&](int level) { return tile.dictionary.Norms(level).data(); }, key);
    fill(
        input.index_costs, [&](int level) { return rates_.Index(level); },
        [](int, uint32_t, int32_t cost) { return cost; });
  } else {
    fill(
        input.block.bias, [&](int level) { return rates_.Bias(level); }, key);
    input.index_costs = 0;
  }
  return offset;
}

// The patterns that the device lacks, from `offset` bytes on; returns where they end.
size_t CudaSearch::FillNewPatterns(const TileState& tile, MacroblockInput& input, size_t offset) {
  input.values = static_cast<uint32_t>(offset);
  int16_t* values = reinterpret_cast<int16_t*>(reinterpret_cast<char*>(&input) + offset);
  size_t count = 0;
  input.block.patterns[0] = kPixelPatterns;
  input.new_patterns[0] = {};
  for (int level = 1; level < kLevelCount; ++level) {
    const int size = tile.dictionary.size(level), known = known_[level];
    input.block.patterns[level] = size;
    input.new_patterns[level] = {size - known, known, static_cast<int32_t>(count)};
    for (int index = known; index < size; ++index) {
      tile.dictionary.Copy(level, index, values + count);
      count += kLevelShapes[level].pixels();
    }
    known_[level] = size;
  }
  return offset + count * sizeof(int16_t);
}

size_t CudaSearch::FillInput(const TileState& tile, Lambda lambda,
                             const MacroblockSamples& original, int y, int x) {
  const StageTimer timer(options_.timing, stats_.seconds_prices);
  rates_.Update(tile, lambda);
  least_cost_.Update(rates_);
  MacroblockInput& input = *static_cast<MacroblockInput*>(host_input_.data());
  LoadCanvas(tile.plane.data(), tile.width, tile.width, tile.height, y, x, input.block.canvas);
  input.block.copies = tile.copies;
  std::memcpy(input.block.original, original.samples, sizeof(input.block.original));
  input.counters = {};
  input.stamp = stamp_;
  FillPrices(tile, input.block.prices);
  size_t end = RoundUp(sizeof(MacroblockInput), kAlignment);
  end = FillBias(tile, input, end);
  return FillNewPatterns(tile, input, end);
}

Status CudaSearch::Search(const TileState& tile, Lambda lambda, const MacroblockSamples& original,
                          int y, int x, MacroblockSymbols& symbols) {
  MMP_RETURN_IF_ERROR(ToStatus(cudaSetDevice(options_.device), "use the device"));
  if (y == 0 && x == 0) MMP_RETURN_IF_ERROR(BeginTile());
  ++stamp_;
  const MacroblockInput& input = *static_cast<MacroblockInput*>(host_input_.data());
  const size_t bytes = FillInput(tile, lambda, original, y, x);
  {
    const int64_t left =
        (int64_t{tile.width} * (tile.height - y) - x * kMacroblockSize) / kMacroblockPixels;
    const OnDevice on_device(options_.device, nodes_ * left);
    const SearchConfig config = ConfigNow(on_device.share());
    arguments_.blocks = config.blocks;
    if (options_.timing) cudaEventRecord(begin_.get(), stream_.get());
    MMP_RETURN_IF_ERROR(ToStatus(cudaMemcpyAsync(device_input_.data(), host_input_.data(), bytes,
                                                 cudaMemcpyHostToDevice, stream_.get()),
                                 "copy to the device"));
    MMP_RETURN_IF_ERROR(ToStatus(LaunchSearch(config, arguments_, shared_bytes_, stream_.get()),
                                 "start the search"));
    if (options_.timing) cudaEventRecord(end_.get(), stream_.get());
    MMP_RETURN_IF_ERROR(ToStatus(Wait(), "search a macroblock"));
  }
  const auto& output = *static_cast<const MacroblockOutput*>(host_output_.data());
  symbols.clear();
  if (!ReadSymbols(output, input.block.canvas, input.block.copies, parameters_,
                   input.block.patterns, symbols))
    return {StatusCode::kUnavailable, "CUDA: the device returned an impossible macroblock"};
  nodes_ += (static_cast<int64_t>(output.counters.nodes) - nodes_) / 8;
  stats_.nodes_searched += output.counters.nodes;
  for (int mode = 0; mode < kPredictionModes; ++mode) {
    stats_.mode_searches[mode] += output.counters.mode_searches[mode];
  }
  if (options_.timing) {
    float milliseconds = 0;
    MMP_RETURN_IF_ERROR(ToStatus(cudaEventSynchronize(end_.get()), "time a macroblock"));
    MMP_RETURN_IF_ERROR(ToStatus(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()),
                                 "time a macroblock"));
    stats_.seconds_device += 1e-3 * milliseconds;
  }
  const double seconds_per_cycle = 1e-3 / clock_khz_;
  stats_.seconds_prediction += seconds_per_cycle * output.cycles[kStagePredict];
  stats_.seconds_matching += seconds_per_cycle * output.cycles[kStageMatch];
  stats_.seconds_trees +=
      seconds_per_cycle * (output.cycles[kStageDecide] + output.cycles[kStageEnd]);
  for (int level = 1; level < kLevelCount; ++level) {
    const int64_t entries = output.counters.entries[level];
    stats_.partitions_matched += entries;
    stats_.multiply_adds += entries * kLevelShapes[level].pixels() *
                            static_cast<int64_t>(tile.dictionary.Norms(level).size());
  }
  return {};
}

void CudaSearch::AddStats(EncodeStats& stats) const { AddSearchStats(stats_, 1, stats); }

// Ten times the compute capability that the code which the device runs was compiled for.
Result<int> CodeOf(int device) {
  MMP_RETURN_IF_ERROR(ToStatus(cudaSetDevice(device), "use the device"));
  int code = 0;
  const cudaError_t error = CodeCapability(&code);
  if (error == cudaSuccess) return code;
  cudaGetLastError();  // it is dealt with
  int major = 0, minor = 0;
  if ((error == cudaErrorNoKernelImageForDevice || error == cudaErrorInvalidDeviceFunction) &&
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) == cudaSuccess)
    return Status(StatusCode::kUnavailable,
                  "CUDA: this program was built without code for compute capability " +
                      std::to_string(major) + "." + std::to_string(minor) +
                      " (MMP_CUDA_ARCHITECTURES)");
  return ToStatus(error, "use the device");
}

}  // namespace

Result<SearchConfig> ChooseConfig(int device, int searches) {
  cudaDeviceProp properties;
  MMP_RETURN_IF_ERROR(ToStatus(cudaGetDeviceProperties(&properties, device), "use the device"));
  SearchConfig config;
  const Result<int> code = CodeOf(device);
  if (!code.ok()) return code.status();
  config.tensor_cores = *code >= 80;
  const int multiprocessors = properties.multiProcessorCount;
  config.blocks = std::max(1, multiprocessors / std::max(1, searches));
  const int most_in_cluster = properties.major < 12 ? 16 : kPortableCluster;
  // Even shares of the device are fastest as long as they are larger than a cluster by a quarter,
  // as measured on an H100.
  if (searches <= 1 || *code < 90 || 4 * config.blocks >= 5 * most_in_cluster) return config;
  // The most that a search may have; it takes less while there are many.
  config.cluster = true;
  config.blocks = most_in_cluster;
  return config;
}

Result<std::unique_ptr<MacroblockSearch>> MakeCudaSearch(const CudaSearchOptions& options,
                                                         const CodecParameters& parameters,
                                                         const SearchEffort& effort) {
  const Result<int> code = CodeOf(options.device);
  if (!code.ok()) return code.status();
  if ((options.config.tensor_cores && *code < 80) || (options.config.cluster && *code < 90))
    return Status(StatusCode::kUnavailable,
                  "CUDA: the device cannot be used in this configuration");
  auto search = std::make_unique<CudaSearch>(options, parameters, effort);
  MMP_RETURN_IF_ERROR(search->Allocate());
  return std::unique_ptr<MacroblockSearch>(std::move(search));
}

}  // namespace mmp::cuda
