// Two estimates of which symbol comes, mixed by how well each has predicted so far.
// Normative: docs/format.md, "Models".
#ifndef MMP_CODEC_BITSTREAM_ESTIMATE_MIXER_H_
#define MMP_CODEC_BITSTREAM_ESTIMATE_MIXER_H_

#include <array>
#include <cstdint>

namespace mmp {

// Of N symbols. A weight is shifted by kShift bits before it is divided by the sum of an estimate,
// which must be at most 2^(8 + kShift).
template <int N, int kShift>
class EstimateMixer {
 public:
  static_assert(kShift <= 32);
  static constexpr uint32_t kWeightUnit = 1u << 16;

  using Estimates = std::array<std::array<uint64_t, N>, 2>;
  struct Mixture {
    Estimates parts;
    std::array<uint32_t, N> frequencies;  // at most kWeightUnit + N together
  };

  // The weight of the second estimate.
  explicit EstimateMixer(uint32_t weight) : weight_(weight) {}

  // `estimates`: in proportion to the probabilities; 0 for symbols that are not allowed, some not.
  // `allowed`: bit s is set if symbol s can occur.
  Mixture Mix(const Estimates& estimates, uint32_t allowed) const {
    Mixture mixture{estimates, {}};
    const std::array<uint64_t, 2> weights = {kWeightUnit - weight_, weight_};
    for (int k = 0; k < 2; ++k) {
      uint64_t sum = 0;
      for (const uint64_t value : estimates[k]) sum += value;
      const uint64_t factor = (weights[k] << kShift) / sum;
      for (uint64_t& part : mixture.parts[k]) part *= factor;
    }
    for (int s = 0; s < N; ++s)
      if ((allowed >> s & 1) != 0)
        mixture.frequencies[s] =
            1 + static_cast<uint32_t>((mixture.parts[0][s] + mixture.parts[1][s]) >> kShift);
    return mixture;
  }

  // `mixture` is what the symbol was coded with.
  void Update(int symbol, const Mixture& mixture) {
    const uint64_t part = mixture.parts[1][symbol];
    weight_ = kShare + static_cast<uint32_t>((kWeightUnit - 2 * kShare) * part /
                                             (mixture.parts[0][symbol] + part));
  }

 private:
  static constexpr uint32_t kShare = 256;  // least weight

  uint32_t weight_;
};

}  // namespace mmp

#endif  // MMP_CODEC_BITSTREAM_ESTIMATE_MIXER_H_
