#include "cuda/kernels/network_kernel.h"

namespace mmp::cuda {
namespace {

// A block computes a rectangle of positions, a warp some of its rows.
constexpr int kColumns = 32, kRows = 8, kWarps = 4, kThreads = 32 * kWarps;
constexpr int kInputColumns = kColumns + 2, kInputRows = kRows + 2;
constexpr int kVector = 8;  // values in 16 bytes

// Products by tensor cores are of bytes: of kTileRows positions and kTileInputs inputs with weights
// of kTileOutputs outputs. A value is its low byte and 256 times its high byte, which has the sign.
constexpr int kTileRows = 16, kTileOutputs = 8, kTileInputs = 32;
constexpr int kWeights = 4;    // in a word
constexpr int kLaneWords = 2;  // of a product's weights
constexpr int kRowTiles = kColumns / kTileRows;
constexpr int kTaps = 9;

// A product has the inputs of one tap or, if there are at most half as many, of two.
constexpr int TapInputs(int inputs) {
  return inputs > kTileInputs / 2 ? kTileInputs : kTileInputs / 2;
}
constexpr int TapsTogether(int inputs) { return kTileInputs / TapInputs(inputs); }
constexpr int Products(int inputs) {
  return (kTaps + TapsTogether(inputs) - 1) / TapsTogether(inputs);
}
constexpr int OutputTiles(int outputs) { return (outputs + kTileOutputs - 1) / kTileOutputs; }

// sum += a b for bytes of 16x32 values (rows: positions) and of 32x8 weights (columns: outputs).
// kIsSigned: whether the values are.
template <bool kIsSigned>
__device__ void MultiplyAdd(int (&sum)[4], const uint32_t (&a)[4], uint2 b) {
#if __CUDA_ARCH__ >= 800
  if constexpr (kIsSigned)
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b.x), "r"(b.y));
  else
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b.x), "r"(b.y));
#else
  // By quarters: eight rows, and half of the inputs.
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const uint32_t weights = k < 2 ? b.x : b.y;
    const int first = k % 2 * 2;
    if constexpr (kIsSigned)
      asm("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
          : "+r"(sum[first]), "+r"(sum[first + 1])
          : "r"(a[k]), "r"(weights));
    else
      asm("mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
          : "+r"(sum[first]), "+r"(sum[first + 1])
          : "r"(a[k]), "r"(weights));
  }
#endif
}

// 16x32 bytes: lane n gives where row n % 16 of half n / 16 is, 16 bytes.
__device__ void LoadTile(uint32_t (&a)[4], const uint8_t* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(row)))
               : "memory");
}

__device__ uint32_t Pair(int16_t first, int16_t second) {
  return static_cast<uint16_t>(first) | static_cast<uint32_t>(static_cast<uint16_t>(second)) << 16;
}

// The inputs of the first layer: four pixels, and what their predictions differ by.
__device__ uint4 PixelsAt(const NetworkStep& step, int y, int x) {
  const size_t row_pixels = size_t{2} * step.stride;
  PixelInputs inputs[4];
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const size_t at = (2 * (y - step.top) + k) * row_pixels + 2 * (x - step.left);
    const uchar2 pixels = *reinterpret_cast<const uchar2*>(step.pixels + at);
    const uchar2 predictions = *reinterpret_cast<const uchar2*>(step.prediction + at);
    inputs[2 * k] = InputsOf(pixels.x, predictions.x, step.scale.input);
    inputs[2 * k + 1] = InputsOf(pixels.y, predictions.y, step.scale.input);
  }
  return {Pair(inputs[0].pixel, inputs[1].pixel), Pair(inputs[2].pixel, inputs[3].pixel),
          Pair(inputs[0].prediction, inputs[1].prediction),
          Pair(inputs[2].prediction, inputs[3].prediction)};
}

// What is kept of a position between layers, in 16 bytes each.
template <int kChannels>
__device__ size_t PlaceOf(const NetworkStep& step, int y, int x) {
  return (static_cast<size_t>(y - step.top) * step.stride + (x - step.left)) *
         (kChannels / kVector);
}

// A rectangle's layer. kInputs is kNetworkInputs for the first, kOutputs kNetworkOutputs for the
// last one.
template <int kInputs, int kOutputs, OutputRule kRule>
class Rectangle {
 public:
  static constexpr int kInputVectors = kInputs / kVector;
  static constexpr int kTapInputs = TapInputs(kInputs);
  static constexpr int kProducts = Products(kInputs), kTiles = OutputTiles(kOutputs);

  // The bytes of a position's values. What is behind the last has weights of 0. With 16 bytes more
  // eight neighbours are in different banks.
  struct alignas(16) Position {
    uint8_t low[kTapInputs], high[kTapInputs], unused[16];
  };
  struct Shared {
    Position inputs[kInputRows * kInputColumns];
    alignas(16) uint2 weights[kProducts][kTiles][32];
    int starts[kOutputs], shifts[kOutputs];
  };

  __device__ Rectangle(const NetworkStep& step, Shared& shared)
      : step_(step),
        shared_(shared),
        top_(step.computed.top + static_cast<int>(blockIdx.y) * kRows),
        left_(step.computed.left + static_cast<int>(blockIdx.x) * kColumns),
        lane_(static_cast<int>(threadIdx.x) % 32) {}

  __device__ void Run() {
    Load();
    __syncthreads();
    for (int row = static_cast<int>(threadIdx.x) / 32; row < kRows; row += kWarps) {
      if (top_ + row >= step_.computed.bottom) return;
      Sums sums;
      Sum(row, sums);
#pragma unroll
      for (int tile = 0; tile < kRowTiles; ++tile)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int x = left_ + tile * kTileRows + half * (kTileRows / 2) + lane_ / 4;
          if (x < step_.computed.right) Store(top_ + row, x, sums, tile, half);
        }
    }
  }

 private:
  // By tile of positions, tile of outputs, and what a lane has of it: for two positions, eight
  // apart, two outputs.
  struct Sums {
    int low[kRowTiles][kTiles][4], high[kRowTiles][kTiles][4];
  };

  __device__ void Load() {
    const int thread = static_cast<int>(threadIdx.x);
    for (int k = thread; k < kInputRows * kInputColumns * kInputVectors; k += kThreads) {
      const int number = k / kInputVectors, vector = k % kInputVectors;
      const int y = top_ - 1 + number / kInputColumns, x = left_ - 1 + number % kInputColumns;
      const uint4 values = InputsAt(y, x, vector);
      Position& position = shared_.inputs[number];
      constexpr unsigned kLow = 0x6420, kHigh = 0x7531;
      *reinterpret_cast<uint2*>(&position.low[vector * kVector]) = {
          __byte_perm(values.x, values.y, kLow), __byte_perm(values.z, values.w, kLow)};
      *reinterpret_cast<uint2*>(&position.high[vector * kVector]) = {
          __byte_perm(values.x, values.y, kHigh), __byte_perm(values.z, values.w, kHigh)};
    }
    constexpr int kWeightVectors = sizeof(shared_.weights) / sizeof(uint4);
    for (int k = thread; k < kWeightVectors; k += kThreads)
      reinterpret_cast<uint4*>(&shared_.weights)[k] =
          reinterpret_cast<const uint4*>(step_.weights)[k];
    if (thread < kOutputs) {
      shared_.starts[thread] = step_.starts[thread];
      shared_.shifts[thread] = step_.shifts[thread];
    }
  }

  __device__ uint4 InputsAt(int y, int x, int vector) const {
    const NetworkArea& known = step_.known;
    if (y < known.top || y >= known.bottom || x < known.left || x >= known.right)
      return {0, 0, 0, 0};
    if constexpr (kInputs == kNetworkInputs)
      return PixelsAt(step_, y, x);
    else
      return reinterpret_cast<const uint4*>(step_.from)[PlaceOf<kInputs>(step_, y, x) + vector];
  }

  // The output that a lane has first of a tile's.
  __device__ int FirstOutput(int tile) const { return tile * kTileOutputs + lane_ % 4 * 2; }

  __device__ void Sum(int row, Sums& sums) const {
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile)
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const int output = FirstOutput(tile) + k % 2;
        const int start = output < kOutputs ? shared_.starts[output] : 0;
#pragma unroll
        for (int of = 0; of < kRowTiles; ++of) {
          sums.low[of][tile][k] = start;
          sums.high[of][tile][k] = 0;
        }
      }
#pragma unroll
    for (int product = 0; product < kProducts; ++product) {
      // Of which this lane gives the place.
      const int half = lane_ / kTileRows;
      const int tap = kTapInputs == kTileInputs ? product : min(2 * product + half, kTaps - 1);
      const int first_input = kTapInputs == kTileInputs ? half * (kTileInputs / 2) : 0;
      const Position* const from =
          &shared_.inputs[(row + tap / 3) * kInputColumns + tap % 3 + lane_ % kTileRows];
      uint32_t low[kRowTiles][4], high[kRowTiles][4];
#pragma unroll
      for (int of = 0; of < kRowTiles; ++of) {
        LoadTile(low[of], &from[of * kTileRows].low[first_input]);
        LoadTile(high[of], &from[of * kTileRows].high[first_input]);
      }
#pragma unroll
      for (int tile = 0; tile < kTiles; ++tile) {
        const uint2 weights = shared_.weights[product][tile][lane_];
#pragma unroll
        for (int of = 0; of < kRowTiles; ++of) {
          MultiplyAdd<false>(sums.low[of][tile], low[of], weights);
          MultiplyAdd<true>(sums.high[of][tile], high[of], weights);
        }
      }
    }
  }

  __device__ int16_t Output(int sum, int output, int added) const {
    return OutputOf(sum, shared_.shifts[output], kRule, added);
  }

  __device__ void Store(int y, int x, const Sums& sums, int of, int half) const {
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
      const int output = FirstOutput(tile);
      if (output >= kOutputs) return;
      const auto sum = [&](int k) {
        return sums.low[of][tile][2 * half + k] + sums.high[of][tile][2 * half + k] * 256;
      };
      if constexpr (kOutputs == kNetworkOutputs)
        StorePixels(y, x, output, sum(0), sum(1));
      else
        StoreValues(y, x, output, sum(0), sum(1));
    }
  }

  // Two outputs beside each other.
  __device__ void StoreValues(int y, int x, int output, int first, int second) const {
    uint32_t* const to =
        reinterpret_cast<uint32_t*>(step_.to + PlaceOf<kOutputs>(step_, y, x) * kVector + output);
    const uint32_t before = kRule == OutputRule::kAdded ? *to : 0;
    *to = Pair(Output(first, output, static_cast<int16_t>(before & 0xffff)),
               Output(second, output + 1, static_cast<int16_t>(before >> 16)));
  }

  // Two pixels beside each other, those of the upper row or of the lower.
  __device__ void StorePixels(int y, int x, int output, int first, int second) const {
    const size_t row_pixels = size_t{2} * step_.stride;
    const size_t filtered_row = size_t{2} * step_.computed.columns();
    const int row = output / 2;
    const uchar2 pixels = *reinterpret_cast<const uchar2*>(
        step_.pixels + (2 * (y - step_.top) + row) * row_pixels + 2 * (x - step_.left));
    uchar2* const filtered = reinterpret_cast<uchar2*>(
        step_.filtered + (2 * (y - step_.computed.top) + row) * filtered_row +
        2 * (x - step_.computed.left));
    *filtered = {CorrectedPixel(pixels.x, Output(first, output, 0), step_.scale.output),
                 CorrectedPixel(pixels.y, Output(second, output + 1, 0), step_.scale.output)};
  }

  const NetworkStep& step_;
  Shared& shared_;
  const int top_, left_;  // of the rectangle
  const int lane_;
};

template <int kInputs, int kOutputs, OutputRule kRule>
__global__ void __launch_bounds__(kThreads) ComputeLayer(const __grid_constant__ NetworkStep step) {
  using Work = Rectangle<kInputs, kOutputs, kRule>;
  __shared__ typename Work::Shared shared;
  Work(step, shared).Run();
}

using Kernel = void (*)(NetworkStep);

template <int kChannels>
Kernel KernelOf(int layer, OutputRule rule) {
  if (layer == 0) return ComputeLayer<kNetworkInputs, kChannels, OutputRule::kRelu>;
  if (rule == OutputRule::kPlain)
    return ComputeLayer<kChannels, kNetworkOutputs, OutputRule::kPlain>;
  return rule == OutputRule::kRelu ? ComputeLayer<kChannels, kChannels, OutputRule::kRelu>
                                   : ComputeLayer<kChannels, kChannels, OutputRule::kAdded>;
}

Kernel KernelOf(NetworkKind kind, int layer) {
  constexpr int kSmall = ShapeOfNetwork(NetworkKind::kSmall).channels;
  constexpr int kOther = ShapeOfNetwork(NetworkKind::kLarge).channels;
  const NetworkShape shape = ShapeOfNetwork(kind);
  const OutputRule rule = RuleOfLayer(layer, shape.layers());
  return shape.channels == kSmall ? KernelOf<kSmall>(layer, rule) : KernelOf<kOther>(layer, rule);
}

}  // namespace

size_t NetworkWordCount(const NetworkLayer& layer) {
  return size_t{32} * kLaneWords * Products(layer.inputs) * OutputTiles(layer.outputs);
}

std::vector<uint32_t> NetworkWords(const NetworkLayer& layer) {
  std::vector<uint32_t> words(NetworkWordCount(layer));
  for (size_t number = 0; number < words.size(); ++number) {
    const int half = number % kLaneWords, lane = number / kLaneWords % 32;
    const int tile = static_cast<int>(number / (32 * kLaneWords));
    const int tiles = OutputTiles(layer.outputs), tap_inputs = TapInputs(layer.inputs);
    const int place = half * (kTileInputs / 2) + lane % 4 * kWeights;  // among a product's inputs
    const int tap = tile / tiles * TapsTogether(layer.inputs) + place / tap_inputs;
    const int input = place % tap_inputs, output = tile % tiles * kTileOutputs + lane / 4;
    if (tap >= kTaps || input >= layer.inputs || output >= layer.outputs) continue;
    const int8_t* from = &layer.weights[(size_t{kTaps} * output + tap) * layer.inputs + input];
    for (int k = 0; k < kWeights; ++k)
      words[number] |= static_cast<uint32_t>(static_cast<uint8_t>(from[k])) << (8 * k);
  }
  return words;
}

cudaError_t LaunchNetworkLayer(NetworkKind kind, int layer, const NetworkStep& step,
                               cudaStream_t stream) {
  cudaLaunchConfig_t launch = {};
  launch.gridDim = dim3((step.computed.columns() + kColumns - 1) / kColumns,
                        (step.computed.rows() + kRows - 1) / kRows);
  launch.blockDim = dim3(kThreads);
  launch.stream = stream;
  return cudaLaunchKernelEx(&launch, KernelOf(kind, layer), step);
}

}  // namespace mmp::cuda
