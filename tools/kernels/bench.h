// Timing kernels and their plain twins.
#ifndef MMP_TOOLS_KERNELS_BENCH_H_
#define MMP_TOOLS_KERNELS_BENCH_H_

#include <cstdint>
#include <ostream>
#include <vector>

#include "tools/kernels/kernel_table.h"

namespace mmp::kernels {

// Prints a table: for each kernel and size, the time that a call takes on each target and in the
// plain twin, the rate of work, and how many times as fast as the twin that is.
void Bench(const std::vector<Kernel>& kernels, uint32_t seed, std::ostream& out);

}  // namespace mmp::kernels

#endif  // MMP_TOOLS_KERNELS_BENCH_H_
