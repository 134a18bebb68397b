// Matching by tensor cores, on operands in half precision: see match.cuh.
#ifndef MMP_CUDA_KERNELS_MATCH_BY_TENSOR_CORES_CUH_
#define MMP_CUDA_KERNELS_MATCH_BY_TENSOR_CORES_CUH_

#include <cuda_fp16.h>

#include <cstdint>

#include "codec/dictionary/matcher.h"
#include "cuda/kernels/best_match.cuh"
#include "cuda/kernels/registers.cuh"
#include "cuda/schedule/exchange.h"
#include "cuda/schedule/search_arguments.h"

namespace mmp::cuda {

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

// How matching is laid out for blocks of up to 2^kLog2Pixels pixels, see TensorLog2Pixels.
template <int kLog2Pixels>
struct TensorLayout {
  static constexpr bool kFew = kLog2Pixels == 3;  // products of 8 pixels, or of 16
  static constexpr int kSteps = kFew ? 1 : 1 << (kLog2Pixels - 4);  // products, added to each other
  static constexpr int kOperands = kFew ? 2 : 4;                    // registers of 16 rows
  static constexpr int kRowTiles = TensorRowTiles(kLog2Pixels);
  static constexpr int kRows = 2 * kRowTiles;                 // a lane's
  static constexpr bool kKept = kSteps <= kMostKeptProducts;  // the tile's blocks, in registers
  static constexpr int kKeyBits = MatchKeyBits(kLog2Pixels);
  static constexpr bool kHasKeys = kKeyBits > 0;
  // Patterns are loaded in chunks, the next one while the last one is multiplied: of 32 patterns
  // or, where that are many words, of some steps of the products of 16, a half.
  static constexpr int kGroupWords = kFew ? 1 : 2 * kSteps;
  // Blocks of eight steps take so many registers that fewer are left for patterns.
  static constexpr int kWords = kKept && kSteps == 8 ? 2 : kGroupWords < 4 ? kGroupWords : 4;
  static constexpr int kGroupChunks = kGroupWords / kWords;
  static constexpr int kHalfChunks = kGroupChunks > 1 ? kGroupChunks / 2 : 1;
  static constexpr int kChunkHalves = kGroupChunks > 1 ? 1 : 2;
  static constexpr int kChunkSteps = kSteps / kHalfChunks;
  // Products of few pixels are sums on top of kOne: then the lowest bits of the float are the sum.
  static constexpr float kOne = 3 << 22;  // floats from 2^23 to 2^24 are 1 apart
  static constexpr uint32_t kOneBits = 0x4b400000;
  static_assert(!kHasKeys || 255 * 255 << kLog2Pixels < 1 << 22);
  static constexpr uint32_t kKeyFactor = (2 * kDistortionScale) << kKeyBits;
};

// One warp matches an item. All that it keeps is in registers: every function is inlined, and loops
// over its arrays are unrolled.
template <int kLog2Pixels>
class TensorMatcher {
  using L = TensorLayout<kLog2Pixels>;
  static constexpr int kRows = L::kRows, kRowTiles = L::kRowTiles, kWords = L::kWords;

 public:
  // `bias`: MatchKeys.
  __device__ __forceinline__ TensorMatcher(const BlockListView& list,
                                           const DictionaryView& dictionary, const int32_t* bias,
                                           int log2_pixels, const MatchItem& item)
      : list_(list),
        item_(item),
        log2_pixels_(log2_pixels),
        lane_(threadIdx.x & 31),
        column_(lane_ & 3),
        patterns_(reinterpret_cast<const uint4*>(dictionary.matching +
                                                 dictionary.first_matching[item.level] +
                                                 TensorSize(log2_pixels, item.first_pattern)) +
                  lane_),
        index_(item.first_pattern + 8 * column_),
        end_(index_ + item.patterns),
        biases_(reinterpret_cast<const int4*>(bias + index_)) {}

  __device__ __forceinline__ void Run() {
    Chunk chunks[2];
    Load(chunks[0], 0, false);
    // In the end, the lane has the best of one of its rows.
    const int own_row = column_ % kRows;
    const int32_t norm =
        list_.norms[list_.first_entry[item_.level] + item_.first_block + Row(own_row)];
    BeginRows();
    BeginProducts();
    MatchChunks(chunks);
    const BestMatch best = BestOfOwnRow();
    const uint32_t block = (lane_ >> 2) + 8 * own_row;
    if (column_ < kRows && block < item_.blocks)
      StoreBest(list_, item_.level, item_.first_block + block, norm, best);
  }

 private:
  struct Chunk {
    uint4 b[kWords];
    int4 bias[L::kChunkHalves];
  };

  // This lane's rows: every eighth from here on.
  __device__ __forceinline__ int Row(int r) const {
    return min((lane_ >> 2) + 8 * r, item_.blocks - 1);
  }

  // Loads chunk `chunk` of a group; if it is not there, the last one again: a condition around the
  // loads would keep registers from one item to the next.
  __device__ __forceinline__ void Load(Chunk& to, int chunk, bool there) {
    if constexpr (L::kFew) {
      // A compiler that knows when they are the last ones again copies them from register to
      // register. Where a chunk takes more registers, none is left for this.
      const uint32_t step = Hidden(there ? 1 : 0);
      patterns_ += step * (32 * kWords);
      biases_ += step * 8;
    } else if (there) {
      patterns_ += 32 * kWords;
      // A lane has two words of a group's biases, one for each half; groups are eight words apart.
      if (L::kChunkHalves == 2) {
        biases_ += 8;
      } else if (chunk % L::kHalfChunks == 0) {
        biases_ += chunk == 0 ? 7 : 1;
      }
    }
#pragma unroll
    for (int k = 0; k < kWords; ++k) to.b[k] = patterns_[32 * k];
#pragma unroll
    for (int h = 0; h < L::kChunkHalves; ++h) to.bias[h] = biases_[h];
  }

  // The value, hidden from the compiler.
  __device__ __forceinline__ static uint32_t Hidden(uint32_t value) {
    asm("" : "+r"(value));
    return value;
  }

  // This lane's operands of one product.
  __device__ __forceinline__ void LoadRows(uint32_t (&to)[L::kOperands], int tile, int s) const {
#pragma unroll
    for (int o = 0; o < L::kOperands; ++o) {
      const int k = 16 * s + o / 2 * 8 + 2 * column_;
      to[o] = !L::kFew || k < 1 << log2_pixels_
                  ? HalfPair(*reinterpret_cast<const short2*>(
                        contents_ + (Row(2 * tile + o % 2) << log2_pixels_) + k))
                  : 0u;
    }
  }

  __device__ __forceinline__ void BeginRows() {
    contents_ =
        list_.contents + list_.first_content[item_.level] + (item_.first_block << log2_pixels_);
    if constexpr (L::kKept) {
#pragma unroll
      for (int tile = 0; tile < kRowTiles; ++tile)
#pragma unroll
        for (int s = 0; s < L::kSteps; ++s) LoadRows(rows_[tile][s], tile, s);
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      least_[r] = ~0u;
      least_index_[r] = 0;
    }
  }

  __device__ __forceinline__ void BeginProducts() {
#pragma unroll
    for (int tile = 0; tile < kRowTiles; ++tile)
#pragma unroll
      for (int n = 0; n < 2; ++n)
#pragma unroll
        for (float& p : product_[tile][n]) p = L::kHasKeys ? L::kOne : 0;
  }

  // A key as an unsigned number, 2^31 above what it means, less what the factor makes of kOneBits.
  __device__ __forceinline__ static uint32_t Key(int32_t base, float product) {
    return static_cast<uint32_t>(base) - L::kKeyFactor * __float_as_uint(product) +
           (L::kKeyFactor * L::kOneBits ^ 1u << 31);
  }
  // The same for a cost.
  __device__ __forceinline__ static uint32_t Cost(int32_t base, float product) {
    return static_cast<uint32_t>(base - 2 * kDistortionScale * __float2int_rn(product)) ^ 1u << 31;
  }

  // Takes in a cost or key of row r.
  __device__ __forceinline__ void Take(int r, uint32_t value, uint32_t at) {
    // Of equal costs the earlier one stays.
    if (value < (least_[r] & ~((1u << L::kKeyBits) - 1))) {
      least_[r] = value;
      least_index_[r] = at;
    }
  }

  // Takes in the four patterns of half `h` that row r has products with.
  __device__ __forceinline__ void TakeRow(int r, const int4& base, int h) {
    const float p[4] = {product_[r / 2][0][r % 2 * 2], product_[r / 2][0][r % 2 * 2 + 1],
                        product_[r / 2][1][r % 2 * 2], product_[r / 2][1][r % 2 * 2 + 1]};
    if constexpr (L::kHasKeys) {
      uint32_t four = __vimin3_u32(Key(base.x, p[0]), Key(base.y, p[1]), Key(base.z, p[2]));
      four = min(four, Key(base.w, p[3]));
      if (L::kKeyBits < 3) {
        Take(r, four, index_ + 4 * h);
      } else if (h == 0) {
        first_half_[r] = four;
      } else {
        Take(r, min(first_half_[r], four), index_);
      }
    } else {
      Take(r, Cost(base.x, p[0]), index_ + 4 * h);
      Take(r, Cost(base.y, p[1]), index_ + 4 * h + 1);
      Take(r, Cost(base.z, p[2]), index_ + 4 * h + 2);
      Take(r, Cost(base.w, p[3]), index_ + 4 * h + 3);
    }
  }

  // Multiplies all rows by the patterns of half `h` in step s, whose words are `b`.
  __device__ __forceinline__ void Multiply(const uint4& b, int h, int s) {
#pragma unroll
    for (int tile = 0; tile < kRowTiles; ++tile) {
      uint32_t(&rows)[L::kOperands] = rows_[tile][L::kKept ? s : 0];
      if constexpr (!L::kKept) LoadRows(rows, tile, s);
      if constexpr (L::kFew) {
        MultiplyTile(product_[tile][0], rows, h == 0 ? b.x : b.z);
        MultiplyTile(product_[tile][1], rows, h == 0 ? b.y : b.w);
      } else {
        MultiplyTile(product_[tile][0], rows, b.x, b.y);
        MultiplyTile(product_[tile][1], rows, b.z, b.w);
      }
    }
  }

  // Chunk `number` of a group.
  __device__ __forceinline__ void Match(const Chunk& chunk, int number) {
    const int part = number % L::kHalfChunks;  // of a half
#pragma unroll
    for (int half = 0; half < L::kChunkHalves; ++half) {
      const int h = L::kChunkHalves == 2 ? half : number / L::kHalfChunks;
#pragma unroll
      for (int k = 0; k < L::kChunkSteps; ++k)
        Multiply(chunk.b[L::kFew ? 0 : half * L::kChunkSteps + k], h, part * L::kChunkSteps + k);
      if (part == L::kHalfChunks - 1) {
#pragma unroll
        for (int r = 0; r < kRows; ++r) TakeRow(r, chunk.bias[half], h);
        BeginProducts();
      }
    }
  }

  // All chunks, the first of which is loaded.
  __device__ __forceinline__ void MatchChunks(Chunk (&chunks)[2]) {
    constexpr int kGroupChunks = L::kGroupChunks;
    // Where blocks are not kept, the loop's body would be too long.
    constexpr int kUnrolled = kGroupChunks == 1 || !L::kKept ? 2 : kGroupChunks;
    for (int first = 0; index_ != end_; first = (first + kUnrolled) % kGroupChunks) {
#pragma unroll
      for (int u = 0; u < kUnrolled; ++u) {
        const int number = ((L::kKept ? 0 : first) + u) % kGroupChunks;
        const bool ends_group = number + 1 == kGroupChunks;
        Load(chunks[(u + 1) % 2], (number + 1) % kGroupChunks,
             !ends_group || index_ + kPatternGroup != end_);
        Match(chunks[u % 2], number);
        if (ends_group) {
          index_ += kPatternGroup;
          if (kGroupChunks == 1 && index_ == end_) break;
        }
      }
    }
  }

  // The best match of row column_ % kRows: the four lanes that share rows give each other what is
  // not their own row's.
  __device__ __forceinline__ BestMatch BestOfOwnRow() const {
    BestMatch best[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const int32_t value = static_cast<int32_t>(least_[r] ^ 1u << 31);
      best[r] = {value >> L::kKeyBits, least_index_[r] + (value & ((1 << L::kKeyBits) - 1))};
    }
#pragma unroll
    for (int r = 0; r < kRows; r += 2) Exchange(best[r], best[r + 1], 1);
    Exchange(best[0], best[kRows - 2], 2);
    return best[0];
  }
  __device__ __forceinline__ void Exchange(BestMatch& first, const BestMatch& second,
                                           int distance) const {
    const bool is_second = (column_ & distance) != 0;
    const BestMatch given = is_second ? first : second;
    if (is_second) first = second;
    first.Merge(given.OfLane(distance));
  }

  const BlockListView& list_;
  const MatchItem& item_;
  const int log2_pixels_;
  const int lane_, column_;
  const uint4* patterns_;  // of the chunk that was loaded last
  uint32_t index_;         // of the group's first pattern that is this lane's
  const uint32_t end_;
  const int4* biases_;  // as patterns_
  const int16_t* contents_;
  uint32_t rows_[kRowTiles][L::kKept ? L::kSteps : 1][L::kOperands];
  float product_[kRowTiles][2][4];
  // Of each row: the least cost, or key, and the index where the patterns begin that it is among.
  uint32_t least_[kRows], least_index_[kRows];
  uint32_t first_half_[kRows];  // the least key of a group's first half
};

template <int kLog2Pixels>
__device__ void MatchByTensorCores(const BlockListView& list, const DictionaryView& dictionary,
                                   const int32_t* bias, int log2_pixels, MatchItem item) {
  TensorMatcher<kLog2Pixels>(list, dictionary, bias, log2_pixels, item).Run();
}

}  // namespace mmp::cuda

#endif  // MMP_CUDA_KERNELS_MATCH_BY_TENSOR_CORES_CUH_
