#include "tools/command_line/heap.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

namespace mmp {
namespace {

// The flags of the mapping that has the address, as /proc/self/smaps has them.
std::string FlagsAt(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  const auto at = reinterpret_cast<uintptr_t>(address);
  bool is_inside = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long long begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx ", &begin, &end) == 2)
      is_inside = begin <= at && at < end;
    else if (is_inside && line.starts_with("VmFlags:"))
      return line;
  }
  return "";
}

TEST(HeapTest, LargeBlocksHaveHugePages) {
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"))
    GTEST_SKIP() << "the kernel has no transparent huge pages";
  ReserveHeap();
  constexpr size_t kMebibyte = size_t{1} << 20;
  const std::unique_ptr<char, decltype(&std::free)> block(
      static_cast<char*>(std::malloc(16 * kMebibyte)), &std::free);
  ASSERT_NE(block, nullptr);
  const std::string flags = FlagsAt(block.get() + 8 * kMebibyte);
  EXPECT_NE((flags + " ").find(" hg "), std::string::npos) << flags;
}

}  // namespace
}  // namespace mmp
