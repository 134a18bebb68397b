// A list that grows while its elements stay where they are.
#ifndef MMP_CODEC_BITSTREAM_SYMBOL_LIST_H_
#define MMP_CODEC_BITSTREAM_SYMBOL_LIST_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace mmp {

// Symbols of a stream, packed into 64 bits. While one thread appends, others may use elements that
// were there before.
class SymbolList {
 public:
  size_t size() const { return size_; }
  uint64_t& operator[](size_t number) { return parts_[PartOf(number)][OffsetOf(number)]; }
  uint64_t operator[](size_t number) const { return parts_[PartOf(number)][OffsetOf(number)]; }

  // Appends so many elements, whose values are still to come; returns the number of the first.
  size_t Append(size_t count) {
    const size_t first = size_;
    size_ += count;
    if (count > 0)
      for (size_t part = PartOf(size_ - 1) + 1; part-- > 0 && !parts_[part];)
        parts_[part] = std::make_unique_for_overwrite<uint64_t[]>(size_t{1} << LogOfSize(part));
    return first;
  }

 private:
  // Part 0 has the first 2^kFirstLog elements, each other part as many as all before it.
  static constexpr int kFirstLog = 12;

  static size_t PartOf(size_t number) {
    return static_cast<size_t>(std::bit_width(number >> kFirstLog));
  }
  static size_t LogOfSize(size_t part) { return kFirstLog + (part > 0 ? part - 1 : 0); }
  static size_t OffsetOf(size_t number) {
    const size_t part = PartOf(number);
    return part > 0 ? number - (size_t{1} << LogOfSize(part)) : number;
  }

  size_t size_ = 0;
  std::array<std::unique_ptr<uint64_t[]>, 8 * sizeof(size_t) - kFirstLog + 1> parts_;
};

}  // namespace mmp

#endif  // MMP_CODEC_BITSTREAM_SYMBOL_LIST_H_
