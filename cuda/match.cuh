// Matching: the cheapest pattern of each new residual block. K1 and K2 of the reference in one:
// nothing but the least cost and its index is ever stored.
//
// J = |r|^2 + bias(d) - 2 r.d, all times kDistortionScale; bias(d) = |d|^2 + cost of d's index, and
// for small blocks with a part of d's index beside it (MatchKey). Two
// ways to the products, both exact: tensor cores on half-precision operands (integers to 255, sums
// below 2^24 in single precision), and plain integers.
//
// A work item is a tile of blocks of one level against some of its patterns, for one warp. Items
// that share a block meet in an atomic minimum of (J, index), which prefers the lower index.
#ifndef MMP_CUDA_MATCH_CUH_
#define MMP_CUDA_MATCH_CUH_

#include <cuda_fp16.h>

#include <cstdint>

#include "codec/levels.h"
#include "codec/matcher.h"
#include "cuda/registers.cuh"
#include "cuda/search_arguments.h"
#include "cuda/warp.cuh"

namespace mmp::cuda {

// Some blocks of a level, and some of its patterns.
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
  // In any order.
  __device__ void Merge(BestMatch other) {
    if (other.cost < cost || (other.cost == cost && other.index < index)) *this = other;
  }
  __device__ BestMatch OfLane(int lane_distance) const {
    return {__shfl_xor_sync(kAllLanes, cost, lane_distance),
            __shfl_xor_sync(kAllLanes, index, lane_distance)};
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

// Blocks of fewer than 8 pixels are filled up with zeros.
MMP_HOST_DEVICE constexpr int TensorLog2Pixels(int log2_pixels) {
  return log2_pixels > 3 ? log2_pixels : 3;
}
// Tiles of 16 rows of the product: as many as there are registers for.
MMP_HOST_DEVICE constexpr int TensorRowTiles(int log2_pixels) { return log2_pixels > 4 ? 1 : 2; }

// Element (pixel) k of pattern `index` in the matching layout of a level with 2^log2_pixels pixels:
// for each 32 patterns, what each lane of a warp loads at once. A product has 8 columns, of which
// column n of product t is pattern 8 (n / 2) + 2 t + n % 2 of the 32: the two columns that a lane
// gets of each of the four are eight patterns in a row.
MMP_HOST_DEVICE inline uint32_t TensorPlace(int log2_pixels, uint32_t index, uint32_t k) {
  const uint32_t column = (index >> 2 & 6) | (index & 1), product = index >> 1 & 3;
  const uint32_t lane = column * 4 + (k >> 1 & 3);
  if (log2_pixels <= 3) return ((index >> 5) * 32 + lane) * 8 + product * 2 + (k & 1);
  // Two products and 16 pixels at a time.
  const uint32_t part = (((index >> 5) * 2 + (product >> 1)) << (log2_pixels - 4)) + (k >> 4);
  return (part * 32 + lane) * 8 + (product & 1) * 4 + (k >> 3 & 1) * 2 + (k & 1);
}
// 16-bit elements that a level's matching layout takes for `patterns` patterns, a multiple of
// kPatternGroup.
MMP_HOST_DEVICE inline uint32_t TensorSize(int log2_pixels, uint32_t patterns) {
  return patterns << TensorLog2Pixels(log2_pixels);
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
// The same for a 16x8, b 8x8.
__device__ inline void MultiplyTile(float (&d)[4], const uint32_t (&a)[2], uint32_t b) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
      "{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b));
}

__device__ inline uint32_t HalfPair(short2 v) {
  const __half2 h = __halves2half2(__short2half_rn(v.x), __short2half_rn(v.y));
  return *reinterpret_cast<const uint32_t*>(&h);
}

// One warp: for blocks of up to 2^kLog2Pixels pixels, see TensorLog2Pixels. `bias`: MatchKeys.
template <int kLog2Pixels>
__device__ void MatchByTensorCores(const BlockListView& list, const DictionaryView& dictionary,
                                   const int32_t* bias, int log2_pixels, MatchItem item) {
  constexpr bool kFew = kLog2Pixels == 3;                    // products of 8 pixels, or of 16
  constexpr int kSteps = kFew ? 1 : 1 << (kLog2Pixels - 4);  // products, one added to the other
  constexpr int kOperands = kFew ? 2 : 4;                    // registers of 16 rows
  constexpr int kRowTiles = TensorRowTiles(kLog2Pixels), kRows = 2 * kRowTiles;  // kRows: a lane's
  constexpr bool kKept = kSteps <= kMostKeptProducts;  // the tile's blocks, in registers
  constexpr int kKeyBits = MatchKeyBits(kLog2Pixels);
  constexpr bool kHasKeys = kKeyBits > 0;
  // Patterns are loaded in chunks, the next one while the last one is multiplied: of 32 patterns
  // or, where that are many words, of some steps of the products of 16, a half.
  constexpr int kGroupWords = kFew ? 1 : 2 * kSteps;
  // Blocks of eight steps take so many registers that fewer are left for patterns.
  constexpr int kWords = kKept && kSteps == 8 ? 2 : kGroupWords < 4 ? kGroupWords : 4;
  constexpr int kGroupChunks = kGroupWords / kWords;
  constexpr int kHalfChunks = kGroupChunks > 1 ? kGroupChunks / 2 : 1;
  constexpr int kChunkHalves = kGroupChunks > 1 ? 1 : 2;
  constexpr int kChunkSteps = kSteps / kHalfChunks;
  const int lane = threadIdx.x & 31, column = lane & 3;
  // This lane's rows: every eighth from here on.
  auto row = [&](int r) { return min((lane >> 2) + 8 * r, item.blocks - 1); };
  const uint4* patterns =
      reinterpret_cast<const uint4*>(dictionary.matching + dictionary.first_matching[item.level] +
                                     TensorSize(log2_pixels, item.first_pattern)) +
      lane;
  uint32_t index = item.first_pattern + 8 * column;
  const uint32_t end = index + item.patterns;
  const int4* biases = reinterpret_cast<const int4*>(bias + index);
  struct Chunk {
    uint4 b[kWords];
    int4 bias[kChunkHalves];
  };
  // Chunk `chunk` of a group; if it is not there, the last one again: a condition around the loads
  // would keep registers from one item to the next.
  auto load = [&](Chunk& to, int chunk, bool there) {
    if (there) {
      patterns += 32 * kWords;
      // A lane has two words of a group's biases, one for each half; groups are eight words apart.
      if (kChunkHalves == 2) {
        biases += 8;
      } else if (chunk % kHalfChunks == 0) {
        biases += chunk == 0 ? 7 : 1;
      }
    }
#pragma unroll
    for (int k = 0; k < kWords; ++k) to.b[k] = patterns[32 * k];
#pragma unroll
    for (int h = 0; h < kChunkHalves; ++h) to.bias[h] = biases[h];
  };
  Chunk chunks[2];
  load(chunks[0], 0, false);
  // In the end, it has the best of one of them.
  const int own_row = column % kRows;
  const int32_t norm = list.norms[list.first_entry[item.level] + item.first_block + row(own_row)];
  const int16_t* contents =
      list.contents + list.first_content[item.level] + (item.first_block << log2_pixels);
  // This lane's operands of one product.
  auto load_rows = [&](uint32_t(&to)[kOperands], int tile, int s) {
#pragma unroll
    for (int o = 0; o < kOperands; ++o) {
      const int k = 16 * s + o / 2 * 8 + 2 * column;
      to[o] = !kFew || k < 1 << log2_pixels
                  ? HalfPair(*reinterpret_cast<const short2*>(
                        contents + (row(2 * tile + o % 2) << log2_pixels) + k))
                  : 0u;
    }
  };
  uint32_t a[kRowTiles][kKept ? kSteps : 1][kOperands];
  if constexpr (kKept) {
#pragma unroll
    for (int tile = 0; tile < kRowTiles; ++tile)
#pragma unroll
      for (int s = 0; s < kSteps; ++s) load_rows(a[tile][s], tile, s);
  }
  // Products of few pixels are sums on top of kOne: then the lowest bits of the float are the sum.
  constexpr float kOne = 3 << 22;  // floats from 2^23 to 2^24 are 1 apart
  constexpr uint32_t kOneBits = 0x4b400000;
  static_assert(!kHasKeys || 255 * 255 << kLog2Pixels < 1 << 22);
  // Keys as unsigned numbers, 2^31 above what they mean, less what the factor makes of kOneBits.
  constexpr uint32_t kKeyFactor = (2 * kDistortionScale) << kKeyBits;
  auto key = [&](int32_t base, float product) {
    return static_cast<uint32_t>(base) - kKeyFactor * __float_as_uint(product) +
           (kKeyFactor * kOneBits ^ 1u << 31);
  };
  // Of each row: the least cost, or key, and the index where the patterns begin that it is among.
  uint32_t least[kRows], least_index[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    least[r] = ~0u;
    least_index[r] = 0;
  }
  auto take = [&](int r, uint32_t value, uint32_t at) {
    // Of equal costs the earlier one stays.
    if (value < (least[r] & ~((1u << kKeyBits) - 1))) {
      least[r] = value;
      least_index[r] = at;
    }
  };
  float product[kRowTiles][2][4];
  auto begin_products = [&] {
#pragma unroll
    for (int tile = 0; tile < kRowTiles; ++tile)
#pragma unroll
      for (int n = 0; n < 2; ++n)
#pragma unroll
        for (float& p : product[tile][n]) p = kHasKeys ? kOne : 0;
  };
  begin_products();
  uint32_t first_half[kRows];
  auto take_products = [&](const int4 base, int h) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const float p[4] = {product[r / 2][0][r % 2 * 2], product[r / 2][0][r % 2 * 2 + 1],
                          product[r / 2][1][r % 2 * 2], product[r / 2][1][r % 2 * 2 + 1]};
      if constexpr (kHasKeys) {
        uint32_t four = __vimin3_u32(key(base.x, p[0]), key(base.y, p[1]), key(base.z, p[2]));
        four = min(four, key(base.w, p[3]));
        if (kKeyBits < 3) {
          take(r, four, index + 4 * h);
        } else if (h == 0) {
          first_half[r] = four;
        } else {
          take(r, min(first_half[r], four), index);
        }
      } else {
        auto cost = [&](int32_t bias_of, float dot) {
          return static_cast<uint32_t>(bias_of - 2 * kDistortionScale * __float2int_rn(dot)) ^
                 1u << 31;
        };
        take(r, cost(base.x, p[0]), index + 4 * h);
        take(r, cost(base.y, p[1]), index + 4 * h + 1);
        take(r, cost(base.z, p[2]), index + 4 * h + 2);
        take(r, cost(base.w, p[3]), index + 4 * h + 3);
      }
    }
  };
  auto match = [&](const Chunk& chunk, int number) {
    const int part = number % kHalfChunks;  // of a half
#pragma unroll
    for (int half = 0; half < kChunkHalves; ++half) {
      const int h = kChunkHalves == 2 ? half : number / kHalfChunks;
#pragma unroll
      for (int k = 0; k < kChunkSteps; ++k) {
        const int s = part * kChunkSteps + k;
        const uint4 b = chunk.b[kFew ? 0 : half * kChunkSteps + k];
#pragma unroll
        for (int tile = 0; tile < kRowTiles; ++tile) {
          uint32_t(&rows)[kOperands] = a[tile][kKept ? s : 0];
          if constexpr (!kKept) load_rows(rows, tile, s);
          if constexpr (kFew) {
            MultiplyTile(product[tile][0], rows, h == 0 ? b.x : b.z);
            MultiplyTile(product[tile][1], rows, h == 0 ? b.y : b.w);
          } else {
            MultiplyTile(product[tile][0], rows, b.x, b.y);
            MultiplyTile(product[tile][1], rows, b.z, b.w);
          }
        }
      }
      if (part == kHalfChunks - 1) {
        take_products(chunk.bias[half], h);
        begin_products();
      }
    }
  };
  // Where blocks are not kept, the loop's body would be too long.
  constexpr int kUnrolled = kGroupChunks == 1 || !kKept ? 2 : kGroupChunks;
  for (int first = 0; index != end; first = (first + kUnrolled) % kGroupChunks) {
#pragma unroll
    for (int u = 0; u < kUnrolled; ++u) {
      const int number = ((kKept ? 0 : first) + u) % kGroupChunks;
      const bool ends_group = number + 1 == kGroupChunks;
      load(chunks[(u + 1) % 2], (number + 1) % kGroupChunks,
           !ends_group || index + kPatternGroup != end);
      match(chunks[u % 2], number);
      if (ends_group) {
        index += kPatternGroup;
        if (kGroupChunks == 1 && index == end) break;
      }
    }
  }
  BestMatch best[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const int32_t value = static_cast<int32_t>(least[r] ^ 1u << 31);
    best[r] = {value >> kKeyBits, least_index[r] + (value & ((1 << kKeyBits) - 1))};
  }
  // The four lanes that share rows give each other what is not their own row's.
  auto exchange = [&](BestMatch& first, const BestMatch& second, int distance) {
    const bool is_second = (column & distance) != 0;
    const BestMatch given = is_second ? first : second;
    if (is_second) first = second;
    first.Merge(given.OfLane(distance));
  };
#pragma unroll
  for (int r = 0; r < kRows; r += 2) exchange(best[r], best[r + 1], 1);
  exchange(best[0], best[kRows - 2], 2);
  const uint32_t block = (lane >> 2) + 8 * own_row;
  if (column < kRows && block < item.blocks)
    StoreBest(list, item.level, item.first_block + block, norm, best[0]);
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
    for (int distance = 16; distance > 0; distance >>= 1) best[b].Merge(best[b].OfLane(distance));
    if (lane == 0 && b < item.blocks)
      StoreBest(list, item.level, item.first_block + b,
                list.norms[list.first_entry[item.level] + item.first_block + b], best[b]);
  }
}

// --- Work items ---

// Blocks that are matched together.
template <bool kTensor>
MMP_HOST_DEVICE constexpr uint32_t MatchTile(int log2_pixels) {
  return kTensor ? 16 * TensorRowTiles(log2_pixels) : kPlainBlocks;
}

// At most MatchTile blocks.
template <bool kTensor>
__device__ inline void MatchOne(const BlockListView& list, const DictionaryView& dictionary,
                                const int32_t* bias, const MatchItem& item) {
  const LevelShape shape = ShapeOfLevel(item.level);
  const int log2_pixels = shape.log2_pixels();
  if constexpr (!kTensor) {
    MatchByIntegers(list, dictionary, bias, log2_pixels, item);
  } else if constexpr (kHaveTensorCores) {
    switch (log2_pixels) {
      case 4:
        return MatchByTensorCores<4>(list, dictionary, bias, log2_pixels, item);
      case 5:
        return MatchByTensorCores<5>(list, dictionary, bias, log2_pixels, item);
      case 6:
        return MatchByTensorCores<6>(list, dictionary, bias, log2_pixels, item);
      case 7:
        return MatchByTensorCores<7>(list, dictionary, bias, log2_pixels, item);
      case 8:
        return MatchByTensorCores<8>(list, dictionary, bias, log2_pixels, item);
      default:
        return MatchByTensorCores<3>(list, dictionary, bias, log2_pixels, item);
    }
  } else {
    __trap();
  }
}

// How long a tile takes, in about 50 cycles as measured with two blocks of 256 threads on a
// multiprocessor: to begin and end with it, and for a group of patterns.
struct MatchWeight {
  uint32_t begin, group;
};
template <bool kTensor>
__device__ inline MatchWeight WeightOf(int log2_pixels) {
  if constexpr (kTensor) {
    // A byte for each of log2_pixels 1 to 8.
    constexpr uint64_t kGroup = 0xb434140c'0c080807;
    return {28, static_cast<uint32_t>(kGroup >> 8 * (log2_pixels - 1)) & 255};
  } else {
    return {28, 8 + (3u << log2_pixels)};
  }
}

// The matching of a step as one line of work, level by level and tile by tile, of which each warp
// does an equal piece; a piece may begin and end within a tile. With 65536 patterns, all modes and
// all nodes of a step it is 2^30 long at most.
struct MatchPlan {
  uint32_t first_block[kLevelCount];  // entries matched in earlier steps
  uint32_t blocks[kLevelCount];       // entries of this step
  uint32_t first_work[kLevelCount + 1];
  uint32_t piece;
};

__device__ inline uint32_t PatternGroups(const BlockInput& block, int level) {
  return (block.patterns[level] + kPatternGroup - 1) / kPatternGroup;
}

// One warp: plans the matching of all entries that are not in plan.first_block + plan.blocks yet,
// for `warps` warps.
template <bool kTensor>
__device__ inline void PlanMatching(const SearchCounters& counters, const BlockInput& block,
                                    uint32_t warps, MatchPlan& plan) {
  const int lane = threadIdx.x & 31;
  uint32_t work = 0;
  if (lane > 0 && lane < kLevelCount) {
    const int log2_pixels = ShapeOfLevel(lane).log2_pixels();
    const uint32_t first = plan.first_block[lane] + plan.blocks[lane];
    const uint32_t blocks = counters.entries[lane] - first;
    plan.first_block[lane] = first;
    plan.blocks[lane] = blocks;
    const uint32_t tile = MatchTile<kTensor>(log2_pixels);
    const MatchWeight weight = WeightOf<kTensor>(log2_pixels);
    work = (blocks + tile - 1) / tile * (weight.begin + PatternGroups(block, lane) * weight.group);
  }
  const uint32_t sum = static_cast<uint32_t>(WarpPrefixSum(static_cast<int32_t>(work)));
  if (lane < kLevelCount) plan.first_work[lane + 1] = sum;
  if (lane == 31) {
    plan.first_work[0] = 0;
    plan.piece = (sum + warps - 1) / warps;
  }
}

// One warp: does piece `piece` of a plan. `block` is a part of `input`, or a copy in faster memory.
template <bool kTensor>
__device__ inline void MatchPlanned(const BlockListView& list, const DictionaryView& dictionary,
                                    const MacroblockInput& input, const BlockInput& block,
                                    const MatchPlan& plan, uint32_t piece) {
  const int32_t* bias =
      reinterpret_cast<const int32_t*>(reinterpret_cast<const char*>(&input) + block.bias);
  uint32_t at = piece * plan.piece;
  // Where the piece ends; computed again, as MatchByTensorCores needs all registers.
  auto end = [&] { return min((piece + 1) * plan.piece, plan.first_work[kLevelCount]); };
  const int lane = threadIdx.x & 31;
  while (at < end()) {
    const bool before = lane < kLevelCount && plan.first_work[lane + 1] <= at;
    const int level = __popc(__ballot_sync(kAllLanes, before));
    const int log2_pixels = ShapeOfLevel(level).log2_pixels();
    const MatchWeight weight = WeightOf<kTensor>(log2_pixels);
    const uint32_t groups = PatternGroups(block, level), blocks = plan.blocks[level];
    const uint32_t tile_work = weight.begin + groups * weight.group;
    const uint32_t tile = (at - plan.first_work[level]) / tile_work;
    const uint32_t tile_at = plan.first_work[level] + tile * tile_work;
    // How many of the tile's groups come before a place.
    auto groups_before = [&](uint32_t place) {
      const uint32_t within = place - tile_at;
      if (within >= tile_work) return groups;
      return within > weight.begin ? (within - weight.begin) / weight.group : 0;
    };
    const uint32_t first_group = groups_before(at), last_group = groups_before(end());
    if (first_group < last_group) {
      constexpr auto kTile = MatchTile<kTensor>;
      const uint32_t first = tile * kTile(log2_pixels);
      MatchOne<kTensor>(
          list, dictionary, bias + block.first_bias[level],
          {level, plan.first_block[level] + first, min(kTile(log2_pixels), blocks - first),
           first_group * kPatternGroup, (last_group - first_group) * kPatternGroup});
    }
    at = tile_at + tile_work;
  }
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_MATCH_CUH_
