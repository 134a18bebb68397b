#include "codec/encoder/encode_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "codec/base/parameters.h"
#include "codec/encoder/check_options.h"
#include "codec/encoder/encode_stats.h"
#include "codec/rdo/search_census.h"
#include "common/crc32c.h"

namespace mmp {
namespace {

constexpr int64_t kOneTilePixels = int64_t{1} << 20;
constexpr int kDefaultTileSide = 1024;

int CountGrayLevels(const ImageView& image) {
  std::array<bool, 256> seen{};
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) seen[image.Row(y)[x]] = true;
  return static_cast<int>(std::ranges::count(seen, true));
}

// Text, line art and slides have few gray levels; photographs and scans have more. The trained
// patterns come from photographs and help only the latter.
bool LooksDrawn(const ImageView& image) { return CountGrayLevels(image) <= 128; }

// Where the same comes again and again, as in drawings, what was just coded is what tells most of
// what comes next, and macroblocks that do not know each other cost more.
MacroblockOrder ChooseOrder(const ImageView& image, const EncodeOptions& options) {
  if (options.order != MacroblockOrder::kAuto) return options.order;
  return options.preset == Preset::kThesis || LooksDrawn(image) ? MacroblockOrder::kRaster
                                                                : MacroblockOrder::kWavefront;
}

// The parameters of the preset, with what the options say instead.
CodecParameters ChosenParameters(const EncodeOptions& options) {
  CodecParameters p = PresetParameters(options.preset);
  p.dictionary_size = options.dictionary_size.value_or(p.dictionary_size);
  p.prediction_level = options.prediction_level.value_or(p.prediction_level);
  p.modes = options.modes.value_or(p.modes) | 1u << kMostFrequent;
  p.tools = options.tools.value_or(p.tools) & ~kOwnDictionary;
  if (!options.dictionary_file.empty()) {
    p.tools |= kTrainedPatterns | kOwnDictionary;
    p.dictionary_hash = Crc32c(options.dictionary_file);
  }
  return p;
}

// What the image and lambda decide: whether to begin with trained patterns, and which new patterns
// are worth their place.
void AdaptParameters(const ImageView& image, Lambda lambda, CodecParameters& p) {
  // No trained pattern helps where the residual must be met exactly.
  if (p.Uses(kTrainedPatterns) && !lambda.lossless() &&
      (p.Uses(kOwnDictionary) || !LooksDrawn(image)))
    p.pattern_scale = EncodePatternScale(lambda.q8);
  // A new pattern must save more distortion than about four bits cost.
  p.redundancy_threshold = DecodeThreshold(EncodeThreshold(static_cast<uint32_t>(lambda.q8 >> 6)));
}

Status ChooseTiles(const EncodeOptions& options, FileHeader& header) {
  header.tile_width = options.tile_width;
  header.tile_height = options.tile_height;
  if (header.tile_width == 0) {
    const bool one = int64_t{header.width} * header.height <= kOneTilePixels;
    header.tile_width = one ? header.width : kDefaultTileSide;
    header.tile_height = one ? header.height : kDefaultTileSide;
  }
  FitTiles(header);
  if (LargestTilePixels(header) > kMaxTilePixels)
    return {StatusCode::kInvalidArgument, "a tile has at most 2^30 pixels; use smaller tiles"};
  return {};
}

Result<FileHeader> MakeHeader(const ImageView& image, const EncodeOptions& options, Lambda lambda) {
  FileHeader header;
  header.width = image.width;
  header.height = image.height;
  header.preset = options.preset;
  header.lossless = lambda.lossless();
  header.parameters = ChosenParameters(options);
  AdaptParameters(image, lambda, header.parameters);
  header.parameters.order = ChooseOrder(image, options);
  MMP_RETURN_IF_ERROR(ChooseTiles(options, header));
  return header;
}

Result<EncodePlan> PlanEncode(const ImageView& image, const EncodeOptions& options) {
  MMP_RETURN_IF_ERROR(CheckImage(image));
  MMP_RETURN_IF_ERROR(CheckOptions(options));
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
  plan.macroblocks = CountMacroblocks(plan.grid);
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
                                  const std::vector<TileStats>& tile_stats, EncodeStats& stats) {
  std::vector<uint8_t> file = WriteFileBytes(plan.header, tiles);
  stats = {};
  stats.lambda = plan.lambda.q8 / 256.0;
  stats.tiles = static_cast<int>(tiles.size());
  for (const TileStats& s : tile_stats) AddTileStats(s, stats);
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
