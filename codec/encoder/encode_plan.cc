#include "codec/encoder/encode_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "codec/base/gray_levels.h"
#include "codec/base/levels.h"
#include "codec/base/parameters.h"
#include "codec/base/sample_map.h"
#include "codec/encoder/check_options.h"
#include "codec/encoder/choose_steps.h"
#include "codec/encoder/effort.h"
#include "codec/encoder/encode_stats.h"
#include "codec/encoder/image_kind.h"
#include "codec/encoder/jpeg/find_jpeg_picture.h"
#include "codec/encoder/jpeg/jpeg_grid.h"
#include "codec/encoder/make_preview.h"
#include "codec/rdo/block_vector_search.h"
#include "codec/rdo/search_census.h"
#include "common/crc32c.h"

namespace mmp {
namespace {

// Tiles of patterns: what is chosen where the options say nothing. docs/performance.md, "Tiles",
// has what other sizes cost.
constexpr int64_t kOneTilePixels = int64_t{1} << 20;
constexpr int kMostTileSide = 1024;
// Groups of rows of the pixel coder, which a region needs whole.
constexpr int64_t kLeastGroupPixels = int64_t{1} << 17;
constexpr int64_t kLeastRepeatingGroupPixels = int64_t{1} << 19;
constexpr int64_t kLeastJpegGroupPixels = int64_t{1} << 21;  // which may begin within blocks
constexpr int64_t kMostGroupPixels = int64_t{1} << 20;
constexpr int kMostGroups = 16;
// Of coded samples: between the two either coder's file may cost less; above, that of the pixel
// coder never does, below, that of patterns does only for drawings.
constexpr Lambda kMostPixelLambda = {3 << 8};
constexpr Lambda kMostJpegLambda = {64 << 8};       // the same of a JPEG file's coefficients
constexpr Lambda kMostSureLambda = {320 << 8};      // of exact blocks without a try without them
constexpr Lambda kMostDeepPixelLambda = {12 << 8};  // where patterns' samples are coarser
constexpr Lambda kLeastPatternLambda = {1 << 7};

// Few of the samples between the least and the largest occur, as in drawings and in data that were
// scaled up: lossless files use that, those of bounded errors do not.
bool IsSparse(const ImageView& image) {
  const SampleRange range = RangeOf(image);
  return LooksDrawn(image) || 2 * CountGrayLevels(image) <= range.high - range.low + 1;
}

// Where the same comes again and again, as in drawings and documents, what was just coded is what
// tells most of what comes next, and macroblocks that do not know each other cost more. Print on
// flat paper is such; print on other paper, and what is drawn with many gray levels, may be.
MacroblockOrder ChooseOrder(const ImageView& image, const EncodeOptions& options,
                            const CodecParameters& parameters, Lambda lambda) {
  if (options.order != MacroblockOrder::kAuto) return options.order;
  if (options.preset == Preset::kThesis || LooksDrawn(image)) return MacroblockOrder::kRaster;
  const bool repeating = IsRepeating(image), steep = IsSteep(image);
  const bool raster =
      (repeating && steep) || ((repeating || steep) && parameters.UsesBlockCopy() &&
                               BlockVectorSearch::PayInRasterOrder(image, parameters, lambda));
  return raster ? MacroblockOrder::kRaster : MacroblockOrder::kWavefront;
}

// Names the preset that the options ask for, and takes its parameters, with what the options say
// instead.
void ChooseParameters(const EncodeOptions& options, bool lossless, FileHeader& header) {
  header.preset = EffortOf(options).preset;
  // Where nothing is filtered, and little is coded by patterns, the first version of the format
  // does.
  if (lossless && header.preset == Preset::kQuick) header.preset = Preset::kFast;
  CodecParameters& p = header.parameters;
  p = PresetParameters(header.preset, lossless ? kFirstFormatVersion : kFormatVersion);
  p.dictionary_size = options.dictionary_size.value_or(p.dictionary_size);
  p.prediction_level = options.prediction_level.value_or(p.prediction_level);
  p.modes = options.modes.value_or(p.modes) | 1u << kMostFrequent;
  p.tools = options.tools.value_or(p.tools) & ~kOwnDictionary;
  if (!options.dictionary_file.empty()) {
    p.tools |= kTrainedPatterns | kOwnDictionary;
    p.dictionary_hash = Crc32c(options.dictionary_file);
  }
}

// What the image and lambda decide: whether to begin with trained patterns, and which new patterns
// are worth their place.
void AdaptParameters(const ImageView& image, Lambda lambda, CodecParameters& p) {
  if (lambda.lossless()) p.tools &= kToolsOfVersion6;  // of those that the options say, too
  // No trained pattern helps where the residual must be met exactly.
  const bool begins_trained = p.Uses(kTrainedPatterns) && !lambda.lossless() &&
                              (p.Uses(kOwnDictionary) || !LooksDrawn(image));
  // A new pattern must save more distortion than about so many bits cost. Trained ones, whose scale
  // follows from the threshold, serve best a little larger than they were trained.
  const int64_t bits = begins_trained ? 5 : 4;
  p.redundancy_threshold =
      DecodeThreshold(EncodeThreshold(static_cast<uint32_t>(lambda.q8 * bits >> 8)));
  if (begins_trained) p.pattern_scale = PatternScaleOf(p.redundancy_threshold);
}

// A side in as few equal tiles as there can be: a narrow one at the end would learn little, and
// leave the others more to do.
int DefaultTileSide(int side) {
  const int tiles = (side + kMostTileSide - 1) / kMostTileSide;
  return PaddedToMacroblocks((side + tiles - 1) / tiles);
}

Status ChooseTiles(const EncodeOptions& options, FileHeader& header) {
  header.tile_width = options.tile_width;
  header.tile_height = options.tile_height;
  if (header.tile_width == 0) {
    const bool one = int64_t{header.width} * header.height <= kOneTilePixels;
    header.tile_width = one ? header.width : DefaultTileSide(header.width);
    header.tile_height = one ? header.height : DefaultTileSide(header.height);
  }
  FitTiles(header);
  if (LargestTilePixels(header) > kMaxTilePixels)
    return {StatusCode::kInvalidArgument, "a tile has at most 2^30 pixels; use smaller tiles"};
  return {};
}

// Groups of rows for the pixel coder, each coded on its own: enough to share the work among
// threads, few enough that what each learns pays, and about equal, as the largest is waited for.
void ChooseRowGroups(const ImageView& image, FileHeader& header) {
  const int64_t pixels = int64_t{header.width} * header.height;
  const bool repeats = header.lossless && IsRepeating(image);
  const int64_t least = header.may_be_jpeg ? kLeastJpegGroupPixels
                        : repeats          ? kLeastRepeatingGroupPixels
                                           : kLeastGroupPixels;
  const int64_t group = std::max(std::min(pixels / kMostGroups, kMostGroupPixels), least);
  header.tile_width = PaddedToMacroblocks(header.width);
  const int most_rows = static_cast<int>(PaddedToMacroblocks(group / header.width + 1));
  const int groups = (header.height + most_rows - 1) / most_rows;
  header.tile_height = PaddedToMacroblocks((header.height + groups - 1) / groups);
}

FileHeader BeginHeader(const ImageView& image, const EncodeOptions& options) {
  FileHeader header;
  header.width = image.width;
  header.height = image.height;
  header.depth = image.depth;
  header.is_signed = options.is_signed;
  return header;
}

void PlanGrid(EncodePlan& plan) {
  const FileHeader& header = plan.header;
  plan.grid = TileGrid(header.width, header.height, header.tile_width, header.tile_height);
  plan.macroblocks = CountMacroblocks(plan.grid);
}

// What a squared error of 1 in coded samples is in the image's.
double SquaredStep(const ImageView& image, SampleRange range) {
  if (!range.IsEven()) return MeanSquaredStep(image, range);
  const double step = std::max(1, range.high - range.low) / 255.0;
  return step * step;
}

// The lambda of coded samples for one of samples scaled to [0, 255]. One above 0 stays above it.
Lambda CodedLambda(double lambda, int depth, double squared_step) {
  if (lambda == 0) return {};
  const double scale = LargestSample(depth) / 255.0;
  const double scaled = depth == 8 ? lambda : lambda * (scale * scale) / squared_step;
  return {std::max(1, static_cast<int32_t>(std::lround(std::min(scaled, kMaxLambda) * 256)))};
}

// What lies in exact regions, if there are any, is coded exactly.
Result<EncodePlan> PlanPatterns(const ImageView& image, const EncodeOptions& options, double lambda,
                                std::optional<ExactRegions> exact_regions = {}) {
  EncodePlan plan;
  plan.header = BeginHeader(image, options);
  plan.image = image;
  double squared_step = 1;
  if (image.depth != 8) {
    const double scale = LargestSample(image.depth) / 255.0;
    plan.header.range = ChooseSteps(image, lambda * (scale * scale));
    squared_step = SquaredStep(image, plan.header.range);
    const SampleMap map(image.depth, plan.header.range);
    if (!plan.header.range.IsEven()) plan.weights = StepWeights(map, squared_step);
    plan.coded_image = std::make_shared<const Image>(CodedImage(image, map));
    plan.image = plan.coded_image->View();
  }
  if (exact_regions) {
    plan.with_exact = plan.image;
    plan.exact_regions = std::make_shared<const ExactRegions>(*std::move(exact_regions));
    plan.image = plan.exact_regions->filled.View();
  }
  plan.coded_lambda = CodedLambda(lambda, image.depth, squared_step);
  plan.lambda = image.depth == 8 ? plan.coded_lambda.q8 / 256.0 : lambda;
  plan.header.lossless = lambda == 0;
  ChooseParameters(options, plan.coded_lambda.lossless(), plan.header);
  AdaptParameters(plan.image, plan.coded_lambda, plan.header.parameters);
  const CodecParameters& parameters = plan.header.parameters;
  plan.header.parameters.order = ChooseOrder(plan.image, options, parameters, plan.coded_lambda);
  const bool chosen_for_repeats =
      options.order == MacroblockOrder::kAuto && parameters.order == MacroblockOrder::kRaster;
  plan.finds_block_vectors = !EffortOf(options).doubts_repeats || chosen_for_repeats ||
                             IsRepeating(plan.image) || LooksDrawn(plan.image);
  MMP_RETURN_IF_ERROR(ChooseTiles(options, plan.header));
  auto patterns = FindPatterns(plan.header.parameters, options.dictionary_file);
  if (!patterns.ok()) return patterns.status();
  plan.patterns = *std::move(patterns);
  PlanGrid(plan);
  return plan;
}

// How the pixel coder rounds: PixelFormat has what both are.
struct Rounding {
  int max_error = 0;
  bool by_means = false;
  bool may_be_jpeg = false;
};

Result<EncodePlan> PlanPixels(const ImageView& image, const EncodeOptions& options, double lambda,
                              Rounding rounding) {
  EncodePlan plan;
  plan.header = BeginHeader(image, options);
  plan.header.preset = PixelPresetOf(options);
  plan.image = image;
  plan.lambda = lambda;
  plan.header.coder = Coder::kPixels;
  plan.header.max_error = rounding.max_error;
  plan.header.by_means = rounding.by_means;
  plan.header.may_be_jpeg = rounding.may_be_jpeg;
  plan.header.lossless = rounding.max_error == 0;
  plan.header.parameters = PresetParameters(
      plan.header.preset, plan.header.may_be_jpeg ? kFormatVersion : kFirstFormatVersion);
  if (options.tile_width == 0) {
    ChooseRowGroups(image, plan.header);
    FitTiles(plan.header);
  } else {
    MMP_RETURN_IF_ERROR(ChooseTiles(options, plan.header));
  }
  PlanGrid(plan);
  return plan;
}

// Whether the caller has said how patterns are to code.
bool AsksForPatterns(const EncodeOptions& options) {
  return options.coder == Coder::kPatterns || options.preset == Preset::kThesis ||
         options.dictionary_size || options.prediction_level || options.modes || options.tools ||
         !options.dictionary_file.empty() || options.order != MacroblockOrder::kAuto;
}

// Cells whose quantisation costs as much distortion as it saves rate, where errors are spread
// evenly: a step of width s has D = s^2 / 12, and each bit makes it half. Their means, as it is the
// squared error that counts.
Rounding RoundingFor(double lambda, int depth) {
  const int largest = LargestSample(depth);
  const double step = largest / 255.0 * std::sqrt(lambda * (12 / (2 * 0.6931471805599453)));
  const int reach = static_cast<int>(std::lround(std::clamp((step - 1) / 2, 0.0, 1.0 * largest)));
  return {.max_error = std::min(2 * reach, largest), .by_means = reach > 0};
}

// How what was a JPEG file is rounded as one: to what it decodes to, if that is so near that a
// bound is kept at little cost; nothing of others.
std::optional<Rounding> RoundingAsJpeg(const ImageView& image) {
  if (image.depth != 8 || !FindJpegGrid(image)) return {};
  // A part of it tells.
  constexpr int kMostSide = 512;
  const int width = std::min(image.width, kMostSide), height = std::min(image.height, kMostSide);
  const ImageView part =
      image.Crop((image.width - width) / 2, (image.height - height) / 2, width, height);
  const std::optional<JpegGrid> grid = FindJpegGrid(part);
  if (!grid) return {};
  constexpr double kMostCorrected = 0.02;
  const JpegErrors errors = ErrorsOf(FindJpegPicture(part, *grid), part);
  for (int bound = 0; bound < 3; ++bound)
    if (errors.share[bound] < kMostCorrected) return Rounding{bound, false, true};
  return {};
}

// What is to be tried.
class Tries {
 public:
  Tries(const ImageView& image, const EncodeOptions& options) : image_(image), options_(options) {}

  Status Choose();
  std::vector<EncodePlan> plans() && { return std::move(plans_); }

 private:
  Status ChooseLossless();
  Status ChooseLossy();
  Status Add(Result<EncodePlan> plan) {
    if (!plan.ok()) return plan.status();
    plans_.push_back(*std::move(plan));
    return {};
  }
  Status AddPatterns(double lambda) { return Add(PlanPatterns(image_, options_, lambda)); }
  Status AddPixels(double lambda, Rounding rounding) {
    return Add(PlanPixels(image_, options_, lambda, rounding));
  }
  // If the first plan is one of patterns that can have exact regions beside them.
  Status AddExactRegions() {
    const EncodePlan& plain = plans_.front();
    if (!plain.header.parameters.Uses(kExactBlocks)) return {};
    auto regions = FindExactRegions(plain.image);
    if (!regions) return {};
    const double lambda = plain.lambda;
    if (regions->are_sure && plain.coded_lambda.q8 <= kMostSureLambda.q8) plans_.clear();
    return Add(PlanPatterns(image_, options_, lambda, *std::move(regions)));
  }
  // If it was a JPEG file.
  Status AddAsJpeg(double lambda) {
    const std::optional<Rounding> rounding = RoundingAsJpeg(image_);
    return rounding ? AddPixels(lambda, *rounding) : Status();
  }

  const ImageView& image_;
  const EncodeOptions& options_;
  std::vector<EncodePlan> plans_;
};

Status Tries::Choose() {
  if (options_.max_error && *options_.max_error > 0) {
    const bool was_jpeg = RoundingAsJpeg(image_).has_value();
    MMP_RETURN_IF_ERROR(AddPixels(0, {.max_error = *options_.max_error}));
    if (was_jpeg)
      MMP_RETURN_IF_ERROR(AddPixels(0, {.max_error = *options_.max_error, .may_be_jpeg = true}));
    // What repeats does so exactly.
    const bool may_be_exact = IsSparse(image_) || IsRepeating(image_);
    return may_be_exact ? AddPixels(0, {.may_be_jpeg = was_jpeg}) : Status();
  }
  return options_.max_error || options_.lambda == 0 ? ChooseLossless() : ChooseLossy();
}

Status Tries::ChooseLossless() {
  const bool patterns_can = image_.depth <= 8 && options_.coder != Coder::kPixels;
  if (patterns_can && AsksForPatterns(options_)) return AddPatterns(0);
  MMP_RETURN_IF_ERROR(AddPixels(0, {.may_be_jpeg = RoundingAsJpeg(image_).has_value()}));
  return patterns_can && LooksDrawn(image_) ? AddPatterns(0) : Status();
}

Status Tries::ChooseLossy() {
  const Rounding rounding = RoundingFor(options_.lambda, image_.depth);
  if (options_.coder == Coder::kPixels) return AddPixels(options_.lambda, rounding);
  MMP_RETURN_IF_ERROR(AddPatterns(options_.lambda));
  if (options_.preset == Preset::kThesis) return {};
  const EncodePlan& by_patterns = plans_[0];
  if (!AsksForPatterns(options_) && by_patterns.coded_lambda.q8 < kLeastPatternLambda.q8 &&
      !LooksDrawn(by_patterns.image)) {
    plans_.clear();
    MMP_RETURN_IF_ERROR(AddAsJpeg(options_.lambda));
    return AddPixels(options_.lambda, rounding);
  }
  MMP_RETURN_IF_ERROR(AddExactRegions());
  const double lambda = plans_[0].lambda;
  const bool may_be_lossless = !options_.exact_lambda && LooksDrawn(image_);
  // Patterns take their time for it, and are best where there are few values.
  constexpr int kMostPatternLevels = 32;
  if (may_be_lossless && image_.depth <= 8 && CountGrayLevels(image_) <= kMostPatternLevels)
    MMP_RETURN_IF_ERROR(AddPatterns(0));
  if (AsksForPatterns(options_)) return {};
  if (may_be_lossless) MMP_RETURN_IF_ERROR(AddPixels(0, {}));
  if (!options_.exact_lambda && plans_[0].coded_lambda.q8 <= kMostJpegLambda.q8)
    MMP_RETURN_IF_ERROR(AddAsJpeg(lambda));
  const Lambda most = image_.depth > 8 ? kMostDeepPixelLambda : kMostPixelLambda;
  return plans_[0].coded_lambda.q8 <= most.q8 ? AddPixels(lambda, rounding) : Status();
}

}  // namespace

bool MayBeBestLossless(const ImageView& image) {
  return LooksDrawn(image) || RoundingAsJpeg(image).has_value();
}

Result<std::vector<EncodePlan>> PlanTries(const ImageView& image, const EncodeOptions& options) {
  MMP_RETURN_IF_ERROR(CheckImage(image));
  MMP_RETURN_IF_ERROR(CheckOptions(options, image.depth));
  Tries tries(image, options);
  MMP_RETURN_IF_ERROR(tries.Choose());
  return std::move(tries).plans();
}

Status AddPreview(const ImageView& image, int threads, const ProgressCallback& progress,
                  std::vector<EncodePlan>& plans) {
  auto made = MakePreview(image, threads, progress);
  if (!made.ok()) return made.status();
  const auto preview = std::make_shared<const std::vector<uint8_t>>(*std::move(made));
  for (EncodePlan& plan : plans) {
    plan.preview = preview;
    plan.header.preview_bytes = static_cast<uint32_t>(preview->size());
  }
  return {};
}

double FileCost(const EncodePlan& first, uint64_t sum_squared_error, size_t bytes) {
  if (first.lambda == 0) return static_cast<double>(bytes);
  const double scale = 255.0 / LargestSample(first.header.depth);
  return static_cast<double>(sum_squared_error) * (scale * scale) +
         first.lambda * 8 * static_cast<double>(bytes);
}

std::vector<uint8_t> FinishEncode(const EncodePlan& plan, const std::vector<EncodedTile>& tiles,
                                  const std::vector<TileStats>& tile_stats,
                                  const Metadata& metadata, EncodeStats& stats) {
  std::vector<uint8_t> file = plan.preview == nullptr
                                  ? WriteFileBytes(plan.header, tiles, metadata)
                                  : WriteFileBytes(plan.header, tiles, metadata, *plan.preview);
  stats = {};
  const bool is_pixel_coder = plan.header.coder == Coder::kPixels;
  stats.lambda = plan.lambda;
  stats.coder = plan.header.coder;
  stats.max_error = plan.header.max_error;
  stats.tiles = static_cast<int>(tiles.size());
  for (const TileStats& s : tile_stats) AddTileStats(s, stats);
  for (const TileInfo& tile : plan.grid) {
    if (is_pixel_coder) break;
    const SearchCensus census = TakeCensus(plan.header.parameters, tile.width, tile.height);
    stats.nodes += census.nodes;
    for (int mode = 0; mode < kModes; ++mode) stats.mode_uses[mode] += census.mode_uses[mode];
  }
  stats.header_bytes = static_cast<int64_t>(file.size());
  for (const EncodedTile& tile : tiles)
    stats.header_bytes -= static_cast<int64_t>(tile.bytes.size());
  if (is_pixel_coder)
    stats.pixel_bits = 8.0 * static_cast<double>(file.size() - stats.header_bytes);
  return file;
}

}  // namespace mmp
