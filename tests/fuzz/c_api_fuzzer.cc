// The interface in C with arbitrary values of all options: encoding an image, then decoding what
// that made, or what the input has in its place. The first bytes are calls to make, the rest
// samples or a file.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "mmp/mmp_c.h"
#include "tests/fuzz/fuzz_input.h"

namespace mmp {
namespace {

template <auto kFree>
struct FreeBy {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using EncodeOptionsInC = std::unique_ptr<mmp_encode_options, FreeBy<mmp_encode_options_free>>;
using DecodeOptionsInC = std::unique_ptr<mmp_decode_options, FreeBy<mmp_decode_options_free>>;
using ImageInC = std::unique_ptr<mmp_image, FreeBy<mmp_image_free>>;
using InfoInC = std::unique_ptr<mmp_info, FreeBy<mmp_info_free>>;
using FileInC = std::unique_ptr<uint8_t, FreeBy<mmp_free>>;

// A failure has a message, and is none that means a fault of the library's.
bool Succeeds(mmp_status status) {
  Promise(std::strlen(mmp_status_text(status)) > 0);
  if (status == MMP_OK) return true;
  Promise(status != MMP_INTERNAL_ERROR && status != MMP_OUT_OF_MEMORY && status != MMP_IO);
  Promise(std::strlen(mmp_error_message()) > 0);
  return false;
}

// Cancels when the counter that `context` points to is down to 0.
int CountDown(double done, void* context) {
  Promise(done >= 0 && done <= 1);
  int& left = *static_cast<int*>(context);
  return left-- > 0 ? 1 : 0;
}

int TakeInt(FuzzInput& input) { return static_cast<int>(input.Number(4)); }
// Not many threads, or each input takes long.
int TakeThreads(FuzzInput& input) { return input.Byte() % 4 - 1; }

void SetEncodeOption(mmp_encode_options* options, FuzzInput& input, int* calls_left) {
  switch (input.Byte() % 14) {
    case 0:
      Promise(Succeeds(mmp_encode_options_set_lambda(options, TakeInt(input) / 256.0)));
      break;
    case 1:
      Promise(Succeeds(mmp_encode_options_set_exact_lambda(options, input.Byte())));
      break;
    case 2:
      Promise(Succeeds(mmp_encode_options_set_preset(options, input.Byte() % 5 - 1)));
      break;
    case 3:
      Promise(Succeeds(
          mmp_encode_options_set_dictionary_size(options, static_cast<int>(input.Number(3)))));
      break;
    case 4:
      Promise(Succeeds(mmp_encode_options_set_prediction_level(options, input.Byte() % 28 - 1)));
      break;
    case 5:
      Promise(Succeeds(mmp_encode_options_set_modes(options, input.Number(4))));
      break;
    case 6:
      Promise(Succeeds(mmp_encode_options_set_tools(options, input.Byte() % 34)));
      break;
    case 7: {
      const std::span<const uint8_t> file = input.Take(input.Byte());
      Promise(Succeeds(mmp_encode_options_set_dictionary_file(options, file.data(), file.size())));
      break;
    }
    case 8: {
      const int width = TakeInt(input), height = TakeInt(input);
      Promise(Succeeds(mmp_encode_options_set_tile_size(options, width, height)));
      break;
    }
    case 9:
      Promise(Succeeds(mmp_encode_options_set_backend(options, input.Byte() % 4 - 1)));
      break;
    case 10:
      *calls_left = input.Byte();
      Promise(Succeeds(mmp_encode_options_set_progress(options, CountDown, calls_left)));
      break;
    case 11:
      Promise(Succeeds(mmp_encode_options_set_order(options, input.Byte() % 5 - 1)));
      break;
    case 12:
      Promise(Succeeds(mmp_encode_options_set_max_error(
          options, static_cast<int>(input.Number(2)) - (input.Byte() % 4))));
      break;
    case 13:
      Promise(Succeeds(mmp_encode_options_set_coder(options, input.Byte() % 5 - 1)));
      break;
  }
}

void SetDecodeOption(mmp_decode_options* options, FuzzInput& input, int* calls_left) {
  switch (input.Byte() % 7) {
    case 0:
      Promise(Succeeds(mmp_decode_options_set_threads(options, TakeThreads(input))));
      break;
    case 1:
      Promise(Succeeds(mmp_decode_options_set_max_pixels(options, input.Number(2))));
      break;
    case 2:
      Promise(Succeeds(mmp_decode_options_set_max_work(options, input.Number(4) >> 2)));
      break;
    case 3:
      Promise(Succeeds(mmp_decode_options_set_max_memory(options, input.Number(4))));
      break;
    case 4: {
      const std::span<const uint8_t> file = input.Take(input.Byte());
      Promise(Succeeds(mmp_decode_options_set_dictionary_file(options, file.data(), file.size())));
      break;
    }
    case 5:
      Promise(Succeeds(mmp_decode_options_set_keep_going(options, input.Byte() % 2)));
      break;
    case 6:
      *calls_left = input.Byte();
      Promise(Succeeds(mmp_decode_options_set_progress(options, CountDown, calls_left)));
      break;
  }
}

// Pairs of bytes, without the bits that are not in `mask`.
std::vector<uint16_t> Wide(std::span<const uint8_t> bytes, unsigned mask) {
  std::vector<uint16_t> wide(bytes.size() / 2);
  for (size_t i = 0; i < wide.size(); ++i)
    wide[i] = static_cast<uint16_t>((bytes[2 * i] | bytes[2 * i + 1] << 8) & mask);
  return wide;
}

// A file, or nothing if the options are not valid or the call is cancelled.
std::vector<uint8_t> Encode(FuzzInput& input, std::span<const uint8_t> samples) {
  const EncodeOptionsInC options(mmp_encode_options_new());
  Promise(options != nullptr);
  int calls_left = 0;
  Promise(Succeeds(mmp_encode_options_set_threads(options.get(), TakeThreads(input))));
  for (int count = input.Byte() % 8; count > 0; --count)
    SetEncodeOption(options.get(), input, &calls_left);
  const int width = input.Byte() % 36, height = input.Byte() % 18;
  const int stride = input.Byte();
  const int deep = input.Byte() % 20;  // 0: 8 bits in a byte each; else deep - 1 bits in two
  const unsigned mask = deep == 0 || input.Byte() % 4 == 0 ? 65535 : (1u << (deep - 1)) - 1;
  std::vector<uint8_t> pixels(2 * 48 * 18);
  std::copy_n(samples.begin(), std::min(samples.size(), pixels.size()), pixels.begin());
  const std::vector<uint16_t> wide = Wide(pixels, mask);
  uint8_t* bytes = pixels.data();
  size_t size = 1;
  const bool is_done = Succeeds(deep == 0 ? mmp_encode(pixels.data(), width, height, stride % 48,
                                                       options.get(), &bytes, &size)
                                          : mmp_encode16(wide.data(), width, height, stride % 96,
                                                         deep - 1, options.get(), &bytes, &size));
  const FileInC file(bytes);
  Promise(is_done == (file != nullptr) && is_done == (size > 0));
  return {bytes, bytes + size};
}

void ReadHeader(std::span<const uint8_t> file, int& width, int& height, int& depth) {
  const size_t beginning = std::min<size_t>(file.size(), MMP_MAX_HEADER_BYTES);
  const bool has_size = Succeeds(mmp_read_size(file.data(), beginning, &width, &height));
  Promise(Succeeds(mmp_read_depth(file.data(), beginning, &depth)) == has_size);
  Promise(has_size ? depth >= 1 && depth <= 16 : depth == 0);
  mmp_info* read = nullptr;
  const bool has_info = Succeeds(mmp_info_read(file.data(), file.size(), &read));
  const InfoInC info(read);
  Promise(has_info == (info != nullptr) && (has_size || !has_info));
  if (!has_info) return;
  uint32_t hash = 0;
  Promise(mmp_info_width(info.get()) == width && mmp_info_height(info.get()) == height);
  Promise(mmp_info_depth(info.get()) == depth);
  Promise(mmp_info_coder(info.get()) == MMP_CODER_PATTERNS ||
          mmp_info_coder(info.get()) == MMP_CODER_PIXELS);
  Promise(mmp_info_max_error(info.get()) >= 0 && mmp_info_max_error(info.get()) < 1 << depth);
  Promise(mmp_info_format_version(info.get()) > 0 && mmp_info_tile_count(info.get()) > 0);
  Promise(mmp_info_preset(info.get()) <= MMP_PRESET_BEST);
  Promise(mmp_info_is_lossless(info.get()) <= 1 && mmp_info_is_signed(info.get()) <= 1);
  Promise(mmp_info_damaged_metadata(info.get()) >= 0);
  const size_t chunks = mmp_info_metadata_count(info.get());
  for (size_t i = 0; i <= chunks; ++i)
    Promise((mmp_info_metadata(info.get(), i).kind > 0) == (i < chunks));
  Promise(mmp_info_order(info.get()) == MMP_ORDER_RASTER ||
          mmp_info_order(info.get()) == MMP_ORDER_WAVEFRONT);
  Promise(mmp_info_needs_dictionary_file(info.get(), &hash) == 1 || hash == 0);
}

void CheckDamagedTiles(const mmp_image* image) {
  const size_t count = mmp_image_damaged_tile_count(image);
  for (size_t i = 0; i <= count; ++i) {
    const mmp_damaged_tile tile = mmp_image_damaged_tile(image, i);
    Promise((std::strlen(tile.reason) > 0) == (i < count));
    Promise(tile.x + tile.width <= mmp_image_width(image));
    Promise(tile.y + tile.height <= mmp_image_height(image));
  }
}

// Decodes once more, to memory of the fuzzer's. `renew` makes the options what they were.
template <typename Renew>
void CheckDeepSamples(const mmp_image* image, std::span<const uint8_t> file,
                      const mmp_decode_options* options, const Renew& renew) {
  const int width = mmp_image_width(image), height = mmp_image_height(image);
  const size_t stride = static_cast<size_t>(width) + 3;  // samples
  std::vector<uint16_t> samples(stride * height);
  renew();
  Promise(Succeeds(mmp_decode16_into(file.data(), file.size(), options, samples.data(), width,
                                     height, 2 * stride)));
  Promise(mmp_image_samples(image) == nullptr);
  const uint16_t* const expected = mmp_image_samples16(image);
  for (int y = 0; y < height; ++y)
    Promise(std::equal(&samples[y * stride], &samples[y * stride] + width,
                       expected + static_cast<size_t>(y) * width));
  std::vector<uint8_t> bytes(stride * height);
  renew();
  Promise(!Succeeds(
      mmp_decode_into(file.data(), file.size(), options, bytes.data(), width, height, stride)));
}

void Decode(FuzzInput& input, std::span<const uint8_t> file) {
  const DecodeOptionsInC options(mmp_decode_options_new());
  Promise(options != nullptr);
  Promise(Succeeds(mmp_decode_options_set_max_pixels(options.get(), 1 << 14)));
  Promise(Succeeds(mmp_decode_options_set_max_work(options.get(), 1 << 28)));
  Promise(Succeeds(mmp_decode_options_set_threads(options.get(), 1)));
  int calls_left = 0;
  for (int count = input.Byte() % 6; count > 0; --count)
    SetDecodeOption(options.get(), input, &calls_left);
  const int calls = calls_left;
  int width = 0, height = 0, depth = 0;
  ReadHeader(file, width, height, depth);

  mmp_image* decoded = nullptr;
  const bool is_done = Succeeds(mmp_decode(file.data(), file.size(), options.get(), &decoded));
  const ImageInC image(decoded);
  Promise(is_done == (image != nullptr));
  if (!is_done) return;
  CheckDamagedTiles(image.get());
  Promise(mmp_image_width(image.get()) == width && mmp_image_height(image.get()) == height);
  Promise(mmp_image_depth(image.get()) == depth);
  if (depth > 8) {
    CheckDeepSamples(image.get(), file, options.get(), [&] { calls_left = calls; });
    return;
  }
  Promise(mmp_image_samples16(image.get()) == nullptr);
  const size_t stride = static_cast<size_t>(width) + 3;
  std::vector<uint8_t> samples(stride * height);
  calls_left = calls;
  Promise(Succeeds(mmp_decode_into(file.data(), file.size(), options.get(), samples.data(), width,
                                   height, stride)));
  const uint8_t* const expected = mmp_image_samples(image.get());
  for (int y = 0; y < height; ++y)
    Promise(std::equal(&samples[y * stride], &samples[y * stride] + width,
                       expected + static_cast<size_t>(y) * width));
  calls_left = calls;
  Promise(!Succeeds(mmp_decode_into(file.data(), file.size(), options.get(), samples.data(),
                                    width + 1, height, stride)));
}

void Run(FuzzInput input) {
  FuzzInput calls = [&] {
    const std::span<const uint8_t> bytes = input.Take(1 + input.Byte());
    return FuzzInput(bytes.data(), bytes.size());
  }();
  const std::span<const uint8_t> rest = input.Rest();
  if (calls.Byte() % 2 == 0) return Decode(calls, rest);
  Decode(calls, Encode(calls, rest));
}

}  // namespace
}  // namespace mmp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  mmp::Run({data, size});
  return 0;
}
