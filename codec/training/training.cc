#include "codec/training/training.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

#include "codec/base/fixed_log2.h"
#include "codec/base/parameters.h"
#include "codec/base/progress.h"
#include "codec/bitstream/container.h"
#include "codec/bitstream/context_models.h"
#include "codec/bitstream/range_coder.h"
#include "codec/dictionary/dictionary.h"
#include "codec/dictionary/matcher.h"
#include "codec/dictionary/trained_patterns.h"
#include "codec/dictionary/trained_scale.h"
#include "codec/tile/front_coder.h"
#include "codec/tile/read_port.h"
#include "codec/tile/reconstruct.h"
#include "codec/tile/reversed_residual.h"
#include "codec/tile/tile_observer.h"
#include "codec/tile/tile_state.h"
#include "common/aligned_vector.h"
#include "common/out_of_memory.h"
#include "common/thread_pool.h"
#include "mmp/mmp.h"

namespace mmp {
namespace {

constexpr std::array kLambdas = {10, 30, 100, 300};
constexpr int kMostSamples = 200000;  // a level
constexpr int kIterations = 14;       // of the quantiser
constexpr int kKeepAllIterations = 3;
constexpr int kSamplesPerPattern = 12;
constexpr int kFirstPatternsFactor =
    4;  // how many patterns the quantiser starts with, to end with 1
constexpr uint32_t kCountsOfLevel = 250 * IndexModel::kIncrement;
constexpr int kLargestValue = 127;

// What leaves of one level had to code: blocks in units of a trained pattern, row by row, and how
// much each weighs.
struct Samples {
  std::vector<int16_t> values;
  std::vector<uint32_t> weights;
};
using LevelSamples = std::array<Samples, kLevelCount>;

// Reads a tile's symbols and keeps the leaves of a front.
class LeafPort : public ReadPort {
 public:
  using ReadPort::ReadPort;

  struct Leaf {
    MacroblockPlace place;
    BlockRect rect;
  };

  int Index(BlockRect rect, const IndexContext* context) {
    leaves_.push_back({place, rect});
    return ReadPort::Index(rect, context);
  }
  // Those since the last call.
  std::vector<Leaf> TakeLeaves() { return std::exchange(leaves_, {}); }

  MacroblockPlace place{};  // of the macroblock that is being read

 private:
  std::vector<Leaf> leaves_;
};

// Keeps what was to be coded of each block of a tile: the residual that would have left no error.
class ResidualKeeper : public NullObserver {
 public:
  // `original`: of the tile; beyond its edge, its last row and column are repeated.
  ResidualKeeper(const ImageView& original, const TilePlane& plane)
      : original_(original),
        width_(plane.width),
        reverses_(plane.reverses),
        residual_(static_cast<size_t>(plane.width) * plane.height) {}

  void OnBlock(MacroblockPlace place, BlockRect rect, const uint8_t* prediction,
               const int16_t* /*coded*/) {
    int16_t residual[kMacroblockPixels];
    for (int i = 0; i < rect.height(); ++i) {
      const uint8_t* row = original_.Row(std::min(place.y + rect.y + i, original_.height - 1));
      for (int j = 0; j < rect.width(); ++j) {
        const int k = i * rect.width() + j;
        residual[k] = static_cast<int16_t>(
            row[std::min(place.x + rect.x + j, original_.width - 1)] - prediction[k]);
      }
    }
    if (reverses_) ReverseWhereBright(prediction, rect.pixels(), residual);
    for (int i = 0; i < rect.height(); ++i)
      std::copy_n(residual + i * rect.width(), rect.width(), &residual_[Place(place, rect, i)]);
  }
  // Row `i` of a leaf of a block.
  const int16_t* Row(MacroblockPlace place, BlockRect leaf, int i) const {
    return &residual_[Place(place, leaf, i)];
  }

 private:
  size_t Place(MacroblockPlace place, BlockRect rect, int i) const {
    return static_cast<size_t>(place.y + rect.y + i) * width_ + place.x + rect.x;
  }

  const ImageView original_;
  const int width_;
  const bool reverses_;
  std::vector<int16_t> residual_;
};

// Takes the samples of one encoded image.
class SampleCollector {
 public:
  SampleCollector(const ImageView& image, int lambda, std::span<const uint8_t> dictionary_file)
      : image_(image), root_lambda_(std::sqrt(lambda)), dictionary_file_(dictionary_file) {}

  LevelSamples Collect(std::span<const uint8_t> file) {
    const Result<ParsedFile> parsed = ParseFile(file, UINT64_MAX);
    const auto patterns = FindPatterns(parsed->header.parameters, dictionary_file_);
    weight_ = static_cast<uint32_t>((uint64_t{1} << 28) / file.size());
    for (const TileInfo& info : parsed->tiles) {
      TileState tile(parsed->header.parameters, info.width, info.height, patterns->get());
      RangeDecoder coder(file.subspan(info.offset, info.bytes));
      LeafPort port(tile, 0, coder);
      NullObserver observer;
      FrontCoder front_coder(tile, port, observer);
      front_coder.CodeFilter();  // what patterns are learnt of comes before it is filtered
      ResidualKeeper residual(image_.Crop(info.x, info.y, info.width, info.height), tile.Plane());
      CodedFront front;
      FrontWalk walk(tile.parameters.order, tile.width, tile.height);
      while (walk.Next()) {
        auto coded = front_coder.Begin(walk.front()).Code(front, [&](MacroblockPlace place) {
          port.place = place;
          return true;
        });
        for (int i = 0; i < front.size(); ++i) Reconstruct(front, i, tile.Plane(), residual);
        for (const LeafPort::Leaf& leaf : port.TakeLeaves()) Add(leaf, residual);
        std::move(*coded).Learn();
      }
    }
    return std::move(samples_);
  }

 private:
  void Add(const LeafPort::Leaf& leaf, const ResidualKeeper& residual) {
    Samples& to = samples_[leaf.rect.level];
    to.weights.push_back(weight_);
    for (int i = 0; i < leaf.rect.height(); ++i) {
      const int16_t* row = residual.Row(leaf.place, leaf.rect, i);
      for (int j = 0; j < leaf.rect.width(); ++j) {
        const int64_t value = std::llround(row[j] * kTrainedUnits / root_lambda_);
        to.values.push_back(
            static_cast<int16_t>(std::clamp<int64_t>(value, -kLargestValue, kLargestValue)));
      }
    }
  }

  const ImageView image_;
  const double root_lambda_;
  const std::span<const uint8_t> dictionary_file_;
  uint32_t weight_ = 0;
  LevelSamples samples_;
};

// Every n-th of a level's samples, so that there are not too many.
Samples Thin(const Samples& all, int pixels) {
  const size_t count = all.weights.size();
  const size_t kept = std::min<size_t>(count, kMostSamples);
  Samples thinned;
  for (size_t i = 0; i < kept; ++i) {
    const size_t from = i * count / kept;
    thinned.weights.push_back(all.weights[from]);
    thinned.values.insert(thinned.values.end(), all.values.begin() + from * pixels,
                          all.values.begin() + (from + 1) * pixels);
  }
  return thinned;
}

// An entropy-constrained vector quantiser of one level's samples: its patterns minimise squared
// error plus bits, at lambda 1. Pattern 0 is zero always. Integers only.
class Quantiser {
 public:
  Quantiser(const Samples& samples, LevelShape shape)
      : samples_(samples), shape_(shape), pixels_(shape.pixels()) {}

  TrainedPatterns::Level Fit(int most_patterns) {
    const size_t samples = samples_.weights.size();
    const size_t wanted = std::min<size_t>(most_patterns, samples / kSamplesPerPattern) + 1;
    const size_t first = std::min(kFirstPatternsFactor * wanted, samples / 4 + 1);
    codes_.assign(1, {0, std::vector<int16_t>(pixels_, 0)});
    for (size_t i = 0; i + 1 < first; ++i) {
      const int16_t* from = &samples_.values[i * samples / first * pixels_];
      codes_.push_back({1, std::vector<int16_t>(from, from + pixels_)});
    }
    codes_[0].weight = first / 2;  // so that no other pattern near zero replaces it
    for (int i = 0; i < kIterations; ++i) {
      Assign();
      const size_t most =
          i < kKeepAllIterations ? codes_.size() : std::max(wanted, codes_.size() * 3 / 4);
      Prune(most);
    }
    return Result();
  }

 private:
  struct Code {
    uint64_t weight;
    std::vector<int16_t> values;
  };

  // Moves each pattern to the mean of the samples that it codes best.
  void Assign();
  // Drops the patterns least used, and those not used; sorts the others.
  void Prune(size_t most) {
    std::stable_sort(codes_.begin() + 1, codes_.end(),
                     [](const Code& a, const Code& b) { return a.weight > b.weight; });
    codes_.resize(std::min(codes_.size(), most));
    while (codes_.size() > 1 && codes_.back().weight == 0) codes_.pop_back();
  }
  TrainedPatterns::Level Result() const;
  uint64_t TotalWeight() const {
    return std::accumulate(codes_.begin(), codes_.end(), uint64_t{0},
                           [](uint64_t sum, const Code& code) { return sum + code.weight; });
  }

  const Samples& samples_;
  const LevelShape shape_;
  const int pixels_;
  std::vector<Code> codes_;
};

void Quantiser::Assign() {
  PatternTable table(shape_);
  for (const Code& code : codes_) table.Append(code.values.data());
  // A bit costs as much as a squared error of lambda.
  constexpr int kBitsToCost =
      (1 << kRateShift) / (kTrainedUnits * kTrainedUnits * kDistortionScale);
  const uint64_t total = TotalWeight();
  const int shift = std::max(0, static_cast<int>(std::bit_width(total)) - 31);
  auto log2 = [shift](uint64_t weight) {
    return Log2Q12(std::max<uint32_t>(1, static_cast<uint32_t>(weight >> shift)));
  };
  AlignedVector<int32_t> bias(table.Norms().begin(), table.Norms().end());
  for (size_t c = 0; c < codes_.size(); ++c)
    bias[c] += (log2(total) - log2(codes_[c].weight)) / kBitsToCost;

  const size_t samples = samples_.weights.size();
  std::vector<int32_t> minimum(samples);
  MatchBlocks(table.Packed(), bias.data(), samples_.values.data(), static_cast<int>(samples),
              minimum.data());
  std::vector<int64_t> sums(codes_.size() * pixels_);
  for (Code& code : codes_) code.weight = 0;
  for (size_t i = 0; i < samples; ++i) {
    const int16_t* block = &samples_.values[i * pixels_];
    const int c = FindMatch(table.Packed(), bias.data(), block, minimum[i]);
    codes_[c].weight += samples_.weights[i];
    for (int k = 0; k < pixels_; ++k)
      sums[static_cast<size_t>(c) * pixels_ + k] += int64_t{samples_.weights[i]} * block[k];
  }
  for (size_t c = 1; c < codes_.size(); ++c) {
    const int64_t weight = static_cast<int64_t>(codes_[c].weight);
    for (int k = 0; k < pixels_ && weight > 0; ++k) {
      const int64_t sum = sums[c * pixels_ + k];
      codes_[c].values[k] = static_cast<int16_t>((sum + (sum < 0 ? -weight : weight) / 2) / weight);
    }
  }
}

TrainedPatterns::Level Quantiser::Result() const {
  const uint64_t total = std::max<uint64_t>(1, TotalWeight());
  auto count = [total](uint64_t weight) {
    return static_cast<uint16_t>(std::max<uint64_t>(1, weight * kCountsOfLevel / total));
  };
  TrainedPatterns::Level level;
  level.zero_count = count(codes_[0].weight);
  for (size_t c = 1; c < codes_.size(); ++c) {
    level.counts.push_back(count(codes_[c].weight));
    for (const int16_t value : codes_[c].values) level.values.push_back(static_cast<int8_t>(value));
  }
  return level;
}

// Blurs as a lens out of focus does: a binomial filter over five samples on either side, along rows
// and then along columns (about a Gaussian of 1.6 pixels). Beyond the edges, the outermost samples.
Image Blur(const Image& image) {
  constexpr std::array kWeights = {1, 10, 45, 120, 210, 252, 210, 120, 45, 10, 1};
  constexpr int kShift = 10, kReach = kWeights.size() / 2;
  // blur(size, at, to): one line.
  auto blur = [&](int size, auto at, auto to) {
    for (int i = 0; i < size; ++i) {
      int sum = 1 << (kShift - 1);
      for (int k = -kReach; k <= kReach; ++k)
        sum += kWeights[k + kReach] * at(std::clamp(i + k, 0, size - 1));
      to(i) = static_cast<uint8_t>(sum >> kShift);
    }
  };
  Image rows(image.width(), image.height()), blurred(image.width(), image.height());
  for (int y = 0; y < image.height(); ++y)
    blur(
        image.width(), [&](int x) { return image.Row(y)[x]; },
        [&](int x) -> uint8_t& { return rows.Row(y)[x]; });
  for (int x = 0; x < image.width(); ++x)
    blur(
        image.height(), [&](int y) { return rows.View().Row(y)[x]; },
        [&](int y) -> uint8_t& { return blurred.Row(y)[x]; });
  return blurred;
}

// All leaves of all images at all lambdas, in that order.
Result<LevelSamples> CollectSamples(const std::vector<Image>& images,
                                    std::span<const uint8_t> dictionary_file, int effort,
                                    ThreadPool& pool, Progress& progress) {
  const int count = static_cast<int>(images.size() * kLambdas.size());
  std::vector<LevelSamples> parts(count);
  std::vector<Status> failures(count);
  pool.ParallelFor(count, [&](int i, int) {
    if (progress.cancelled()) return;
    const ImageView image = images[i / kLambdas.size()].View();
    EncodeOptions options;
    options.lambda = kLambdas[i % kLambdas.size()];
    options.exact_lambda = true;  // what is collected is scaled by it
    options.effort = effort;
    options.dictionary_size = PresetParameters(Preset::kBest).dictionary_size;
    options.modes = kBestModes & ~kAllBlockCopyModes;
    // One port reads all that is coded.
    options.tools = PresetParameters(Preset::kBest).tools & ~(kTrainedPatterns | kSubstreams);
    options.dictionary_file.assign(dictionary_file.begin(), dictionary_file.end());
    options.threads = 1;
    const Result<std::vector<uint8_t>> file = Encode(image, options);
    if (file.ok())
      parts[i] =
          SampleCollector(image, kLambdas[i % kLambdas.size()], dictionary_file).Collect(*file);
    else
      failures[i] = file.status();
    progress.Advance(1);
  });
  if (progress.cancelled()) return Status(StatusCode::kCancelled, "training was cancelled");
  for (const Status& failure : failures) MMP_RETURN_IF_ERROR(failure);
  LevelSamples all;
  for (const LevelSamples& part : parts) {
    for (int level = 0; level < kLevelCount; ++level) {
      const Samples& from = part[level];
      all[level].values.insert(all[level].values.end(), from.values.begin(), from.values.end());
      all[level].weights.insert(all[level].weights.end(), from.weights.begin(), from.weights.end());
    }
  }
  return all;
}

Result<std::vector<uint8_t>> Train(const std::vector<Image>& images,
                                   const TrainingOptions& options) {
  if (images.empty() || options.patterns < 1 || options.patterns > 4096 || options.rounds < 1)
    return Status(StatusCode::kInvalidArgument,
                  "training needs an image, a round, and 1 to 4096 patterns a level");
  // Those below have other modes and fewer patterns.
  if (options.effort <= kFastEffort || options.effort > kMostEffort)
    return Status(StatusCode::kInvalidArgument, "training takes an effort from 6 to 9");
  std::vector<Image> pictures = images;
  for (size_t i = 0; options.blurred && i < images.size(); i += 2)
    pictures.push_back(Blur(images[i]));
  ThreadPool pool(options.threads > 0 ? options.threads : HardwareThreads());
  Progress progress(options.progress,
                    static_cast<int64_t>(pictures.size() * kLambdas.size()) * options.rounds);
  std::vector<uint8_t> dictionary_file;
  for (int round = 0; round < options.rounds; ++round) {
    const Result<LevelSamples> samples =
        CollectSamples(pictures, dictionary_file, options.effort, pool, progress);
    if (!samples.ok()) return samples.status();
    TrainedPatterns patterns;
    pool.ParallelFor(kLevelCount - 1, [&](int i, int) {
      const int level = kLevelCount - 1 - i;  // those that take longest first
      const int pixels = kLevelShapes[level].pixels();
      const Samples thinned = Thin((*samples)[level], pixels);
      patterns.levels[level] = Quantiser(thinned, kLevelShapes[level]).Fit(options.patterns);
    });
    dictionary_file = WriteTrainedPatterns(patterns);
  }
  return dictionary_file;
}

}  // namespace

Result<std::vector<uint8_t>> TrainDictionary(const std::vector<Image>& images,
                                             const TrainingOptions& options) {
  return OrOutOfMemory([&] { return Train(images, options); });
}

}  // namespace mmp
