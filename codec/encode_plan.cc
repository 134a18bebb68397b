#include "codec/encode_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "codec/census.h"
#include "codec/parameters.h"
#include "codec/search.h"
#include "common/crc32c.h"

namespace mmp {
namespace {

constexpr int64_t kOneTilePixels = int64_t{1} << 20;
constexpr int kDefaultTileSide = 1024;

Status Invalid(std::string message) { return {StatusCode::kInvalidArgument, std::move(message)}; }

int CountGrayLevels(const ImageView& image) {
  std::array<bool, 256> seen{};
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) seen[image.Row(y)[x]] = true;
  return static_cast<int>(std::ranges::count(seen, true));
}

// Text, line art and slides have few gray levels; photographs and scans have more. The trained
// patterns, which are of photographs, help only the latter.
bool LooksDrawn(const ImageView& image) { return CountGrayLevels(image) <= 128; }

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
    return Invalid("prediction modes are numbered 0 to 30");
  p.modes = options.modes.value_or(p.modes) | 1u << kMostFrequent;
  p.tools = options.tools.value_or(p.tools);
  if (p.tools > kAllTools) return Invalid("there are no such tools");
  p.tools &= ~kOwnDictionary;
  if (!options.dictionary_file.empty()) {
    p.tools |= kTrainedPatterns | kOwnDictionary;
    p.dictionary_hash = Crc32c(options.dictionary_file);
  }
  // No trained pattern helps where the residual must be met exactly.
  if (p.Uses(kTrainedPatterns) && !lambda.lossless() &&
      (p.Uses(kOwnDictionary) || !LooksDrawn(image)))
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
  AddSearchStats(from, 1, to);
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
  to.copy_bits += from.copy_bits;
  to.filter_bits += from.filter_bits;
  to.sum_squared_error += from.sum_squared_error;
  to.seconds_coding += from.seconds_coding;
  to.seconds_dictionary += from.seconds_dictionary;
}

Result<EncodePlan> PlanEncode(const ImageView& image, const EncodeOptions& options) {
  if (!(options.lambda >= 0 && options.lambda <= kMaxLambda))
    return Invalid("lambda must be between 0 and 65536");
  EncodePlan plan;
  // A lambda above 0 stays above it.
  if (options.lambda > 0)
    plan.lambda = {std::max(1, static_cast<int32_t>(std::lround(options.lambda * 256)))};
  Result<FileHeader> header = MakeHeader(image, options, plan.lambda);
  if (!header.ok()) return header.status();
  plan.header = *std::move(header);
  auto patterns = FindPatterns(plan.header.parameters, options.dictionary_file);
  if (!patterns.ok()) return patterns.status();
  plan.patterns = *std::move(patterns);
  plan.grid = TileGrid(plan.header.width, plan.header.height, plan.header.tile_width,
                       plan.header.tile_height);
  for (const TileInfo& tile : plan.grid)
    plan.macroblocks += int64_t{(tile.width + 15) / 16} * ((tile.height + 15) / 16);
  return plan;
}

}  // namespace

bool MayBeBestLossless(const ImageView& image) { return CountGrayLevels(image) <= 32; }

Result<std::vector<EncodePlan>> PlanTries(const ImageView& image, const EncodeOptions& options) {
  std::vector<EncodePlan> plans;
  Result<EncodePlan> plan = PlanEncode(image, options);
  if (!plan.ok()) return plan.status();
  const bool is_exact =
      options.exact_lambda || options.preset == Preset::kThesis || plan->lambda.lossless();
  plans.push_back(*std::move(plan));
  if (is_exact || !MayBeBestLossless(image)) return plans;
  EncodeOptions lossless = options;
  lossless.lambda = 0;
  plan = PlanEncode(image, lossless);
  if (!plan.ok()) return plan.status();
  plans.push_back(*std::move(plan));
  return plans;
}

std::vector<uint8_t> FinishEncode(const EncodePlan& plan, const std::vector<EncodedTile>& tiles,
                                  const std::vector<EncodeStats>& tile_stats, EncodeStats& stats) {
  std::vector<uint8_t> file = WriteFileBytes(plan.header, tiles);
  stats = {};
  stats.lambda = plan.lambda.q8 / 256.0;
  stats.tiles = static_cast<int>(tiles.size());
  for (const EncodeStats& s : tile_stats) Accumulate(s, stats);
  for (const TileInfo& tile : plan.grid) {
    const SearchCensus census = TakeCensus(plan.header.parameters, tile.width, tile.height);
    stats.nodes += census.nodes;
    for (int mode = 0; mode < kModes; ++mode) stats.mode_uses[mode] += census.mode_uses[mode];
  }
  stats.header_bytes = static_cast<int64_t>(file.size());
  for (const EncodedTile& tile : tiles)
    stats.header_bytes -= static_cast<int64_t>(tile.bytes.size());
  return file;
}

}  // namespace mmp
