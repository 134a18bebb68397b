#include "codec/pixel/pixel_coder.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "codec/pixel/bit_port.h"
#include "codec/pixel/pixel_codec.h"
#include "codec/pixel/value_map.h"

namespace mmp {
namespace {

bool IsValid(const PixelFormat& format, int width, int height) {
  return format.depth >= 1 && format.depth <= 16 && format.max_error >= 0 &&
         format.max_error <= 65535 && (format.effort == 1 || format.effort == 2) && width >= 1 &&
         width <= kMaxPixelRectangleSize && height >= 1 && height <= kMaxPixelRectangleSize;
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

// Whether many samples are equal to the one on their left, as in drawings and on flat backgrounds.
bool HasRepeats(const std::vector<uint16_t>& samples) {
  size_t equal = 0;
  for (size_t i = 1; i < samples.size(); ++i) equal += samples[i] == samples[i - 1];
  return equal > samples.size() / 5;
}

}  // namespace

std::vector<uint8_t> EncodePixels(const PixelView& view, const PixelFormat& format,
                                  std::vector<uint16_t>* reconstruction) {
  assert(IsValid(format, view.width, view.height));
  std::vector<uint16_t> samples = Gather(view);
  const bool lossless = format.max_error == 0;
  BinaryEncoder encoder;
  BitPort port(encoder);
  ValueMap map = ChooseValues(samples, lossless);
  const bool valid = CodeValueMap(port, format.depth, lossless, map);
  assert(valid);
  (void)valid;
  if (map.values.size() > 1) {
    std::vector<uint16_t> index(65536);
    for (size_t i = 0; i < map.values.size(); ++i) index[map.values[i]] = static_cast<uint16_t>(i);
    for (uint16_t& sample : samples) sample = index[sample];
    const bool exact = lossless && port.EvenBit(HasRepeats(samples));
    CodePixelPlane(port,
                   {samples.data(), view.width, view.width, view.height,
                    static_cast<int>(map.values.size()), format.max_error, exact},
                   format.effort, nullptr);
    for (uint16_t& sample : samples) sample = map.values[sample];
  }
  if (reconstruction != nullptr) *reconstruction = std::move(samples);
  return encoder.Finish();
}

Status DecodePixels(std::span<const uint8_t> stream, const PixelFormat& format, int width,
                    int height, uint16_t* samples, ptrdiff_t stride) {
  if (!IsValid(format, width, height))
    return {StatusCode::kInvalidArgument, "format or size of the rectangle of pixels out of range"};
  const bool lossless = format.max_error == 0;
  BinaryDecoder decoder(stream);
  BitPort port(decoder);
  ValueMap map;
  if (!CodeValueMap(port, format.depth, lossless, map) || decoder.Overrun())
    return {StatusCode::kCorrupt, "malformed list of sample values"};
  if (map.values.size() > 1) {
    const bool exact = lossless && port.EvenBit(0);
    const PixelPlane plane = {
        samples,          stride, width, height, static_cast<int>(map.values.size()),
        format.max_error, exact};
    if (!CodePixelPlane(port, plane, format.effort, &decoder))
      return {StatusCode::kCorrupt, "stream of pixels ends too early"};
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
