#include "cuda/kernels/network_kernel.h"

namespace mmp::cuda {
namespace {

// A block computes a rectangle of positions, a thread some that lie below each other.
constexpr int kColumns = 32, kRows = 8, kThreads = 128;
constexpr int kThreadRows = kThreads / kColumns;
constexpr int kPositions = kRows / kThreadRows;  // of a thread
constexpr int kInputColumns = kColumns + 2, kInputRows = kRows + 2;
constexpr int kVector = 8;   // values in 16 bytes
constexpr int kWeights = 4;  // in a word

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

  struct Shared {
    uint4 inputs[kInputRows * kInputColumns][kInputVectors];
    uint4 weights[9][kInputs / kWeights][kOutputs / kWeights];
    int starts[kOutputs], shifts[kOutputs];
  };

  __device__ Rectangle(const NetworkStep& step, Shared& shared)
      : step_(step),
        shared_(shared),
        top_(step.computed.top + static_cast<int>(blockIdx.y) * kRows),
        left_(step.computed.left + static_cast<int>(blockIdx.x) * kColumns),
        row_(static_cast<int>(threadIdx.x) / kColumns),
        column_(static_cast<int>(threadIdx.x) % kColumns) {}

  __device__ void Run() {
    Load();
    __syncthreads();
    int sums[kPositions][kOutputs];
    Sum(sums);
#pragma unroll
    for (int p = 0; p < kPositions; ++p) {
      const int y = top_ + row_ + p * kThreadRows, x = left_ + column_;
      if (y < step_.computed.bottom && x < step_.computed.right) Store(y, x, sums[p]);
    }
  }

 private:
  __device__ void Load() {
    const int thread = static_cast<int>(threadIdx.x);
    for (int k = thread; k < kInputRows * kInputColumns * kInputVectors; k += kThreads) {
      const int position = k / kInputVectors, vector = k % kInputVectors;
      const int y = top_ - 1 + position / kInputColumns, x = left_ - 1 + position % kInputColumns;
      shared_.inputs[position][vector] = InputsAt(y, x, vector);
    }
    constexpr int kWeightVectors = 9 * (kInputs / kWeights) * (kOutputs / kWeights);
    for (int k = thread; k < kWeightVectors; k += kThreads)
      (&shared_.weights[0][0][0])[k] = reinterpret_cast<const uint4*>(step_.weights)[k];
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

  __device__ void Sum(int (&sums)[kPositions][kOutputs]) const {
#pragma unroll
    for (int p = 0; p < kPositions; ++p)
#pragma unroll
      for (int output = 0; output < kOutputs; ++output) sums[p][output] = shared_.starts[output];
#pragma unroll 1
    for (int tap = 0; tap < 9; ++tap) {
      const int first = (row_ + tap / 3) * kInputColumns + column_ + tap % 3;
#pragma unroll
      for (int vector = 0; vector < kInputVectors; ++vector) {
        uint4 values[kPositions];
#pragma unroll
        for (int p = 0; p < kPositions; ++p)
          values[p] = shared_.inputs[first + p * kThreadRows * kInputColumns][vector];
        const auto* weights = &shared_.weights[tap][2 * vector];
        AddProducts(weights[0], values, &uint4::x, &uint4::y, sums);
        AddProducts(weights[1], values, &uint4::z, &uint4::w, sums);
      }
    }
  }

  // Of four inputs, which are two words of each position's.
  __device__ static void AddProducts(const uint4 (&weights)[kOutputs / kWeights],
                                     const uint4 (&values)[kPositions], unsigned uint4::*low,
                                     unsigned uint4::*high, int (&sums)[kPositions][kOutputs]) {
#pragma unroll
    for (int k = 0; k < kOutputs / kWeights; ++k) {
      const uint4 of_outputs = weights[k];
      const int words[] = {static_cast<int>(of_outputs.x), static_cast<int>(of_outputs.y),
                           static_cast<int>(of_outputs.z), static_cast<int>(of_outputs.w)};
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int p = 0; p < kPositions; ++p) {
          int& sum = sums[p][4 * k + i];
          sum = __dp2a_lo(static_cast<int>(values[p].*low), words[i], sum);
          sum = __dp2a_hi(static_cast<int>(values[p].*high), words[i], sum);
        }
    }
  }

  __device__ int16_t Output(int sum, int output, int added) const {
    return OutputOf(sum, shared_.shifts[output], kRule, added);
  }

  __device__ void Store(int y, int x, const int (&sums)[kOutputs]) const {
    if constexpr (kOutputs == kNetworkOutputs)
      StorePixels(y, x, sums);
    else
      StoreValues(y, x, sums);
  }

  __device__ void StoreValues(int y, int x, const int (&sums)[kOutputs]) const {
    uint4* const to = reinterpret_cast<uint4*>(step_.to) + PlaceOf<kOutputs>(step_, y, x);
#pragma unroll
    for (int vector = 0; vector < kOutputs / kVector; ++vector) {
      const uint4 before = kRule == OutputRule::kAdded ? to[vector] : uint4{0, 0, 0, 0};
      const uint32_t added[] = {before.x, before.y, before.z, before.w};
      uint32_t pairs[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const int output = vector * kVector + 2 * k;
        pairs[k] = Pair(Output(sums[output], output, static_cast<int16_t>(added[k] & 0xffff)),
                        Output(sums[output + 1], output + 1, static_cast<int16_t>(added[k] >> 16)));
      }
      to[vector] = {pairs[0], pairs[1], pairs[2], pairs[3]};
    }
  }

  __device__ void StorePixels(int y, int x, const int (&sums)[kOutputs]) const {
    const size_t row_pixels = size_t{2} * step_.stride;
    const size_t filtered_row = size_t{2} * step_.computed.columns();
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const uchar2 pixels = *reinterpret_cast<const uchar2*>(
          step_.pixels + (2 * (y - step_.top) + k) * row_pixels + 2 * (x - step_.left));
      uchar2* const filtered = reinterpret_cast<uchar2*>(
          step_.filtered + (2 * (y - step_.computed.top) + k) * filtered_row +
          2 * (x - step_.computed.left));
      *filtered = {
          CorrectedPixel(pixels.x, Output(sums[2 * k], 2 * k, 0), step_.scale.output),
          CorrectedPixel(pixels.y, Output(sums[2 * k + 1], 2 * k + 1, 0), step_.scale.output)};
    }
  }

  const NetworkStep& step_;
  Shared& shared_;
  const int top_, left_;    // of the rectangle
  const int row_, column_;  // of the thread's first position in it
};

template <int kInputs, int kOutputs, OutputRule kRule>
__global__ void __launch_bounds__(kThreads) ComputeLayer(const __grid_constant__ NetworkStep step) {
  using Work = Rectangle<kInputs, kOutputs, kRule>;
  __shared__ typename Work::Shared shared;
  Work(step, shared).Run();
}

using Kernel = void (*)(NetworkStep);

template <NetworkKind kKind>
Kernel KernelOf(int layer) {
  constexpr int kChannels = ShapeOfNetwork(kKind).channels;
  constexpr int kLayers = ShapeOfNetwork(kKind).layers();
  if (layer == 0) return ComputeLayer<kNetworkInputs, kChannels, RuleOfLayer(0, kLayers)>;
  if (layer == kLayers - 1)
    return ComputeLayer<kChannels, kNetworkOutputs, RuleOfLayer(kLayers - 1, kLayers)>;
  return RuleOfLayer(layer, kLayers) == OutputRule::kRelu
             ? ComputeLayer<kChannels, kChannels, OutputRule::kRelu>
             : ComputeLayer<kChannels, kChannels, OutputRule::kAdded>;
}

Kernel KernelOf(NetworkKind kind, int layer) {
  if (IsSmall(kind)) return KernelOf<NetworkKind::kSmall>(layer);
  return kind == NetworkKind::kLarge ? KernelOf<NetworkKind::kLarge>(layer)
                                     : KernelOf<NetworkKind::kFirstDeep>(layer);
}

}  // namespace

std::vector<uint32_t> NetworkWords(const NetworkLayer& layer) {
  std::vector<uint32_t> words;
  for (int tap = 0; tap < 9; ++tap)
    for (int input = 0; input < layer.inputs; input += kWeights)
      for (int output = 0; output < layer.outputs; ++output) {
        const int8_t* from = &layer.weights[(size_t{9} * output + tap) * layer.inputs + input];
        uint32_t word = 0;
        for (int k = 0; k < kWeights; ++k)
          word |= static_cast<uint32_t>(static_cast<uint8_t>(from[k])) << (8 * k);
        words.push_back(word);
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
