#include "codec/base/cosine_transform.h"

namespace mmp {
namespace {

constexpr int kBits = 14;  // of the cosines behind the point
constexpr int kHalf = kCosineSide / 2;

// kCosines[u][x], times 2^kBits: sqrt(1/8), or cos((2 x + 1) u pi / 16) / 2; the other half of a
// row is the same from right to left, of odd u with the sign reversed.
constexpr int32_t kCosines[kCosineSide][kHalf] = {
    {5793, 5793, 5793, 5793},    {8035, 6811, 4551, 1598},   {7568, 3135, -3135, -7568},
    {6811, -1598, -8035, -4551}, {5793, -5793, -5793, 5793}, {4551, -8035, 1598, 6811},
    {3135, -7568, 7568, -3135},  {1598, -4551, 6811, -8035}};

constexpr int32_t Rounded(int32_t value, int shift) {
  return (value + (1 << (shift - 1))) >> shift;
}

CosineBlock Transposed(const CosineBlock& block) {
  CosineBlock transposed;
  for (int y = 0; y < kCosineSide; ++y)
    for (int x = 0; x < kCosineSide; ++x)
      transposed[x * kCosineSide + y] = block[y * kCosineSide + x];
  return transposed;
}

// The frequencies of each column.
template <int kShift>
CosineBlock ForwardColumns(const CosineBlock& block) {
  CosineBlock sums, frequencies;  // of mirrored rows: the sums above, the differences below
  for (int y = 0; y < kHalf; ++y) {
    const int32_t* above = &block[y * kCosineSide];
    const int32_t* below = &block[(kCosineSide - 1 - y) * kCosineSide];
    for (int x = 0; x < kCosineSide; ++x) {
      sums[y * kCosineSide + x] = above[x] + below[x];
      sums[(kHalf + y) * kCosineSide + x] = above[x] - below[x];
    }
  }
  for (int u = 0; u < kCosineSide; ++u) {
    const int32_t* from = &sums[u % 2 * kHalf * kCosineSide];
    for (int x = 0; x < kCosineSide; ++x) {
      int32_t sum = 0;
      for (int y = 0; y < kHalf; ++y) sum += kCosines[u][y] * from[y * kCosineSide + x];
      frequencies[u * kCosineSide + x] = Rounded(sum, kShift);
    }
  }
  return frequencies;
}

// The columns of these frequencies.
template <int kShift>
CosineBlock InverseColumns(const CosineBlock& frequencies) {
  CosineBlock block;
  for (int y = 0; y < kHalf; ++y) {
    for (int x = 0; x < kCosineSide; ++x) {
      int32_t even = 0, odd = 0;
      for (int u = 0; u < kCosineSide; u += 2) {
        even += kCosines[u][y] * frequencies[u * kCosineSide + x];
        odd += kCosines[u + 1][y] * frequencies[(u + 1) * kCosineSide + x];
      }
      block[y * kCosineSide + x] = Rounded(even + odd, kShift);
      block[(kCosineSide - 1 - y) * kCosineSide + x] = Rounded(even - odd, kShift);
    }
  }
  return block;
}

}  // namespace

int32_t CosineOf(int u, int x) {
  if (x < kHalf) return kCosines[u][x];
  const int32_t mirrored = kCosines[u][kCosineSide - 1 - x];
  return u % 2 == 0 ? mirrored : -mirrored;
}

CosineBlock ForwardCosines(const CosineBlock& samples) {
  const CosineBlock columns = ForwardColumns<kBits - kCosineFraction>(samples);
  return Transposed(ForwardColumns<kBits>(Transposed(columns)));
}

CosineBlock InverseCosines(const CosineBlock& coefficients) {
  const CosineBlock columns = InverseColumns<kBits>(coefficients);
  return Transposed(InverseColumns<kBits + kCosineFraction>(Transposed(columns)));
}

}  // namespace mmp
