// Loops over sizes that the compiler knows.
#ifndef MMP_CODEC_BASE_KNOWN_SIZE_H_
#define MMP_CODEC_BASE_KNOWN_SIZE_H_

namespace mmp {

// Calls f.operator()<size>() for a size known at run time, a power of 2 from kSize to kMost.
template <int kMost, int kSize = 1, typename F>
auto WithPowerOfTwo(int size, F f) {
  if constexpr (kSize < kMost)
    if (size != kSize) return WithPowerOfTwo<kMost, 2 * kSize>(size, f);
  return f.template operator()<kSize>();
}

}  // namespace mmp

#endif  // MMP_CODEC_BASE_KNOWN_SIZE_H_
