// What the numbers (cd_values) of the filter say, which a file keeps with each dataset:
//
//   0  what may be lost: 0 nothing, 1 a bounded error, 2 as a lambda says
//   1  the largest error of a sample, or lambda in thousandths; 0 where nothing may be lost
//   2  the preset, as enum mmp_preset
//   3  bytes a sample, 1 or 2
//   4  1 if the bytes of a sample are in big-endian order, else 0
//   5  rows of a chunk: the product of all its dimensions but the last
//   6  columns of a chunk: its last dimension
//
// The first three are the user's, who may leave out the last of them, or all: 0, 0, 2 are the
// defaults. The filter itself appends the others when a dataset is created.
//
// Files keep these numbers for good. What versions to come add are options of encoding, with
// numbers of their own behind the last, or other values of the first three: decoding looks at
// neither, so that it reads what they write. What a decoder must understand shows in the numbers 3
// to 6, of which it refuses values that it does not know. Nothing is encoded by numbers that are
// not all understood.
#ifndef MMP_TOOLS_PLUGINS_HDF5_CHUNK_FORMAT_H_
#define MMP_TOOLS_PLUGINS_HDF5_CHUNK_FORMAT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mmp/mmp_c.h"
#include "mmp/status.h"

namespace mmp {

inline constexpr size_t kUserNumbers = 3;
inline constexpr size_t kChunkNumbers = 7;

enum class ChunkLoss : unsigned { kNone = 0, kBound = 1, kLambda = 2 };

struct ChunkFormat {
  ChunkLoss loss = ChunkLoss::kNone;
  unsigned amount = 0;  // the number after it
  unsigned preset = MMP_PRESET_BEST;
  uint64_t sample_bytes = 1;
  bool is_big_endian = false;
  uint64_t rows = 1;
  uint64_t columns = 1;

  size_t Bytes() const { return rows * columns * sample_bytes; }
};

// Whether chunks can be encoded so: the user's numbers, the type and the size are in range.
Status Check(const ChunkFormat& format);

// What the user's numbers say: at most three, or the first three of all that another dataset has.
// To be checked once the rest is known.
Result<ChunkFormat> ReadOptions(std::span<const unsigned> numbers);

// What a dataset's numbers say, checked: for encoding all, for decoding type and size, what it does
// not need left as it is by default.
Result<ChunkFormat> ReadForEncoding(std::span<const unsigned> numbers);
Result<ChunkFormat> ReadForDecoding(std::span<const unsigned> numbers);

// The numbers that say so.
std::array<unsigned, kChunkNumbers> NumbersOf(const ChunkFormat& format);

}  // namespace mmp

#endif  // MMP_TOOLS_PLUGINS_HDF5_CHUNK_FORMAT_H_
