// Numbers as bytes, least significant first, as headers have them (docs/format.md, "Conventions").
#ifndef MMP_CODEC_BITSTREAM_BYTE_IO_H_
#define MMP_CODEC_BITSTREAM_BYTE_IO_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mmp {

// Appends to `bytes`, which must outlive it.
class ByteWriter {
 public:
  explicit ByteWriter(std::vector<uint8_t>& bytes) : bytes_(bytes) {}
  void U8(uint32_t v) { bytes_.push_back(static_cast<uint8_t>(v)); }
  void U16(uint32_t v) {
    U8(v);
    U8(v >> 8);
  }
  void U24(uint32_t v) {
    U16(v);
    U8(v >> 16);
  }
  void U32(uint32_t v) {
    U16(v);
    U16(v >> 16);
  }
  void Varint(uint32_t v) {
    for (; v >= 0x80; v >>= 7) U8(v | 0x80);
    U8(v);
  }

 private:
  std::vector<uint8_t>& bytes_;
};

// Reads zeros past the end and remembers that it did.
class ByteReader {
 public:
  explicit ByteReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  uint32_t U8() {
    if (position_ >= bytes_.size()) {
      overrun_ = true;
      return 0;
    }
    return bytes_[position_++];
  }
  uint32_t U16() {
    const uint32_t low = U8();
    return low | U8() << 8;
  }
  uint32_t U24() {
    const uint32_t low = U16();
    return low | U8() << 16;
  }
  uint32_t U32() {
    const uint32_t low = U16();
    return low | U16() << 16;
  }
  // At most three bytes: 21 bits.
  uint32_t Varint() {
    uint32_t value = 0;
    for (int shift = 0; shift < 21; shift += 7) {
      const uint32_t byte = U8();
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    malformed_ = true;
    return 0;
  }
  // Leaves out so many bytes, no more than there are.
  void Skip(size_t count) { position_ += count; }
  size_t position() const { return position_; }
  bool overrun() const { return overrun_; }
  bool malformed() const { return malformed_; }

 private:
  std::span<const uint8_t> bytes_;
  size_t position_ = 0;
  bool overrun_ = false;
  bool malformed_ = false;
};

}  // namespace mmp

#endif  // MMP_CODEC_BITSTREAM_BYTE_IO_H_
