// Every function that host and device share gives identical bits on both.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "codec/intra/block_lsp.h"
#include "codec/intra/lsp.h"
#include "codec/intra/predictors.h"
#include "codec/intra/template_match.h"
#include "codec/rdo/satd.h"
#include "cuda/kernels/tables.cuh"
#include "cuda/schedule/sub_block_grid.h"
#include "tests/cuda/device.h"
#include "tests/support/test_support.h"

namespace mmp::cuda {
namespace {

template <typename Function>
__global__ void Apply(const typename Function::In* in, typename Function::Out* out, int count) {
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += gridDim.x * blockDim.x)
    Function::Call(in[k], out[k]);
}

// Calls Function::Call(const In&, Out&) for every input on host and device; outputs start as zeros.
template <typename Function>
void ExpectSameBits(const std::vector<typename Function::In>& inputs) {
  using Out = typename Function::Out;
  std::vector<Out> expected(inputs.size());
  std::memset(static_cast<void*>(expected.data()), 0, expected.size() * sizeof(Out));
  for (size_t k = 0; k < inputs.size(); ++k) Function::Call(inputs[k], expected[k]);

  const DeviceArray<typename Function::In> in(inputs);
  const DeviceArray<Out> out(inputs.size());
  Apply<Function><<<256, 128>>>(in.data(), out.data(), static_cast<int>(inputs.size()));
  Finish();
  const std::vector<Out> results = out.Read();
  for (size_t k = 0; k < inputs.size(); ++k) {
    const auto* a = reinterpret_cast<const uint8_t*>(&results[k]);
    const auto* b = reinterpret_cast<const uint8_t*>(&expected[k]);
    const auto [at, of] = std::mismatch(a, a + sizeof(Out), b);
    ASSERT_EQ(at, a + sizeof(Out)) << "input " << k << " of " << inputs.size() << ", byte "
                                   << at - a << ": " << int{*at} << ", not " << int{*of};
  }
}

using SameBits = DeviceTest;

// --- Least-squares prediction ---

struct SolveLsp {
  using In = LspSums;
  struct Out {
    double weights[kLspOrder];
    int32_t quantized[kLspOrder];
  };
  MMP_HOST_DEVICE static void Call(const In& in, Out& out) {
    double terms[kLspTerms], weights[kLspOrder];
    for (int t = 0; t < kLspTerms; ++t) terms[t] = static_cast<double>(in.terms[t]);
    SolveLspWeights(terms, weights);
    for (int k = 0; k < kLspOrder; ++k) {
      // Which of the numbers that are none it is, no two machines agree on.
      out.weights[k] = weights[k] == weights[k] ? weights[k] : 0.0;
      out.quantized[k] = static_cast<int32_t>(QuantizeLspWeight(weights[k]));
    }
  }
};

// Adds `times` equal samples.
void AddSample(const int (&values)[kLspOrder + 1], int times, LspSums& sums) {
  int term = 0;
  for (int a = 0; a < kLspOrder; ++a)
    for (int b = a; b < kLspOrder; ++b) sums.terms[term++] += times * values[a] * values[b];
  for (int a = 0; a < kLspOrder; ++a) sums.terms[term++] += times * values[a] * values[kLspOrder];
}

// Samples of one character each: without noise, the neighbours depend on each other and only the
// ridge keeps the equations from being singular.
LspSums RandomNormalEquations(Random& random) {
  LspSums sums{};
  const int kind = random.Below(8);
  const int base = random.Below(256), noise = random.Below(4);
  const int samples = random.OneIn(4) ? random.Below(3) : random.Below(20);
  const int most_times = random.OneIn(2) ? 1 : 40;
  for (int s = 0; s < samples; ++s) {
    int values[kLspOrder + 1];
    const int slope = random.Between(-8, 8), start = random.Below(256);
    for (int k = 0; k <= kLspOrder; ++k) {
      int v = random.Below(256);
      if (kind == 0) v = base;
      if (kind == 1) v = random.OneIn(2) ? 255 : 0;
      if (kind == 2) v = base + random.Between(-noise, noise);
      if (kind == 3) v = start + slope * k;
      if (kind == 4) v = k % 2 == 0 ? base : start;
      if (kind == 5) v = random.OneIn(30) ? 1 : 255;
      if (kind == 6) v = random.Below(3);
      values[k] = std::clamp(v, 0, 255);
    }
    AddSample(values, random.Between(1, most_times), sums);
  }
  AddLspRidge(sums);
  return sums;
}

TEST_F(SameBits, LspSolveOfSamples) {
  for (int part = 0; part < 10; ++part) {
    Random random(part);
    std::vector<LspSums> inputs(100000);
    for (LspSums& sums : inputs) sums = RandomNormalEquations(random);
    ExpectSameBits<SolveLsp>(inputs);
    if (HasFatalFailure()) return;
  }
}

// Terms that no samples give: indefinite, singular, zero pivots.
TEST_F(SameBits, LspSolveOfAnything) {
  Random random(11);
  std::vector<LspSums> inputs(200000);
  for (LspSums& sums : inputs) {
    const int bits = random.Between(1, 31);
    for (int32_t& term : sums.terms)
      term = random.OneIn(10) ? 0 : static_cast<int32_t>(random.Bits()) >> (32 - bits);
    if (random.OneIn(2)) AddLspRidge(sums);
  }
  ExpectSameBits<SolveLsp>(inputs);
}

struct Quantize {
  using In = double;
  using Out = double;
  MMP_HOST_DEVICE static void Call(const In& in, Out& out) { out = QuantizeLspWeight(in); }
};

TEST_F(SameBits, LspWeights) {
  Random random(12);
  std::vector<double> inputs = {0.0, -0.0, 1e300, -1e300, 8.0, -8.0};
  for (int k = 0; k < 200000; ++k) {
    // Halves of the fixed-point unit, and a little beside them.
    const double halves = random.Between(-300000, 300000) / double{2 << kLspWeightShift};
    inputs.push_back(halves);
    inputs.push_back(halves * (1 + random.Between(-3, 3) * 0x1p-52));
  }
  ExpectSameBits<Quantize>(inputs);
}

struct Place {
  Canvas canvas;
  BlockRect rect;
  int y, x;  // in the macroblock or beside it
};

struct AddSampleAt {
  using In = Place;
  using Out = LspSums;
  MMP_HOST_DEVICE static void Call(const In& in, Out& out) {
    for (int dy = -1; dy <= 1; ++dy) AddLspSample(in.canvas, in.y + dy, in.x, out);
  }
};
struct NormalEquations {
  using In = Place;
  using Out = LspSums;
  MMP_HOST_DEVICE static void Call(const In& in, Out& out) {
    out = LspNormalEquations(in.canvas, in.rect, in.y - in.rect.y, in.x - in.rect.x);
  }
};
struct BorderRange {
  using In = Place;
  using Out = LspRange;
  MMP_HOST_DEVICE static void Call(const In& in, Out& out) {
    out = LspBorderRange(in.canvas, in.rect);
  }
};
struct Border {
  using In = Place;
  using Out = BlockBorder;
  MMP_HOST_DEVICE static void Call(const In& in, Out& out) { LoadBorder(in.canvas, in.rect, out); }
};

struct AddBlockSampleAt {
  using In = Place;
  using Out = BlockLspSums;
  MMP_HOST_DEVICE static void Call(const In& in, Out& out) {
    for (int dy = -1; dy <= 1; ++dy)
      AddBlockLspSample(in.canvas, in.rect, in.y + dy, in.x - 1, out);
  }
};
// The sum over the band above, solved.
struct BlockWeights {
  using In = Place;
  struct Out {
    int32_t weights[kBlockLspOrder];
  };
  MMP_HOST_DEVICE static void Call(const In& in, Out& out) {
    BlockLspSums sums{};
    for (int y = in.rect.y - kBlockLspWindow; y < in.rect.y; ++y)
      for (int x = in.rect.x - kBlockLspWindow; x < in.rect.x + in.rect.width(); ++x)
        AddBlockLspSample(in.canvas, in.rect, y, x, sums);
    SolveBlockLsp(sums, out.weights);
  }
};
struct CanMatch {
  using In = Place;
  struct Out {
    int32_t is_candidate;
  };
  MMP_HOST_DEVICE static void Call(const In& in, Out& out) {
    out.is_candidate =
        IsTemplateCandidate(in.canvas, ShapeOfLevel(in.rect.level), in.rect.y - 5, in.rect.x - 3);
  }
};

// Blocks of every level among pictures of every kind.
std::vector<Place> RandomPlaces() {
  Random random(13);
  std::vector<Place> places;
  for (const Picture picture : kAllPictures) {
    for (int level = 0; level < kLevelCount; ++level) {
      for (int round = 0; round < 20; ++round) {
        const CodingPosition position = RandomPosition(random, level, picture);
        Place& place = places.emplace_back();
        place.canvas = position.canvas;
        place.rect = position.rect;
        place.y = place.rect.y + random.Below(place.rect.height());
        place.x = place.rect.x + random.Below(place.rect.width());
      }
    }
  }
  return places;
}

TEST_F(SameBits, CanvasFunctions) {
  const std::vector<Place> places = RandomPlaces();
  ExpectSameBits<AddSampleAt>(places);
  ExpectSameBits<NormalEquations>(places);
  ExpectSameBits<BorderRange>(places);
  ExpectSameBits<Border>(places);
  ExpectSameBits<AddBlockSampleAt>(places);
  ExpectSameBits<BlockWeights>(places);
  ExpectSameBits<CanMatch>(places);
}

struct MatchesCase {
  int32_t costs[8];
  int count, level;
};
struct WeighMatches {
  using In = MatchesCase;
  struct Out {
    TemplateMatches best;
    int32_t weights[kTemplateMatches];
  };
  MMP_HOST_DEVICE static void Call(const In& in, Out& out) {
    for (int k = 0; k < in.count; ++k) out.best.Add({in.costs[k], 1, static_cast<int16_t>(k)});
    WeighTemplateMatches(out.best, ShapeOfLevel(in.level), out.weights);
  }
};

TEST_F(SameBits, TemplateWeights) {
  Random random(15);
  std::vector<MatchesCase> cases(20000);
  for (MatchesCase& c : cases) {
    const int most = 1 << random.Between(0, 22);
    for (int32_t& cost : c.costs) cost = random.Below(most);
    c.count = random.Between(1, 8);
    c.level = random.Below(kLevelCount);
  }
  ExpectSameBits<WeighMatches>(cases);
}

// --- The other predictions ---

struct PredictionCase {
  BlockBorder border;
  int mode, level;
};

struct Predict {
  using In = PredictionCase;
  struct Out {
    uint8_t pixels[kMacroblockPixels];
  };
  MMP_HOST_DEVICE static void Call(const In& in, Out& out) {
    PredictBlock(in.border, in.mode, in.level, out.pixels);
  }
};
struct FitBorderPlane {
  using In = PredictionCase;
  struct Out {
    Plane plane;
    uint32_t modes;
  };
  MMP_HOST_DEVICE static void Call(const In& in, Out& out) {
    out.plane = FitPlane(in.border);
    out.modes = AvailableModes(in.border, in.level);
  }
};

// Every mode of every level; borders of few and of many values, with and without neighbours.
std::vector<PredictionCase> RandomPredictions() {
  Random random(14);
  std::vector<PredictionCase> cases;
  for (int level = 0; level < kLevelCount; ++level) {
    for (int mode = 0; mode <= kLastAngle; ++mode) {
      if (!IsBorderMode(mode)) continue;
      for (int round = 0; round < 40; ++round) {
        PredictionCase& c = cases.emplace_back();
        const int values = round % 4 == 0 ? 2 : round % 4 == 1 ? 5 : 256;
        for (auto* line : {&c.border.line, &c.border.average2, &c.border.average3})
          for (uint8_t& v : *line) v = static_cast<uint8_t>(random.Below(values) * (256 / values));
        c.border.has_top = !random.OneIn(4);
        c.border.has_left = !random.OneIn(4);
        c.border.has_top_right = c.border.has_top && random.OneIn(2);
        c.border.has_two = c.border.has_top && c.border.has_left && random.OneIn(2);
        c.mode = mode;
        c.level = level;
      }
    }
  }
  return cases;
}

TEST_F(SameBits, Predictions) {
  const std::vector<PredictionCase> cases = RandomPredictions();
  ExpectSameBits<Predict>(cases);
  ExpectSameBits<FitBorderPlane>(cases);
}

// --- Residuals ---

struct Residual {
  int16_t values[kMacroblockPixels];
  int level;
};

struct Estimate {
  using In = Residual;
  using Out = int32_t;
  MMP_HOST_DEVICE static void Call(const In& in, Out& out) {
    out = Satd(in.values, ShapeOfLevel(in.level)) + 3 * Satd4x4(in.values, 4);
  }
};

TEST_F(SameBits, Residuals) {
  Random random(15);
  std::vector<Residual> residuals;
  for (int level = 0; level < kLevelCount; ++level) {
    for (const int range : {0, 1, 60, 255}) {
      for (int round = 0; round < 25; ++round) {
        Residual& residual = residuals.emplace_back();
        for (int16_t& v : residual.values)
          v = static_cast<int16_t>(range == 0 ? (random.OneIn(2) ? 255 : -255)
                                              : random.Between(-range, range));
        residual.level = level;
      }
    }
  }
  ExpectSameBits<Estimate>(residuals);
}

// --- Levels and sub-blocks ---

struct Shape {
  using In = int;
  using Out = LevelShape;
  MMP_HOST_DEVICE static void Call(const In& level, Out& out) { out = ShapeOfLevel(level); }
};

struct Grid {
  static constexpr int kMost = 31 * 31;
  using In = int;
  struct Out {
    int size, rounds;
    SubBlock sub_blocks[kMost];
    int index[kMost], half[kMost][2][2];
    uint64_t infos[kMost];
  };
  MMP_HOST_DEVICE static void Call(const In& level, Out& out) {
    const SubBlockGrid grid(level);
    out.size = grid.size();
    int count = 0;
    for (int r = 0; r <= grid.log2_pixels(); ++r) {
      for (int k = 0; k < grid.RoundSize(r); ++k, ++count) {
        const SubBlock p = grid.Round(r, k);
        out.sub_blocks[count] = p;
        out.index[count] = grid.Index(p);
        out.infos[count] = SubBlockInfo(grid, p, count % kLevelCount).bits();
        for (int half = 0; half < 2; ++half) {
          out.half[count][0][half] = p.log2_width > 0 ? grid.Half(p, true, half) : -1;
          out.half[count][1][half] = p.log2_height > 0 ? grid.Half(p, false, half) : -1;
        }
      }
    }
    out.rounds = count;
  }
};

std::vector<int> AllLevels() {
  std::vector<int> levels(kLevelCount);
  for (int level = 0; level < kLevelCount; ++level) levels[level] = level;
  return levels;
}

TEST_F(SameBits, LevelsAndSubBlocks) {
  ExpectSameBits<Shape>(AllLevels());
  ExpectSameBits<Grid>(AllLevels());
}

__global__ void LookUpLevels(int* levels) {
  const int h = threadIdx.x / 5, w = threadIdx.x % 5;
  levels[threadIdx.x] = LevelAt(h, w);
}

TEST_F(SameBits, LevelTable) {
  const DeviceArray<int> levels(25);
  LookUpLevels<<<1, 25>>>(levels.data());
  Finish();
  const std::vector<int> found = levels.Read();
  for (int k = 0; k < 25; ++k) EXPECT_EQ(found[k], LevelOf(k / 5, k % 5));
}

// Needs no device: the sub-blocks of a block are all there, once each, and made of their halves.
TEST(SubBlockGridTest, HoldsEverySubBlockOnce) {
  for (const int level : AllLevels()) {
    SCOPED_TRACE(testing::Message() << "level " << level);
    Grid::Out grid{};
    Grid::Call(level, grid);
    const LevelShape whole = kLevelShapes[level];
    ASSERT_EQ(grid.size, (2 * whole.height() - 1) * (2 * whole.width() - 1));
    ASSERT_EQ(grid.rounds, grid.size);
    std::vector<int> by_index(grid.size, -1);
    for (int k = 0; k < grid.size; ++k) {
      ASSERT_GE(grid.index[k], 0);
      ASSERT_LT(grid.index[k], grid.size);
      ASSERT_EQ(by_index[grid.index[k]], -1);
      by_index[grid.index[k]] = k;
      const SubBlock& p = grid.sub_blocks[k];
      ASSERT_LT(p.y, whole.height() >> p.log2_height);
      ASSERT_LT(p.x, whole.width() >> p.log2_width);
      const SubBlockInfo info(grid.infos[k]);
      ASSERT_EQ(info.index(), grid.index[k]);
      ASSERT_EQ(info.level(), k % kLevelCount);
      ASSERT_EQ(info.log2_height(), p.log2_height);
      ASSERT_EQ(info.log2_width(), p.log2_width);
      ASSERT_EQ(info.log2_pixels(), p.log2_pixels());
      ASSERT_EQ(info.number(), p.y * (whole.width() >> p.log2_width) + p.x);
      ASSERT_EQ(info.first_pixel(), (p.y << p.log2_height) * whole.width() + (p.x << p.log2_width));
      for (int split = 0; split < 2; ++split) {
        const int first = grid.half[k][split][0];
        ASSERT_EQ(info.FirstHalf(split), first < 0 ? SubBlockInfo::kNone : first);
        ASSERT_EQ(grid.half[k][split][1],
                  first < 0 ? -1 : first + (split == 0 ? 1 : SubBlockGrid(level).columns()));
      }
      for (int half = 0; half < 2; ++half) {
        if (p.log2_width > 0) {
          const SubBlock& h = grid.sub_blocks[by_index[grid.half[k][0][half]]];
          EXPECT_TRUE(h.log2_height == p.log2_height && h.log2_width == p.log2_width - 1 &&
                      h.y == p.y && h.x == 2 * p.x + half);
        }
        if (p.log2_height > 0) {
          const SubBlock& h = grid.sub_blocks[by_index[grid.half[k][1][half]]];
          EXPECT_TRUE(h.log2_height == p.log2_height - 1 && h.log2_width == p.log2_width &&
                      h.y == 2 * p.y + half && h.x == p.x);
        }
      }
    }
    // The block itself is the last, as the search takes it to be.
    EXPECT_EQ(grid.index[grid.size - 1], grid.size - 1);
  }
}

}  // namespace
}  // namespace mmp::cuda
