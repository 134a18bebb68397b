// The limits of a decode: the work and the memory that it may take.
#ifndef MMP_CODEC_DECODER_DECODE_LIMITS_H_
#define MMP_CODEC_DECODER_DECODE_LIMITS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "codec/bitstream/container.h"
#include "codec/dictionary/trained_patterns.h"
#include "mmp/status.h"

namespace mmp {

// The work of all tiles of a file, see decode_work.h. Tiles are decoded side by side, yet end as if
// one were decoded after the other: a tile exceeds the limit if its work and that of all tiles
// before it do.
class WorkLimit {
 public:
  // `before` is the work before the first tile.
  WorkLimit(uint64_t limit, uint64_t before, int tiles);

  // The tile has taken `work` so far. kLimitExceeded if that is too much, kCancelled if the tile
  // has been given up.
  Status Reach(int tile, uint64_t work);
  // Of an image of one tile: whether that may take so much.
  bool Allows(uint64_t work) const { return before_ + work <= limit_; }

  // Once all tiles have ended: the first that exceeds the limit, or the number of tiles. Which that
  // is does not depend on the order in which they were decoded.
  int FirstExceeding() const;
  Status Exceeded() const;

  // The tile's failure is that of the file, unless one before it fails, too: those behind it are
  // given up.
  void GiveUpAfter(int tile);
  void GiveUpAll() { last_ = -1; }
  bool IsGivenUp(int tile) const { return tile > last_; }

 private:
  // That of all tiles up to this one.
  uint64_t WorkUpTo(int tile) const;

  const uint64_t limit_, before_;
  std::vector<std::atomic<uint64_t>> by_tile_;
  std::atomic<uint64_t> all_;
  std::atomic<int> last_;  // of the tiles that are not given up
};

// The bytes that a program of this machine can count on to address: 2 GiB if addresses have 32
// bits.
inline constexpr uint64_t kAddressableBytes = std::numeric_limits<ptrdiff_t>::max();

// The bytes that decoding a file takes at most, beside those of the file.
struct DecodeMemory {
  uint64_t shared = 0;       // by all threads
  uint64_t each_thread = 0;  // for the tile that it decodes

  // kLimitExceeded if there is not enough for one thread. Whatever the limit, there is no more than
  // `addressable`.
  Status Check(uint64_t limit, uint64_t addressable = kAddressableBytes) const;
  // How many of `threads` there is enough for; at least 1.
  int MostThreads(uint64_t limit, int threads, uint64_t addressable = kAddressableBytes) const;
};

// `trained` is what FindPatterns finds for the header's parameters.
DecodeMemory DecodeMemoryOf(const FileHeader& header, const TrainedPatterns* trained);

// The bytes that the tile table of a file takes once it is read.
uint64_t TableMemory(const FileHeader& header);

// The same of its metadata, with those of the decoded image.
uint64_t MetadataMemory(const FileHeader& header);

// What decoding some tiles of a file with `header` takes; `of_tiles` is the header of an image of
// nothing but these.
DecodeMemory RegionMemoryOf(const FileHeader& header, const FileHeader& of_tiles,
                            const TrainedPatterns* trained);

// The limit where DecodeOptions set none; `memory` is what DecodeMemoryOf says. DefaultMaxMemory,
// and for the pixel coder at least enough for one thread: what it takes follows from the size
// alone, which max_pixels limits.
uint64_t DefaultMaxMemoryOf(const FileHeader& header, const DecodeMemory& memory);

}  // namespace mmp

#endif  // MMP_CODEC_DECODER_DECODE_LIMITS_H_
