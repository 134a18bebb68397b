// From the device's choices to the symbols that the coder writes.
#ifndef MMP_CUDA_MACROBLOCK_SYMBOLS_H_
#define MMP_CUDA_MACROBLOCK_SYMBOLS_H_

#include <span>

#include "codec/canvas.h"
#include "codec/parameters.h"
#include "codec/search.h"
#include "cuda/exchange.h"

namespace mmp::cuda {

// Appends the macroblock's symbols in coding order. `canvas` and `copies` are those that the search
// began with; the dictionary has patterns[level] patterns. False if the output makes no sense.
[[nodiscard]] bool ReadSymbols(const MacroblockOutput& output, const Canvas& canvas,
                               const CopyBlocks& copies, const CodecParameters& parameters,
                               std::span<const int32_t, kLevelCount> patterns,
                               MacroblockSymbols& symbols);

}  // namespace mmp::cuda

#endif  // MMP_CUDA_MACROBLOCK_SYMBOLS_H_
