#include "tools/command_line/heap.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#endif

namespace mmp {

void ReserveHeap() {
#ifdef __GLIBC__
  constexpr size_t kHugePage = size_t{1} << 21;
  constexpr int kHeapBlock = 1 << 25;  // the largest threshold that glibc takes
  // Where address space is limited, stacks may need it.
  rlimit address_space{};
  if (getrlimit(RLIMIT_AS, &address_space) != 0 || address_space.rlim_cur != RLIM_INFINITY) return;
  // Blocks up to that size come from the heap, whose end is given back beyond twice as much: what
  // glibc arrives at itself once it has freed one of them.
  if (mallopt(M_MMAP_THRESHOLD, kHeapBlock) == 0) return;
  mallopt(M_TRIM_THRESHOLD, 2 * kHeapBlock);
  constexpr size_t kReserve = kHeapBlock - kHugePage;
  void* const block = std::malloc(kReserve);
  if (block == nullptr) return;
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(block) + kHugePage - 1) & ~(kHugePage - 1);
  const uintptr_t end = (reinterpret_cast<uintptr_t>(block) + kReserve) & ~(kHugePage - 1);
  // Where it is refused, pages are small as before.
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  std::free(block);
#endif
}

}  // namespace mmp
