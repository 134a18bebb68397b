// Valid files made to take time and memory: both stay within what the limits promise.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "codec/bitstream/container.h"
#include "codec/bitstream/range_coder.h"
#include "codec/decoder/decode_limits.h"
#include "codec/tile/front_coder.h"
#include "codec/tile/learnt_later.h"
#include "codec/tile/tile_state.h"
#include "common/crc32c.h"
#include "mmp/mmp.h"
#include "tests/support/indices.h"
#include "tests/support/test_support.h"

namespace mmp {
namespace {

// What a file's symbols are.
struct Choices {
  std::string name;
  FileHeader header;
  // Of what is allowed, the least of these, if any.
  uint32_t partitions = 1u << kLeaf;
  uint32_t residual_flags = 1u << kPattern;
  uint32_t modes = 0;
  int most_index = 0;  // indices are random up to this
  int block_vectors = 0;
  int filter_strength = 0;
  int network_level = 0;
  int has_exact_blocks = 0;
  uint8_t is_exact = 1;  // each of these blocks
  // In other fronts than [first_front, end_front) no partition is chosen.
  int first_front = 0, end_front = std::numeric_limits<int>::max();
};

int Choose(uint32_t wanted, uint32_t allowed) {
  return std::countr_zero((wanted & allowed) != 0 ? wanted & allowed : allowed);
}

int Largest(uint32_t allowed) { return std::bit_width(allowed) - 1; }

// A port that writes symbols of its own choice.
class ChoosingPort {
 public:
  ChoosingPort(const Choices& choices, Random& random, TileState& tile,
               std::span<RangeEncoder> coders)
      : choices_(choices), random_(random), tile_(tile), models_(tile.models), coders_(coders) {}

  // What follows is of a substream.
  void Enter(int substream) { substream_ = substream; }

  int Prediction(BlockRect rect, int context, uint32_t allowed) {
    const int flag = Choose(choices_.partitions, allowed);
    coder().Encode(models_.partition[rect.level].Encode(flag, context, allowed));
    return flag;
  }
  int Residual(BlockRect rect, uint32_t allowed) {
    return Write(models_.residual_flag[rect.level], Choose(choices_.residual_flags, allowed),
                 allowed);
  }
  NetworkFlags& flags() { return tile_.substreams[substream_].flags; }
  int PartitionByNetwork(BlockRect rect, uint32_t allowed) {
    return flags().CodePartition(rect, allowed,
                                 Decisions{coder(), Choose(choices_.partitions, allowed)});
  }
  int ResidualByNetwork(BlockRect rect, uint32_t allowed) {
    return flags().CodeResidualFlag(rect, allowed,
                                    Decisions{coder(), Choose(choices_.residual_flags, allowed)});
  }
  int Mode(BlockRect rect, ModeNeighbours neighbours, uint32_t allowed) {
    const int mode = Choose(choices_.modes, allowed);
    coder().Encode(EncodeMode(tile_, rect.level, neighbours, allowed, mode, substream_));
    Learn({CodedElement::kMode, rect.level, static_cast<uint16_t>(mode)});
    return mode;
  }
  int Index(BlockRect rect, const IndexContext* context) {
    const int patterns = models_.index[rect.level].size();
    const int index = random_.Below(std::min(choices_.most_index + 1, patterns));
    for (const SymbolInterval interval : EncodeIndex(tile_, rect.level, context, index, substream_))
      coder().Encode(interval);
    Learn({CodedElement::kIndex, rect.level, static_cast<uint16_t>(index)});
    return index;
  }
  int BlockVectorCount() {
    return Write(models_.block_vector_count, choices_.block_vectors, kAnyBlockVectorCount);
  }
  int BlockVectorClass(int axis) {
    return Write(models_.block_vector_class[axis], 4 + random_.Below(2), kAnyBlockVectorClass);
  }
  int BlockVectorBits(int count) {
    const uint32_t value = random_.Below(1 << count);
    coder().Encode({value, 1, 1u << count});
    return static_cast<int>(value);
  }
  int Filter(FilterElement element, uint32_t allowed) {
    const int symbol = element == kFilterStrength   ? choices_.filter_strength
                       : element == kNetworkLevel   ? choices_.network_level
                       : element == kHasExactBlocks ? choices_.has_exact_blocks
                                                    : Largest(allowed);
    return Write(models_.filter.of[element], symbol, allowed);
  }
  // All blocks, or none, of what is least expected.
  ExactBlocks CodedExactBlocks() {
    ExactBlocks blocks(tile_.tile_width, tile_.tile_height);
    std::fill(blocks.is_exact.begin(), blocks.is_exact.end(), choices_.is_exact);
    for (uint8_t& sample : blocks.samples) sample = static_cast<uint8_t>(random_.Below(256));
    int64_t rate_q12 = 0;
    BitPort port(coder(), rate_q12);
    CodeExactBlocks(port, blocks, [&](int samples) {
      tile_.work += kExactSampleWork * static_cast<uint64_t>(samples);
      return true;
    });
    return blocks;
  }
  // The front's last symbol has been coded.
  void EndFront() {
    for (const LearntSymbol& symbol : std::exchange(later_, {})) mmp::Learn(symbol, tile_);
    Enter(0);
  }
  int FilterBits(int count) {
    coder().Encode({(1u << count) - 1, 1, 1u << count});
    return (1 << count) - 1;
  }

 private:
  struct Decisions {
    RangeEncoder& coder;
    int flag;
    int operator()(FlagDecision decision, int probability) const {
      const int bit = FlagBit(decision, flag);
      coder.Encode(BitInterval(bit, static_cast<uint32_t>(probability)));
      return bit;
    }
  };

  RangeEncoder& coder() { return coders_[substream_]; }
  void Learn(LearntSymbol symbol) {
    if (tile_.parameters.LearnsByFronts())
      later_.push_back(symbol);
    else
      mmp::Learn(symbol, tile_);
  }
  template <typename Model>
  int Write(Model& model, int symbol, uint32_t allowed) {
    coder().Encode(model.Encode(symbol, allowed));
    return symbol;
  }

  const Choices& choices_;
  Random& random_;
  TileState& tile_;
  TileModels& models_;
  std::span<RangeEncoder> coders_;
  int substream_ = 0;
  LearntSymbols later_;
};

struct WorstFile {
  std::vector<uint8_t> file;
  uint64_t work = 0;
  // Of the front that teaches the most: the file's work before the front, before it is learnt, and
  // behind that.
  uint64_t before_front = 0, before_learning = 0, after_learning = 0;
};

WorstFile Make(const Choices& choices) {
  const FileHeader& header = choices.header;
  const auto patterns = *FindPatterns(header.parameters, {});
  const auto start = FindTileStart(header.parameters, patterns.get());
  Random random(1);
  WorstFile worst;
  worst.work = start->file_work;
  std::vector<EncodedTile> tiles;
  Choices of_front = choices;
  for (const TileInfo& info :
       TileGrid(header.width, header.height, header.tile_width, header.tile_height)) {
    TileState tile(header.parameters, info.width, info.height, *start);
    std::vector<RangeEncoder> coders(tile.substreams.size());
    ChoosingPort port(of_front, random, tile, coders);
    NullObserver observer;
    FrontCoder front_coder(tile, port, observer);
    CodedFront front;
    FrontWalk walk(header.parameters.order, tile.width, tile.height);
    for (int number = 0; walk.Next(); ++number) {
      const bool is_chosen = number >= choices.first_front && number < choices.end_front;
      of_front.partitions = is_chosen ? choices.partitions : 1u << kLeaf;
      const uint64_t before_front = worst.work + tile.work;
      auto coded = front_coder.Begin(walk.front()).Code(front, [&](MacroblockPlace place) {
        port.Enter(SubstreamOf(place, static_cast<int>(coders.size())));
        return true;
      });
      port.EndFront();
      const uint64_t before_learning = worst.work + tile.work;
      std::move(*coded).Learn();
      const uint64_t learnt = worst.work + tile.work - before_learning;
      if (learnt > worst.after_learning - worst.before_learning) {
        worst.before_front = before_front;
        worst.before_learning = before_learning;
        worst.after_learning = before_learning + learnt;
      }
      for (int i = 0; i < front.size(); ++i) Reconstruct(front, i, tile.Plane());
    }
    const size_t filter_symbol = coders.front().size();
    ApplyFilter(front_coder.CodeFilter(), tile.prediction, tile.Size(), tile.plane);
    worst.work += tile.work;
    std::vector<std::vector<uint8_t>> substreams;
    for (const RangeEncoder& coder : coders)
      substreams.push_back(coder.Finish(substreams.empty() ? filter_symbol : 0));
    EncodedTile encoded = {JoinSubstreams(std::move(substreams)), 0};
    for (int y = 0; y < info.height; ++y)
      encoded.reconstruction_crc = Crc32c(
          {&tile.plane[static_cast<size_t>(y) * tile.width], static_cast<size_t>(info.width)},
          encoded.reconstruction_crc);
    tiles.push_back(std::move(encoded));
  }
  worst.file = WriteFileBytes(header, tiles);
  return worst;
}

Choices WithAll(std::string name, int side, int tile_side) {
  Choices choices;
  choices.name = std::move(name);
  FileHeader& header = choices.header;
  header.width = header.height = header.tile_width = header.tile_height = side;
  if (tile_side > 0) header.tile_width = header.tile_height = tile_side;
  header.parameters = PresetParameters(Preset::kBest);
  header.parameters.modes = kAllModes;
  header.parameters.prediction_level = 0;
  header.parameters.pattern_scale = PatternScaleOf(40);
  return choices;
}

constexpr uint32_t kSplitPredictions = 1u << kSplitBothVertical | 1u << kSplitBothHorizontal;
constexpr uint32_t kSplitResiduals = 1u << kSplitResidualVertical | 1u << kSplitResidualHorizontal;
constexpr uint32_t kSplitResidual = 1u << kSplitVertical | 1u << kSplitHorizontal;

std::vector<Choices> AllChoices() {
  std::vector<Choices> all;
  all.push_back(WithAll("TinyTiles", 512, 16));
  all.push_back(WithAll("TinyTilesThatLearn", 64, 16));
  all.back().partitions = kSplitResiduals;
  all.back().residual_flags = kSplitResidual;
  all.back().most_index = 510;
  all.push_back(WithAll("TinyTilesThatAreFiltered", 512, 16));
  all.back().filter_strength = 6;
  all.push_back(WithAll("HugeAndEmpty", 4096, 0));
  all.push_back(WithAll("FilteredEverywhere", 1024, 0));
  all.back().filter_strength = 6;
  const std::vector<Choices> filtered = {all[2], all.back()};
  for (Choices choices : filtered) {
    choices.name += "ByTheNetwork";
    choices.header.parameters.tools |= kFilterNetwork;
    choices.network_level = kNetworkLevels;
    all.push_back(std::move(choices));
  }
  all.push_back(WithAll("ExactBlocks", 512, 0));
  all.back().has_exact_blocks = 1;
  for (const uint8_t is_exact : {0, 1}) {
    all.push_back(
        WithAll(is_exact ? "TinyTilesOfExactBlocks" : "TinyTilesOfNoExactBlocks", 512, 16));
    all.back().has_exact_blocks = 1;
    all.back().is_exact = is_exact;
  }
  for (const int capacity : {1024, 65536}) {
    Choices pixels = WithAll("Dictionary" + std::to_string(capacity), 128, 0);
    pixels.header.parameters.dictionary_size = capacity;
    pixels.partitions = kSplitResiduals;
    pixels.residual_flags = kSplitResidual;
    pixels.most_index = 510;
    all.push_back(pixels);
    // Hardly anything is new: levels do not become full, every comparison is made again.
    pixels.name = "NearPatterns" + std::to_string(capacity);
    pixels.header.parameters.redundancy_threshold = 100;
    pixels.most_index = 20;
    all.push_back(pixels);
  }
  const auto predicted = [&all](std::string name, int mode) -> Choices& {
    all.push_back(WithAll(std::move(name), 128, 0));
    all.back().partitions = kSplitPredictions;
    all.back().modes = 1u << mode;
    all.back().most_index = 10;
    return all.back();
  };
  predicted("LeastSquares", kLeastSquares);
  predicted("BlockLeastSquares", kBlockLeastSquares);
  predicted("Template", kTemplate);
  predicted("BlockCopies", kFirstBlockCopy).block_vectors = 2;
  predicted("Angles", kFirstAngle);
  predicted("Pixels", kVertical).most_index = 510;
  // And in wave fronts what depends on their length.
  const std::vector<Choices> in_raster_order = all;
  for (Choices choices : in_raster_order) {
    if (choices.name == "TinyTiles" || choices.header.parameters.dictionary_size > 1024) continue;
    choices.name += "InFronts";
    choices.header.parameters.order = MacroblockOrder::kWavefront;
    all.push_back(std::move(choices));
  }
  return all;
}

double ProcessSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The most memory this process has held, in bytes.
uint64_t PeakMemory() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

class WorstFilesTest : public testing::TestWithParam<Choices> {};

TEST_P(WorstFilesTest, TimeAndMemoryAreBounded) {
  // A unit is 0.01 to 0.04 ns; checked builds take longer, and other work is going on.
  constexpr double kSecondsPerUnit = 1e-9;
  const FileHeader& header = GetParam().header;
  const WorstFile worst = Make(GetParam());
  const auto patterns = *FindPatterns(header.parameters, {});
  DecodeOptions options;
  options.threads = 1;
  options.max_work = worst.work;
  const uint64_t memory_before = PeakMemory();
  const double start = ProcessSeconds();
  const auto decoded = Decode(worst.file, options);
  const double seconds = ProcessSeconds() - start;
  const uint64_t memory = PeakMemory() - memory_before;
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  const uint64_t pixels = static_cast<uint64_t>(header.width) * header.height;
  std::printf("%zu bytes, %.3g units, %.3f of the default; %.3f s, %.4f ns a unit, %.1f MB\n",
              worst.file.size(), static_cast<double>(worst.work),
              static_cast<double>(worst.work) /
                  static_cast<double>(DefaultMaxWork(worst.file.size(), pixels)),
              seconds, 1e9 * seconds / static_cast<double>(worst.work),
              static_cast<double>(memory) / 1e6);
  EXPECT_LT(seconds, 0.1 + kSecondsPerUnit * static_cast<double>(worst.work));
  const DecodeMemory most = DecodeMemoryOf(header, patterns.get());
  EXPECT_LT(memory, most.shared + most.each_thread);

  --*options.max_work;
  for (options.threads = 1; options.threads < 4; ++options.threads)
    EXPECT_EQ(Decode(worst.file, options).status().code(), StatusCode::kLimitExceeded);
}

// With the default limits, a decoder ends after as long as that allows.
TEST_P(WorstFilesTest, DefaultLimitsEndIt) {
  const WorstFile worst = Make(GetParam());
  const FileHeader& header = GetParam().header;
  const auto decoded = Decode(worst.file);
  const bool is_allowed =
      worst.work <=
      DefaultMaxWork(worst.file.size(), static_cast<uint64_t>(header.width) * header.height);
  EXPECT_EQ(decoded.ok(), is_allowed);
  if (!is_allowed) {
    EXPECT_EQ(decoded.status().code(), StatusCode::kLimitExceeded);
  }
}

// However much a front teaches, decoding ends soon after the limit, on any number of threads.
TEST(WorstFrontTest, LearningEndsAtTheLimit) {
  Choices choices = WithAll("LongFronts", 512, 0);
  choices.header.parameters.dictionary_size = 65536;
  choices.header.parameters.order = MacroblockOrder::kWavefront;
  choices.partitions = kSplitResiduals;
  choices.residual_flags = kSplitResidual;
  choices.most_index = 510;
  choices.first_front = 56;
  choices.end_front = 62;
  const WorstFile worst = Make(choices);
  const uint64_t learning = worst.after_learning - worst.before_learning;
  std::printf("%zu bytes, %.3g units, of which a front takes %.3g\n", worst.file.size(),
              static_cast<double>(worst.work), static_cast<double>(learning));
  ASSERT_GT(learning, worst.work / 5);
  for (const int threads : {1, 3}) {
    const auto seconds_of = [&](uint64_t max_work) {
      DecodeOptions options;
      options.threads = threads;
      options.max_work = max_work;
      const double start = ProcessSeconds();
      EXPECT_EQ(Decode(worst.file, options).status().code(), StatusCode::kLimitExceeded);
      return ProcessSeconds() - start;
    };
    // The least of each, in turns, until they tell: other programs disturb them. Were all of the
    // front learnt, the last two would be the same.
    constexpr double kNever = std::numeric_limits<double>::infinity();
    double before = kNever, at_once = kNever, after = kNever;
    const auto ends_at_once = [&] { return at_once - before < 0.5 * (after - before); };
    for (int turn = 0; turn < 2 || (turn < 12 && !ends_at_once()); ++turn) {
      before = std::min(before, seconds_of(worst.before_front - 1));
      at_once = std::min(at_once, seconds_of(worst.before_learning + learning / 20));
      after = std::min(after, seconds_of(worst.after_learning));
    }
    std::printf("%d threads: %.3f s, %.3f s, %.3f s\n", threads, before, at_once, after);
    EXPECT_TRUE(ends_at_once());
  }
}

INSTANTIATE_TEST_SUITE_P(All, WorstFilesTest, testing::ValuesIn(AllChoices()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace mmp
