#include "tests/support/failing_allocations.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<bool> is_failing{false};
std::atomic<bool> fails_on{false};
// Allocations that succeed before one fails.
std::atomic<int64_t> allocations_left{0};
std::atomic<int64_t> bytes_held{0}, most_bytes{0};

bool MayAllocate() {
  if (!is_failing) return true;
  const int64_t left = allocations_left.fetch_sub(1);
  return left > 0 || (left < 0 && !fails_on);
}

// Null if this allocation is to fail.
void* Allocate(size_t size, std::align_val_t alignment) {
  void* memory = nullptr;
  if (!MayAllocate() || posix_memalign(&memory, static_cast<size_t>(alignment), size) != 0)
    return nullptr;
  const int64_t held = bytes_held += static_cast<int64_t>(malloc_usable_size(memory));
  int64_t most = most_bytes;
  while (held > most && !most_bytes.compare_exchange_weak(most, held)) {
  }
  return memory;
}

void* AllocateOrThrow(size_t size, std::align_val_t alignment) {
  if (void* const memory = Allocate(size, alignment)) return memory;
  throw std::bad_alloc();
}

void Free(void* memory) {
  bytes_held -= static_cast<int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

constexpr std::align_val_t kUsualAlignment{alignof(std::max_align_t)};

}  // namespace

// All forms: what one allocates another may free.
void* operator new(size_t size) { return AllocateOrThrow(size, kUsualAlignment); }
void* operator new[](size_t size) { return AllocateOrThrow(size, kUsualAlignment); }
void* operator new(size_t size, std::align_val_t a) { return AllocateOrThrow(size, a); }
void* operator new[](size_t size, std::align_val_t a) { return AllocateOrThrow(size, a); }
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return Allocate(size, kUsualAlignment);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return Allocate(size, kUsualAlignment);
}
void operator delete(void* memory) noexcept { Free(memory); }
void operator delete[](void* memory) noexcept { Free(memory); }
void operator delete(void* memory, size_t) noexcept { Free(memory); }
void operator delete[](void* memory, size_t) noexcept { Free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { Free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { Free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { Free(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { Free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { Free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { Free(memory); }

namespace mmp {

void BeginFailing(int64_t succeeding, Failing failing) {
  allocations_left = succeeding;
  fails_on = failing == Failing::kAll;
  is_failing = true;
}

bool EndFailing() {
  is_failing = false;
  return allocations_left < 0;
}

void CountBytes() {
  bytes_held = 0;
  most_bytes = 0;
}

int64_t MostBytes() { return most_bytes; }

}  // namespace mmp
