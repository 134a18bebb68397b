#include "tools/plugins/hdf5/chunk_codec.h"

#include <bit>
#include <string>
#include <utility>
#include <vector>

namespace mmp {
namespace {

using EncodeOptionsInC = std::unique_ptr<mmp_encode_options, decltype(&mmp_encode_options_free)>;
using DecodeOptionsInC = std::unique_ptr<mmp_decode_options, decltype(&mmp_decode_options_free)>;

// What the last function of mmp_c.h that failed says; HDF5 is told the words alone.
Status LastError() { return {StatusCode::kCorrupt, std::string("mmp: ") + mmp_error_message()}; }

bool HasOrderOfMachine(const ChunkFormat& format) {
  constexpr bool kMachineIsBigEndian = std::endian::native == std::endian::big;
  return format.sample_bytes == 1 || format.is_big_endian == kMachineIsBigEndian;
}

// Of samples of two bytes.
void SwapBytes(std::span<uint8_t> samples) {
  for (size_t i = 0; i + 1 < samples.size(); i += 2) std::swap(samples[i], samples[i + 1]);
}

mmp_status SetOptions(const ChunkFormat& format, mmp_encode_options* options) {
  if (const mmp_status status =
          mmp_encode_options_set_preset(options, static_cast<int>(format.preset));
      status != MMP_OK) {
    return status;
  }
  if (format.loss == ChunkLoss::kLambda) {
    return mmp_encode_options_set_lambda(options, format.amount / 1000.0);
  }
  return mmp_encode_options_set_max_error(options, static_cast<int>(format.amount));
}

// Of samples in the byte order of the machine.
Result<ChunkFile> EncodeSamples(const ChunkFormat& format, std::span<const uint8_t> samples) {
  const EncodeOptionsInC options(mmp_encode_options_new(), mmp_encode_options_free);
  if (SetOptions(format, options.get()) != MMP_OK) return LastError();
  const int width = static_cast<int>(format.columns);
  const int height = static_cast<int>(format.rows);
  const size_t stride = format.columns * format.sample_bytes;
  uint8_t* file = nullptr;
  size_t size = 0;
  const mmp_status status =
      format.sample_bytes == 1
          ? mmp_encode(samples.data(), width, height, stride, options.get(), &file, &size)
          : mmp_encode16(reinterpret_cast<const uint16_t*>(samples.data()), width, height, stride,
                         16, options.get(), &file, &size);
  if (status != MMP_OK) return LastError();
  ChunkFile made;
  made.bytes.reset(file);
  made.size = size;
  return made;
}

}  // namespace

Result<ChunkFile> EncodeChunk(const ChunkFormat& format, std::span<const uint8_t> samples) {
  if (HasOrderOfMachine(format)) return EncodeSamples(format, samples);
  std::vector<uint8_t> swapped(samples.begin(), samples.end());
  SwapBytes(swapped);
  return EncodeSamples(format, swapped);
}

Status DecodeChunk(const ChunkFormat& format, std::span<const uint8_t> file,
                   std::span<uint8_t> samples) {
  const DecodeOptionsInC options(mmp_decode_options_new(), mmp_decode_options_free);
  // Other sizes are refused anyway; what could be encoded can be decoded.
  if (mmp_decode_options_set_max_pixels(options.get(), format.rows * format.columns) != MMP_OK) {
    return LastError();
  }
  const int width = static_cast<int>(format.columns);
  const int height = static_cast<int>(format.rows);
  const size_t stride = format.columns * format.sample_bytes;
  const mmp_status status =
      format.sample_bytes == 1
          ? mmp_decode_into(file.data(), file.size(), options.get(), samples.data(), width, height,
                            stride)
          : mmp_decode16_into(file.data(), file.size(), options.get(),
                              reinterpret_cast<uint16_t*>(samples.data()), width, height, stride);
  if (status != MMP_OK) return LastError();
  if (!HasOrderOfMachine(format)) SwapBytes(samples);
  return {};
}

}  // namespace mmp
