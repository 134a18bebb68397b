// The device's solve of block least squares, on 32 values side by side: its bits are those of
// SolveLspWeights and SolveBlockLsp.
#include "codec/intra/block_lsp_by_lanes.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <limits>

#include "tests/support/test_support.h"

namespace mmp {
namespace {

// A warp on the host.
class HostLanes {
 public:
  static constexpr int kCount = 32;

  // What is not set is not to be used: such a number makes all that it meets one.
  struct Double {
    std::array<double, kCount> v;

    Double() { v.fill(std::numeric_limits<double>::quiet_NaN()); }
    explicit Double(double value) { v.fill(value); }
    template <typename F>
    static Double Make(F f) {
      Double made;
      for (int lane = 0; lane < kCount; ++lane) made.v[lane] = f(lane);
      return made;
    }
    friend Double operator-(const Double& a, const Double& b) {
      return Make([&](int lane) { return a.v[lane] - b.v[lane]; });
    }
    friend Double operator*(const Double& a, const Double& b) {
      return Make([&](int lane) { return a.v[lane] * b.v[lane]; });
    }
    friend Double operator/(const Double& a, const Double& b) {
      return Make([&](int lane) { return a.v[lane] / b.v[lane]; });
    }
  };

  template <typename F>
  Double Each(F f) const {
    return Double::Make(f);
  }
  Double Of(const Double& value, int lane) const { return Double(value.v[lane]); }
  Double Put(int lane, const Double& a, const Double& b) const {
    return Double::Make([&](int own) { return own == lane ? a.v[own] : b.v[own]; });
  }
  template <typename F>
  void Store(const Double& value, F place) const {
    for (int lane = 0; lane < kCount; ++lane) place(lane) = value.v[lane];
    // On a device the order of lanes that share a place is open.
    for (int lane = 0; lane < kCount; ++lane)
      EXPECT_EQ(std::bit_cast<uint64_t>(place(lane)), std::bit_cast<uint64_t>(value.v[lane]));
  }
  void Sync() const {}
};

// The neighbours and target of a sample, its last element.
using Sample = std::array<int, kBlockLspOrder + 1>;

void AddSample(const Sample& sample, int weight, BlockLspSums& sums) {
  for (int r = 0; r < kBlockLspOrder; ++r)
    for (int c = r; c <= kBlockLspOrder; ++c)
      sums.terms[BlockLspTerm(r, c)] += weight * sample[r] * sample[c];
}

void ExpectSameBits(const BlockLspSums& sums) {
  double terms[kBlockLspTerms], expected[kBlockLspOrder];
  for (int r = 0; r < kBlockLspOrder; ++r)
    for (int c = r; c <= kBlockLspOrder; ++c)
      terms[BlockLspTerm(r, c)] =
          static_cast<double>(sums.terms[BlockLspTerm(r, c)] + BlockLspRidgeOf(r, c));
  SolveLspWeights<kBlockLspOrder>(terms, expected);
  int32_t weights[kBlockLspOrder];
  SolveBlockLsp(sums, weights);
  BlockLspRows eliminated{};
  const HostLanes::Double solution = SolveBlockLspByLanes(
      HostLanes(), [&](int t) { return sums.terms[t]; }, eliminated);
  for (int k = 0; k < kBlockLspOrder; ++k) {
    ASSERT_EQ(std::bit_cast<uint64_t>(solution.v[k]), std::bit_cast<uint64_t>(expected[k]))
        << "weight " << k << ": " << solution.v[k] << ", not " << expected[k];
    ASSERT_EQ(static_cast<int32_t>(QuantizeLspWeight(solution.v[k])), weights[k]) << "weight " << k;
  }
}

constexpr int kMostSamples = 8 * 32 + 16 * 8;

// Samples as images have them, from flat to noise, and such that make the equations hard to solve:
// few, of two values, of neighbours that are all alike.
TEST(BlockLspByLanesTest, EqualsTheSolveOfOneThread) {
  Random random(1);
  for (int round = 0; round < 20000; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const int count = round % 4 == 0 ? random.Below(12) : random.Below(kMostSamples + 1);
    const int range = round % 3 == 0 ? 255 : 1 << random.Below(8);
    const int base = random.Below(256 - range);
    const bool extremes = random.OneIn(4), alike = random.OneIn(8);
    BlockLspSums sums{};
    for (int s = 0; s < count; ++s) {
      Sample sample;
      for (int& value : sample)
        value = extremes ? (random.OneIn(2) ? 255 : 0) : base + random.Below(range + 1);
      if (alike)
        for (int& value : sample) value = sample[0];
      AddSample(sample, 1 << random.Below(4), sums);
    }
    ExpectSameBits(sums);
    if (HasFatalFailure()) return;
  }
}

// The extremes: no sample, each single neighbour alone, and as many white ones as there can be.
TEST(BlockLspByLanesTest, Extremes) {
  ExpectSameBits({});
  for (int k = 0; k <= kBlockLspOrder; ++k) {
    BlockLspSums sums{};
    Sample sample{};
    sample[k] = 255;
    sample[kBlockLspOrder] = 255;
    for (int s = 0; s < kMostSamples; ++s) AddSample(sample, 8, sums);
    ExpectSameBits(sums);
  }
  BlockLspSums white{};
  Sample sample;
  sample.fill(255);
  for (int s = 0; s < 8 * kMostSamples / 10; ++s) AddSample(sample, 8, white);
  ExpectSameBits(white);
}

// A drift of the last bit is noticed.
TEST(BlockLspByLanesTest, NoticesOneBit) {
  Random random(2);
  BlockLspSums sums{};
  for (int s = 0; s < 100; ++s) {
    Sample sample;
    for (int& value : sample) value = random.Below(256);
    AddSample(sample, 1, sums);
  }
  BlockLspRows eliminated{};
  auto solve = [&](int32_t more) {
    return SolveBlockLspByLanes(
        HostLanes(), [&](int t) { return sums.terms[t] + (t == 0 ? more : 0); }, eliminated);
  };
  for (int k = 0; k < kBlockLspOrder; ++k) EXPECT_NE(solve(0).v[k], solve(1).v[k]);
}

}  // namespace
}  // namespace mmp
