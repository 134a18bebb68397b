#include "codec/pixel/pixel_coder.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <memory>
#include <utility>

#include "codec/pixel/bit_port.h"
#include "codec/pixel/pixel_codec.h"
#include "codec/pixel/repeat_coder.h"
#include "codec/pixel/value_map.h"

namespace mmp {
namespace {

bool IsValid(const PixelFormat& format, int width, int height) {
  return format.depth >= 1 && format.depth <= 16 && format.max_error >= 0 &&
         format.max_error <= 65535 && (format.max_error > 0 || !format.by_means) &&
         (format.effort == 1 || format.effort == 2) && width >= 1 &&
         width <= kMaxPixelRectangleSize && height >= 1 && height <= kMaxPixelRectangleSize;
}

// How far a value may be from the middle of its cell.
int ReachOf(const PixelFormat& format) {
  return format.by_means ? format.max_error / 2 : format.max_error;
}

std::vector<uint16_t> Gather(const PixelView& view) {
  std::vector<uint16_t> samples;
  samples.reserve(static_cast<size_t>(view.width) * view.height);
  for (int y = 0; y < view.height; ++y) {
    const uint16_t* row = view.samples + y * view.stride;
    samples.insert(samples.end(), row, row + view.width);
  }
  return samples;
}

// Lossless: the values that occur, if some between them do not.
ValueMap ChooseValues(const std::vector<uint16_t>& samples, bool lossless) {
  const auto [lowest, highest] = std::minmax_element(samples.begin(), samples.end());
  std::vector<bool> occurs(65536, !lossless);
  for (const uint16_t sample : samples) occurs[sample] = true;
  ValueMap map;
  for (int value = *lowest; value <= *highest; ++value)
    if (occurs[value]) map.values.push_back(static_cast<uint16_t>(value));
  map.mapped = static_cast<int>(map.values.size()) < *highest - *lowest + 1;
  return map;
}

size_t CountRepeats(const std::vector<uint16_t>& samples) {
  size_t equal = 0;
  for (size_t i = 1; i < samples.size(); ++i) equal += samples[i] == samples[i - 1];
  return equal;
}

// How the indices of values are coded.
enum class Method {
  kPlain,    // by predictions
  kExact,    // and by exact contexts
  kRepeats,  // by repeats alone
};

// Where many samples are equal to the one before, as in drawings and on flat backgrounds, exact
// contexts help; where most are, repeats alone may be better.
std::vector<Method> MethodsToTry(const std::vector<uint16_t>& samples, bool lossless, int values) {
  const size_t repeats = CountRepeats(samples);
  if (!lossless || repeats <= samples.size() / 5) return {Method::kPlain};
  if (repeats <= samples.size() / 2 || values == 1 || values > kMostRepeatValues)
    return {Method::kExact};
  return {Method::kExact, Method::kRepeats};
}

// The value that samples outside of the rectangle are taken to have. False if it is none.
bool CodeOutside(BitPort& port, int values, int& outside) {
  outside = port.EvenBits(std::bit_width(static_cast<uint32_t>(values - 1)), outside);
  return outside < values;
}

int MostFrequent(const std::vector<uint16_t>& samples, int values) {
  std::vector<size_t> counts(static_cast<size_t>(values));
  for (const uint16_t sample : samples) ++counts[sample];
  return static_cast<int>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

// The stream of a rectangle by a method, as far as `goes_on` says. `samples`, rows without gaps,
// are indices of the map's values, and become those of what a decoder makes of them.
std::vector<uint8_t> EncodeBy(Method method, const PixelView& view, const PixelFormat& format,
                              ValueMap map, std::vector<uint16_t>& samples, const GoesOn& goes_on) {
  const bool lossless = format.max_error == 0;
  const int values = static_cast<int>(map.values.size());
  BinaryEncoder encoder;
  BitPort port(encoder);
  map.repeats = method == Method::kRepeats;
  const bool valid = CodeValueMap(port, format.depth, lossless, map);
  assert(valid);
  (void)valid;
  if (map.repeats) {
    int outside = MostFrequent(samples, values);
    CodeOutside(port, values, outside);
    const PixelPlane plane = {samples.data(), view.width, view.width, view.height,
                              values,         0,          false,      false};
    std::make_unique<RepeatCoder>(port, plane, outside)->Run(goes_on);
  } else if (values > 1) {
    const bool exact = lossless && port.EvenBit(method == Method::kExact);
    const PixelPlane plane = {samples.data(), view.width,      view.width,      view.height,
                              values,         ReachOf(format), format.by_means, exact};
    CodePixelPlane(port, plane, format.effort, goes_on);
  }
  return encoder.Finish();
}

// Decodes to indices of the map's values, of which there are at least two. False if the stream is
// malformed, or `goes_on` says so.
bool DecodeIndices(BitPort& port, const GoesOn& goes_on, const ValueMap& map,
                   const PixelFormat& format, PixelPlane plane) {
  plane.values = static_cast<int>(map.values.size());
  if (map.repeats) {
    int outside = 0;
    return CodeOutside(port, plane.values, outside) &&
           std::make_unique<RepeatCoder>(port, plane, outside)->Run(goes_on);
  }
  plane.reach = ReachOf(format);
  plane.by_means = format.by_means;
  plane.exact = format.max_error == 0 && port.EvenBit(0);
  return CodePixelPlane(port, plane, format.effort, goes_on);
}

}  // namespace

std::vector<uint8_t> EncodePixels(const PixelView& view, const PixelFormat& format,
                                  std::vector<uint16_t>* reconstruction, const GoesOn& goes_on) {
  assert(IsValid(format, view.width, view.height));
  std::vector<uint16_t> samples = Gather(view);
  const ValueMap map = ChooseValues(samples, format.max_error == 0);
  const int values = static_cast<int>(map.values.size());
  std::vector<uint16_t> index(65536);
  for (int i = 0; i < values; ++i) index[map.values[i]] = static_cast<uint16_t>(i);
  for (uint16_t& sample : samples) sample = index[sample];
  bool is_stopped = false;
  const auto row_goes_on = [&] {
    is_stopped = is_stopped || (goes_on && !goes_on());
    return !is_stopped;
  };
  std::vector<std::vector<uint8_t>> streams;
  for (const Method method : MethodsToTry(samples, format.max_error == 0, values))
    streams.push_back(EncodeBy(method, view, format, map, samples, row_goes_on));
  if (is_stopped) return {};
  for (uint16_t& sample : samples) sample = map.values[sample];
  if (reconstruction != nullptr) *reconstruction = std::move(samples);
  return *std::min_element(streams.begin(), streams.end(),
                           [](const auto& a, const auto& b) { return a.size() < b.size(); });
}

Status DecodePixels(std::span<const uint8_t> stream, const PixelFormat& format, int width,
                    int height, uint16_t* samples, ptrdiff_t stride, const GoesOn& goes_on) {
  if (!IsValid(format, width, height))
    return {StatusCode::kInvalidArgument, "format or size of the rectangle of pixels out of range"};
  const bool lossless = format.max_error == 0;
  BinaryDecoder decoder(stream);
  BitPort port(decoder);
  ValueMap map;
  if (!CodeValueMap(port, format.depth, lossless, map) || decoder.Overrun())
    return {StatusCode::kCorrupt, "malformed list of sample values"};
  if (map.values.size() > 1) {
    const PixelPlane plane = {samples, stride, width, height, 0, 0, false, false};
    bool is_stopped = false;
    const auto row_goes_on = [&] {
      if (decoder.Overrun()) return false;
      is_stopped = goes_on && !goes_on();
      return !is_stopped;
    };
    if (!DecodeIndices(port, row_goes_on, map, format, plane))
      return is_stopped ? Status(StatusCode::kCancelled, "decoding of pixels was stopped")
                        : Status(StatusCode::kCorrupt, "stream of pixels ends too early");
  } else {
    for (int y = 0; y < height; ++y) std::fill_n(samples + y * stride, width, uint16_t{0});
  }
  if (decoder.Overrun()) return {StatusCode::kCorrupt, "stream of pixels ends too early"};
  if (!decoder.AllRead()) return {StatusCode::kCorrupt, "stream of pixels has unread bytes"};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) samples[y * stride + x] = map.values[samples[y * stride + x]];
  return {};
}

}  // namespace mmp
