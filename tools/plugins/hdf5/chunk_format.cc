#include "tools/plugins/hdf5/chunk_format.h"

#include <string>

namespace mmp {
namespace {

constexpr uint64_t kMostSide = 65535;
constexpr uint64_t kMostBytes = UINT32_MAX;  // so that a size_t of 32 bits has them, too
constexpr unsigned kMostLambda = 65536000;   // in thousandths

Status Invalid(std::string message) {
  return {StatusCode::kInvalidArgument, "mmp: " + std::move(message)};
}

Status CheckLoss(const ChunkFormat& format) {
  const unsigned most_sample = format.sample_bytes == 1 ? 255 : 65535;
  switch (format.loss) {
    case ChunkLoss::kNone:
      if (format.amount == 0) return {};
      return Invalid("the second number is 0 where the first, 0, says that nothing may be lost");
    case ChunkLoss::kBound:
      if (format.amount <= most_sample) return {};
      return Invalid("the largest error is 0 to " + std::to_string(most_sample) + ", not " +
                     std::to_string(format.amount));
    case ChunkLoss::kLambda:
      if (format.amount <= kMostLambda) return {};
      return Invalid("lambda is 0 to 65536, in thousandths 0 to 65536000, not " +
                     std::to_string(format.amount));
  }
  return Invalid("the first number is 0 (lossless), 1 (largest error) or 2 (lambda), not " +
                 std::to_string(static_cast<unsigned>(format.loss)));
}

Status CheckSamples(const ChunkFormat& format) {
  if (format.sample_bytes != 1 && format.sample_bytes != 2) {
    return Invalid("samples have 1 or 2 bytes, not " + std::to_string(format.sample_bytes));
  }
  if (format.rows - 1 >= kMostSide || format.columns - 1 >= kMostSide) {
    return Invalid(
        "the last dimension of a chunk and the product of the others are 1 to 65535, not " +
        std::to_string(format.columns) + " and " + std::to_string(format.rows));
  }
  if (format.rows * format.columns * format.sample_bytes > kMostBytes) {
    return Invalid("chunks of HDF5 have less than 4 GiB");
  }
  return {};
}

// Adds type and size, the numbers after the user's.
Status ReadSamples(std::span<const unsigned> numbers, ChunkFormat& format) {
  if (numbers[4] > 1) {
    return Invalid("the fifth number is the byte order, 0 (little-endian) or 1 (big-endian), not " +
                   std::to_string(numbers[4]));
  }
  format.sample_bytes = numbers[3];
  format.is_big_endian = numbers[4] == 1;
  format.rows = numbers[5];
  format.columns = numbers[6];
  return CheckSamples(format);
}

}  // namespace

Status Check(const ChunkFormat& format) {
  MMP_RETURN_IF_ERROR(CheckSamples(format));
  if (format.preset > MMP_PRESET_QUICK) {
    return Invalid(
        "the third number is the preset, 0 (thesis), 1 (fast), 2 (best) or 3 (quick), not " +
        std::to_string(format.preset));
  }
  return CheckLoss(format);
}

Result<ChunkFormat> ReadOptions(std::span<const unsigned> numbers) {
  if (numbers.size() > kUserNumbers && numbers.size() != kChunkNumbers) {
    return Invalid("there are at most " + std::to_string(kUserNumbers) + " options, not " +
                   std::to_string(numbers.size()));
  }
  ChunkFormat format;
  if (!numbers.empty()) format.loss = static_cast<ChunkLoss>(numbers[0]);
  if (numbers.size() > 1) format.amount = numbers[1];
  if (numbers.size() > 2) format.preset = numbers[2];
  return format;
}

Result<ChunkFormat> ReadForEncoding(std::span<const unsigned> numbers) {
  if (numbers.size() != kChunkNumbers) {
    return Invalid("a dataset is encoded by " + std::to_string(kChunkNumbers) + " numbers, not " +
                   std::to_string(numbers.size()));
  }
  Result<ChunkFormat> format = ReadOptions(numbers);
  if (!format.ok()) return format;
  MMP_RETURN_IF_ERROR(ReadSamples(numbers, *format));
  MMP_RETURN_IF_ERROR(Check(*format));
  return format;
}

Result<ChunkFormat> ReadForDecoding(std::span<const unsigned> numbers) {
  if (numbers.size() < kChunkNumbers) {
    return Invalid("a dataset's filter has at least " + std::to_string(kChunkNumbers) +
                   " numbers, not " + std::to_string(numbers.size()));
  }
  ChunkFormat format;
  MMP_RETURN_IF_ERROR(ReadSamples(numbers, format));
  return format;
}

std::array<unsigned, kChunkNumbers> NumbersOf(const ChunkFormat& format) {
  return {static_cast<unsigned>(format.loss),
          format.amount,
          format.preset,
          static_cast<unsigned>(format.sample_bytes),
          format.is_big_endian ? 1U : 0U,
          static_cast<unsigned>(format.rows),
          static_cast<unsigned>(format.columns)};
}

}  // namespace mmp
