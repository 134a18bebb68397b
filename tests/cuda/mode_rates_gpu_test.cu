// Modes cost on the device what their models say.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "codec/bitstream/context_models.h"
#include "cuda/kernels/mode_rates.cuh"
#include "cuda/kernels/tables.cuh"
#include "tests/cuda/device.h"
#include "tests/support/test_support.h"

namespace mmp::cuda {
namespace {

struct ModeCase {
  ModeCount counts[kPredictionModes];
  uint32_t modes;
};

__global__ void Log2OfModes(const ModeCase* cases, int32_t* logs) {
  const uint32_t total = CountModesByWarp(cases[blockIdx.x].counts, cases[blockIdx.x].modes);
  if (threadIdx.x == 0) logs[blockIdx.x] = log2_table.q12[total];
}

using ModeRates = DeviceTest;

TEST_F(ModeRates, EqualTheModels) {
  Random random(1);
  std::vector<ModeCase> cases;
  std::vector<std::array<int32_t, kPredictionModes>> symbol_costs;
  SymbolModel<kPredictionModes> model;
  for (int round = 0; round < 20000; ++round) {
    // Long runs of one mode, which bring its count to the most that it can be.
    const int often = round / 500 % kPredictionModes;
    model.Update(random.OneIn(8) ? random.Below(kPredictionModes) : often);
    ModeCase& c = cases.emplace_back();
    c.modes = (random.Bits() | 1u << random.Below(kPredictionModes)) & kAllModes;
    const auto counts = model.Frequencies(kAllModes);
    for (int mode = 0; mode < kPredictionModes; ++mode)
      c.counts[mode] = {static_cast<uint16_t>(counts[mode]),
                        static_cast<uint16_t>(Log2Q12(counts[mode]))};
    model.RatesQ12(c.modes, symbol_costs.emplace_back());
  }
  const DeviceArray<ModeCase> in(cases);
  const DeviceArray<int32_t> out(cases.size());
  Log2OfModes<<<static_cast<int>(cases.size()), 32>>>(in.data(), out.data());
  Finish();
  const std::vector<int32_t> logs = out.Read();
  for (size_t k = 0; k < cases.size(); ++k)
    for (int mode = 0; mode < kPredictionModes; ++mode)
      if ((cases[k].modes >> mode & 1) != 0)
        ASSERT_EQ(logs[k] - cases[k].counts[mode].log2_q12, symbol_costs[k][mode])
            << "case " << k << ", mode " << mode;
}

}  // namespace
}  // namespace mmp::cuda
