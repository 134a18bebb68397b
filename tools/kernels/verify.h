// Comparing kernels with their plain twins.
#ifndef MMP_TOOLS_KERNELS_VERIFY_H_
#define MMP_TOOLS_KERNELS_VERIFY_H_

#include <cstdint>
#include <ostream>
#include <vector>

#include "tools/kernels/kernel_table.h"

namespace mmp::kernels {

// Runs each kernel on each of its targets with all of its cases. Prints a line for a kernel and,
// where a target's output is not the twin's, the first difference. Returns how many targets of
// kernels differ.
int Verify(const std::vector<Kernel>& kernels, uint32_t seed, std::ostream& out);

// The random numbers that case `number` is made from.
Random CaseRandom(uint32_t seed, int number);

}  // namespace mmp::kernels

#endif  // MMP_TOOLS_KERNELS_VERIFY_H_
