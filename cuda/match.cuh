// Matching: the cheapest pattern of each new residual block. K1 and K2 of the reference in one:
// nothing but the least cost and its index is ever stored.
//
// J = |r|^2 + bias(d) - 2 r.d, all times kDistortionScale; bias(d) = |d|^2 + cost of d's index, and
// for small blocks with a part of d's index beside it (MatchKey). Two
// ways to the products, both exact: tensor cores on half-precision operands (integers to 255, sums
// below 2^24 in single precision), and plain integers.
//
// A work item is a tile of blocks of one level against a range of its patterns, for one warp. Items
// that share a block meet in an atomic minimum of (J, index), which prefers the lower index.
#ifndef MMP_CUDA_MATCH_CUH_
#define MMP_CUDA_MATCH_CUH_

#include <cuda_fp16.h>

#include <cstdint>

#include "codec/levels.h"
#include "codec/matcher.h"
#include "cuda/search_arguments.h"
#include "cuda/warp.cuh"

namespace mmp::cuda {

// A tile's patterns and costs.
struct MatchItem {
  int level;
  uint32_t first_block, blocks;      // entries of the level's list
  uint32_t first_pattern, patterns;  // a multiple of kPatternGroup each
};

// The least cost of one block so far, and its index.
struct BestMatch {
  int32_t cost = INT32_MAX;
  uint32_t index = 0;

  // Indices must come in ascending order.
  __device__ void Take(int32_t new_cost, uint32_t new_index) {
    if (new_cost < cost) {
      cost = new_cost;
      index = new_index;
    }
  }
  // Of two lanes' bests, in any order.
  __device__ void Merge(int lane_distance) {
    const int32_t other_cost = __shfl_xor_sync(kAllLanes, cost, lane_distance);
    const uint32_t other_index = __shfl_xor_sync(kAllLanes, index, lane_distance);
    if (other_cost < cost || (other_cost == cost && other_index < index)) {
      cost = other_cost;
      index = other_index;
    }
  }
};

// `norm`: the block's, loaded before it is needed.
__device__ inline void StoreBest(const BlockListView& list, int level, uint32_t block, int32_t norm,
                                 BestMatch best) {
  const uint32_t cost = best.cost + kDistortionScale * norm;
  atomicMin(list.best + list.first_entry[level] + block,
            static_cast<unsigned long long>(cost) << 32 | best.index);
}

// --- Tensor cores ---

inline constexpr int kTensorBlocks = 16;  // rows of the product

// Element (pixel) k of pattern `index` in the matching layout of a level with 2^log2_pixels pixels:
// for each 16 patterns and 16 pixels, what each lane of a warp loads at once. Blocks of fewer than
// 16 pixels are filled up with zeros.
MMP_HOST_DEVICE inline uint32_t TensorPlace(int log2_pixels, uint32_t index, uint32_t k) {
  const uint32_t chunks = log2_pixels > 4 ? 1u << (log2_pixels - 4) : 1;
  const uint32_t lane = (index & 7) * 4 + (k >> 1 & 3);
  const uint32_t element = (index >> 3 & 1) * 4 + (k >> 3 & 1) * 2 + (k & 1);
  return (((index >> 4) * chunks + (k >> 4)) * 32 + lane) * 8 + element;
}
// 16-bit elements that a level's matching layout takes for `patterns` patterns, a multiple of 16.
MMP_HOST_DEVICE inline uint32_t TensorSize(int log2_pixels, uint32_t patterns) {
  return patterns << (log2_pixels > 4 ? log2_pixels : 4);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
inline constexpr bool kHaveTensorCores = true;
#else
inline constexpr bool kHaveTensorCores = false;
#endif

// d += a b for a 16x16 (rows: blocks), b 16x8 (columns: patterns).
__device__ inline void MultiplyTile(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                    uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ inline uint32_t HalfPair(short2 v) {
  const __half2 h = __halves2half2(__short2half_rn(v.x), __short2half_rn(v.y));
  return *reinterpret_cast<const uint32_t*>(&h);
}

// For blocks of 16 kChunks pixels or, if kChunks is 1, of fewer. `bias`: MatchKeys.
template <int kChunks>
__device__ void MatchByTensorCores(const BlockListView& list, const DictionaryView& dictionary,
                                   const int32_t* bias, int log2_pixels, MatchItem item) {
  const int lane = threadIdx.x & 31, row = lane >> 2, column = lane & 3;
  // Rows `row` and `row + 8` of the tile are this lane's.
  const int16_t* contents = list.contents + list.first_content[item.level];
  const uint32_t last = item.blocks - 1;
  const int16_t* low = contents + ((item.first_block + min(row, last)) << log2_pixels);
  const int16_t* high = contents + ((item.first_block + min(row + 8, last)) << log2_pixels);
  const int32_t* norms = list.norms + list.first_entry[item.level] + item.first_block;
  const int32_t own_norms[2] = {norms[min(row, last)], norms[min(row + 8, last)]};
  uint32_t a[kChunks][4];
#pragma unroll
  for (int c = 0; c < kChunks; ++c) {
    auto load = [&](const int16_t* from, int k) {
      return kChunks > 1 || k < 1 << log2_pixels
                 ? HalfPair(*reinterpret_cast<const short2*>(from + k))
                 : 0u;
    };
    const int k = 16 * c + 2 * column;
    a[c][0] = load(low, k);
    a[c][1] = load(high, k);
    a[c][2] = load(low, k + 8);
    a[c][3] = load(high, k + 8);
  }
  const uint4* patterns =
      reinterpret_cast<const uint4*>(dictionary.matching + dictionary.first_matching[item.level] +
                                     TensorSize(log2_pixels, item.first_pattern));
  BestMatch best[2];
  // Where there are keys: the least of each row, and the index where its 32 patterns begin.
  uint32_t least_key[2] = {~0u, ~0u}, key_index[2] = {};
  // 32 patterns at a time; where they are few bytes, the next are loaded meanwhile.
  constexpr bool kPrefetch = kChunks <= 2;
  uint4 next[2][kChunks];
  int2 next_bias[4];
  const int2* biases = reinterpret_cast<const int2*>(bias + item.first_pattern) + column;
  auto load = [&] {
#pragma unroll
    for (int g = 0; g < 2; ++g)
#pragma unroll
      for (int c = 0; c < kChunks; ++c) next[g][c] = patterns[(g * kChunks + c) * 32 + lane];
#pragma unroll
    for (int n = 0; n < 4; ++n) next_bias[n] = biases[4 * n];
    patterns += 2 * kChunks * 32;
    biases += 16;
  };
  // Products of few pixels are sums on top of kOne: then the lowest bits of the float are the sum.
  constexpr bool kSumInBits = kChunks <= 4;
  constexpr float kOne = 3 << 22;  // floats from 2^23 to 2^24 are 1 apart
  constexpr int32_t kOneBits = 0x4b400000;
  static_assert(255 * 255 << 6 < 1 << 22);
  constexpr float kBegin = kSumInBits ? kOne : 0;
  auto take = [&](float(&product)[4], int2 b, uint32_t index) {
    auto cost = [](int32_t base, float dot) {
      const int32_t sum = kSumInBits ? __float_as_int(dot) - kOneBits : __float2int_rn(dot);
      return base - 2 * kDistortionScale * sum;
    };
    best[0].Take(cost(b.x, product[0]), index);
    best[0].Take(cost(b.y, product[1]), index + 1);
    best[1].Take(cost(b.x, product[2]), index);
    best[1].Take(cost(b.y, product[3]), index + 1);
  };
  // Keys as unsigned numbers, 2^31 above what they mean: that much the factor makes of kOneBits.
  constexpr bool kHasKeys = kChunks == 1;
  constexpr uint32_t kKeyFactor = (2 * kDistortionScale) << kMatchKeyBits;
  static_assert(kKeyFactor * static_cast<uint32_t>(kOneBits) == 1u << 31);
  auto take_keys = [&](const float(&product)[4][4], const int2(&base)[4], uint32_t index) {
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      auto key = [&](int n, int k) {
        return static_cast<uint32_t>(k == 0 ? base[n].x : base[n].y) -
               kKeyFactor * __float_as_uint(product[n][2 * row + k]);
      };
      uint32_t least = __vimin3_u32(key(0, 0), key(0, 1), key(1, 0));
      least = __vimin3_u32(least, key(1, 1), key(2, 0));
      least = __vimin3_u32(least, key(2, 1), key(3, 0));
      least = min(least, key(3, 1));
      // Of equal costs the earlier one stays.
      if (least < (least_key[row] & ~((1u << kMatchKeyBits) - 1))) {
        least_key[row] = least;
        key_index[row] = index;
      }
    }
  };
  uint32_t index = item.first_pattern + 2 * column;
  const uint32_t end = index + item.patterns;
  if constexpr (kPrefetch) {
    load();
    while (index != end) {
      uint4 b[2][kChunks];
      int2 base[4];
#pragma unroll
      for (int g = 0; g < 2; ++g)
#pragma unroll
        for (int c = 0; c < kChunks; ++c) b[g][c] = next[g][c];
#pragma unroll
      for (int n = 0; n < 4; ++n) base[n] = next_bias[n];
      if (index + 32 != end) load();
      float product[4][4];
#pragma unroll
      for (int n = 0; n < 4; ++n)
#pragma unroll
        for (float& p : product[n]) p = kBegin;
#pragma unroll
      for (int c = 0; c < kChunks; ++c) {
#pragma unroll
        for (int g = 0; g < 2; ++g) {
          MultiplyTile(product[2 * g], a[c], b[g][c].x, b[g][c].y);
          MultiplyTile(product[2 * g + 1], a[c], b[g][c].z, b[g][c].w);
        }
      }
      if constexpr (kHasKeys) {
        take_keys(product, base, index);
      } else {
#pragma unroll
        for (int n = 0; n < 4; ++n) take(product[n], base[n], index + 8 * n);
      }
      index += 32;
    }
  } else {
    for (; index != end; index += 16) {
      float product[2][4] = {{kBegin, kBegin, kBegin, kBegin}, {kBegin, kBegin, kBegin, kBegin}};
#pragma unroll
      for (int c = 0; c < kChunks; ++c) {
        const uint4 b = patterns[c * 32 + lane];
        MultiplyTile(product[0], a[c], b.x, b.y);
        MultiplyTile(product[1], a[c], b.z, b.w);
      }
      patterns += kChunks * 32;
      take(product[0], biases[0], index);
      take(product[1], biases[4], index + 8);
      biases += 8;
    }
  }
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    if constexpr (kHasKeys) {
      const int32_t key = static_cast<int32_t>(least_key[r] ^ 1u << 31);
      best[r].cost = key >> kMatchKeyBits;
      best[r].index = key_index[r] + (key >> 1 & 3) * 8 + (key & 1);
    }
    best[r].Merge(1);
    best[r].Merge(2);
  }
  if (column != 0) return;
#pragma unroll
  for (int half = 0; half < 2; ++half)
    if (row + 8 * half < item.blocks)
      StoreBest(list, item.level, item.first_block + row + 8 * half, own_norms[half], best[half]);
}

// --- Plain integers ---

inline constexpr int kPlainBlocks = 8;

// The matching layout here: the same pair of pixels of 32 consecutive patterns side by side.
MMP_HOST_DEVICE inline uint32_t PlainPlace(int log2_pixels, uint32_t index, uint32_t k) {
  return ((((index >> 5) << (log2_pixels - 1)) + (k >> 1)) * 32 + (index & 31)) * 2 + (k & 1);
}
MMP_HOST_DEVICE inline uint32_t PlainSize(int log2_pixels, uint32_t patterns) {
  return patterns << log2_pixels;
}

__device__ inline void MatchByIntegers(const BlockListView& list, const DictionaryView& dictionary,
                                       const int32_t* bias, int log2_pixels, MatchItem item) {
  const int lane = threadIdx.x & 31;
  const int pairs = 1 << (log2_pixels - 1);
  // A lane's keys all have the same place in their groups.
  const int key_bits = MatchKeyBits(log2_pixels);
  const int32_t factor = (2 * kDistortionScale) << key_bits;
  const short2* blocks[kPlainBlocks];
#pragma unroll
  for (int b = 0; b < kPlainBlocks; ++b)
    blocks[b] = reinterpret_cast<const short2*>(
        list.contents + list.first_content[item.level] +
        ((item.first_block + min(static_cast<uint32_t>(b), item.blocks - 1)) << log2_pixels));
  const short2* patterns =
      reinterpret_cast<const short2*>(dictionary.matching + dictionary.first_matching[item.level] +
                                      PlainSize(log2_pixels, item.first_pattern));
  BestMatch best[kPlainBlocks];
  for (uint32_t p = 0; p < item.patterns; p += 32, patterns += pairs * 32) {
    int32_t dot[kPlainBlocks] = {};
    for (int k = 0; k < pairs; ++k) {
      const short2 d = patterns[k * 32 + lane];
#pragma unroll
      for (int b = 0; b < kPlainBlocks; ++b) {
        const short2 r = blocks[b][k];
        dot[b] += r.x * d.x + r.y * d.y;
      }
    }
    const uint32_t index = item.first_pattern + p + lane;
    const int32_t base = bias[index];
#pragma unroll
    for (int b = 0; b < kPlainBlocks; ++b) best[b].Take(base - factor * dot[b], index);
  }
#pragma unroll
  for (int b = 0; b < kPlainBlocks; ++b) {
    best[b].cost >>= key_bits;
    for (int distance = 16; distance > 0; distance >>= 1) best[b].Merge(distance);
    if (lane == 0 && b < item.blocks)
      StoreBest(list, item.level, item.first_block + b,
                list.norms[list.first_entry[item.level] + item.first_block + b], best[b]);
  }
}

// --- Work items ---

template <bool kTensor>
__device__ inline void MatchOne(const BlockListView& list, const DictionaryView& dictionary,
                                const int32_t* bias, const MatchItem& item) {
  const LevelShape shape = ShapeOfLevel(item.level);
  const int log2_pixels = shape.log2_pixels();
  if constexpr (kTensor && kHaveTensorCores) {
    switch (log2_pixels) {
      case 5:
        return MatchByTensorCores<2>(list, dictionary, bias, log2_pixels, item);
      case 6:
        return MatchByTensorCores<4>(list, dictionary, bias, log2_pixels, item);
      case 7:
        return MatchByTensorCores<8>(list, dictionary, bias, log2_pixels, item);
      case 8:
        return MatchByTensorCores<16>(list, dictionary, bias, log2_pixels, item);
      default:
        return MatchByTensorCores<1>(list, dictionary, bias, log2_pixels, item);
    }
  } else {
    MatchByIntegers(list, dictionary, bias, log2_pixels, item);
  }
}

// The items of a step: how many each level has, summed up.
struct MatchPlan {
  uint32_t first_item[kLevelCount + 1];
  uint32_t first_block[kLevelCount];  // entries matched in earlier steps
  uint32_t blocks[kLevelCount];
  uint32_t range[kLevelCount];  // patterns of an item
};

__device__ inline uint32_t WarpSumUnsigned(uint32_t value) {
  return static_cast<uint32_t>(WarpSum(static_cast<int32_t>(value)));
}

// One warp: plans the matching of all entries that are not in plan.first_block + plan.blocks yet,
// for `warps` warps.
template <bool kTensor>
__device__ inline void PlanMatching(const MacroblockInput& input, uint32_t warps, MatchPlan& plan) {
  constexpr uint32_t kTile = kTensor ? kTensorBlocks : kPlainBlocks;
  const int lane = threadIdx.x & 31;
  uint32_t tiles = 0, patterns = 0, weight = 1;
  if (lane > 0 && lane < kLevelCount) {
    const LevelShape shape = ShapeOfLevel(lane);
    const int log2_pixels = shape.log2_pixels();
    const uint32_t first = plan.first_block[lane] + plan.blocks[lane];
    const uint32_t blocks = input.counters.entries[lane] - first;
    plan.first_block[lane] = first;
    plan.blocks[lane] = blocks;
    tiles = (blocks + kTile - 1) / kTile;
    patterns = (input.patterns[lane] + kPatternGroup - 1) / kPatternGroup * kPatternGroup;
    // How long a pattern takes.
    weight =
        kTensor ? 2 + (log2_pixels > 4 ? 1u << (log2_pixels - 4) : 1) : 2 + (1u << log2_pixels);
  }
  // One item a warp, as equal as may be.
  const uint32_t work = WarpSumUnsigned(tiles * (patterns / kPatternGroup) * weight);
  const uint32_t share = work / warps + 1;
  const uint32_t range = max(1u, share / weight) * kPatternGroup;
  const uint32_t items = tiles * ((patterns + range - 1) / range);
  const uint32_t sum = static_cast<uint32_t>(WarpPrefixSum(static_cast<int32_t>(items)));
  if (lane < kLevelCount) {
    plan.first_item[lane + 1] = sum;
    plan.range[lane] = range;
  }
  if (lane == 0) plan.first_item[0] = 0;
}

// One warp: does every `warps`-th item from item `warp` on.
template <bool kTensor>
__device__ inline void MatchPlanned(const BlockListView& list, const DictionaryView& dictionary,
                                    const MacroblockInput& input, const MatchPlan& plan,
                                    uint32_t warp, uint32_t warps) {
  constexpr uint32_t kTile = kTensor ? kTensorBlocks : kPlainBlocks;
  const int32_t* bias =
      reinterpret_cast<const int32_t*>(reinterpret_cast<const char*>(&input) + input.bias);
  int level = 0;
  for (uint32_t i = warp; i < plan.first_item[kLevelCount]; i += warps) {
    while (i >= plan.first_item[level + 1]) ++level;
    const uint32_t range = plan.range[level];
    const uint32_t patterns =
        (input.patterns[level] + kPatternGroup - 1) / kPatternGroup * kPatternGroup;
    const uint32_t ranges = (patterns + range - 1) / range;
    const uint32_t k = i - plan.first_item[level];
    const uint32_t tile = k / ranges;
    MatchItem item;
    item.level = level;
    item.first_block = plan.first_block[level] + tile * kTile;
    item.blocks = min(kTile, plan.blocks[level] - tile * kTile);
    item.first_pattern = (k - tile * ranges) * range;
    item.patterns = min(range, patterns - item.first_pattern);
    MatchOne<kTensor>(list, dictionary, bias + input.first_bias[level], item);
  }
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_MATCH_CUH_
