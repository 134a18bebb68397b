// The interface in C with arbitrary values of all options: encoding an image, then decoding what
// that made, or what the input has in its place: the whole, a region or the preview, from memory
// and through a function that reads. The first bytes are calls to make, the rest samples or a file.
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

// A failure has a message, and is none that means a fault of the library's; MMP_IO only if
// something is read that can fail.
bool Succeeds(mmp_status status, bool may_read_badly = false) {
  Promise(std::strlen(mmp_status_text(status)) > 0);
  if (status == MMP_OK) return true;
  Promise(status != MMP_INTERNAL_ERROR && status != MMP_OUT_OF_MEMORY);
  Promise(status != MMP_IO || may_read_badly);
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
  switch (input.Byte() % 18) {
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
    case 14:
      Promise(Succeeds(mmp_encode_options_set_effort(options, input.Byte() % 12 - 1)));
      break;
    case 15:
      Promise(Succeeds(mmp_encode_options_set_preview(options, input.Byte() % 2)));
      break;
    case 16: {
      const int kind = input.Number(2) % 260;
      const std::span<const uint8_t> chunk = input.Take(input.Byte());
      const bool is_added =
          Succeeds(mmp_encode_options_add_metadata(options, kind, chunk.data(), chunk.size()));
      Promise(is_added == (kind >= 1 && kind <= 255));
      if (kind == 259) Promise(Succeeds(mmp_encode_options_clear_metadata(options)));
      break;
    }
    case 17:
      Promise(Succeeds(mmp_encode_options_set_signed(options, input.Byte() % 2)));
      break;
  }
}

// What decoding was asked for, beside limits.
struct DecodeCalls {
  int calls_left = 0;  // until it is cancelled
  bool has_region = false, is_preview = false;
  int x = 0, y = 0, width = 0, height = 0;  // of the region
};

void SetDecodeOption(mmp_decode_options* options, FuzzInput& input, DecodeCalls& calls) {
  switch (input.Byte() % 10) {
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
      calls.calls_left = input.Byte();
      Promise(Succeeds(mmp_decode_options_set_progress(options, CountDown, &calls.calls_left)));
      break;
    case 7:
      // Mostly within a small image; at times anywhere.
      for (int* place : {&calls.x, &calls.y, &calls.width, &calls.height})
        *place = calls.is_preview ? TakeInt(input) : input.Byte() % 48;
      Promise(Succeeds(
          mmp_decode_options_set_region(options, calls.x, calls.y, calls.width, calls.height)));
      calls.has_region = true;
      break;
    case 8:
      Promise(Succeeds(mmp_decode_options_clear_region(options)));
      calls.has_region = false;
      break;
    case 9:
      calls.is_preview = input.Byte() % 4 != 0;
      Promise(Succeeds(mmp_decode_options_set_preview(options, calls.is_preview)));
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

// A file that is read piece by piece, and cannot be read any more from some piece on.
struct Pieces {
  std::span<const uint8_t> file;
  int left;  // pieces
};

int ReadPiece(uint64_t offset, void* bytes, size_t count, void* context) {
  Pieces& pieces = *static_cast<Pieces*>(context);
  Promise(count > 0 && offset <= pieces.file.size() && count <= pieces.file.size() - offset);
  if (pieces.left-- <= 0) return 0;
  std::copy_n(&pieces.file[offset], count, static_cast<uint8_t*>(bytes));
  return 1;
}

void CheckInfo(const mmp_info* info, int width, int height, int depth) {
  uint32_t hash = 0;
  Promise(mmp_info_width(info) == width && mmp_info_height(info) == height);
  Promise(mmp_info_depth(info) == depth);
  Promise(mmp_info_coder(info) == MMP_CODER_PATTERNS || mmp_info_coder(info) == MMP_CODER_PIXELS);
  Promise(mmp_info_max_error(info) >= 0 && mmp_info_max_error(info) < 1 << depth);
  Promise(mmp_info_format_version(info) > 0 && mmp_info_tile_count(info) > 0);
  Promise(mmp_info_preset(info) <= MMP_PRESET_BEST);
  Promise(mmp_info_is_lossless(info) <= 1 && mmp_info_is_signed(info) <= 1);
  Promise(mmp_info_damaged_metadata(info) >= 0);
  Promise(mmp_info_damaged_preview(info) == 0 || mmp_info_preview_bytes(info) > 0);
  const size_t chunks = mmp_info_metadata_count(info);
  for (size_t i = 0; i <= chunks; ++i)
    Promise((mmp_info_metadata(info, i).kind > 0) == (i < chunks));
  Promise(mmp_info_order(info) == MMP_ORDER_RASTER || mmp_info_order(info) == MMP_ORDER_WAVEFRONT);
  Promise(mmp_info_needs_dictionary_file(info, &hash) == 1 || hash == 0);
}

void ReadHeader(FuzzInput& input, std::span<const uint8_t> file, int& width, int& height,
                int& depth) {
  const size_t beginning = std::min<size_t>(file.size(), MMP_MAX_HEADER_BYTES);
  const bool has_size = Succeeds(mmp_read_size(file.data(), beginning, &width, &height));
  Promise(Succeeds(mmp_read_depth(file.data(), beginning, &depth)) == has_size);
  Promise(has_size ? depth >= 1 && depth <= 16 : depth == 0);
  mmp_info* read = nullptr;
  const bool has_info = Succeeds(mmp_info_read(file.data(), file.size(), &read));
  const InfoInC info(read);
  Promise(has_info == (info != nullptr) && (has_size || !has_info));
  if (has_info) CheckInfo(info.get(), width, height, depth);

  const int check_bytes = input.Byte() % 2;
  Pieces pieces = {file, input.Byte()};
  mmp_info* read_from = nullptr;
  const bool has_pieces =
      Succeeds(mmp_info_read_from(ReadPiece, &pieces, file.size(), check_bytes, &read_from), true);
  const InfoInC of_pieces(read_from);
  Promise(has_pieces == (of_pieces != nullptr));
  // What is refused as a whole can have a header that is good.
  Promise(pieces.left < 0 || has_pieces || !has_info);
  if (has_pieces) CheckInfo(of_pieces.get(), width, height, depth);
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

// Decodes once more, to memory of the fuzzer's, and into too wide an image. `renew` makes the
// options what they were.
template <typename Sample, typename Expected, typename Into, typename Renew>
void CheckInto(const mmp_image* image, const Expected* expected, const Into& into,
               const Renew& renew) {
  const int width = mmp_image_width(image), height = mmp_image_height(image);
  const size_t stride = static_cast<size_t>(width) + 3;  // samples
  std::vector<Sample> samples(stride * height);
  renew();
  Promise(Succeeds(into(samples.data(), width, stride * sizeof(Sample))));
  for (int y = 0; y < height; ++y)
    Promise(std::equal(&samples[y * stride], &samples[y * stride] + width,
                       expected + static_cast<size_t>(y) * width));
  renew();
  Promise(!Succeeds(into(samples.data(), width + 1, stride * sizeof(Sample))));
}

// An image has the size and depth that its file says, or those of what was asked of it.
void CheckShape(const mmp_image* image, const DecodeCalls& calls, int width, int height,
                int depth) {
  const int got_width = mmp_image_width(image), got_height = mmp_image_height(image);
  if (calls.is_preview) {
    Promise(!calls.has_region);
    Promise(got_width == (width + 7) / 8 && got_height == (height + 7) / 8);
    Promise(mmp_image_depth(image) == std::max(8, depth));
    return;
  }
  Promise(mmp_image_depth(image) == depth);
  Promise(got_width == (calls.has_region ? calls.width : width));
  Promise(got_height == (calls.has_region ? calls.height : height));
  if (!calls.has_region) return;
  Promise(calls.x >= 0 && calls.width > 0 && calls.x + calls.width <= width);
  Promise(calls.y >= 0 && calls.height > 0 && calls.y + calls.height <= height);
}

void Decode(FuzzInput& input, std::span<const uint8_t> file) {
  const DecodeOptionsInC holder(mmp_decode_options_new());
  mmp_decode_options* const options = holder.get();
  Promise(options != nullptr);
  Promise(Succeeds(mmp_decode_options_set_max_pixels(options, 1 << 14)));
  Promise(Succeeds(mmp_decode_options_set_max_work(options, 1 << 28)));
  Promise(Succeeds(mmp_decode_options_set_threads(options, 1)));
  DecodeCalls calls;
  for (int count = input.Byte() % 6; count > 0; --count) SetDecodeOption(options, input, calls);
  const int calls_left = calls.calls_left;
  auto renew = [&] { calls.calls_left = calls_left; };
  int width = 0, height = 0, depth = 0;
  ReadHeader(input, file, width, height, depth);

  mmp_image* decoded = nullptr;
  const bool is_done = Succeeds(mmp_decode(file.data(), file.size(), options, &decoded));
  const ImageInC image(decoded);
  Promise(is_done == (image != nullptr));

  Pieces pieces = {file, input.Byte()};
  mmp_image* decoded_from = nullptr;
  renew();
  const bool is_done_from =
      Succeeds(mmp_decode_from(ReadPiece, &pieces, file.size(), options, &decoded_from), true);
  const ImageInC image_from(decoded_from);
  Promise(is_done_from == (image_from != nullptr));
  Promise(pieces.left < 0 || is_done_from == is_done);
  if (!is_done) return;

  CheckDamagedTiles(image.get());
  CheckShape(image.get(), calls, width, height, depth);
  Promise(mmp_image_is_signed(image.get()) <= 1 && mmp_image_damaged_metadata(image.get()) >= 0);
  const size_t chunks = mmp_image_metadata_count(image.get());
  for (size_t i = 0; i <= chunks; ++i)
    Promise((mmp_image_metadata(image.get(), i).kind > 0) == (i < chunks));
  const uint8_t* const samples = mmp_image_samples(image.get());
  const uint16_t* const deep_samples = mmp_image_samples16(image.get());
  const int got_height = mmp_image_height(image.get());
  const size_t count = static_cast<size_t>(mmp_image_width(image.get())) * got_height;
  if (is_done_from) {
    Promise(samples == nullptr ||
            std::equal(samples, samples + count, mmp_image_samples(image_from.get())));
    Promise(deep_samples == nullptr ||
            std::equal(deep_samples, deep_samples + count, mmp_image_samples16(image_from.get())));
  }
  auto into = [&](uint8_t* to, int columns, size_t stride) {
    return mmp_decode_into(file.data(), file.size(), options, to, columns, got_height, stride);
  };
  auto into16 = [&](uint16_t* to, int columns, size_t stride) {
    return mmp_decode16_into(file.data(), file.size(), options, to, columns, got_height, stride);
  };
  if (mmp_image_depth(image.get()) <= 8) {
    Promise(deep_samples == nullptr);
    CheckInto<uint8_t>(image.get(), samples, into, renew);
    CheckInto<uint16_t>(image.get(), samples, into16, renew);
    return;
  }
  Promise(samples == nullptr);
  CheckInto<uint16_t>(image.get(), deep_samples, into16, renew);
  std::vector<uint8_t> bytes(count);
  renew();
  Promise(!Succeeds(into(bytes.data(), mmp_image_width(image.get()), count / got_height)));
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
