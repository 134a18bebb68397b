// From the device's choices to the symbols that the coder writes.
#ifndef MMP_CUDA_SCHEDULE_MACROBLOCK_SYMBOLS_H_
#define MMP_CUDA_SCHEDULE_MACROBLOCK_SYMBOLS_H_

#include <span>

#include "codec/base/parameters.h"
#include "codec/intra/canvas.h"
#include "codec/rdo/macroblock_search.h"
#include "cuda/schedule/exchange.h"

namespace mmp::cuda {

// Appends the macroblock's symbols in coding order. `canvas` and `sources` are those that the
// search began with; the dictionary has patterns[level] patterns. False if the output makes no
// sense.
[[nodiscard]] bool ReadSymbols(const MacroblockOutput& output, const Canvas& canvas,
                               const BlockSources& sources, const CodecParameters& parameters,
                               std::span<const int32_t, kLevelCount> patterns,
                               MacroblockSymbols& symbols);

}  // namespace mmp::cuda

#endif  // MMP_CUDA_SCHEDULE_MACROBLOCK_SYMBOLS_H_
