// Room for what a kernel writes, with values behind it that it must leave alone.
#ifndef MMP_TOOLS_KERNELS_OUTPUT_H_
#define MMP_TOOLS_KERNELS_OUTPUT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mmp::kernels {

template <typename T>
class Output {
 public:
  explicit Output(size_t size) : values_(size + kBehind, kUntouched) {}

  T* data() { return values_.data(); }

  // Appends all values, those behind the output too, and makes them as they were at first.
  void Take(std::vector<int64_t>& values) {
    values.insert(values.end(), values_.begin(), values_.end());
    std::fill(values_.begin(), values_.end(), kUntouched);
  }
  std::vector<int64_t> Take() {
    std::vector<int64_t> values;
    Take(values);
    return values;
  }

 private:
  static constexpr size_t kBehind = 64 / sizeof(T);
  static constexpr T kUntouched = static_cast<T>(0x5a5a5a5a);

  std::vector<T> values_;
};

}  // namespace mmp::kernels

#endif  // MMP_TOOLS_KERNELS_OUTPUT_H_
