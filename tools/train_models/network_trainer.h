// Trains the network of one binary decision by stochastic gradient descent.
#ifndef MMP_TOOLS_TRAIN_MODELS_NETWORK_TRAINER_H_
#define MMP_TOOLS_TRAIN_MODELS_NETWORK_TRAINER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "codec/base/levels.h"
#include "codec/tile/flag_network.h"
#include "tools/train_models/random_bits.h"

namespace mmp {

// A decision of the files that are learnt from.
struct FlagSample {
  std::array<int8_t, kFlagInputs> inputs;  // as FlagInputs
  uint8_t level;
  uint8_t bit;
};

class NetworkTrainer {
 public:
  NetworkTrainer();

  // Learns each of the samples once, in a random order; returns their mean cost in bits.
  double Epoch(const std::vector<FlagSample>& samples, float rate);
  // The mean cost of samples in bits, nothing being learnt.
  double Cost(const std::vector<FlagSample>& samples) const;
  // As an initialiser of a FlagNetwork.
  std::string Text() const;

 private:
  static constexpr int kUnits = FlagNetwork::kUnits;

  // A weight is moved by its gradient over the gradient's usual size.
  struct Weight {
    float value = 0;
    float square = 0.01f;  // of the gradient, a running mean

    void Move(float gradient, float rate);
  };
  struct Forward {
    std::array<float, kFlagInputs> inputs;
    std::array<float, kUnits> units;
    float logit;
  };

  Forward Predict(const FlagSample& sample) const;
  void Learn(const FlagSample& sample, const Forward& forward, float error, float rate);

  Weight hidden_[kUnits][kFlagInputs];
  Weight hidden_bias_[kLevelCount][kUnits];
  Weight output_[kUnits];
  Weight direct_[kFlagInputs];
  Weight bias_[kLevelCount];
  RandomBits random_{777};
};

}  // namespace mmp

#endif  // MMP_TOOLS_TRAIN_MODELS_NETWORK_TRAINER_H_
