// Checksums.
#include <string>

#include "common/crc32c.h"
#include "tools/kernels/kernel_table.h"
#include "tools/kernels/output.h"

namespace mmp::kernels {
namespace {

class Crc32cCase : public Case {
 public:
  Crc32cCase(Random& random, int size)
      : bytes_(random.OneIn(4) ? std::vector<uint8_t>(size, random.OneIn(2) ? 0 : 255)
                               : RandomBytes(random, size)),
        start_(random.OneIn(2) ? 0 : random.Bits()),
        crc_(1) {}

  std::string Describe() const override {
    return std::to_string(bytes_.size()) + " bytes from checksum " + std::to_string(start_) + " on";
  }
  double Work() const override { return static_cast<double>(bytes_.size()); }
  void RunKernel() override { *crc_.data() = Crc32c(bytes_, start_); }
  // RFC 3720: the remainder by the polynomial 0x11EDC6F41, bits of bytes the lowest first.
  void RunTwin() override {
    uint32_t crc = ~start_;
    for (const uint8_t byte : bytes_) {
      for (int bit = 0; bit < 8; ++bit) {
        const bool subtract = ((crc ^ (byte >> bit)) & 1) != 0;
        crc >>= 1;
        if (subtract) crc ^= 0x82F63B78;  // its bits in reverse
      }
    }
    *crc_.data() = ~crc;
  }
  std::vector<int64_t> TakeOutput() override { return crc_.Take(); }

 private:
  const std::vector<uint8_t> bytes_;
  const uint32_t start_;
  Output<uint32_t> crc_;
};

}  // namespace

void AddChecksumKernels(std::vector<Kernel>& table) {
  table.push_back({.name = "Crc32c",
                   .targets = PortableTarget(),
                   .unit = "bytes",
                   .cases = 200,
                   .make = [](Random& random, int number) -> std::unique_ptr<Case> {
                     return std::make_unique<Crc32cCase>(random, number);
                   },
                   .size_name = "bytes",
                   .sizes = {64, 65536},
                   .make_sized = [](Random& random, int size) -> std::unique_ptr<Case> {
                     return std::make_unique<Crc32cCase>(random, size);
                   }});
}

}  // namespace mmp::kernels
