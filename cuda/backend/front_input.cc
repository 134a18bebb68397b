#include "cuda/backend/front_input.h"

#include <algorithm>
#include <cstring>

#include "codec/intra/neighbours.h"
#include "codec/rdo/decision_rules.h"
#include "cuda/backend/search_memory.h"

namespace mmp::cuda {
namespace {

constexpr size_t kAlignment = 16;

// Patterns of a level that can be new at a time: the initial ones, or what one front adds.
int MostNewPatterns(const CodecParameters& parameters) {
  return !parameters.Uses(kTrainedPatterns) && parameters.order == MacroblockOrder::kRaster
             ? kMacroblockPixels
             : std::max(kMacroblockPixels, parameters.dictionary_size);
}

// Keys of whole groups of patterns, for blocks of 2^kLog2Pixels pixels or others with as many bits
// of the index: so known when it is compiled, compilers do them in vectors.
template <int kLog2Pixels>
void CopyKeys(const int32_t* __restrict from, size_t size, int32_t* __restrict to) {
  for (size_t first = 0; first < size; first += kPatternGroup)
    for (int i = 0; i < kPatternGroup; ++i)
      to[first + i] = MatchKey(kLog2Pixels, static_cast<uint32_t>(i), from[first + i]);
}
static_assert(MatchKeyBits(0) == MatchKeyBits(5) && MatchKeyBits(7) == MatchKeyBits(8));

}  // namespace

FrontInput::FrontInput(const CodecParameters& parameters, const SpeedFeatures& speed_features,
                       const PredictionSchedule& schedule)
    : parameters_(parameters), speed_features_(speed_features) {
  for (const ScheduleNode& node : schedule.nodes) levels_ |= 1u << node.level;
}

size_t FrontInput::MostSharedBytes(const CodecParameters& parameters) {
  const size_t patterns = RoundUp(kPixelPatterns, kPatternGroup) +
                          (kLevelCount - 1) * RoundUp(parameters.dictionary_size, kPatternGroup);
  size_t pixels = 0;
  for (const LevelShape& shape : kLevelShapes) pixels += shape.pixels();
  return 2 * patterns * sizeof(int32_t) + MostNewPatterns(parameters) * pixels * sizeof(int16_t) +
         kAlignment;
}

void FrontInput::ForgetNewPatterns() {
  for (NewPatterns& patterns : new_patterns_) patterns.count = 0;
}

void FrontInput::FillCosts(const TileState& tile) {
  DeviceCosts& device_costs = shared_input_.device_costs;
  device_costs.lambda = symbol_costs_.lambda();
  device_costs.root_lambda_q4 = RootLambdaQ4(symbol_costs_.lambda());
  for (int r = -255; r <= 255; ++r) {
    device_costs.pixel_cost[r + 255] = symbol_costs_.Pixel(r);
    device_costs.pixel_index[r + 255] = static_cast<uint16_t>(symbol_costs_.PixelIndex(r));
  }
  for (int level = 0; level < kLevelCount; ++level) {
    std::ranges::copy(symbol_costs_.PartitionCosts(level), device_costs.partition_costs[level]);
    std::ranges::copy(symbol_costs_.ResidualFlagCosts(level),
                      device_costs.residual_flag_costs[level]);
    device_costs.cheapest_residuals[level] = cost_bounds_.CheapestResiduals(level);
    for (const Split split : {Split::kVertical, Split::kHorizontal})
      device_costs.split_margin[level][static_cast<int>(split)] =
          HalfLevel(level, split) < 0 ? 0 : cost_bounds_.SplitMargin(level, split);
    device_costs.least_node[level] = cost_bounds_.PredictionNode(level);
    device_costs.good_enough[level] =
        speed_features_.GoodEnough(cost_bounds_.OtherPredictionLeaf(level));
    if ((levels_ >> level & 1) == 0) continue;
    const auto counts = tile.models.mode[level].counts().Frequencies(parameters_.modes);
    for (int mode = 0; mode < kPredictionModes; ++mode)
      device_costs.mode_counts[level][mode] = {
          static_cast<uint16_t>(counts[mode]),
          static_cast<uint16_t>(counts[mode] > 0 ? Log2Q12(counts[mode]) : 0)};
  }
}

// Costs of indices by pattern, from `offset` bytes on; returns where they end. What is there from
// the last front is kept where it has not changed.
size_t FrontInput::FillBias(const TileState& tile, size_t offset, char* shared) {
  const bool lossless = symbol_costs_.lambda().lossless();
  size_t count = 0;
  uint32_t changed = 0;
  for (int level = 0; level < kLevelCount; ++level) {
    const FilledCosts now = {static_cast<int32_t>(count), tile.models.index[level].state(),
                             symbol_costs_.lambda().q8};
    if (now != filled_[level]) changed |= 1u << level;
    filled_[level] = now;
    shared_input_.first_bias[level] = now.first;
    count += tile.dictionary.Norms(level).size();
  }
  // In lossless coding the second array begins behind all of the first.
  if (lossless && count != filled_count_) changed = ~0u;
  filled_count_ = count;
  // copy(level, from, count, to): what is filled in.
  auto fill = [&](size_t& at, auto source, auto copy) {
    at = offset;
    for (int level = 0; level < kLevelCount; ++level) {
      if ((changed >> level & 1) == 0) continue;
      int32_t* to = reinterpret_cast<int32_t*>(shared + offset) + shared_input_.first_bias[level];
      copy(level, source(level), tile.dictionary.Norms(level).size(), to);
    }
    offset = RoundUp(offset + count * sizeof(int32_t), kAlignment);
  };
  auto copy_keys = [](int level, const int32_t* from, size_t size, int32_t* to) {
    const int log2_pixels = kLevelShapes[level].log2_pixels();
    if (log2_pixels <= 5)
      CopyKeys<5>(from, size, to);
    else if (log2_pixels == 6)
      CopyKeys<6>(from, size, to);
    else
      CopyKeys<7>(from, size, to);
  };
  if (lossless) {
    fill(
        bias_at_, [&](int level) { return tile.dictionary.Norms(level).data(); }, copy_keys);
    fill(
        index_costs_at_, [&](int level) { return symbol_costs_.Index(level); },
        [](int /*level*/, const int32_t* from, size_t size, int32_t* to) {
          std::copy_n(from, size, to);
        });
  } else {
    fill(
        bias_at_, [&](int level) { return symbol_costs_.Bias(level); }, copy_keys);
  }
  return offset;
}

// The patterns that the device lacks, from `offset` bytes on; returns where they end.
size_t FrontInput::FillNewPatterns(const TileState& tile, size_t offset, char* shared) {
  values_at_ = offset;
  int16_t* values = reinterpret_cast<int16_t*>(shared + offset);
  size_t count = 0;
  shared_input_.patterns[0] = kPixelPatterns;
  new_patterns_[0] = {};
  for (int level = 1; level < kLevelCount; ++level) {
    const int size = tile.dictionary.size(level), known = known_[level];
    shared_input_.patterns[level] = size;
    new_patterns_[level] = {size - known, known, static_cast<int32_t>(count)};
    for (int index = known; index < size; ++index) {
      tile.dictionary.Copy(level, index, values + count);
      count += kLevelShapes[level].pixels();
    }
    known_[level] = size;
  }
  return offset + count * sizeof(int16_t);
}

size_t FrontInput::FillShared(const TileState& tile, Lambda lambda, char* shared, TaskPool& pool) {
  symbol_costs_.Update(tile, lambda, pool);
  cost_bounds_.Update(symbol_costs_);
  FillCosts(tile);
  return FillNewPatterns(tile, FillBias(tile, 0, shared), shared);
}

void FrontInput::Fill(MacroblockInput& input, size_t shared_at, const TileState& tile,
                      const SearchedMacroblock& macroblock) const {
  const auto [y, x] = macroblock.place;
  LoadCanvas(tile.plane.data(), tile.width, tile.width, tile.height, y, x, input.block.canvas);
  LoadBlockCopies(tile.block_vectors, tile.parameters.order, tile.plane.data(), tile.width,
                  macroblock.place, input.block.copies);
  std::memcpy(input.block.original, macroblock.original.samples, sizeof(input.block.original));
  std::memcpy(&input.block.device_costs, &shared_input_.device_costs,
              sizeof(input.block.device_costs));
  std::ranges::copy(shared_input_.patterns, input.block.patterns);
  std::ranges::copy(shared_input_.first_bias, input.block.first_bias);
  std::ranges::copy(new_patterns_, input.new_patterns);
  input.block.bias = static_cast<uint32_t>(shared_at + bias_at_);
  input.index_costs = static_cast<uint32_t>(shared_at + index_costs_at_);
  input.values = static_cast<uint32_t>(shared_at + values_at_);
  input.counters = {};
}

}  // namespace mmp::cuda
