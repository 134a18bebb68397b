// The integers of the network filter, for threads and devices. Normative: docs/format.md, "Network
// filter".
#ifndef MMP_CODEC_POSTFILTER_NETWORK_ARITHMETIC_H_
#define MMP_CODEC_POSTFILTER_NETWORK_ARITHMETIC_H_

#include <array>
#include <cstdint>

#include "codec/postfilter/network_weights.h"

namespace mmp {

// What becomes of an output r, which is limited to 16 bits before.
enum class OutputRule : uint8_t {
  kPlain,  // it is the result
  kRelu,   // 0 takes the place of what is negative
  kAdded,  // it is added to a value of an earlier layer, limited to 16 bits
};

// That of layer number `layer` of so many.
constexpr OutputRule RuleOfLayer(int layer, int layers) {
  if (layer == layers - 1) return OutputRule::kPlain;
  return layer == 0 || layer % 2 == 1 ? OutputRule::kRelu : OutputRule::kAdded;
}

// What differences of pixels are multiplied by to be inputs, in 1/256, and outputs to be
// corrections of pixels, in 1/16384. The one halves where noise is twice as large, which is four
// levels on, the other doubles.
struct NetworkScale {
  int input, output;
};

// By level - 1.
inline constexpr std::array<NetworkScale, kNetworkLevels> kNetworkScales = {
    {{6889, 304}, {5793, 362},  {4871, 431},  {4096, 512},  {3444, 609},  {2896, 724},
     {2435, 861}, {2048, 1024}, {1722, 1218}, {1448, 1448}, {1218, 1722}, {1024, 2048},
     {861, 2435}, {724, 2896},  {609, 3444},  {512, 4096},  {431, 4871},  {362, 5793},
     {304, 6889}, {256, 8192},  {215, 9742},  {181, 11585}}};

constexpr int RoundedShift(int value, int shift) { return (value + (1 << (shift - 1))) >> shift; }

struct PixelInputs {
  int16_t pixel, prediction;
};

inline constexpr int kMiddleGray = 128;
inline constexpr int kInputShift = 8, kOutputShift = 14;  // of NetworkScale's units

// The two inputs of a pixel and what was predicted of it.
constexpr PixelInputs InputsOf(int pixel, int prediction, int input_scale) {
  return {static_cast<int16_t>(RoundedShift((pixel - kMiddleGray) * input_scale, kInputShift)),
          static_cast<int16_t>(RoundedShift((prediction - pixel) * input_scale, kInputShift))};
}

constexpr int16_t LimitedTo16(int value) {
  return static_cast<int16_t>(value < -32768 ? -32768 : value > 32767 ? 32767 : value);
}

// The value of a sum that begins with NetworkLayer::Start; `added` is for kAdded.
constexpr int16_t OutputOf(int32_t sum, int shift, OutputRule rule, int added) {
  const int value = LimitedTo16(sum >> shift);
  if (rule == OutputRule::kRelu) return static_cast<int16_t>(value < 0 ? 0 : value);
  return rule == OutputRule::kAdded ? LimitedTo16(value + added) : static_cast<int16_t>(value);
}

// The pixel that the last layer's output corrects.
constexpr uint8_t CorrectedPixel(int pixel, int output, int output_scale) {
  const int corrected = pixel + RoundedShift(output * output_scale, kOutputShift);
  return static_cast<uint8_t>(corrected < 0 ? 0 : corrected > 255 ? 255 : corrected);
}

}  // namespace mmp

#endif  // MMP_CODEC_POSTFILTER_NETWORK_ARITHMETIC_H_
