#include "codec/pixel/pixel_coder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <memory>
#include <utility>

#include "codec/base/fixed_log2.h"
#include "codec/pixel/bit_port.h"
#include "codec/pixel/jpeg_coder.h"
#include "codec/pixel/pixel_codec.h"
#include "codec/pixel/repeat_coder.h"
#include "codec/pixel/value_map.h"

namespace mmp {
namespace {

bool IsValid(const PixelFormat& format, int width, int height) {
  return format.depth >= 1 && format.depth <= 16 && format.max_error >= 0 &&
         format.max_error <= 65535 && (format.max_error > 0 || !format.by_means) &&
         (format.depth == 8 || !format.may_be_jpeg) && (format.effort == 1 || format.effort == 2) &&
         width >= 1 && width <= kMaxPixelRectangleSize && height >= 1 &&
         height <= kMaxPixelRectangleSize && int64_t{width} * height <= kMaxPixelRectanglePixels;
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
  if (format.may_be_jpeg) port.EvenBit(0);
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

// Whether a stream of so many bytes is beyond doubt shorter than what samples, of 8 bits and in
// rows of `width`, would take otherwise: less than half of the entropy of how far they are from
// medians.
bool IsShort(size_t bytes, const std::vector<uint16_t>& samples, size_t width) {
  if (CountRepeats(samples) > samples.size() / 2) return false;
  std::array<uint32_t, 512> counts{};
  for (size_t i = width + 1; i < samples.size(); ++i) {
    const int west = samples[i - 1], north = samples[i - width];
    const int gradient = west + north - samples[i - width - 1];
    const int median = std::clamp(gradient, std::min(west, north), std::max(west, north));
    ++counts[samples[i] - median + 256];
  }
  int64_t bits = 0;  // q12
  for (const uint32_t count : counts)
    if (count > 0)
      bits += int64_t{count} * (Log2Q12(static_cast<uint32_t>(samples.size())) - Log2Q12(count));
  return static_cast<int64_t>(2 * 8 * bytes) << 12 < bits;
}

// The stream of a rectangle that was a JPEG file; `samples` become those of what a decoder makes of
// them.
std::vector<uint8_t> EncodeJpeg(JpegPicture jpeg, const PixelFormat& format, int width, int height,
                                std::vector<uint16_t>& samples, const GoesOn& goes_on) {
  BinaryEncoder encoder;
  BitPort port(encoder);
  port.EvenBit(1);
  CodeJpegPicture(port, width, height, &jpeg);
  const JpegPlane plane = {samples.data(), width, width, height, format.max_error};
  std::make_unique<JpegCoder>(port, jpeg, plane)->Run(goes_on);
  return encoder.Finish();
}

bool DecodeJpeg(BitPort& port, const GoesOn& goes_on, const JpegPlane& plane) {
  JpegPicture jpeg = CodeJpegPicture(port, plane.width, plane.height, nullptr);
  return std::make_unique<JpegCoder>(port, jpeg, plane)->Run(goes_on);
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
                                  std::vector<uint16_t>* reconstruction, const GoesOn& goes_on,
                                  const JpegPicture* jpeg) {
  assert(IsValid(format, view.width, view.height) && (jpeg == nullptr || format.may_be_jpeg));
  std::vector<uint16_t> samples = Gather(view);
  bool is_stopped = false;
  const auto row_goes_on = [&] {
    is_stopped = is_stopped || (goes_on && !goes_on());
    return !is_stopped;
  };
  std::vector<std::vector<uint8_t>> streams;
  if (jpeg != nullptr) {
    streams.push_back(EncodeJpeg(*jpeg, format, view.width, view.height, samples, row_goes_on));
    if (format.max_error > 0 ||
        IsShort(streams.back().size(), samples, static_cast<size_t>(view.width))) {
      if (reconstruction != nullptr) *reconstruction = std::move(samples);
      return is_stopped ? std::vector<uint8_t>() : streams.back();
    }
  }
  const ValueMap map = ChooseValues(samples, format.max_error == 0);
  const int values = static_cast<int>(map.values.size());
  std::vector<uint16_t> index(65536);
  for (int i = 0; i < values; ++i) index[map.values[i]] = static_cast<uint16_t>(i);
  for (uint16_t& sample : samples) sample = index[sample];
  for (const Method method : MethodsToTry(samples, format.max_error == 0, values))
    streams.push_back(EncodeBy(method, view, format, map, samples, row_goes_on));
  if (is_stopped) return {};
  for (uint16_t& sample : samples) sample = map.values[sample];
  if (reconstruction != nullptr) *reconstruction = std::move(samples);
  return *std::min_element(streams.begin(), streams.end(),
                           [](const auto& a, const auto& b) { return a.size() < b.size(); });
}

bool IsOfJpeg(std::span<const uint8_t, kBytesThatSayJpeg> beginning, const PixelFormat& format) {
  BinaryDecoder decoder(beginning);
  return format.may_be_jpeg && BitPort(decoder).EvenBit(0) != 0;
}

Status DecodePixels(std::span<const uint8_t> stream, const PixelFormat& format, int width,
                    int height, uint16_t* samples, ptrdiff_t stride, const GoesOn& goes_on) {
  if (!IsValid(format, width, height))
    return {StatusCode::kInvalidArgument, "format or size of the rectangle of pixels out of range"};
  const bool lossless = format.max_error == 0;
  BinaryDecoder decoder(stream);
  BitPort port(decoder);
  bool is_stopped = false;
  const auto row_goes_on = [&] {
    if (decoder.Overrun()) return false;
    is_stopped = goes_on && !goes_on();
    return !is_stopped;
  };
  const auto ended_early = [&] {
    return is_stopped ? Status(StatusCode::kCancelled, "decoding of pixels was stopped")
                      : Status(StatusCode::kCorrupt, "stream of pixels ends too early");
  };
  const auto check_end = [&]() -> Status {
    if (decoder.Overrun()) return {StatusCode::kCorrupt, "stream of pixels ends too early"};
    if (!decoder.AllRead()) return {StatusCode::kCorrupt, "stream of pixels has unread bytes"};
    return {};
  };
  if (format.may_be_jpeg && port.EvenBit(0)) {
    if (!DecodeJpeg(port, row_goes_on, {samples, stride, width, height, format.max_error}))
      return ended_early();
    return check_end();
  }
  ValueMap map;
  if (!CodeValueMap(port, format.depth, lossless, map) || decoder.Overrun())
    return {StatusCode::kCorrupt, "malformed list of sample values"};
  if (map.values.size() > 1) {
    const PixelPlane plane = {samples, stride, width, height, 0, 0, false, false};
    if (!DecodeIndices(port, row_goes_on, map, format, plane)) return ended_early();
  } else {
    for (int y = 0; y < height; ++y) std::fill_n(samples + y * stride, width, uint16_t{0});
  }
  MMP_RETURN_IF_ERROR(check_end());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) samples[y * stride + x] = map.values[samples[y * stride + x]];
  return {};
}

}  // namespace mmp
