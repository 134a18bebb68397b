// Random numbers that are the same on every machine.
#ifndef MMP_TOOLS_TRAIN_MODELS_RANDOM_BITS_H_
#define MMP_TOOLS_TRAIN_MODELS_RANDOM_BITS_H_

#include <cstdint>

namespace mmp {

// Those of a linear congruential generator: the upper bits are the more random ones.
class RandomBits {
 public:
  explicit RandomBits(uint32_t seed) : state_(seed) {}

  uint32_t operator()() { return state_ = state_ * 1664525u + 1013904223u; }

 private:
  uint32_t state_;
};

}  // namespace mmp

#endif  // MMP_TOOLS_TRAIN_MODELS_RANDOM_BITS_H_
